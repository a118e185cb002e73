"""`sacrebleu.metrics.base`: the installed sacreBLEU's own classes. fastbleu's BLEU counts as a `Metric`."""

from __future__ import annotations

from ..peer import hand_on
from .bleu import BLEU

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Metric: Any
    Score: Any
    Signature: Any

__all__ = ["Metric", "Score", "Signature"]

_hand_on = hand_on(__name__, __all__)


def __getattr__(name: str) -> Any:
    found = _hand_on(name)
    if name == "Metric":
        found.register(BLEU)
    return found
