"""sacreBLEU's resampled scores, to the last digit.

It sums float32, which is exact up to 2^24, and computes each score of a resample from float32 counts. The sums are
made here in one product where they are exact; the scores come from the same operations on the same numbers.
"""

from __future__ import annotations

from ...scoring.bootstrap import draw_segments, read_seed, resampled_sums

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ...scoring.score import BLEUScore

#: Whole numbers up to this one add exactly in float32.
_MOST_EXACT = 1 << 24


def resampled_scores(
    stats: list[list[int]], score: Callable[[Any], BLEUScore], n_bootstrap: int
) -> tuple[str, list[BLEUScore]]:
    """Score resamples of a corpus.

    Args:
        stats: The row of each segment, at least one.
        score: Scores a row of float32.
        n_bootstrap: The number of resamples.

    Returns:
        The seed as the signature prints it, and the scores.
    """
    import numpy as np

    text, seed = read_seed()
    rows = np.array(stats)
    if rows.dtype.kind == "i" and len(rows) * int(np.abs(rows).max()) < _MOST_EXACT:
        sums = resampled_sums(rows, n_bootstrap, seed).astype(np.float32)
        return text, [score(each) for each in sums]
    rng, table = np.random.default_rng(seed), rows.astype(np.float32)
    draws = (draw_segments(rng, len(rows), 1)[0] for _ in range(n_bootstrap))
    return text, [score(table[each].sum(0)) for each in draws]
