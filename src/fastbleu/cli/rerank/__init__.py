"""The command line `fastbleu-rerank`: `command` runs it, using `fastbleu.rerank.nbest`."""
