"""Find the texts that are nearest to a query, and near duplicates among texts, by scoring every pair of texts."""

from __future__ import annotations

from itertools import product, repeat
from typing import Any, NamedTuple

from ..errors import ArgumentTypeError, describe, suggests_options, warn_of_call
from ..options import COMBINATIONS, DIRECTIONS, check_choice, check_flag, check_integer, check_number
from ..scoring.nltk.nltk_formula import NLTKFormula
from ..system.progress import progress_bar
from ..system.threads import for_each
from .pool_chunks import PoolColumns, as_threads, metric_and_formula, naming_no_trigram
from .pool_sources import one_pool
from .ranking import MAX_K

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy import float64, int64
    from numpy.typing import NDArray

    from ..metric import BLEU, AnySegments
    from ..metric.chrf import CHRF
    from ..options import Combination, Direction, FormulaName, NLTKSmoothing
    from .pool_sources import CheckedPools

#: The largest numbers of queries (rows) and of texts (columns) whose pairs are scored together. The scores of such a
#: block take 16 MB, or 32 MB if each pair is scored in both directions.
_ROWS, _COLUMNS = 1024, 2048


class Nearest(NamedTuple):
    """The k texts nearest to each query, the best first.

    Attributes:
        indices: int64 [queries, k]: the indices of the texts; -1 where a query has fewer than k texts.
        scores: float64 [queries, k]: the scores of the texts, 0..100 (0..1 by NLTK's formula); NaN where the index is
            -1.
    """

    indices: NDArray[int64]
    scores: NDArray[float64]


class NearDuplicates(NamedTuple):
    """Pairs of texts whose score reaches a threshold, in ascending order of `first` and then `second`.

    Attributes:
        first: int64 [pairs]: the lower index of each pair.
        second: int64 [pairs]: the higher index of each pair.
        scores: float64 [pairs]: the combined score of each pair, 0..100 (0..1 by NLTK's formula).
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

    Every query is scored against every text. Apart from a copy of the texts and the result, the memory does not depend
    on the number of texts.

    Args:
        queries: Q >= 0 segments: str, tokens, or token ids.
        texts: T >= 0 segments, of the same type as the queries.
        k: The number of texts to find for each query, at least 1.
        at_least: Exclude texts with a score below this, 0..100 (0..1 by NLTK's formula). A value between 0 and 1 where
            scores are 0..100 causes a `UserWarning`.
        direction: "query-as-hypothesis": score the query with the text as its only reference. "query-as-reference":
            score the text with the query as its only reference. "max", "mean", "min" or "harmonic-mean": combine the
            two scores.
        metric: A `BLEU` or a `CHRF`; None: `BLEU(effective_order=True)`. References that it was created with are not
            used.
        formula: "sacrebleu" scores pairs by the metric's formula, "nltk" by NLTK's, 0..1, as for `pairwise`.
        smoothing: The smoothing method of NLTK's formula, as for `pairwise`, except that "method0" does not warn.
        threads: The number of threads that may work at the same time; None for the metric's number.
        progress: Whether to show a progress bar on standard error.

    Returns:
        The indices of the texts, and their scores, which equal those of `pairwise`. Texts with equal scores are in the
        order of their indices.

    Raises:
        TypeError: A bare str is passed for a list, or an item is not a segment; the error names the argument and the
            index.
        ValueError: `k` is below 1; `at_least` is NaN or outside the formula's scale; the direction, the formula or the
            smoothing is unknown; or under "method6" a pair shares a token, but no trigram.
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
    inputs = [one_pool(queries, "queries"), one_pool(texts, "texts")]
    score_block, n_queries, n_texts = _block_scorer(inputs, metric, scoring, direction)
    indices = np.full((n_queries, k), -1, dtype=np.int64)
    # Initialize with the largest float below `at_least`, so that only scores of at least `at_least` are higher.
    scores = np.full((n_queries, k), np.nextafter(at_least, -1.0))
    size = max(1, min(_ROWS, -(-n_queries // threads)))

    def find(block: tuple[int, int]) -> int:
        rows, start = slice(block[0], block[0] + size), block[1]
        _keep_best(scores[rows], indices[rows], score_block(rows, slice(start, start + _COLUMNS)), start)
        return 1

    row_blocks, column_blocks = range(0, n_queries, size), range(0, n_texts, _COLUMNS)
    number = len(row_blocks) * len(column_blocks)
    with progress_bar(number, " blocks", check_flag("progress", progress)) as bar:
        # Process the blocks of texts in order, so that among equal scores the text with the lowest index is kept.
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
    """Find all pairs of texts whose score is at least a threshold; each pair is returned once.

    Every pair is scored. Apart from a copy of the texts and the result, the memory does not depend on the number of
    texts.

    Args:
        texts: Segments: str, tokens, or token ids.
        threshold: The lowest score of a returned pair, 0..100 (0..1 by NLTK's formula). A value between 0 and 1 where
            scores are 0..100 causes a `UserWarning`.
        combine: How to combine the two scores of a pair, with one text or the other as the hypothesis: "max", "mean",
            "min" or "harmonic-mean".
        metric: A `BLEU` or a `CHRF`; None: `BLEU(effective_order=True)`. References that it was created with are not
            used.
        formula: "sacrebleu" scores pairs by the metric's formula, "nltk" by NLTK's, 0..1, as for `pairwise`.
        smoothing: The smoothing method of NLTK's formula, as for `pairwise`, except that "method0" does not warn.
        threads: The number of threads that may work at the same time; None for the metric's number.
        progress: Whether to show a progress bar on standard error.

    Returns:
        The indices of the texts of each pair, and the combined scores; the two scores of a pair are those of
        `pairwise`.

    Raises:
        TypeError: A bare str is passed for a list, or an item is not a segment; the error names the argument and the
            index.
        ValueError: `threshold` is NaN or outside the formula's scale; `combine`, the formula or the smoothing is
            unknown; or under "method6" a pair shares a token, but no trigram.
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
        advice = "to compare two lists instead of one with itself, call nearest(queries, texts, at_least=...)"
        raise ArgumentTypeError(
            "threshold", f"must be a number, not {describe(threshold)}; {advice}", value=threshold
        )
    threshold = _check_score("threshold", threshold, scoring)
    score_block, number, _ = _block_scorer([one_pool(texts, "texts")], metric, scoring, combine)
    pairs: list[tuple[NDArray[Any], ...]] = [(*np.empty((2, 0), dtype=np.int64), np.empty(0))]

    def find(block: tuple[int, int]) -> int:
        rows, columns = (slice(start, start + n) for start, n in zip(block, (_ROWS, _COLUMNS), strict=True))
        scores = score_block(rows, columns)
        first, second = np.divmod(np.flatnonzero(scores >= threshold), scores.shape[1])
        pair_scores = scores[first, second]
        first += rows.start
        second += columns.start
        is_pair = first < second
        pairs.append((first[is_pair], second[is_pair], pair_scores[is_pair]))
        return 1

    starts = product(range(0, number, _ROWS), range(0, number, _COLUMNS))
    blocks = [(row, column) for row, column in starts if row < column + _COLUMNS]
    with progress_bar(len(blocks), " blocks", check_flag("progress", progress)) as bar:
        for_each(iter(blocks), find, bar.update, as_threads(threads, metric))
    first, second, scores = map(np.concatenate, zip(*pairs, strict=True))
    order = np.lexsort((second, first))
    return NearDuplicates(first[order], second[order], scores[order])


def _check_score(name: str, value: object, scoring: object) -> float:
    """Check that an argument is a score on the formula's scale, and return it as a float.

    Args:
        name: The name of the argument, for messages.
        value: The argument as the user passed it.
        scoring: The formula. NLTK's scale is 0..1, that of all other formulas 0..100.

    Raises:
        TypeError: The value is not a number.
        ValueError: The value is NaN or outside the scale.
    """
    best = 1 if isinstance(scoring, NLTKFormula) else 100
    checked = check_number(name, value, lambda score: 0 <= score <= best, f"a score of 0..{best}")
    if best == 100 and 0 < checked < 1:
        warn_of_call(
            f"{name}={value} excludes almost nothing, because scores are 0..100; if you mean {value} on a scale of "
            f"0..1, pass {name}={100 * checked:g}."
        )
    return checked


def _block_scorer(
    inputs: list[CheckedPools], metric: BLEU | CHRF, scoring: Any, direction: Direction
) -> tuple[Callable[[slice, slice], NDArray[float64]], int, int]:
    """Read queries and texts, and return a function that scores blocks of their pairs.

    Args:
        inputs: The queries and the texts; or the texts alone, which are then compared with each other.
        metric: The metric whose tokenizer and other options decide which tokens match.
        scoring: The formula.
        direction: Which text of a pair is the hypothesis, or how to combine the two scores of a pair.

    Returns:
        The function, which takes a slice of the queries and a slice of the texts, and returns the scores of their
        pairs, float64 [queries, texts]; the number of queries; and the number of texts.
    """
    import numpy as np

    from ._pair_scores import score_pairs

    pools = PoolColumns(metric.matcher, inputs, are_evidence=len(inputs) == 1)
    read = pools.read_with_distinct_unknowns(0, 1)
    n_queries, n_texts = len(read[0]), len(read[-1])

    def score(rows: slice, columns: slice) -> NDArray[float64]:
        queries = read[0].slice(rows.start, min(rows.stop, n_queries))
        texts = read[-1].slice(columns.start, min(columns.stop, n_texts))
        scores = np.empty((len(queries), len(texts)))
        exchanged = None if direction == "query-as-hypothesis" else np.empty_like(scores)
        options = pools.counter.tokenizer, scoring.compiled, scores
        with naming_no_trigram(inputs[0].location, [rows.start], inputs[-1].location, [columns.start]):
            score_pairs(queries, texts, *options, exchanged=exchanged)
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
    """Update the k highest scores of each query with the scores of a further block of texts, in place.

    Args:
        best: float64 [n, k]: the highest scores of each query with the texts of earlier blocks, in descending order.
        indices: int64 [n, k]: the indices of the texts that have the scores in `best`.
        scores: float64 [n, w]: the scores of each query with the w texts of the block.
        start: The index of the first text of the block.
    """
    import numpy as np

    (n, k), width = best.shape, scores.shape[1]
    floor = best[:, -1:]
    if start == 0 and k < width:
        # Skip scores that are below the k-th highest of their row.
        floor = np.maximum(floor, np.nextafter(np.partition(scores, -k)[:, -k, None], -1.0))
    rows, columns = np.divmod(np.flatnonzero(scores > floor), width)
    all_rows = np.concatenate((np.repeat(np.arange(n), k), rows))
    all_scores = np.concatenate((best.ravel(), scores[rows, columns]))
    all_indices = np.concatenate((indices.ravel(), start + columns))
    # The sort is stable, so among equal scores the text with the lowest index is first.
    order = np.lexsort((-all_scores, all_rows))
    kept = order[np.searchsorted(all_rows[order], np.arange(n))[:, None] + np.arange(k)]
    best[:], indices[:] = all_scores[kept], all_indices[kept]
