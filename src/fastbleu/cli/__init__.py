"""The commands `fastbleu`, `fastbleu-compare` and `fastbleu-rerank`, each in a folder.

`common`, `chrf_options`, `conflicts` and `parser` contain code that the commands share.
"""
