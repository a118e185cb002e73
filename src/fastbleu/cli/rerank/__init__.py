"""The command `fastbleu-rerank`: `rerank_command` runs it, and `rerank_options` parses its options."""
