"""Counting, from columns to rows of sufficient statistics: clipped n-gram matches, segment by segment.

`matcher` has the options, and `corpus` counts. A row is sys_len, ref_len, correct_1..N, total_1..N: integers that can
be added.
"""
