"""pycocoevalcap's `Bleu.compute_score`. `BleuScorer` stays as it is: what it collects can be seen in it."""

from __future__ import annotations

from ..compat.pycocoevalcap.bleu.bleu import Bleu
from .replacing import LEFT, Replacement, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

#: The original counts n-grams of these orders.
_MOST_ORDERS = 4


def replacements_in(module: ModuleType) -> list[Replacement]:
    """The replacement in `pycocoevalcap.bleu.bleu`."""

    def compute_score(metric: Any, gts: Any, res: Any, verbose: Any) -> Any:
        return Bleu(metric._n).compute_score(gts, res, verbose) if metric._n <= _MOST_ORDERS else LEFT

    return [replace(module.Bleu.compute_score, compute_score)]
