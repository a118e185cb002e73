"""Estimate the confidence interval of a corpus score by bootstrap resampling.

The method is that of Koehn (2004, https://aclanthology.org/W04-3250). A resample draws as many segments as the corpus
has, with replacement, and sums their statistics. The sum depends only on how often each segment was drawn, so the sums
of many resamples are one matrix product: counts [resamples, segments] times statistics [segments, columns]. Whole
numbers below 2^53 add exactly in float64, in any order.

The generator, its seed and the resamples are those of sacreBLEU 2.6.0. sacreBLEU adds in float32, and fastbleu exactly.
For chrF, fastbleu then rounds the sums to float32. For BLEU it does not, so its intervals, on the scale 0..100, differ
from sacreBLEU's by up to about 1e-5.
"""

from __future__ import annotations

import os
from math import fsum

from ..errors import ArgumentValueError
from ..options import check_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy import float32, float64
    from numpy.typing import NDArray

    from ..errors import Location

#: sacreBLEU's environment variable for the seed, so that one setting serves both packages.
_SEED_VARIABLE = "SACREBLEU_SEED"
_DEFAULT_SEED = "12345"

#: The approximate number of draws per chunk. Arrays of this size fit the processor's cache, and the allocator reuses
#: their memory.
_DRAWS_PER_CHUNK = 1 << 16

#: The number of segments per matrix product, which limits the memory for float64 copies of its factors.
_SEGMENTS_PER_PRODUCT = 1 << 14

#: Sums of whole numbers are exact in float64 below this limit.
_EXACT_IN_FLOAT64 = 1 << 53
#: Sums of whole numbers are exact in float32 below this limit.
_EXACT_IN_FLOAT32 = 1 << 24


def interval(
    rows: NDArray[Any], n_bootstrap: int, score_rows: Callable[[NDArray[Any]], NDArray[Any]]
) -> tuple[float, float, str]:
    """Estimate the 95 % confidence interval of a corpus score.

    Args:
        rows: The statistics of the segments, int64 [segments, columns], at least one segment. Never changed.
        n_bootstrap: The number of resamples, >= 2.
        score_rows: A function that scores sums, [resamples, columns] -> float64 or float32 [resamples].

    Returns:
        The mean of the resampled scores, half the width of the interval, and the seed as in signatures: the value of
        the environment variable SACREBLEU_SEED, or "12345" if it is not set. "none" is a random seed.

    Raises:
        TypeError: `n_bootstrap` is not an int.
        ValueError: There is no segment, `n_bootstrap` is below 2, or SACREBLEU_SEED is neither a whole number nor
            "none".

    Example:
        >>> import numpy as np
        >>> rows = np.array([[10, 10, 9], [20, 20, 12], [15, 15, 12]] * 10)
        >>> mean, half_width, _ = interval(rows, 1000, lambda sums: 100 * sums[:, 2] / sums[:, 0])
        >>> 72 < mean < 75 and 3 < half_width < 7
        True

    Memory: at most 30 MB, or 28 bytes per segment if that is more; a few MB for a test set with 1000 resamples.
    """
    import numpy as np

    n_bootstrap = check_integer("n_bootstrap", n_bootstrap, 2)
    if len(rows) == 0:
        raise ArgumentValueError(
            "rows", "must hold at least one segment to resample from, got none", value=rows
        )
    seed_text, seed = read_seed()
    scores = np.sort(score_rows(resampled_sums(rows, n_bootstrap, seed)))
    outside = draws_outside(n_bootstrap)
    # As in sacreBLEU, the arithmetic is float32 if the scores are.
    half_width = 0.5 * (scores[n_bootstrap - outside - 1] - scores[outside])
    mean = scores.dtype.type(fsum(scores.tolist()) / n_bootstrap)
    return float(mean), float(half_width), seed_text


def interval_of(scores: Sequence[float]) -> tuple[float, float]:
    """Return the mean of resampled scores and half the width of their 95 % interval, computed as in sacreBLEU.

    Args:
        scores: The scores of at least one resample, in any order.

    Example:
        >>> interval_of([20.0, 10.0, 40.0])
        (23.333333333333332, 15.0)
    """
    from statistics import mean

    ordered = sorted(scores)
    outside = draws_outside(len(ordered))
    return mean(ordered), 0.5 * (ordered[len(ordered) - outside - 1] - ordered[outside])


def float32_resamples(stats: list[list[int]], n_bootstrap: int) -> tuple[str, NDArray[float32]]:
    """Sum resamples of a corpus in float32, with the same results as sacreBLEU.

    Sums below 2^24 are exact in float32, so they are computed by matrix products. If sums may be larger, segments are
    added in sacreBLEU's order.

    Args:
        stats: The row of each segment, at least one.
        n_bootstrap: The number of resamples.

    Returns:
        The seed as in signatures, and the sums, float32 [n_bootstrap, columns].
    """
    import numpy as np

    text, seed = read_seed()
    rows = np.array(stats)
    if rows.dtype.kind == "i" and len(rows) * int(np.abs(rows).max()) < _EXACT_IN_FLOAT32:
        return text, resampled_sums(rows, n_bootstrap, seed).astype(np.float32)
    rng, table = np.random.default_rng(seed), rows.astype(np.float32)
    return text, np.array([table[draw_segments(rng, len(rows), 1)[0]].sum(0) for _ in range(n_bootstrap)])


def resample(
    rows: NDArray[Any],
    n_bootstrap: int,
    score_rows: Callable[[NDArray[Any]], NDArray[float64]],
    seed: Any = None,
) -> NDArray[float64]:
    """Score bootstrap resamples of a corpus.

    Args:
        rows: The statistics of the segments, [segments, columns], at least one segment. Never changed.
        n_bootstrap: The number of resamples, >= 1.
        score_rows: A function that scores sums, [resamples, columns] -> float64 [resamples].
        seed: As for `check_seed`.

    Returns:
        The scores, float64 [n_bootstrap], in the order of the draws.

    Raises:
        TypeError: `n_bootstrap` or the seed has the wrong type.
        ValueError: `n_bootstrap` is below 1, the seed is negative, or sums may reach 2^53.
    """
    n_bootstrap = check_integer("n", n_bootstrap, 1)
    check_sums_are_exact("statistics", rows)
    return score_rows(resampled_sums(rows, n_bootstrap, check_seed(seed)[1]))


def jackknife(rows: NDArray[Any], score_rows: Callable[[NDArray[Any]], NDArray[float64]]) -> NDArray[float64]:
    """Score a corpus without each of its segments in turn.

    Args:
        rows: The statistics of the segments, [segments, columns], at least one segment. Never changed.
        score_rows: A function that scores sums, [segments, columns] -> float64 [segments].

    Returns:
        The scores, float64 [segments]: of the corpus without the first segment, without the second, and so on.

    Raises:
        ValueError: Sums may reach 2^53.
    """
    import numpy as np

    check_sums_are_exact("statistics", rows)
    rows = rows.astype(np.int64, copy=False)
    return score_rows(rows.sum(axis=0) - rows)


def check_sums_are_exact(where: str | Location, rows: NDArray[Any]) -> None:
    """Check that sums of resamples are exact in float64: the largest count times the number of rows is below 2^53.

    Raises:
        ValueError: Sums may reach 2^53.
    """
    if int(rows.max()) * len(rows) >= _EXACT_IN_FLOAT64:
        raise ArgumentValueError(where, "must add up to less than 2^53", value=rows)


def draws_outside(n_bootstrap: int) -> int:
    """Return the number of scores outside the 95 % interval on each side, 2.5 % of the resamples."""
    return n_bootstrap // 40


def read_seed() -> tuple[str, int | None]:
    """Return the seed that the environment variable SACREBLEU_SEED sets, or 12345.

    Returns:
        The seed as in signatures, and as an argument of `numpy.random.default_rng`, where None is a random seed.

    Raises:
        ValueError: SACREBLEU_SEED is neither a whole number nor "none".
    """
    text = os.environ.get(_SEED_VARIABLE, _DEFAULT_SEED).lower()
    if text == "none":
        return text, None
    try:
        seed = int(text)
    except ValueError:
        seed = -1
    if seed < 0:
        raise ValueError(f"the environment's {_SEED_VARIABLE} must be a whole number or 'none', got {text!r}")
    return text, seed


def check_seed(seed: int | str | None) -> tuple[str, int | None]:
    """Check a seed, and return it as in signatures and as an argument of `numpy.random.default_rng`.

    Args:
        seed: The seed, >= 0; "none" for a random seed; None for the result of `read_seed`.

    Raises:
        TypeError: The seed is not an integer, a str or None.
        ValueError: The seed is negative, or a str other than "none".
    """
    if seed is None:
        return read_seed()
    if isinstance(seed, str):
        if seed.lower() != "none":
            raise ArgumentValueError("seed", f"must be an int, None or 'none', got {seed!r}", value=seed)
        return "none", None
    seed = check_integer("seed", seed, 0)
    return str(seed), seed


def resampled_sums(rows: NDArray[Any], n_bootstrap: int, seed: Any) -> NDArray[float64]:
    """Sum the statistics of every resample.

    Args:
        rows: The statistics, [segments, columns].
        n_bootstrap: The number of resamples.
        seed: A seed, or a NumPy generator.

    Returns:
        The sums, float64 [n_bootstrap, columns].
    """
    import numpy as np

    segments = len(rows)
    sums = np.empty((n_bootstrap, rows.shape[1]))
    rng = np.random.default_rng(seed)
    per_chunk = max(1, _DRAWS_PER_CHUNK // segments)
    for start in range(0, n_bootstrap, per_chunk):
        size = min(per_chunk, n_bootstrap - start)
        counts = count_draws(draw_segments(rng, segments, size))
        sums[start : start + size] = weighted_sums(counts, rows)
    return sums


def weighted_sums(weights: NDArray[Any], rows: NDArray[Any]) -> NDArray[float64]:
    """Return the matrix product of weights [k, segments] and rows [segments, columns]: float64 [k, columns].

    The sums are exact if they are below 2^53 (`check_sums_are_exact`).
    """
    import numpy as np

    sums = np.zeros((len(weights), rows.shape[1]))
    for start in range(0, len(rows), _SEGMENTS_PER_PRODUCT):
        block = slice(start, start + _SEGMENTS_PER_PRODUCT)
        sums += weights[:, block].astype(np.float64) @ rows[block].astype(np.float64)
    return sums


def count_draws(draws: NDArray[Any]) -> NDArray[Any]:
    """Count how often each resample has drawn each segment: [resamples, segments] -> int64 [resamples, segments]."""
    import numpy as np

    resamples, segments = draws.shape
    # Draws of segment s in resample r get the number r * segments + s, so that one `bincount` counts all of them.
    numbered = draws + segments * np.arange(resamples)[:, np.newaxis]
    return np.bincount(numbered.ravel(), minlength=resamples * segments).reshape(resamples, segments)


def draw_segments(rng: Any, segments: int, resamples: int) -> NDArray[Any]:
    """Draw the segments of the next resamples, and return their indices, uint32 [resamples, segments].

    sacreBLEU draws all resamples in one call, `rng.choice(segments, size=(n_bootstrap, segments), replace=True)`.
    `choice` calls `integers`, which computes each number from the generator's next 32 bits, so drawing the resamples in
    chunks of any size gives the same indices.
    """
    draws: NDArray[Any] = rng.integers(0, segments, size=(resamples, segments), dtype="uint32")
    return draws
