"""The modules of `pycocoevalcap.bleu`: `bleu` with the class `Bleu`, and `bleu_scorer` with `BleuScorer`."""
