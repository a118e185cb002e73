"""Compute NLTK's scores from rows.

`nltk_formula` has BLEU and its options, and `nltk_smoothing` the eight smoothing methods. `_nltk_formula` is the
compiled formula for kernels, `unreduced_fractions` has a class of fractions like NLTK's, and `nltk_chrf` has NLTK's
chrF.
"""
