"""Count clipped n-gram matches: this package turns segments into rows of sufficient statistics.

`matcher` has the options, and `corpus` counts. A hypothesis has the row sys_len, ref_len, correct_1..N, total_1..N for
BLEU, and three counts for each order for chrF. The statistics of a corpus are the sum of its rows.
"""
