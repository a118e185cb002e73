"""The formula of a call: sacreBLEU's with the metric's options, or NLTK's over the metric's tokens and orders."""

from __future__ import annotations

from ..options import FORMULAS, NLTK_SMOOTHINGS, check_choice
from ..scoring.nltk.formula import NLTKFormula
from .pool_chunks import as_metric

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..metric import BLEU
    from ..options import FormulaName, NLTKSmoothing
    from ..scoring.formula import Formula


def check_formula(formula: FormulaName, smoothing: NLTKSmoothing | None) -> NLTKSmoothing:
    """Check the two arguments that name a formula.

    Returns:
        How NLTK's formula smooths; None is "method1".

    Raises:
        ValueError: There is no such formula or smoothing, or a smoothing without NLTK's formula.
    """
    check_choice("formula", formula, FORMULAS)
    if smoothing is None:
        return "method1"
    if formula != "nltk":
        raise ValueError(
            f"smoothing is for formula='nltk', got {smoothing!r}; the metric has a smooth_method"
        )
    check_choice("smoothing", smoothing, NLTK_SMOOTHINGS)
    return smoothing


def metric_and_formula(
    metric: Any, formula: FormulaName, smoothing: NLTKSmoothing | None
) -> tuple[BLEU, Formula | NLTKFormula]:
    """The metric of a call, and the formula that scores its pairs.

    Args:
        metric: What the user gave; None is BLEU with effective order.
        formula: "sacrebleu": the metric's own. "nltk": NLTK's with the metric's weights, or uniform ones of sum 1.
        smoothing: How NLTK's formula smooths; None is "method1".

    Raises:
        TypeError: The metric is not a BLEU.
        ValueError: As `check_formula`; "method6" with fewer than three orders.

    Example:
        >>> metric_and_formula(None, "nltk", None)[1].weights
        (0.25, 0.25, 0.25, 0.25)
    """
    smoothing = check_formula(formula, smoothing)
    metric = as_metric(metric, warn=formula == "sacrebleu")
    if formula == "sacrebleu":
        return metric, metric.formula
    order = metric.max_ngram_order
    return metric, NLTKFormula(smoothing, metric.weights or (1 / order,) * order)
