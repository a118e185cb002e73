"""The paired bootstrap (Koehn 2004, https://aclanthology.org/W04-3250), as sacreBLEU computes it.

Each resample draws as many segments as there are, with replacement, the same ones for every system. The p-value says
in how many resamples the absolute difference of the scores exceeded its mean by more than the difference observed.

The resamples are those of sacreBLEU 2.6.0 for the same seed. It sums float32 and computes with float32 precisions, and
so do the tests here: p-values, means and intervals are equal as long as no sum reaches 2^24.
"""

from __future__ import annotations

from copy import deepcopy

from ...options import check_integer
from ..bootstrap import check_seed, resampled_sums
from .p_values import outcome
from .systems import Systems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence
    from typing import Any

    from numpy.typing import ArrayLike, NDArray

    from ...options import Correction, PairsToCompare
    from ..formula import HasFormula, RowFormula
    from .p_values import SignificanceTest


def paired_bootstrap(
    statistics: Mapping[str, ArrayLike] | Iterable[tuple[str, ArrayLike]],
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
    seed_text, generator_seed = check_seed(seed)
    systems = Systems(statistics, metric, documents, pairs, correction)
    scores = resampled_scores(
        systems.formula, systems.rows, n_resamples, np.random.default_rng(generator_seed)
    )
    extreme = []
    for i, j in systems.pairs:
        found = np.abs(scores[j] - scores[i])
        larger = found - found.mean() > abs(float(systems.scores[i] - systems.scores[j]))
        extreme.append(int(np.count_nonzero(larger)))
    # All resamples of a single segment are equal, and show nothing.
    least = [float(systems.units == 1)] * len(extreme)
    return outcome("bootstrap", systems, extreme, least, n_resamples, seed_text, scores, scores)


def resampled_scores(
    formula: RowFormula[Any], systems: Sequence[NDArray[Any]], n_resamples: int, rng: Any
) -> list[NDArray[Any]]:
    """Score the same resamples of the rows of each system: [n_resamples] per system, empty without resamples."""
    if not n_resamples:
        return []
    return [formula.score_float32_rows(resampled_sums(rows, n_resamples, deepcopy(rng))) for rows in systems]
