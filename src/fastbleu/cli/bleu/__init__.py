"""The command line `fastbleu`: `score_command` runs it, and `score_options` parses its options.

`text_blocks` reads and scores text; `score_output` and `results_table` print scores.
"""
