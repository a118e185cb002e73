"""The command lines `fastbleu`, `fastbleu-compare` and `fastbleu-rerank`, each in a folder.

`common`, `conflicts` and `table_rows` hold what they share.
"""
