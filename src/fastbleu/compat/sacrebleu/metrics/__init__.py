"""Replacement for `sacrebleu.metrics`: the metric classes. TER is that of the installed sacreBLEU."""

from __future__ import annotations

from .. import peer
from .bleu import BLEU, BLEUScore
from .chrf import CHRF, CHRFScore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

__all__ = ["BLEU", "CHRF", "METRICS", "TER", "BLEUScore", "CHRFScore", "TERScore"]

_forward = peer.forward(__name__, {"TER": "metrics.ter", "TERScore": "metrics.ter"})


def __getattr__(name: str) -> Any:
    if name == "METRICS":
        return globals().setdefault(name, {"BLEU": BLEU, "CHRF": CHRF, "TER": _forward("TER")})
    return _forward(name)


def _register(base: ModuleType) -> None:
    """Register `BLEU` and `CHRF` as virtual subclasses of sacreBLEU's `Metric`, for programs that use `isinstance`."""
    base.Metric.register(BLEU)
    base.Metric.register(CHRF)


peer.on_base = _register
