"""`sacrebleu.metrics`: BLEU counted by fastbleu, chrF and TER from the installed sacreBLEU."""

from __future__ import annotations

from ..peer import PEER, hand_on, peer_module
from .bleu import BLEU, BLEUScore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    CHRF: Any
    CHRFScore: Any
    METRICS: Any
    TER: Any
    TERScore: Any

__all__ = ["BLEU", "CHRF", "METRICS", "TER", "BLEUScore", "CHRFScore", "TERScore"]

_hand_on = hand_on(__name__, __all__)


def __getattr__(name: str) -> Any:
    if name != "METRICS":
        return _hand_on(name)
    metrics = {**peer_module(f"{PEER}.metrics").METRICS, "BLEU": BLEU}
    return globals().setdefault(name, metrics)
