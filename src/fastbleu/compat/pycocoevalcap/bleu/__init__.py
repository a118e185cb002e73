"""The layout of `pycocoevalcap.bleu`: `bleu.Bleu` and `bleu_scorer.BleuScorer`."""
