"""Check the argument `metric` of other functions."""

from __future__ import annotations

from ..errors import ArgumentTypeError, show
from .bleu import BLEU
from .chrf import CHRF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def as_metric(metric: Any, warn: bool = True) -> BLEU | CHRF:
    """Check an argument `metric`: a BLEU, a CHRF, or None for BLEU with effective order. Return the metric.

    Args:
        metric: The argument.
        warn: Whether to recommend effective order, once per metric, for a BLEU without it.

    Raises:
        TypeError: The argument is not a BLEU, a CHRF or None.
    """
    return metric if isinstance(metric, CHRF) else as_bleu(metric, warn, "BLEU or CHRF")


def as_bleu(metric: Any, warn: bool = True, expected: str = "BLEU") -> BLEU:
    """Check an argument `metric`: a BLEU, or None for BLEU with effective order. Return the metric.

    Args:
        metric: The argument.
        warn: Whether to recommend effective order, once per metric, for a BLEU without it.
        expected: The names of the metrics that the caller accepts, for the error.

    Raises:
        TypeError: The argument is not a BLEU or None.
    """
    if metric is None:
        return BLEU(effective_order=True)
    if not isinstance(metric, BLEU):
        kind: type = type(metric)
        given = f"{kind.__module__}.{kind.__qualname__}: {show(metric)}"
        raise ArgumentTypeError("metric", f"must be a fastbleu.{expected}, not {given}", value=metric)
    if warn:
        metric.warnings.order()
    return metric
