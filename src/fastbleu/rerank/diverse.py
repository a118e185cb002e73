"""Choose a set of good and mutually different candidates from each pool, by diverse minimum Bayes risk.

The method is from Jinnai et al. 2024 (Generating Diverse and High-Quality Texts by Minimum Bayes Risk Decoding,
https://aclanthology.org/2024.findings-acl.503).
"""

from __future__ import annotations

from itertools import pairwise

from ..errors import ArgumentValueError
from ..options import check_number
from .pool_chunks import PoolColumns, naming_no_trigram
from .ranking import k_best

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import float64, int64
    from numpy.typing import NDArray

    from ..metric import BLEU
    from ..metric.chrf import CHRF
    from .pool_sources import CheckedPools


def check_diversity(diversity: object, k: int | None) -> float:
    """Check the argument `diversity` of `mbr`, and return it as a float; return 0 if it is None.

    Raises:
        TypeError: The value is not a number.
        ValueError: The value is negative or not finite, or `k` is None.
    """
    if diversity is None:
        return 0.0
    number = check_number(
        "diversity", diversity, lambda value: 0 <= value < float("inf"), "finite and at least 0"
    )
    if k is None:
        raise ArgumentValueError(
            "diversity",
            f"needs k, the number of candidates to choose; got {diversity!r}, but no k",
            value=diversity,
        )
    return number


def k_diverse(
    metric: BLEU | CHRF,
    formula: Any,
    pools: CheckedPools,
    utilities: NDArray[float64],
    k: int,
    diversity: float,
    threads: int,
    progress: bool,
) -> tuple[NDArray[int64], NDArray[float64]]:
    """Choose a diverse set of k candidates from each pool.

    Args:
        metric: The metric whose tokenizer and other options decide which tokens match.
        formula: The formula that scores a pair.
        pools: The candidates.
        utilities: float64 [candidates]: the expected utility of each candidate.
        k: The number of candidates to choose; all candidates of a smaller pool are chosen.
        diversity: The weight of the mean dissimilarity in the objective.
        threads: The number of threads that may work at the same time.
        progress: Whether to show a progress bar.

    Returns:
        The indices of the chosen candidates in their pools, int64 [n, k], by descending utility, and their utilities,
        float64 [n, k]; -1 and NaN where a pool has fewer than k candidates.

    Raises:
        ValueError: NLTK's method 6 cannot score a pair of candidates.
    """
    import numpy as np

    from ._pair_scores import score_pairs

    columns = PoolColumns(metric.matcher, [pools], are_evidence=True)
    is_chosen = np.zeros(len(utilities), dtype=np.bool_)

    def choose(read: list[Any], start: int, stop: int) -> tuple[()]:
        for first, last in pairwise(pools.bounds[start : stop + 1].tolist()):
            begin = first - int(pools.bounds[start])
            column, *others = (each.slice(begin, begin + last - first) for each in read)
            scores = np.empty((last - first, last - first))
            against = others[0] if others else None
            with naming_no_trigram(pools.location, [first], pools.location, [first]):
                score_pairs(column, against, columns.counter.tokenizer, formula.compiled, scores)
            is_chosen[first + _choose(scores, utilities[first:last], k, diversity)] = True
        return ()

    sizes = np.diff(pools.bounds).astype(np.float64)
    columns.for_each_chunk(choose, lambda: None, threads, int((sizes**2).sum()), progress)
    # With a utility of -inf, the candidates that were not chosen are last, so `k_best` returns the chosen ones.
    return k_best(np.where(is_chosen, utilities, -np.inf), pools.bounds, k)


def _choose(
    scores: NDArray[float64], utilities: NDArray[float64], k: int, diversity: float
) -> NDArray[int64]:
    """Choose candidates of one pool greedily: in each iteration, add the one that maximizes the objective of the set.

    The objective is the mean utility of the set plus `diversity` times the mean dissimilarity of its ordered pairs,
    where the dissimilarity of a pair is its negative score. The algorithm is that of mbrs 0.1.8,
    `SelectorDiverse.search_greedy_best_first`.

    Args:
        scores: float64 [n, n]: the scores of all pairs of candidates.
        utilities: float64 [n]: the expected utilities of the candidates.
        k: The number of candidates to choose, at most; all are chosen if n <= k.
        diversity: The weight of the mean dissimilarity.

    Returns:
        int64 [min(k, n)]: the indices of the candidates, in the order in which they were chosen.
    """
    import numpy as np

    chosen: list[int] = []
    similarity = np.zeros(len(utilities))
    while len(chosen) < min(k, len(utilities)):
        # Terms of the objective that are equal for all candidates, such as those of the chosen ones, are left out.
        gains = utilities - diversity / max(1, len(chosen)) * similarity
        gains[chosen] = -np.inf
        best = int(gains.argmax())
        chosen.append(best)
        similarity += scores[best] + scores[:, best]
    return np.array(chosen, dtype=np.int64)
