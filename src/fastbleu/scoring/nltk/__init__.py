"""NLTK's BLEU over rows: `smoothing` has its eight methods, `formula` its score and the options of one.

`_formula` is the formula as kernels use it, and `unreduced` has NLTK's fractions.
"""
