"""Estimate how often human judges agreed with a difference in BLEU.

Kocmi, Zouhar, Federmann and Post (2024), "Navigating the Metrics Maze: Reconciling Score Magnitudes and Accuracies"
(https://aclanthology.org/2024.acl-long.110), took many pairs of translation systems that human judges had rated. They
measured how often a metric preferred the same system as the judges, depending on the difference of the two scores, and
fitted the curve

    agreement = a / (1 + exp(-b * difference))

The numbers a and b are those of their tool (https://github.com/kocmitom/MT-Thresholds, `mt_thresholds.py`).

The estimate is an average over the systems, languages and domains of their data set (ToShip23), and says nothing about
a particular pair of systems. In this data, BLEU agrees with the judges less often for unrelated systems than for
versions of one system. For BLEU the curve never exceeds 0.883, however large the difference is.
"""

from __future__ import annotations

from math import exp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..metric import BLEU

#: The tokenizers with which Kocmi et al. computed BLEU, depending on the language.
_BLEU_TOKENIZERS = ("13a", "zh", "ja-mecab", "ko-mecab")
#: The tokenizer of spBLEU.
_SPBLEU_TOKENIZER = "flores200"

#: The parameters (a, b) of the curve of BLEU and of the curve of spBLEU. The agreement approaches a as the difference
#: grows, and b determines how fast it does.
_BLEU = (0.8833333333333225, 0.9663926931178954)
_SPBLEU = (0.9099999999998793, 0.8079046528617078)


def agreement(difference: float, tokenizer: str = "13a") -> float:
    """Estimate how often human judges preferred the system that BLEU preferred, by the size of the difference.

    Args:
        difference: The difference of two corpus scores, in points of BLEU; its sign does not matter.
        tokenizer: "flores200" selects the curve of spBLEU; any other tokenizer selects the curve of BLEU.

    Returns:
        The estimated share, 0..1. At or below 0.5 the difference says no more than a coin toss.

    Example:
        >>> [round(agreement(difference), 2) for difference in (0.27, 1, 2, 5)]
        [0.5, 0.64, 0.77, 0.88]
    """
    a, b = _SPBLEU if tokenizer == _SPBLEU_TOKENIZER else _BLEU
    return a / (1 + exp(-b * abs(difference)))


def as_percent(share: float | None, absent: str = "-") -> str:
    """Format an agreement with human judges in per cent; "≤ 50 %" if it is no better than a coin toss.

    Args:
        share: The result of `agreement`; None if the agreement cannot be estimated.
        absent: The text for None.

    Example:
        >>> as_percent(0.72), as_percent(0.44), as_percent(None)
        ('72 %', '≤ 50 %', '-')
    """
    if share is None:
        return absent
    return "≤ 50 %" if is_like_a_coin(share) else f"{100 * share:.0f} %"


def is_like_a_coin(share: float) -> bool:
    """Return whether an agreement with human judges, 0..1, is no better than a coin toss."""
    return share <= 0.5


def why_not(metric: BLEU, num_references: int, is_text: bool) -> str:
    """Return the reason why agreement with human judges cannot be estimated, as a clause; "" if it can be.

    Args:
        metric: The metric that computes the scores.
        num_references: The number of references per segment; -1 if it differs between segments.
        is_text: Whether the segments are text.
    """
    if not is_text:
        return "it was measured on text only"
    if num_references != 1:
        return "it was measured with one reference per segment, and more references make differences larger"
    if metric.max_ngram_order != 4 or metric.weights is not None or metric.reference_length != "closest":
        return "it was measured with n-grams of the orders 1 to 4, equal weights and the closest reference length"
    if metric.lowercase:
        return "it was measured with upper and lower case distinguished"
    if metric.tokenizer.name not in (*_BLEU_TOKENIZERS, _SPBLEU_TOKENIZER):
        return f"it was measured with other tokenizers than {metric.tokenizer.name}"
    return ""
