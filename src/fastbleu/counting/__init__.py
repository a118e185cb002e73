"""Columns to rows of statistics: tokens numbered, n-grams matched and clipped, segment by segment.

`matcher` holds the options and `corpus` counts. The results are integers that add up: sys_len, ref_len, correct_1..N,
total_1..N.
"""
