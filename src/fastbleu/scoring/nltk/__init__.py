"""NLTK's BLEU computed from rows: `nltk_smoothing` has its eight methods, `nltk_formula` its score and options.

`_nltk_formula` is the compiled formula for kernels, `unreduced` has NLTK's fractions, and `nltk_chrf` is NLTK's chrF.
"""
