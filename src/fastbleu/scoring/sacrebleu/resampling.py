"""sacreBLEU's resampled scores, to the last digit.

It sums float32, which is exact up to 2^24, and computes the score of each resample from float32 counts. Here the sums
are made in one product, where they are exact, and the precisions of all resamples in a few operations on arrays.
"""

from __future__ import annotations

from math import exp, log

from ..bootstrap import draw_segments, read_seed, resampled_sums
from ..formula import brevity_penalty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy.typing import NDArray

    from ..formula import Formula

#: Whole numbers up to this one add exactly in float32.
_MOST_EXACT = 1 << 24


def resampled_scores(
    stats: list[list[int]], formula: Formula | None, score: Callable[[Any], float], n_bootstrap: int
) -> tuple[str, list[float]]:
    """Score resamples of a corpus.

    Args:
        stats: The row of each segment, at least one.
        formula: What `score` scores with; None if that is not known.
        score: Scores a row of float32, 0..100.
        n_bootstrap: The number of resamples.

    Returns:
        The seed as the signature prints it, and the scores.
    """
    import numpy as np

    text, seed = read_seed()
    rows = np.array(stats)
    if rows.dtype.kind == "i" and len(rows) * int(np.abs(rows).max()) < _MOST_EXACT:
        sums = resampled_sums(rows, n_bootstrap, seed).astype(np.float32)
    else:
        rng, table = np.random.default_rng(seed), rows.astype(np.float32)
        sums = np.array([table[draw_segments(rng, len(rows), 1)[0]].sum(0) for _ in range(n_bootstrap)])
    if formula is None or formula.smooth_method == "add-k":
        return text, [score(each) for each in sums]
    return text, _scores(sums, formula.max_ngram_order, score)


def _scores(sums: NDArray[Any], order: int, score: Callable[[Any], float]) -> list[float]:
    """Score rows of float32. Rows without a match of some order are left to `score`."""
    import numpy as np

    correct, total = sums[:, 2 : 2 + order], sums[:, 2 + order :]
    # A float times a float32 is a float32 in NumPy 2, and a float before.
    kind = (100.0 * np.float32(1)).dtype
    with np.errstate(divide="ignore", invalid="ignore"):
        precisions = kind.type(100) * correct.astype(kind) / total.astype(kind)
    matched: list[bool] = np.all(correct, axis=1).tolist()
    found = []
    for i, of_orders in enumerate(precisions.tolist()):
        if matched[i]:
            penalty = brevity_penalty(int(sums[i, 0]), int(sums[i, 1]))
            found.append(penalty * exp(sum(map(log, of_orders)) / order))
        else:
            found.append(score(sums[i]))
    return found
