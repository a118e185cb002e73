"""Choose a set of candidates from each pool that are good and differ from each other: diverse minimum Bayes risk.

Jinnai et al. 2024 (Generating Diverse and High-Quality Texts by Minimum Bayes Risk Decoding,
https://aclanthology.org/2024.findings-acl.503).
"""

from __future__ import annotations

from itertools import pairwise

from ..errors import ArgumentValueError
from ..options import check_number
from .pool_chunks import PoolColumns, no_trigram
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
    """Return the weight of diversity, 0 if it is None.

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
            "diversity", f"needs k, the size of a set, got {diversity!r} alone", value=diversity
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
    """Choose a set of k candidates from each pool; the result is that of `k_best` among the chosen ones.

    Args:
        metric: The options that decide tokens.
        formula: The formula that scores a pair.
        pools: The candidates.
        utilities: float64 [candidates]: the expected utility of each candidate.
        k: The number of candidates to choose; smaller pools are chosen whole.
        diversity: The weight of the mean dissimilarity.
        threads: The number of threads that may work at the same time.
        progress: Whether to show a progress bar.

    Raises:
        ValueError: NLTK's method 6 cannot score two candidates.
    """
    import numpy as np

    from ._hypothesis_scores import NoTrigramError
    from ._pair_scores import score_pairs

    columns = PoolColumns(metric.matcher, [pools], are_evidence=True)
    is_chosen = np.zeros(len(utilities), dtype=np.bool_)

    def choose(read: list[Any], start: int, stop: int) -> tuple[()]:
        for first, last in pairwise(pools.bounds[start : stop + 1].tolist()):
            begin = first - int(pools.bounds[start])
            column, *others = (each.slice(begin, begin + last - first) for each in read)
            scores = np.empty((last - first, last - first))
            try:
                score_pairs(
                    column, others[0] if others else None, columns.counter.tokenizer, formula.compiled, scores
                )
            except NoTrigramError as error:
                raise no_trigram(*(pools.location[first + number] for number in error.args)) from None
            is_chosen[first + _choose(scores, utilities[first:last], k, diversity)] = True
        return ()

    sizes = np.diff(pools.bounds).astype(np.float64)
    columns.for_each_chunk(choose, lambda: None, threads, int((sizes**2).sum()), progress)
    # Candidates that are not chosen come last in their pools.
    return k_best(np.where(is_chosen, utilities, -np.inf), pools.bounds, k)


def _choose(
    scores: NDArray[float64], utilities: NDArray[float64], k: int, diversity: float
) -> NDArray[int64]:
    """Choose candidates one by one, each of which makes the objective of the set so far as high as possible.

    The objective is the mean utility plus `diversity` times the mean dissimilarity, which is the negative score, over
    all ordered pairs of the set: mbrs 0.1.8, `SelectorDiverse.search_greedy_best_first`.

    Args:
        scores: float64 [n, n]: the scores of all pairs.
        utilities: float64 [n].
        k: The largest number of candidates to choose.
        diversity: The weight of the mean dissimilarity.

    Returns:
        int64 [min(k, n)]: the candidates, in the order in which they are chosen.
    """
    import numpy as np

    chosen: list[int] = []
    similarity = np.zeros(len(utilities))
    while len(chosen) < min(k, len(utilities)):
        # The sums over the set so far are equal for all candidates, so they are omitted.
        gains = utilities - diversity / max(1, len(chosen)) * similarity
        gains[chosen] = -np.inf
        best = int(gains.argmax())
        chosen.append(best)
        similarity += scores[best] + scores[:, best]
    return np.array(chosen, dtype=np.int64)
