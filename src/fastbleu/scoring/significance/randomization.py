"""Test for significance by approximate randomization (Noreen 1989; Riezler and Maxwell 2005).

If two systems are equally good, their outputs can be exchanged. Each trial exchanges the outputs of about half of the
segments, chosen at random. The p-value is the share of trials in which the scores differ more than the observed scores.

A trial exchanges the same segments for every pair of systems. So the sums of the rows to exchange are one matrix
product per system: zeros and ones [trials, segments] times statistics [segments, columns].

The trials and p-values are those of sacreBLEU 2.6.0 for the same seed.
"""

from __future__ import annotations

from ...errors import suggests_options
from ...options import check_integer
from ..bootstrap import check_seed, weighted_sums
from .p_values import outcome
from .paired_bootstrap import resampled_scores
from .systems import Systems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence
    from typing import Any

    from numpy.typing import ArrayLike

    from ...options import Correction, PairsToCompare
    from ..formula import HasFormula
    from .p_values import SignificanceTest

#: The approximate number of random choices per chunk, 8 MB as float64. A chunk has at least 32 trials.
_CHOICES_PER_CHUNK = 1 << 20


@suggests_options
def approximate_randomization(
    statistics: Mapping[str, ArrayLike],
    metric: HasFormula | None = None,
    n_trials: int = 10_000,
    *,
    pairs: PairsToCompare = "all",
    correction: Correction = "none",
    documents: Sequence[Hashable] | None = None,
    n_resamples: int = 0,
    seed: int | str | None = None,
) -> SignificanceTest:
    """Test by approximate randomization which systems differ, two-sided.

    Args:
        statistics: A mapping from the names of at least two systems to their statistics, integers [n, columns], as
            returned by `BLEU.statistics` or `CHRF.statistics` for the same n >= 1 segments.
        metric: The `BLEU` or `CHRF` that counted the statistics, whose formula scores them. None for `BLEU()`.
        n_trials: The number of trials, >= 1.
        pairs: The pairs to compare: "all", or "baseline" for the first system with each of the others.
        correction: The correction of p-values for the number of pairs: "none", "bonferroni", "holm" or
            "benjamini-hochberg".
        documents: The name of the document of each segment, n names, to exchange whole documents instead of segments,
            because the segments of a document are not independent. None: exchange segments.
        n_resamples: The number of resamples for the confidence intervals, >= 2, or 0 for no intervals.
        seed: The seed of the random numbers, >= 0. "none": a random seed from the operating system. None: the value of
            the environment variable SACREBLEU_SEED, or 12345 if it is not set.

    Returns:
        The systems, and the pairs with their differences and p-values. The means, the intervals, and the p-values of
        all pairs with the first system equal those of sacreBLEU's `PairedTest`, with three exceptions:

        - A difference of 0 has the p-value 1; in sacreBLEU it has the p-value 1 / (n_trials + 1) for equal systems.
        - If two systems differ in k segments or documents, the p-value is at least 2 / 2^k, because 2 of the 2^k
          possible exchanges, nothing and everything, always give the observed difference. sacreBLEU ignores this.
        - Trials use the exact value of "add-k" smoothing; sacreBLEU truncates it to an integer.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: There are fewer than two systems or no segments, systems differ in their number of segments, or a
            value is out of range.

    Example:
        >>> from fastbleu import BLEU
        >>> bleu = BLEU()
        >>> references = [["the cat sat on the mat today", "it rained all day long here"] * 10]
        >>> systems = {
        ...     "base": ["the cat sat on a mat today", "it rained all day in here"] * 10,
        ...     "new": ["the cat sat on the mat today", "it rained all day in here"] * 10,
        ... }
        >>> rows = {name: bleu.statistics(hypotheses, references) for name, hypotheses in systems.items()}
        >>> pair = approximate_randomization(rows, bleu).pair("base", "new")
        >>> round(pair.difference, 2), pair.p_value < 0.01
        (-29.35, True)
    """
    import numpy as np

    n_trials = check_integer("n_trials", n_trials, 1)
    n_resamples = check_integer("n_resamples", n_resamples, 0)
    if n_resamples == 1:
        check_integer("n_resamples", n_resamples, 2)
    seed_text, generator_seed = check_seed(seed)
    systems = Systems(statistics, metric, documents, pairs, correction)
    rng = np.random.default_rng(generator_seed)
    extreme = _count_larger(systems, n_trials, rng)
    lowest = [
        2.0 ** (1 - int((systems.rows[i] != systems.rows[j]).any(axis=1).sum())) for i, j in systems.pairs
    ]
    scores = resampled_scores(systems.formula, systems.rows, n_resamples, rng)
    # For the interval of the first system, sacreBLEU draws resamples before the trials, so the generator is a new one.
    seeded_rng = np.random.default_rng(generator_seed)
    first = resampled_scores(systems.formula, systems.rows[:1], n_resamples, seeded_rng)
    return outcome(
        "randomization", systems, extreme, lowest, n_trials, seed_text, scores, [*first, *scores[1:]]
    )


def _count_larger(systems: Systems, n_trials: int, rng: Any) -> list[int]:
    """Return, for each pair, the number of trials whose difference is larger than the observed one."""
    import numpy as np

    units, totals, scores = systems.units, systems.totals, systems.scores
    score_rows = systems.formula.score_rows
    larger = [0] * len(systems.pairs)
    # NumPy draws 32 choices at a time. With a multiple of 32 trials per chunk, the choices are the same as in a single
    # call for all trials.
    trials_per_chunk = max(32, _CHOICES_PER_CHUNK // units // 32 * 32)
    for start in range(0, n_trials, trials_per_chunk):
        choices = rng.integers(2, size=(min(trials_per_chunk, n_trials - start), units), dtype=bool)
        exchanged = [weighted_sums(choices, rows) for rows in systems.rows]
        for k, (i, j) in enumerate(systems.pairs):
            moved = exchanged[i] - exchanged[j]
            differences = np.abs(score_rows(totals[j] + moved) - score_rows(totals[i] - moved))
            larger[k] += int(np.count_nonzero(differences > abs(scores[i] - scores[j])))
    return larger
