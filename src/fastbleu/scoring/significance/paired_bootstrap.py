"""The paired bootstrap (Koehn 2004, https://aclanthology.org/W04-3250), as sacreBLEU computes it.

Each resample draws as many segments as there are, with replacement, the same ones for every system. The p-value says
in how many resamples the absolute difference of the scores exceeded its mean by more than the difference observed.

The resamples are those of sacreBLEU 2.6.0 for the same seed. It sums float32 and computes with float32 precisions, and
so do the tests here: p-values, means and intervals are equal as long as no sum reaches 2^24.
"""

from __future__ import annotations

from ...options import check_integer, check_threads
from ...system.threads import for_each
from ..bootstrap import check_seed, count_draws, draw_segments
from .comparison import outcome
from .masked_sums import MaskedSums
from .systems import Systems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from numpy import float64
    from numpy.typing import ArrayLike, NDArray

    from ...options import Correction, PairsToCompare
    from ..formula import HasFormula
    from .comparison import SignificanceTest


#: Draws in a chunk, about, if that makes at least some resamples: what is prepared for a chunk costs as much as four.
_DRAWS_AT_ONCE = 1 << 18
_FEWEST_RESAMPLES = 4


def paired_bootstrap(
    statistics: Mapping[str, ArrayLike] | Iterable[tuple[str, ArrayLike]],
    metric: HasFormula | None = None,
    n_resamples: int = 1000,
    *,
    pairs: PairsToCompare = "all",
    correction: Correction = "none",
    documents: Sequence[Hashable] | None = None,
    seed: int | str | None = None,
    threads: int = 1,
) -> SignificanceTest:
    """Test by paired bootstrap resampling which systems differ, two-sided.

    Args:
        statistics: By the name of each of at least two systems, or as pairs of a name and the statistics: rows
            [n, columns] as `BLEU.statistics` or `CHRF.statistics` counts them, of the same n >= 1 segments.
        metric: What counted them, a `BLEU` or `CHRF`: its formula scores them. None: BLEU with its defaults.
        n_resamples: How many resamples to draw, >= 2.
        pairs: "all", or "baseline": the first system with each of the others.
        correction: How to correct the p-values for the number of pairs: "none", "bonferroni", "holm" or
            "benjamini-hochberg".
        documents: The name of each segment's document, n of them: documents are drawn instead of segments. None: every
            segment by itself.
        seed: The seed of the random numbers, >= 0; "none" takes them from the system; None: the environment's
            SACREBLEU_SEED, 12345 without one.
        threads: How many threads may work at the same time, >= 1. The result does not depend on it.

    Returns:
        Each system with its mean and 95 % interval, and each pair with its difference, its interval and its p-value.
        Those of the first system with the others are sacreBLEU's `PairedTest`'s; but a difference of 0 has the p-value
        1, where sacreBLEU gives less, 1 / (n_resamples + 1) to equal systems; and so has a single segment or document,
        of which all resamples are equal.

    Raises:
        TypeError: An argument has the wrong type; `seed` is not an integer.
        ValueError: Fewer than two systems, a name twice, systems of different length, no segment, or a value out of
            range.

    Example:
        >>> from fastbleu import BLEU
        >>> bleu = BLEU()
        >>> references = [["the cat sat on the mat today", "it rained all day long here"] * 10]
        >>> systems = {
        ...     "base": ["the cat sat on a mat today", "it rained all day in here"] * 10,
        ...     "new": ["the cat sat on the mat today", "it rained all day in here"] * 10,
        ... }
        >>> rows = {name: bleu.statistics(hypotheses, references) for name, hypotheses in systems.items()}
        >>> found = paired_bootstrap(rows, bleu).pair("base", "new")
        >>> found.p_value < 0.01, found.low < found.difference < found.high
        (True, True)
    """
    import numpy as np

    n_resamples = check_integer("n_resamples", n_resamples, 2)
    threads = check_threads(threads)
    seed_text, generator_seed = check_seed(seed)
    systems = Systems(statistics, metric, documents, pairs, correction)
    scores = resampled_scores(systems, n_resamples, np.random.default_rng(generator_seed), threads)
    counted = []
    for i, j in systems.pairs:
        found = np.abs(scores[j] - scores[i])
        larger = found - found.mean() > abs(float(systems.scores[i] - systems.scores[j]))
        counted.append((int(np.count_nonzero(larger)), n_resamples, False))
    return outcome("bootstrap", systems, counted, n_resamples, scores, scores, seed_text)


def resampled_scores(
    systems: Systems, n_resamples: int, rng: Any, threads: int, only: int | None = None
) -> list[NDArray[Any]]:
    """Score the same resamples of each system, or of the first few: [n_resamples] of each."""
    import numpy as np

    rows = systems.rows[:only]
    if not n_resamples:
        return []
    sum_rows = MaskedSums(rows)
    step = max(_FEWEST_RESAMPLES, _DRAWS_AT_ONCE // systems.units)

    def draw() -> Iterator[tuple[int, NDArray[Any]]]:
        for start in range(0, n_resamples, step):
            yield start, draw_segments(rng, systems.units, min(step, n_resamples - start))

    chunks: dict[int, list[NDArray[Any]]] = {}

    def score(chunk: tuple[int, NDArray[Any]]) -> None:
        start, draws = chunk
        sums = np.split(_resampled_sums(sum_rows, count_draws(draws)), len(rows))
        chunks[start] = [systems.formula.score_float32_rows(of_system.T) for of_system in sums]

    for_each(draw(), score, lambda _: None, threads)
    # Joined, scores are float32 if all of them are, as in NumPy's arrays of sacreBLEU's scores.
    return [np.concatenate(parts) for parts in zip(*(chunks[start] for start in sorted(chunks)), strict=True)]


def _resampled_sums(sum_rows: MaskedSums, counts: NDArray[Any]) -> NDArray[float64]:
    """Sum rows that were drawn any number of times, bit by bit of these numbers."""
    import numpy as np

    most = int(counts.max())
    counts = counts.astype(np.min_scalar_type(most))  # bytes nearly always, which are packed faster
    sums = sum_rows(np.packbits(counts & 1, bitorder="little"), len(counts))
    for k in range(1, most.bit_length()):
        sums += (1 << k) * sum_rows(np.packbits(counts & (1 << k), bitorder="little"), len(counts))
    return sums
