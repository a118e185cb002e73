"""Compute scores from rows of statistics: formulas, smoothing, score objects, intervals and signatures.

`formula` is BLEU as sacreBLEU computes it; other members of the family have a module each and score the same rows.
"""
