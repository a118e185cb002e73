"""Approximate randomization (Noreen 1989; Riezler and Maxwell 2005): would systems of equal quality differ as much?

If two systems are equally good, it does not matter which of them wrote which output. Each trial exchanges the outputs
of a random half of the segments; the p-value says in how many trials the difference of the scores was larger than
the one observed. The same segments are exchanged for every pair, so the sums of the exchanged rows are one product of
matrices for all systems: [trials, segments] zeros and ones times [segments, systems x columns] statistics.

The trials are those of sacreBLEU 2.6.0 for the same seed, and so are the p-values.
"""

from __future__ import annotations

from ...errors import ArgumentValueError
from ...options import check_flag, check_integer, check_threads
from ...system.threads import for_each
from ..bootstrap import check_seed
from ..formula import Formula
from .comparison import outcome
from .masked_sums import MaskedSums
from .paired_bootstrap import resampled_scores
from .systems import Systems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from numpy import float64, int64
    from numpy.typing import ArrayLike, NDArray

    from ...options import Correction, PairsToCompare
    from ..formula import HasFormula
    from .comparison import SignificanceTest

#: Rows in which two systems may differ, at most: 2^24 assignments take some seconds.
MOST_ENUMERATED = 24

#: Assignments that are scored at once.
_ASSIGNMENTS_AT_ONCE = 1 << 14

#: Trials in a chunk, at most.
_MOST_AT_ONCE = 512

#: Random bits in a chunk, about, if that makes at least 32 trials; 8 MB of them.
_BITS_AT_ONCE = 1 << 26


def approximate_randomization(
    statistics: Mapping[str, ArrayLike] | Iterable[tuple[str, ArrayLike]],
    metric: HasFormula | None = None,
    n_trials: int = 10_000,
    *,
    pairs: PairsToCompare = "all",
    correction: Correction = "none",
    documents: Sequence[Hashable] | None = None,
    n_resamples: int = 0,
    exact: bool | None = None,
    seed: int | str | None = None,
    threads: int = 1,
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
        exact: Whether to enumerate all ways to exchange outputs of a pair instead of drawing some: True, False, or
            None, where there are at most `n_trials` ways.
        seed: The seed of the random numbers, >= 0; "none" takes them from the system; None: the environment's
            SACREBLEU_SEED, 12345 without one.
        threads: How many threads may work at the same time, >= 1. The result does not depend on it.

    Returns:
        Each system, and each pair with its difference and p-value. With `exact=False` the p-values of the first system
        with the others are those of sacreBLEU's `PairedTest`, as are means and intervals. But a difference of 0 has the
        p-value 1, where sacreBLEU gives less, 1 / (n_trials + 1) to equal systems; and a fraction that "add-k" adds is
        added in trials, too, where sacreBLEU cuts off what follows the point.

    Raises:
        TypeError: An argument has the wrong type; `seed` is not an integer.
        ValueError: Fewer than two systems, a name twice, systems of different length, no segment; a value out of
            range; or `exact=True` and more than 2^24 ways.

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
    exact = None if exact is None else check_flag("exact", exact)
    threads = check_threads(threads)
    seed_text, generator_seed = check_seed(seed)
    systems = Systems(statistics, metric, documents, pairs, correction)
    rng = np.random.default_rng(generator_seed)
    larger = _count(systems, n_trials, rng, threads)
    scores = resampled_scores(systems, n_resamples, rng, threads)
    own_scores = list(scores)
    if n_resamples:
        # sacreBLEU draws the resamples of its baseline before any trial.
        fresh = np.random.default_rng(generator_seed)
        own_scores[:1] = resampled_scores(systems, n_resamples, fresh, threads, only=1)
    # 2 ** most is at most the number of trials, unless the exact test was asked for.
    most = MOST_ENUMERATED if exact else min(MOST_ENUMERATED, n_trials.bit_length() - 1)
    counted: list[tuple[int, int, bool]] = []
    for (i, j), count in zip(systems.pairs, larger.tolist(), strict=True):
        enumerated = None if exact is False else enumerate_assignments(systems, i, j, most)
        if enumerated is None and exact:
            raise ArgumentValueError(
                "exact",
                f"is True, but {systems.names[i]!r} and {systems.names[j]!r} differ in more than "
                f"{MOST_ENUMERATED} rows",
            )
        counted.append((count, n_trials, False) if enumerated is None else (*enumerated, True))
    return outcome("randomization", systems, counted, n_trials, scores, own_scores, seed_text)


def _count(systems: Systems, n_trials: int, rng: Any, threads: int) -> NDArray[int64]:
    """Count the trials in which each pair differs by more than it does."""
    import numpy as np

    units = systems.units
    count_larger = (
        _by_trials(systems, systems.formula) if isinstance(systems.formula, Formula) else _by_formula(systems)
    )
    sum_rows = MaskedSums(systems.rows)
    counts = np.zeros(len(systems.pairs), dtype=np.int64)
    # A multiple of 32 trials, so that a chunk begins with a new word of the generator.
    step = min(_MOST_AT_ONCE, max(32, _BITS_AT_ONCE // units // 32 * 32))

    def draw() -> Iterator[tuple[NDArray[Any], int]]:
        for start in range(0, n_trials, step):
            size = min(step, n_trials - start)
            # sacreBLEU's `rng.integers(2, size=(n_trials, units), dtype=bool)` takes 32 bits at a time, lowest first.
            yield rng.integers(0, 1 << 32, size=-(-size * units // 32), dtype=np.uint32), size

    def work(words: NDArray[Any], size: int) -> NDArray[int64]:
        return count_larger(sum_rows(words.astype("<u4", copy=False).view(np.uint8), size))

    def done(larger: NDArray[int64]) -> None:
        counts[:] += larger

    for_each(draw(), lambda chunk: work(*chunk), done, threads)
    return counts


def _by_trials(systems: Systems, formula: Formula) -> Callable[[NDArray[float64]], NDArray[int64]]:
    """Make what counts the trials of BLEU; float32 decides most of them."""
    import numpy as np

    from ._trials import Trials

    trials = Trials(systems.totals, np.array(systems.pairs, dtype=np.int64), formula.compiled)

    def count(sums: NDArray[float64]) -> NDArray[int64]:
        larger = np.zeros(len(systems.pairs), dtype=np.int64)
        trials.count(sums, larger)
        return larger

    return count


def _by_formula(systems: Systems) -> Callable[[NDArray[float64]], NDArray[int64]]:
    """Make what counts the trials of any metric, each by its formula."""
    import numpy as np

    score, totals = systems.formula.score_rows, systems.totals

    def count(sums: NDArray[float64]) -> NDArray[int64]:
        exchanged = np.split(sums.T, len(totals), axis=1)
        larger = []
        for i, j in systems.pairs:
            moved = exchanged[i] - exchanged[j]
            found = np.abs(score(totals[j] + moved) - score(totals[i] - moved))
            larger.append(np.count_nonzero(found > abs(systems.scores[i] - systems.scores[j])))
        return np.array(larger)

    return count


def enumerate_assignments(systems: Systems, i: int, j: int, most: int) -> tuple[int, int] | None:
    """Compare the difference of two systems with that under every assignment of their outputs.

    Exchanging two equal rows changes nothing, so only rows that differ are exchanged.

    Args:
        systems: The systems.
        i: The place of one.
        j: The place of the other.
        most: In how many rows the two may differ.

    Returns:
        Under how many assignments the difference is at least as large as it is, and how many there are; None if the
        two differ in more than `most` rows.
    """
    import numpy as np

    first, second = systems.rows[i], systems.rows[j]
    # Most systems differ in enough of the first rows.
    if int((first[: 4 * most] != second[: 4 * most]).any(axis=1).sum()) > most:
        return None
    differing = (first != second).any(axis=1).nonzero()[0]
    if len(differing) > most:
        return None
    assignments = 1 << len(differing)
    moves: NDArray[Any] = first[differing].astype(np.int64) - second[differing].astype(np.int64)
    score = systems.formula.score_rows
    observed = abs(systems.scores[i] - systems.scores[j])
    count = 0
    for start in range(0, assignments, _ASSIGNMENTS_AT_ONCE):
        numbers = np.arange(start, min(assignments, start + _ASSIGNMENTS_AT_ONCE))
        moved = (numbers[:, np.newaxis] >> np.arange(len(differing)) & 1) @ moves
        found = np.abs(score(systems.totals[i] - moved) - score(systems.totals[j] + moved))
        count += int(np.count_nonzero(found >= observed))
    return count, assignments
