"""Find the texts nearest to queries, and near duplicates among texts. Every pair is scored, block by block."""

from __future__ import annotations

from itertools import product, repeat
from typing import NamedTuple

from ..errors import ArgumentTypeError, describe, suggests_options, warn_of_call
from ..options import COMBINATIONS, DIRECTIONS, check_choice, check_flag, check_integer, check_number
from ..scoring.nltk.nltk_formula import NLTKFormula
from ..system.progress import progress_bar
from ..system.threads import for_each
from .pool_chunks import PoolColumns, as_threads, metric_and_formula, no_trigram
from .pool_sources import one_pool
from .ranking import MAX_K

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy import float64, int64
    from numpy.typing import NDArray

    from ..metric import BLEU, AnySegments
    from ..metric.chrf import CHRF
    from ..options import Combination, Direction, FormulaName, NLTKSmoothing
    from .pool_sources import CheckedPools

#: Queries and texts of a block. Its scores take 16 MB for each direction.
_ROWS, _COLUMNS = 1024, 2048


class Nearest(NamedTuple):
    """The texts nearest to each query, best first.

    Attributes:
        indices: int64 [queries, k]: indices of texts; -1 where fewer than k texts qualify.
        scores: float64 [queries, k]: 0..100, or 0..1 by NLTK's formula; NaN where fewer than k texts qualify.
    """

    indices: NDArray[int64]
    scores: NDArray[float64]


class NearDuplicates(NamedTuple):
    """Pairs of texts that reach a score, in ascending order of `first` and then `second`.

    Attributes:
        first: int64 [pairs]: the lower index of each pair.
        second: int64 [pairs]: the higher index of each pair.
        scores: float64 [pairs]: the score of each pair, 0..100, or 0..1 by NLTK's formula.
    """

    first: NDArray[int64]
    second: NDArray[int64]
    scores: NDArray[float64]


@suggests_options
def nearest(
    queries: AnySegments,
    texts: AnySegments,
    k: int = 5,
    *,
    at_least: float = 0.0,
    direction: Direction = "query-as-hypothesis",
    metric: BLEU | CHRF | None = None,
    formula: FormulaName = "sacrebleu",
    smoothing: NLTKSmoothing | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> Nearest:
    """Find the k texts that score highest with each query.

    Every query is scored against every text. Memory beyond a copy of the texts and the result does not depend on the
    number of texts.

    Args:
        queries: Q >= 0 segments: text, tokens, or token ids.
        texts: T >= 0 segments of the same kind.
        k: The number of texts to find for each query, at least 1.
        at_least: Exclude texts with a lower score, 0..100; 0..1 by NLTK's formula. A score between 0 and 1 where
            scores are 0..100 is a `UserWarning`.
        direction: "query-as-hypothesis": the text is the only reference of the query. "query-as-reference": the query
            is the only reference of the text. "max", "mean", "min" or "harmonic-mean" of both scores.
        metric: A `BLEU` or a `CHRF`; None: `BLEU(effective_order=True)`. Its own references are not used.
        formula: "sacrebleu" or "nltk", as for `pairwise`.
        smoothing: The smoothing method of NLTK's formula, as for `pairwise`. Here "method0" does not warn.
        threads: The number of threads that may work at the same time; None for the metric's number.
        progress: Whether to show a progress bar on standard error.

    Returns:
        The indices of the texts and their scores, which equal those of `pairwise`. If scores are equal, the lower index
        comes first.

    Raises:
        TypeError: A bare str is passed for a list, or a value is not a segment; the error names it.
        ValueError: `k` is below 1; `at_least` is NaN or outside the formula's scale; the direction, formula or
            smoothing is unknown; or "method6" fails as in `pairwise`.
        ImportError: `progress` is True, and tqdm is not installed.

    Example:
        >>> indices, scores = nearest(["the cat sat up"], ["the cat sat", "a dog ran away", "the cat sat down"], k=2)
        >>> indices.tolist(), scores.round(2).tolist()
        ([[0, 2]], [[59.46, 59.46]])
    """
    import numpy as np

    k = check_integer("k", k, 1, MAX_K)
    check_choice("direction", direction, DIRECTIONS)
    metric, scoring = metric_and_formula(metric, formula, smoothing)
    at_least = _check_score("at_least", at_least, scoring)
    threads = as_threads(threads, metric)
    sources = [one_pool(queries, "queries"), one_pool(texts, "texts")]
    score_block, n_queries, n_texts = _block_scorer(sources, metric, scoring, direction)
    indices = np.full((n_queries, k), -1, dtype=np.int64)
    # The largest float below `at_least`: every score that qualifies is higher.
    scores = np.full((n_queries, k), np.nextafter(at_least, -1.0))
    size = max(1, min(_ROWS, -(-n_queries // threads)))

    def find(block: tuple[int, int]) -> int:
        rows, start = slice(block[0], block[0] + size), block[1]
        _keep_best(scores[rows], indices[rows], score_block(rows, slice(start, start + _COLUMNS)), start)
        return 1

    row_blocks, column_blocks = range(0, n_queries, size), range(0, n_texts, _COLUMNS)
    number = len(row_blocks) * len(column_blocks)
    with progress_bar(number, " blocks", check_flag("progress", progress)) as bar:
        # Take the blocks of texts in order, so that the first of equal scores is kept.
        for start in column_blocks:
            for_each(zip(row_blocks, repeat(start)), find, bar.update, threads)
    scores[indices < 0] = np.nan
    return Nearest(indices, scores)


@suggests_options
def near_duplicates(
    texts: AnySegments,
    threshold: float,
    *,
    combine: Combination = "max",
    metric: BLEU | CHRF | None = None,
    formula: FormulaName = "sacrebleu",
    smoothing: NLTKSmoothing | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> NearDuplicates:
    """Find all pairs of texts that reach a score, each pair once.

    Every pair is scored. Memory beyond a copy of the texts and the result does not depend on the number of texts.

    Args:
        texts: Segments: text, tokens, or token ids.
        threshold: The score that a pair must reach, 0..100; 0..1 by NLTK's formula. A score between 0 and 1 where
            scores are 0..100 is a `UserWarning`.
        combine: The combination of the scores of both directions: "max", "mean", "min" or "harmonic-mean".
        metric: A `BLEU` or a `CHRF`; None: `BLEU(effective_order=True)`. Its own references are not used.
        formula: "sacrebleu" or "nltk", as for `pairwise`.
        smoothing: The smoothing method of NLTK's formula, as for `pairwise`. Here "method0" does not warn.
        threads: The number of threads that may work at the same time; None for the metric's number.
        progress: Whether to show a progress bar on standard error.

    Returns:
        The pairs and their scores, which combine those of `pairwise`.

    Raises:
        TypeError: A bare str is passed for a list, or a value is not a segment; the error names it.
        ValueError: `threshold` is NaN or outside the formula's scale; `combine`, the formula or the smoothing is
            unknown; or "method6" fails as in `pairwise`.
        ImportError: `progress` is True, and tqdm is not installed.

    Example:
        >>> first, second, scores = near_duplicates(["the cat sat down", "a dog ran", "the cat sat down ."], 60)
        >>> first.tolist(), second.tolist(), scores.round(2).tolist()
        ([0], [2], [77.88])
    """
    import numpy as np

    check_choice("combine", combine, COMBINATIONS)
    metric, scoring = metric_and_formula(metric, formula, smoothing)
    given: Any = threshold
    if hasattr(given, "__len__") and not isinstance(given, (str, bytes)):
        two = "near_duplicates compares one list with itself; for two lists use nearest(queries, texts, at_least=...)"
        raise ArgumentTypeError(
            "threshold", f"must be a number, not {describe(threshold)}; {two}", value=threshold
        )
    threshold = _check_score("threshold", threshold, scoring)
    score_block, number, _ = _block_scorer([one_pool(texts, "texts")], metric, scoring, combine)
    pairs: list[tuple[NDArray[Any], ...]] = [(*np.empty((2, 0), dtype=np.int64), np.empty(0))]

    def find(block: tuple[int, int]) -> int:
        rows, columns = (slice(start, start + n) for start, n in zip(block, (_ROWS, _COLUMNS), strict=True))
        scores = score_block(rows, columns)
        first, second = np.divmod(np.flatnonzero(scores >= threshold), scores.shape[1])
        of_pairs = scores[first, second]
        first += rows.start
        second += columns.start
        is_pair = first < second
        pairs.append((first[is_pair], second[is_pair], of_pairs[is_pair]))
        return 1

    starts = product(range(0, number, _ROWS), range(0, number, _COLUMNS))
    blocks = [(row, column) for row, column in starts if row < column + _COLUMNS]
    with progress_bar(len(blocks), " blocks", check_flag("progress", progress)) as bar:
        for_each(iter(blocks), find, bar.update, as_threads(threads, metric))
    first, second, scores = map(np.concatenate, zip(*pairs, strict=True))
    order = np.lexsort((second, first))
    return NearDuplicates(first[order], second[order], scores[order])


def _check_score(name: str, value: object, scoring: object) -> float:
    """Return a score as a float, after a check that it is on the formula's scale."""
    best = 1 if isinstance(scoring, NLTKFormula) else 100
    checked = check_number(name, value, lambda score: 0 <= score <= best, f"a score of 0..{best}")
    if best == 100 and 0 < checked < 1:
        warn_of_call(
            f"{name}={value} is almost the lowest score, because scores are 0..100; for a share of the highest score "
            f"pass {name}={100 * checked:g}."
        )
    return checked


def _block_scorer(
    sources: list[CheckedPools], metric: BLEU | CHRF, scoring: Any, direction: Direction
) -> tuple[Callable[[slice, slice], NDArray[float64]], int, int]:
    """Read queries and texts, and make a function that scores blocks of their pairs.

    Args:
        sources: The queries and the texts; or only the texts, which are then compared with each other.
        metric: The options that decide tokens.
        scoring: The formula.
        direction: The side that is the hypothesis, or the combination of both scores.

    Returns:
        The function, from slices of queries and of texts to their scores, float64 [queries, texts]; the number of
        queries; and the number of texts.
    """
    import numpy as np

    from ._hypothesis_scores import NoTrigramError
    from ._pair_scores import score_pairs

    pools = PoolColumns(metric.matcher, sources, are_evidence=len(sources) == 1)
    read = pools.read_apart(0, 1)
    n_queries, n_texts = len(read[0]), len(read[-1])

    def score(rows: slice, columns: slice) -> NDArray[float64]:
        queries = read[0].slice(rows.start, min(rows.stop, n_queries))
        texts = read[-1].slice(columns.start, min(columns.stop, n_texts))
        scores = np.empty((len(queries), len(texts)))
        exchanged = None if direction == "query-as-hypothesis" else np.empty_like(scores)
        options = pools.counter.tokenizer, scoring.compiled, scores
        try:
            score_pairs(queries, texts, *options, exchanged=exchanged)
        except NoTrigramError as error:
            query, text = sources[0].location[rows.start + error.args[0]], columns.start + error.args[1]
            raise no_trigram(query, sources[-1].location[text]) from None
        if exchanged is None or direction == "query-as-reference":
            return scores if exchanged is None else exchanged
        if direction in ("max", "min"):
            return (np.maximum if direction == "max" else np.minimum)(scores, exchanged, out=scores)
        total = scores + exchanged
        if direction == "mean":
            return total / 2
        return np.divide(2 * scores * exchanged, total, out=np.zeros_like(total), where=total > 0)

    return score, n_queries, n_texts


def _keep_best(best: NDArray[float64], indices: NDArray[int64], scores: NDArray[float64], start: int) -> None:
    """Update the k highest scores of each row with the scores of further columns, in place.

    Args:
        best: float64 [n, k]: the highest scores of earlier columns, in descending order.
        indices: int64 [n, k]: the columns of these scores.
        scores: float64 [n, w]: the scores of the next w columns.
        start: The number of the first of these columns.
    """
    import numpy as np

    (n, k), width = best.shape, scores.shape[1]
    floor = best[:, -1:]
    if start == 0 and k < width:
        # Skip scores below the k-th highest of the row.
        floor = np.maximum(floor, np.nextafter(np.partition(scores, -k)[:, -k, None], -1.0))
    rows, columns = np.divmod(np.flatnonzero(scores > floor), width)
    all_rows = np.concatenate((np.repeat(np.arange(n), k), rows))
    all_scores = np.concatenate((best.ravel(), scores[rows, columns]))
    all_indices = np.concatenate((indices.ravel(), start + columns))
    # The sort is stable, and earlier columns come first.
    order = np.lexsort((-all_scores, all_rows))
    kept = order[np.searchsorted(all_rows[order], np.arange(n))[:, None] + np.arange(k)]
    best[:], indices[:] = all_scores[kept], all_indices[kept]
