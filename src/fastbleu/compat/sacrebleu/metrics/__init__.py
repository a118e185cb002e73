"""`sacrebleu.metrics`: BLEU counted by fastbleu, chrF and TER from the installed sacreBLEU."""

from __future__ import annotations

from .. import peer
from .bleu import BLEU, BLEUScore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

__all__ = ["BLEU", "CHRF", "METRICS", "TER", "BLEUScore", "CHRFScore", "TERScore"]

_hand_on = peer.hand_on(
    __name__,
    {"CHRF": "metrics.chrf", "CHRFScore": "metrics.chrf", "TER": "metrics.ter", "TERScore": "metrics.ter"},
)


def __getattr__(name: str) -> Any:
    if name == "METRICS":
        return globals().setdefault(name, {"BLEU": BLEU, "CHRF": _hand_on("CHRF"), "TER": _hand_on("TER")})
    return _hand_on(name)


def _register(base: ModuleType) -> None:
    """Let fastbleu's BLEU count as a `Metric` of sacreBLEU's."""
    base.Metric.register(BLEU)


peer.on_base = _register
