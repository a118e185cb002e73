"""Check a metric that a function takes as an argument."""

from __future__ import annotations

from ..errors import ArgumentTypeError, show
from .bleu import BLEU
from .chrf import CHRF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def as_metric(metric: Any, warn: bool = True) -> BLEU | CHRF:
    """Return the metric of a call: a CHRF unchanged, anything else as `as_bleu` returns it.

    Raises:
        TypeError: The argument is not a BLEU, a CHRF or None.
    """
    return metric if isinstance(metric, CHRF) else as_bleu(metric, warn, "BLEU or CHRF")


def as_bleu(metric: Any, warn: bool = True, wanted: str = "BLEU") -> BLEU:
    """Return the metric of a call.

    Args:
        metric: The user's argument; None is BLEU with effective order.
        warn: Whether to recommend effective order, once per metric, if it has none.
        wanted: The expected metrics, for the error.

    Raises:
        TypeError: The argument is not a BLEU or None.
    """
    if metric is None:
        return BLEU(effective_order=True)
    if not isinstance(metric, BLEU):
        kind: type = type(metric)
        given = f"{kind.__module__}.{kind.__qualname__}: {show(metric)}"
        raise ArgumentTypeError("metric", f"must be a fastbleu.{wanted}, not {given}", value=metric)
    if warn:
        metric.warnings.order()
    return metric
