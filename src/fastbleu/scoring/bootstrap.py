"""Bootstrap resampling (Koehn 2004, https://aclanthology.org/W04-3250): how far a score depends on the segments drawn.

A resample draws as many segments as there are, with replacement, and its statistics are the sum of theirs. Nothing
but the number of times that each segment was drawn matters for that sum, so a batch of resamples is one matrix
product: [resamples, segments] counts times [segments, columns] statistics. Whole numbers below 2^53 add exactly in
float64, in whatever order the product adds them.

The generator, its seed and the resamples are those of sacreBLEU 2.6.0. It sums in float32, so BLEU's intervals agree to
about 1e-5 and not to the last bit; chrF is computed with float32, too.
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

    from ..errors import Place

#: sacreBLEU's name for the seed, so that one setting serves both.
_SEED_VARIABLE = "SACREBLEU_SEED"
_DEFAULT_SEED = "12345"

#: Draws held at a time. Small, so that the arrays stay within a processor's cache and are reused by the allocator.
_DRAWS_PER_CHUNK = 1 << 16

#: Segments that one matrix product sums.
_SEGMENTS_AT_ONCE = 1 << 14

#: Whole numbers below these add exactly in float64 and in float32.
_MOST_EXACT = 1 << 53
_MOST_EXACT_FLOAT32 = 1 << 24


def interval(
    rows: NDArray[Any], n_bootstrap: int, score_rows: Callable[[NDArray[Any]], NDArray[Any]]
) -> tuple[float, float, str]:
    """Estimate the 95 % confidence interval of a corpus score.

    Args:
        rows: Statistics of the segments, int64 [segments, columns], at least one segment. Never changed.
        n_bootstrap: The number of resamples, at least 2.
        score_rows: Scores rows of summed statistics: [resamples, columns] -> float64 or float32 [resamples].

    Returns:
        The mean of the resampled scores, half the width of the interval around it, and the seed as the signature
        prints it. The seed is the environment's SACREBLEU_SEED, "12345" without one; "none" seeds from the system.

    Raises:
        TypeError: `n_bootstrap` is not an int.
        ValueError: No segment, `n_bootstrap` below 2, or a SACREBLEU_SEED that is neither a whole number nor "none".

    Example:
        >>> import numpy as np
        >>> rows = np.array([[10, 10, 9], [20, 20, 12], [15, 15, 12]] * 10)
        >>> mean, half_width, _ = interval(rows, 1000, lambda sums: 100 * sums[:, 2] / sums[:, 0])
        >>> 72 < mean < 75 and 3 < half_width < 7
        True

    Memory: at most 30 MB, or 28 bytes per segment if that is more; a few MB for a test set and 1000 resamples.
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
    # Computed in float32 if the scores are.
    half_width = 0.5 * (scores[n_bootstrap - outside - 1] - scores[outside])
    mean = scores.dtype.type(fsum(scores.tolist()) / n_bootstrap)
    return float(mean), float(half_width), seed_text


def interval_of(scores: Sequence[float]) -> tuple[float, float]:
    """The mean of resampled scores, and half the width of the 95 % interval, as sacreBLEU computes them.

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
    """Sum resamples of a corpus in float32, as sacreBLEU does, to the last digit.

    Float32 adds exactly up to 2^24; within that, one product makes all sums.

    Args:
        stats: The row of each segment, at least one.
        n_bootstrap: The number of resamples.

    Returns:
        The seed as the signature prints it, and the sums, [n_bootstrap, columns].
    """
    import numpy as np

    text, seed = read_seed()
    rows = np.array(stats)
    if rows.dtype.kind == "i" and len(rows) * int(np.abs(rows).max()) < _MOST_EXACT_FLOAT32:
        return text, resampled_sums(rows, n_bootstrap, seed).astype(np.float32)
    rng, table = np.random.default_rng(seed), rows.astype(np.float32)
    return text, np.array([table[draw_segments(rng, len(rows), 1)[0]].sum(0) for _ in range(n_bootstrap)])


def resample(
    rows: NDArray[Any],
    n_bootstrap: int,
    score_rows: Callable[[NDArray[Any]], NDArray[float64]],
    seed: Any = None,
) -> NDArray[float64]:
    """Score resamples of a corpus.

    Args:
        rows: Statistics of the segments, [segments, columns], at least one segment. Never changed.
        n_bootstrap: The number of resamples, at least 1.
        score_rows: Scores rows of summed statistics: [resamples, columns] -> float64 [resamples].
        seed: As `check_seed` takes it.

    Returns:
        The scores, float64 [n_bootstrap], in the order in which the resamples are drawn.

    Raises:
        TypeError: `n_bootstrap` or the seed is of the wrong type.
        ValueError: `n_bootstrap` is below 1, the seed is negative, or the rows add up to 2^53 or more.
    """
    n_bootstrap = check_integer("n", n_bootstrap, 1)
    check_sums_are_exact("statistics", rows)
    return score_rows(resampled_sums(rows, n_bootstrap, check_seed(seed)[1]))


def jackknife(rows: NDArray[Any], score_rows: Callable[[NDArray[Any]], NDArray[float64]]) -> NDArray[float64]:
    """Score a corpus without each one of its segments.

    Args:
        rows: Statistics of the segments, [segments, columns], at least one segment. Never changed.
        score_rows: Scores rows of summed statistics: [rows, columns] -> float64 [rows].

    Returns:
        The scores, float64 [segments].

    Raises:
        ValueError: The rows add up to 2^53 or more.
    """
    import numpy as np

    check_sums_are_exact("statistics", rows)
    rows = rows.astype(np.int64, copy=False)
    return score_rows(rows.sum(axis=0) - rows)


def check_sums_are_exact(where: str | Place, rows: NDArray[Any]) -> None:
    """Check that float64 holds every sum of as many rows as there are, each drawn any number of times.

    Raises:
        ValueError: It does not.
    """
    if int(rows.max()) * len(rows) >= _MOST_EXACT:
        raise ArgumentValueError(where, "must add up to less than 2^53", value=rows)


def draws_outside(n_bootstrap: int) -> int:
    """Return how many of the resampled scores lie on either side of the 95 % interval: 2.5 % of them."""
    return n_bootstrap // 40


def read_seed() -> tuple[str, int | None]:
    """Return the seed as the signature prints it and as the generator takes it."""
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
    """Return a seed as the signature prints it and as the generator takes it: None stands for the environment's.

    Raises:
        TypeError: It is neither an integer nor a str nor None.
        ValueError: It is negative, or another str than "none".
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
    """Sum the statistics of every resample: [segments, columns] -> [n_bootstrap, columns].

    Args:
        rows: The statistics.
        n_bootstrap: The number of resamples.
        seed: A seed, or a generator of NumPy.
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
    """Sum rows by integer weights: [choices, segments] times [segments, columns] -> [choices, columns].

    The sums are exact if they are below 2^53 (`check_sums_are_exact`).
    """
    import numpy as np

    sums = np.zeros((len(weights), rows.shape[1]))
    for start in range(0, len(rows), _SEGMENTS_AT_ONCE):
        block = slice(start, start + _SEGMENTS_AT_ONCE)
        sums += weights[:, block].astype(np.float64) @ rows[block].astype(np.float64)
    return sums


def count_draws(draws: NDArray[Any]) -> NDArray[Any]:
    """Return how often each resample drew each segment: int64 [resamples, segments], as large as the draws."""
    import numpy as np

    resamples, segments = draws.shape
    # Resample r draws from its own range of numbers, so that one pass counts them all.
    of_own_range = draws + segments * np.arange(resamples)[:, np.newaxis]
    return np.bincount(of_own_range.ravel(), minlength=resamples * segments).reshape(resamples, segments)


def draw_segments(rng: Any, segments: int, resamples: int) -> NDArray[Any]:
    """Draw the segments of the next resamples: numbers below `segments`, [resamples, segments].

    sacreBLEU draws all of them at once with `rng.choice(segments, size=(n_bootstrap, segments), replace=True)`. These
    are the same numbers, whatever the size of the chunks: `choice` draws them with `integers`, which makes each from
    the generator's next 32 bits; asking for 32-bit numbers changes their size and not their values.
    """
    draws: NDArray[Any] = rng.integers(0, segments, size=(resamples, segments), dtype="uint32")
    return draws
