"""N-best lists of any length: read block by block, scored and written in constant memory.

The command `fastbleu-rerank` calls `run`; `pools_from_file` has `read` for programs. `reader` yields the blocks of a
file in one of two forms, `moses` and `json_lines`. `resumable_output` writes them.
"""
