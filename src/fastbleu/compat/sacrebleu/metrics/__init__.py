"""`sacrebleu.metrics`: BLEU and chrF counted by fastbleu, TER from the installed sacreBLEU."""

from __future__ import annotations

from .. import peer
from .bleu import BLEU, BLEUScore
from .chrf import CHRF, CHRFScore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

__all__ = ["BLEU", "CHRF", "METRICS", "TER", "BLEUScore", "CHRFScore", "TERScore"]

_hand_on = peer.hand_on(__name__, {"TER": "metrics.ter", "TERScore": "metrics.ter"})


def __getattr__(name: str) -> Any:
    if name == "METRICS":
        return globals().setdefault(name, {"BLEU": BLEU, "CHRF": CHRF, "TER": _hand_on("TER")})
    return _hand_on(name)


def _register(base: ModuleType) -> None:
    """Let fastbleu's metrics count as a `Metric` of sacreBLEU's."""
    base.Metric.register(BLEU)
    base.Metric.register(CHRF)


peer.on_base = _register
