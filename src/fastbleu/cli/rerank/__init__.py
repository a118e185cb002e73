"""The command line `fastbleu-rerank`: `command` runs it; its work is that of `fastbleu.rerank.nbest`."""
