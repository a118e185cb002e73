"""Count clipped n-gram matches: this package turns columns of segments into rows of sufficient statistics.

`matcher` has the options, and `corpus` counts. The row of a segment is sys_len, ref_len, correct_1..N, total_1..N. Rows
are integers, so the statistics of a corpus are the sum of the rows of its segments.
"""
