"""sacreBLEU's resampled scores, to the last digit.

It sums float32, which is exact up to 2^24, and computes the score of each resample from float32 counts. Here the sums
are made in one product, where they are exact.
"""

from __future__ import annotations

from ..bootstrap import draw_segments, read_seed, resampled_sums

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

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
    return text, [score(each) for each in sums] if formula is None else formula.score_float32_rows(
        sums
    ).tolist()
