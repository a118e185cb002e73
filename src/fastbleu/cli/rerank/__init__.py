"""The command line `fastbleu-rerank`: `rerank_command` runs it, using `fastbleu.rerank.nbest`."""
