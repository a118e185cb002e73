"""The command lines `fastbleu`, `fastbleu-compare` and `fastbleu-rerank`, each in a folder.

`common`, `table_options` and `output_files` hold what they share; `conflicts` refuses options that do not go together.
"""
