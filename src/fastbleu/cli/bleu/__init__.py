"""The command `fastbleu`: `score_command` runs it, and `score_options` parses its options.

`text_blocks` reads and scores text, and `score_output` and `results_table` print scores. `paired_tests` tests the
significance of differences, and `installed_sacrebleu` calls sacreBLEU for options that only sacreBLEU supports.
"""
