"""Read, score and write n-best lists of any length, block by block, in constant memory.

The command `fastbleu-rerank` calls `run.run`, and Python programs call `pools_from_file.read`. `reader` yields the
blocks of a file, whose format is defined by `moses` or `json_lines`. `resumable_output` writes the results.
"""
