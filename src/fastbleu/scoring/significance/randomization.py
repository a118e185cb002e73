"""Approximate randomization (Noreen 1989; Riezler and Maxwell 2005): would systems of equal quality differ as much?

If two systems are equally good, it does not matter which of them wrote which output. Each trial exchanges the outputs
of a random half of the segments; the p-value says in how many trials the difference of the scores was larger than
the one observed. The same segments are exchanged for every pair, so the sums of the exchanged rows are one product of
matrices for each system: [trials, segments] zeros and ones times [segments, columns] statistics.

The trials are those of sacreBLEU 2.6.0 for the same seed, and so are the p-values.
"""

from __future__ import annotations

from ...options import check_integer
from ..bootstrap import check_seed, weighted_sums
from .p_values import outcome
from .paired_bootstrap import resampled_scores
from .systems import Systems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence
    from typing import Any

    from numpy.typing import ArrayLike

    from ...options import Correction, PairsToCompare
    from ..formula import HasFormula
    from .p_values import SignificanceTest

#: Choices of segments held at a time, about, if that makes at least 32 trials: 8 MB as float64.
_CHOICES_AT_ONCE = 1 << 20


def approximate_randomization(
    statistics: Mapping[str, ArrayLike] | Iterable[tuple[str, ArrayLike]],
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
        statistics: By the name of each of at least two systems, or as pairs of a name and the statistics: rows
            [n, columns] as `BLEU.statistics` or `CHRF.statistics` counts them, of the same n >= 1 segments.
        metric: What counted them, a `BLEU` or `CHRF`: its formula scores them. None: BLEU with its defaults.
        n_trials: How often to exchange outputs, >= 1.
        pairs: "all", or "baseline": the first system with each of the others.
        correction: How to correct the p-values for the number of pairs: "none", "bonferroni", "holm" or
            "benjamini-hochberg".
        documents: The name of each segment's document, n of them: the outputs of a document are exchanged as a whole,
            since its segments are not independent. None: every segment by itself.
        n_resamples: Resamples for the confidence intervals, >= 2, or 0 for none.
        seed: The seed of the random numbers, >= 0; "none" takes them from the system; None: the environment's
            SACREBLEU_SEED, 12345 without one.

    Returns:
        Each system, and each pair with its difference and p-value. The p-values of the first system with the others are
        those of sacreBLEU's `PairedTest`, as are means and intervals, with three exceptions. A difference of 0 has the
        p-value 1, where sacreBLEU gives equal systems 1 / (n_trials + 1). If two systems differ in k segments or
        documents, the p-value is at least 2 / 2^k: of the 2^k ways to exchange their outputs, the one that exchanges
        nothing and the one that exchanges everything have the difference observed, which sacreBLEU does not count. And
        trials add the fraction of an "add-k" value too, which sacreBLEU cuts off.

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
        >>> found = approximate_randomization(rows, bleu).pair("base", "new")
        >>> round(found.difference, 2), found.p_value < 0.01
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
    least = [
        2.0 ** (1 - int((systems.rows[i] != systems.rows[j]).any(axis=1).sum())) for i, j in systems.pairs
    ]
    scores = resampled_scores(systems.formula, systems.rows, n_resamples, rng)
    # sacreBLEU draws the resamples of its baseline before any trial.
    fresh = np.random.default_rng(generator_seed)
    first = resampled_scores(systems.formula, systems.rows[:1], n_resamples, fresh)
    return outcome(
        "randomization", systems, extreme, least, n_trials, seed_text, scores, [*first, *scores[1:]]
    )


def _count_larger(systems: Systems, n_trials: int, rng: Any) -> list[int]:
    """Count, for each pair, the trials whose difference is larger than the one observed."""
    import numpy as np

    units, totals, scores = systems.units, systems.totals, systems.scores
    score_rows = systems.formula.score_rows
    larger = [0] * len(systems.pairs)
    # A multiple of 32 trials, because NumPy takes the choices from words of 32 bits: chunks draw what one call would.
    step = max(32, _CHOICES_AT_ONCE // units // 32 * 32)
    for start in range(0, n_trials, step):
        choices = rng.integers(2, size=(min(step, n_trials - start), units), dtype=bool)
        exchanged = [weighted_sums(choices, rows) for rows in systems.rows]
        for k, (i, j) in enumerate(systems.pairs):
            moved = exchanged[i] - exchanged[j]
            found = np.abs(score_rows(totals[j] + moved) - score_rows(totals[i] - moved))
            larger[k] += int(np.count_nonzero(found > abs(scores[i] - scores[j])))
    return larger
