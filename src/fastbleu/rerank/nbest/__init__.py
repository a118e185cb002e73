"""N-best lists of any length: files read block by block, scored and written in flat memory.

`cli.rerank` enters by `run`. `formats` has the table of the forms that candidates come in.
"""
