"""Replace pycocoevalcap's `Bleu.compute_score`, but not `BleuScorer`, because programs can read the counts in it."""

from __future__ import annotations

from ..compat.pycocoevalcap.bleu.bleu import Bleu
from ..system.watched_names import reads_of
from ._calls import RUN_ORIGINAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .replacing import Pairs

_MAX_ORDERS = 4  # The largest order of n-grams that the original counts.


def replacements_in(module: ModuleType) -> Pairs:
    """Return the method to replace in `pycocoevalcap.bleu.bleu`, with its replacement."""

    def compute_score(metric: Any, gts: Any, res: Any, verbose: Any) -> Any:
        if metric._n > _MAX_ORDERS or verbose > 1:
            return RUN_ORIGINAL
        return Bleu(metric._n).compute_score(gts, res, verbose)

    checks = reads_of(("compute_score",), module.Bleu, module.BleuScorer)
    return [(module.Bleu.compute_score, compute_score, (0, 3, 3), checks)]
