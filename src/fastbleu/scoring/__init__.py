"""Compute scores from rows of statistics: formulas, smoothing, score objects, intervals and signatures.

`formula` has sacreBLEU's BLEU, and `chrf_formula` its chrF. The formulas of other packages have a module each.
"""
