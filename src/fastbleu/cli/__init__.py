"""The command lines `fastbleu`, `fastbleu-compare` and `fastbleu-rerank`, each in a folder.

`common`, `conflicts`, `table_options`, `table_rows` and `output_files` hold what they share.
"""
