"""Test for significance by the paired bootstrap (Koehn 2004, https://aclanthology.org/W04-3250), as sacreBLEU does.

Each resample draws as many segments as the corpus has, with replacement; the same segments are drawn for every system.
Let d be the absolute difference of the scores of two systems in a resample, and m the mean of d over all resamples. The
p-value of the two systems is the share of resamples in which d - m is larger than the observed difference.

The resamples are those of sacreBLEU 2.6.0 for the same seed. Like sacreBLEU, the test sums in float32 and computes
float32 precisions, so p-values, means and intervals are equal if no sum reaches 2^24.
"""

from __future__ import annotations

from copy import deepcopy

from ...errors import suggests_options
from ...options import check_integer
from ..bootstrap import check_seed, resampled_sums
from .p_values import outcome
from .systems import Systems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence
    from typing import Any

    from numpy.typing import ArrayLike, NDArray

    from ...options import Correction, PairsToCompare
    from ..formula import HasFormula, RowFormula
    from .p_values import SignificanceTest


@suggests_options
def paired_bootstrap(
    statistics: Mapping[str, ArrayLike],
    metric: HasFormula | None = None,
    n_resamples: int = 1000,
    *,
    pairs: PairsToCompare = "all",
    correction: Correction = "none",
    documents: Sequence[Hashable] | None = None,
    seed: int | str | None = None,
) -> SignificanceTest:
    """Test by paired bootstrap resampling which systems differ, two-sided.

    Args:
        statistics: A mapping from the names of at least two systems to their statistics, integers [n, columns], as
            returned by `BLEU.statistics` or `CHRF.statistics` for the same n >= 1 segments.
        metric: The `BLEU` or `CHRF` that counted the statistics, whose formula scores them. None for `BLEU()`.
        n_resamples: The number of resamples, >= 2.
        pairs: The pairs to compare: "all", or "baseline" for the first system with each of the others.
        correction: The correction of p-values for the number of pairs: "none", "bonferroni", "holm" or
            "benjamini-hochberg".
        documents: The name of the document of each segment, n names, to draw documents instead of segments. None: draw
            segments.
        seed: The seed of the random numbers, >= 0. "none": a random seed from the operating system. None: the value of
            the environment variable SACREBLEU_SEED, or 12345 if it is not set.

    Returns:
        The systems with their means and 95 % intervals, and the pairs with their differences, intervals and p-values.
        The results of all pairs with the first system equal those of sacreBLEU's `PairedTest`, with two exceptions:

        - A difference of 0 has the p-value 1; in sacreBLEU it has a smaller one, 1 / (n_resamples + 1) for equal
          systems.
        - A single segment or document has the p-value 1, because all its resamples are equal.

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
        >>> pair = paired_bootstrap(rows, bleu).pair("base", "new")
        >>> pair.p_value < 0.01, pair.low < pair.difference < pair.high
        (True, True)
    """
    import numpy as np

    n_resamples = check_integer("n_resamples", n_resamples, 2)
    seed_text, generator_seed = check_seed(seed)
    systems = Systems(statistics, metric, documents, pairs, correction)
    scores = resampled_scores(
        systems.formula, systems.rows, n_resamples, np.random.default_rng(generator_seed)
    )
    extreme = []
    for i, j in systems.pairs:
        differences = np.abs(scores[j] - scores[i])
        larger = differences - differences.mean() > abs(float(systems.scores[i] - systems.scores[j]))
        extreme.append(int(np.count_nonzero(larger)))
    # With a single segment or document, all resamples are equal, so the smallest possible p-value is 1.
    lowest = [float(systems.units == 1)] * len(extreme)
    return outcome("bootstrap", systems, extreme, lowest, n_resamples, seed_text, scores, scores)


def resampled_scores(
    formula: RowFormula[Any], systems: Sequence[NDArray[Any]], n_resamples: int, rng: Any
) -> list[NDArray[Any]]:
    """Score resamples of each system, with the same segments or documents for all systems.

    Args:
        formula: The formula.
        systems: The statistics of each system, integers [units, columns], one row per segment or document.
        n_resamples: The number of resamples.
        rng: A NumPy generator. It is copied, so its state does not change.

    Returns:
        For each system, the scores of its resamples, [n_resamples], 0..100; an empty list if `n_resamples` is 0.
    """
    if not n_resamples:
        return []
    return [formula.score_float32_rows(resampled_sums(rows, n_resamples, deepcopy(rng))) for rows in systems]
