"""Rows of statistics to scores: the formula, its smoothing, what a score prints, intervals and signatures.

`formula` is the way in; `nltk`, `nmt` and `gleu` are other members' formulas over the same rows.
"""
