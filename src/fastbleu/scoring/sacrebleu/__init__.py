"""sacreBLEU's own way from text to statistics and intervals, misshapen input included.

For its stand-in, `compat.sacrebleu`, and for `patch`, which computes for sacreBLEU's own metric.
"""
