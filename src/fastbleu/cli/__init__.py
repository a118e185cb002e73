"""The command lines: `fastbleu` and `fastbleu-rerank`. `common` holds what they share."""
