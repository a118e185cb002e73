"""Estimate how often human judges agreed with a difference in BLEU.

Kocmi, Zouhar, Federmann and Post (2024), "Navigating the Metrics Maze: Reconciling Score Magnitudes and Accuracies"
(https://aclanthology.org/2024.acl-long.110), took many pairs of translation systems that human judges had rated. They
measured how often a metric preferred the same system as the judges, depending on its score difference, and fitted

    agreement = a / (1 + exp(-b * difference))

The numbers a and b are those of their tool (https://github.com/kocmitom/MT-Thresholds, `mt_thresholds.py`).

Limits: the estimate is an average over their systems, languages and domains (ToShip23), and says nothing about yours.
They found that BLEU agrees less often for unrelated systems than for versions of one system. For BLEU the curve never
exceeds 0.883, however large the difference is.
"""

from __future__ import annotations

from math import exp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..metric import BLEU

#: The tokenizers of the study's BLEU for its languages, and the tokenizer of its spBLEU.
_BLEU_TOKENIZERS = ("13a", "zh", "ja-mecab", "ko-mecab")
_SPBLEU_TOKENIZER = "flores200"

#: The numbers a, the agreement at the largest differences, and b, how fast it grows with the difference.
_BLEU = (0.8833333333333225, 0.9663926931178954)
_SPBLEU = (0.9099999999998793, 0.8079046528617078)


def agreement(difference: float, tokenizer: str = "13a") -> float:
    """Estimate how often human judges preferred the system that BLEU preferred, by the size of the difference.

    Args:
        difference: The difference of two corpus scores, in points of BLEU; its sign does not matter.
        tokenizer: "flores200" for spBLEU; all others are BLEU.

    Returns:
        The estimated share, 0..1. At or below 0.5 the difference says no more than a coin toss.

    Example:
        >>> [round(agreement(difference), 2) for difference in (0.27, 1, 2, 5)]
        [0.5, 0.64, 0.77, 0.88]
    """
    a, b = _SPBLEU if tokenizer == _SPBLEU_TOKENIZER else _BLEU
    return a / (1 + exp(-b * abs(difference)))


def as_percent(share: float | None, absent: str = "-") -> str:
    """Format how often human judges agreed: in per cent, "≤ 50 %" if no more often than a coin toss.

    Args:
        share: The share that `agreement` returns; None if it cannot be estimated.
        absent: The text for None.

    Example:
        >>> as_percent(0.72), as_percent(0.44), as_percent(None)
        ('72 %', '≤ 50 %', '-')
    """
    if share is None:
        return absent
    return "≤ 50 %" if is_like_a_coin(share) else f"{100 * share:.0f} %"


def is_like_a_coin(share: float) -> bool:
    """Return whether judges agreed no more often than a coin toss."""
    return share <= 0.5


def why_not(metric: BLEU, num_references: int, is_text: bool) -> str:
    """Return the reason why the estimate does not apply to scores, as text for people; "" if it applies.

    Args:
        metric: The metric of the scores.
        num_references: References per segment, -1 if segments differ in it.
        is_text: Whether the segments are text.
    """
    if not is_text:
        return "it was measured on text"
    if num_references != 1:
        return "more than one reference per segment makes differences larger"
    if metric.max_ngram_order != 4 or metric.weights is not None or metric.reference_length != "closest":
        return "it was measured with n-grams of the orders 1 to 4, equal weights and the closest reference length"
    if metric.lowercase:
        return "the study distinguished upper and lower case"
    if metric.tokenizer.name not in (*_BLEU_TOKENIZERS, _SPBLEU_TOKENIZER):
        return f"it was measured with other tokenizers than {metric.tokenizer.name}"
    return ""
