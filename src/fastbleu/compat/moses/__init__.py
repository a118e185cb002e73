"""Moses' scripts: multi-bleu.perl, multi-bleu-detok.perl, mteval-v13a.pl and mteval-v14.pl."""

from __future__ import annotations

from .multi_bleu import MultiBLEUScore, multi_bleu, multi_bleu_detok

__all__ = ["MultiBLEUScore", "multi_bleu", "multi_bleu_detok"]
