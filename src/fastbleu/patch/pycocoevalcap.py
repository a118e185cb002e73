"""pycocoevalcap's `Bleu.compute_score`. `BleuScorer` stays as it is: what it collects can be seen in it."""

from __future__ import annotations

import sys

from ..compat.pycocoevalcap.bleu.bleu import Bleu
from ..system._unchanged import Unchanged
from ._calls import LEFT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .replacing import Pairs

#: The original counts n-grams of these orders.
_MOST_ORDERS = 4


def replacements_in(module: ModuleType) -> Pairs:
    """Return the function to replace in `pycocoevalcap.bleu.bleu`, and what replaces it."""

    def compute_score(metric: Any, gts: Any, res: Any, verbose: Any) -> Any:
        return Bleu(metric._n).compute_score(gts, res, verbose) if metric._n <= _MOST_ORDERS else LEFT

    scorer = module.BleuScorer
    methods = [name for name, value in vars(scorer).items() if callable(value)]
    reads = (
        Unchanged(module, "BleuScorer"),
        Unchanged(scorer, *methods),
        Unchanged(sys.modules[scorer.__module__], "cook_refs", "cook_test", "math", "precook"),
    )
    return [(module.Bleu.compute_score, compute_score, *reads)]
