"""The command lines `fastbleu`, `fastbleu-compare` and `fastbleu-rerank`, each in a folder.

`common`, `chrf_options` and `conflicts` contain the shared code.
"""
