"""N-best lists of any length: files read block by block, scored and written in flat memory.

`cli.rerank` enters by `run`, programs by `reading`. `reader` has the blocks of a file, and `moses` and `json_lines` the
two forms that they are read and written in.
"""
