"""The texts nearest to queries, and near duplicates among texts: every pair is scored, block by block."""

from __future__ import annotations

from itertools import product, repeat
from typing import NamedTuple

from ..options import COMBINATIONS, DIRECTIONS, check_choice, check_flag, check_integer, check_number
from ..scoring.nltk.nltk_formula import NLTKFormula
from ..system.progress import progress_bar
from ..system.threads import for_each
from .pool_chunks import PoolColumns, as_threads, metric_and_formula, no_trigram
from .pool_sources import one_pool

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

#: Texts on both sides of a block, whose scores take 16 MB for each direction.
_ROWS, _COLUMNS = 1024, 2048


class Nearest(NamedTuple):
    """The texts nearest to each query, best first.

    Attributes:
        indices: int64 [queries, k]: indices of texts; -1 where there are fewer.
        scores: float64 [queries, k]: 0..100, by NLTK's formula 0..1; NaN where there are fewer.
    """

    indices: NDArray[int64]
    scores: NDArray[float64]


class NearDuplicates(NamedTuple):
    """Pairs of texts that reach a score, in ascending order of `first` and then `second`.

    Attributes:
        first: int64 [pairs]: the lower index of each pair.
        second: int64 [pairs]: the higher index.
        scores: float64 [pairs].
    """

    first: NDArray[int64]
    second: NDArray[int64]
    scores: NDArray[float64]


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

    Every query is scored against every text. Memory beyond a copy of the texts and the result does not depend on their
    number.

    Args:
        queries: Q >= 0 segments: text, tokens, or token ids.
        texts: T >= 0 segments of the same kind.
        k: How many texts to find for each query, at least 1.
        at_least: Leave out texts with a lower score.
        direction: "query-as-hypothesis": the text is the only reference of the query. "query-as-reference": the other
            way round. "max", "mean", "min" or "harmonic-mean" of both scores.
        metric: A `BLEU` or a `CHRF`; None: `BLEU(effective_order=True)`. Its own references are not used.
        formula: "sacrebleu" or "nltk", as for `pairwise`.
        smoothing: How NLTK's formula smooths, as for `pairwise`; "method0" does not warn here.
        threads: How many threads may work at the same time; None: as many as the metric has.
        progress: Whether to show a progress bar on standard error.

    Returns:
        Indices and scores, which are those of `pairwise`. Of equal scores the lower index comes first.

    Raises:
        TypeError: A bare str where a list is expected, or something that is not a segment; says where.
        ValueError: `k` is below 1; `at_least` is NaN or outside the formula's scale; there is no such direction,
            formula or smoothing; "method6" as in `pairwise`.
        ImportError: `progress` is True, and tqdm is not installed.

    Example:
        >>> found = nearest(["the cat sat up"], ["the cat sat", "a dog ran away", "the cat sat down"], k=2)
        >>> found.indices.tolist(), found.scores.round(2).tolist()
        ([[0, 2]], [[59.46, 59.46]])
    """
    import numpy as np

    k = check_integer("k", k, 1)
    check_choice("direction", direction, DIRECTIONS)
    metric, scoring = metric_and_formula(metric, formula, smoothing)
    at_least = _check_score("at_least", at_least, scoring)
    threads = as_threads(threads, metric)
    sources = [one_pool(queries, "queries"), one_pool(texts, "texts")]
    score_block, n_queries, n_texts = _block_scorer(sources, metric, scoring, direction)
    indices = np.full((n_queries, k), -1, dtype=np.int64)
    # Every score of at least `at_least` is higher than these.
    scores = np.full((n_queries, k), np.nextafter(at_least, -1.0))
    size = max(1, min(_ROWS, -(-n_queries // threads)))

    def find(block: tuple[int, int]) -> int:
        rows, start = slice(block[0], block[0] + size), block[1]
        _keep_best(scores[rows], indices[rows], score_block(rows, slice(start, start + _COLUMNS)), start)
        return 1

    row_blocks, column_blocks = range(0, n_queries, size), range(0, n_texts, _COLUMNS)
    number = len(row_blocks) * len(column_blocks)
    with progress_bar(number, " blocks", check_flag("progress", progress)) as bar:
        # One block of texts after the other, so that of equal scores the first is kept.
        for start in column_blocks:
            for_each(zip(row_blocks, repeat(start)), find, bar.update, threads)
    scores[indices < 0] = np.nan
    return Nearest(indices, scores)


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
        texts: Text, tokens, or token ids.
        threshold: The score that a pair must reach, 0..100; 0..1 by NLTK's formula.
        combine: How the scores of both directions become that of a pair: "max", "mean", "min" or "harmonic-mean".
        metric: A `BLEU` or a `CHRF`; None: `BLEU(effective_order=True)`. Its own references are not used.
        formula: "sacrebleu" or "nltk", as for `pairwise`.
        smoothing: How NLTK's formula smooths, as for `pairwise`; "method0" does not warn here.
        threads: How many threads may work at the same time; None: as many as the metric has.
        progress: Whether to show a progress bar on standard error.

    Returns:
        The pairs, with scores made of those of `pairwise`.

    Raises:
        TypeError: A bare str where a list is expected, or something that is not a segment; says where.
        ValueError: `threshold` is NaN or outside the formula's scale; there is no such `combine`, formula or smoothing;
            "method6" as in `pairwise`.
        ImportError: `progress` is True, and tqdm is not installed.

    Example:
        >>> first, second, scores = near_duplicates(["the cat sat down", "a dog ran", "the cat sat down ."], 60)
        >>> first.tolist(), second.tolist(), scores.round(2).tolist()
        ([0], [2], [77.88])
    """
    import numpy as np

    check_choice("combine", combine, COMBINATIONS)
    metric, scoring = metric_and_formula(metric, formula, smoothing)
    threshold = _check_score("threshold", threshold, scoring)
    score_block, number, _ = _block_scorer([one_pool(texts, "texts")], metric, scoring, combine)
    found: list[tuple[NDArray[Any], ...]] = [(*np.empty((2, 0), dtype=np.int64), np.empty(0))]

    def find(block: tuple[int, int]) -> int:
        rows, columns = (slice(start, start + n) for start, n in zip(block, (_ROWS, _COLUMNS), strict=True))
        scores = score_block(rows, columns)
        first, second = np.divmod(np.flatnonzero(scores >= threshold), scores.shape[1])
        of_pairs = scores[first, second]
        first += rows.start
        second += columns.start
        is_pair = first < second
        found.append((first[is_pair], second[is_pair], of_pairs[is_pair]))
        return 1

    starts = product(range(0, number, _ROWS), range(0, number, _COLUMNS))
    blocks = [(row, column) for row, column in starts if row < column + _COLUMNS]
    with progress_bar(len(blocks), " blocks", check_flag("progress", progress)) as bar:
        for_each(iter(blocks), find, bar.update, as_threads(threads, metric))
    first, second, scores = map(np.concatenate, zip(*found, strict=True))
    order = np.lexsort((second, first))
    return NearDuplicates(first[order], second[order], scores[order])


def _check_score(name: str, value: object, scoring: object) -> float:
    best = 1 if isinstance(scoring, NLTKFormula) else 100
    return check_number(name, value, lambda score: 0 <= score <= best, f"a score of 0..{best}")


def _block_scorer(
    sources: list[CheckedPools], metric: BLEU | CHRF, scoring: Any, direction: Direction
) -> tuple[Callable[[slice, slice], NDArray[float64]], int, int]:
    """Read texts, and return what scores some of them against others; and the numbers of texts on both sides.

    Args:
        sources: Queries and texts; or texts that are both.
        metric: The options.
        scoring: The formula.
        direction: Which side is the hypothesis, or how both scores become one.
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
            query, text = sources[0].place[rows.start + error.args[0]], columns.start + error.args[1]
            raise no_trigram(query, sources[-1].place[text]) from None
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
    """Keep the k highest scores of each row.

    Args:
        best: float64 [n, k]: those of earlier columns, in descending order.
        indices: int64 [n, k]: their columns.
        scores: float64 [n, w], of the next columns.
        start: The first of these.
    """
    import numpy as np

    (n, k), width = best.shape, scores.shape[1]
    floor = best[:, -1:]
    if start == 0 and k < width:
        # Any of the k highest scores is at least the k-th.
        floor = np.maximum(floor, np.nextafter(np.partition(scores, -k)[:, -k, None], -1.0))
    rows, columns = np.divmod(np.flatnonzero(scores > floor), width)
    all_rows = np.concatenate((np.repeat(np.arange(n), k), rows))
    all_scores = np.concatenate((best.ravel(), scores[rows, columns]))
    all_indices = np.concatenate((indices.ravel(), start + columns))
    # The sort is stable, and earlier columns come first.
    order = np.lexsort((-all_scores, all_rows))
    kept = order[np.searchsorted(all_rows[order], np.arange(n))[:, None] + np.arange(k)]
    best[:], indices[:] = all_scores[kept], all_indices[kept]
