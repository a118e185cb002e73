"""Search by scoring all pairs, for formulas that no bound is known for."""

from __future__ import annotations

from ..inputs._column import IdColumn, rebuild
from ..rerank._hypothesis_scores import NoTrigramError
from ..rerank._pair_scores import score_pairs
from ..tokenizers._tokenize import TOKENIZE_IDS
from .parts import texts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from numpy import float64, int64
    from numpy.typing import NDArray

    from ..inputs._column import Column
    from ..options import Direction
    from ..scoring.formula import Formula
    from ..scoring.nltk.formula import NLTKFormula
    from ._lists import Part
    from .parts import Texts

#: Queries of a block, at most, its pairs, and its texts: each block takes some tens of milliseconds.
_SIDE = 1 << 11
_PAIRS_AT_ONCE = 1 << 22
_MOST_TEXTS = 1 << 15


def best_of_all(
    formula: Formula | NLTKFormula,
    direction: Direction,
    queries: Texts,
    parts: list[Column],
    at_least: float,
    indices: NDArray[int64],
    scores: NDArray[float64],
    check: Callable[[], object],
) -> None:
    """Write the best texts of each query as `Searcher.find_best` does; `parts` are from `as_ids`.

    `check` is called for each block.
    """
    import numpy as np

    k = indices.shape[1]
    indices[:], scores[:] = -1, np.nan
    one, base = as_ids(queries, 0), 0
    for part in parts:
        for start, first, found in blocks(formula, direction, one, part):
            check()
            for i, row in enumerate(found, start):
                least = np.partition(row, -k)[-k] if len(row) > k else at_least
                places = np.flatnonzero(row >= max(least, at_least))
                had = indices[i] >= 0
                both = np.concatenate([scores[i][had], row[places]])
                numbers = np.concatenate([indices[i][had], base + first + places])
                best = np.argsort(-both, kind="stable")[:k]
                indices[i, : len(best)], scores[i, : len(best)] = numbers[best], both[best]
        base += len(part)


def pairs_of_all(
    formula: Formula | NLTKFormula, direction: Direction, part: Part, vocabulary: int, at_least: float
) -> Iterator[tuple[NDArray[int64], NDArray[int64], NDArray[float64]]]:
    """Find the pairs of texts that reach a score, block by block: the lower numbers, the higher ones, the scores."""
    texts = texts_of(part, vocabulary)
    # Equal sides: all pairs of a text with texts before it come before those with texts after it.
    for start, first, found in blocks(formula, direction, as_ids(texts, 0), as_ids(texts, 1)):
        rows, columns = (found >= at_least).nonzero()
        kept = rows + start < columns + first
        yield rows[kept] + start, columns[kept] + first, found[rows[kept], columns[kept]]


def as_ids(texts: Texts, side: int) -> Column:
    """Numbered texts as a column of ids, in which each token that matches nothing is one of its own on its side."""
    import numpy as np

    numbers, lengths = (each.astype(np.int64) for each in texts)
    unknown = np.flatnonzero(numbers == 0)
    numbers[unknown] = -1 - side - 2 * np.arange(len(unknown))
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return rebuild(IdColumn, numbers.tobytes(), offsets.tobytes(), None)


def blocks(
    formula: Formula | NLTKFormula, direction: Direction, queries: Column, texts: Column
) -> Iterator[tuple[int, int, Any]]:
    """Score all queries with all texts, block by block: yields the first query, the first text, and scores."""
    import numpy as np

    step = min(max(1, len(queries)), _SIDE)
    width = min(_PAIRS_AT_ONCE // step, _MOST_TEXTS)
    for start in range(0, len(queries), step):
        some = queries.slice(start, min(start + step, len(queries)))
        for first in range(0, len(texts), width):
            others = texts.slice(first, min(first + width, len(texts)))
            found = []
            try:
                if direction != "query-as-reference":
                    found.append(np.empty((len(some), len(others))))
                    score_pairs(some, others, TOKENIZE_IDS, formula.compiled, found[-1])
                if direction != "query-as-hypothesis":
                    turned = np.empty((len(others), len(some)))
                    score_pairs(others, some, TOKENIZE_IDS, formula.compiled, turned)
                    found.append(turned.T)
            except NoTrigramError:
                raise ValueError(
                    "two texts have tokens in common, but no trigram, which smoothing='method6' needs"
                ) from None
            yield start, first, combined(direction, found)


def combined(direction: Direction, found: list[NDArray[float64]]) -> NDArray[float64]:
    """One matrix of those of one direction or both."""
    import numpy as np

    if direction == "max":
        return np.maximum(*found)
    if direction == "min":
        return np.minimum(*found)
    if direction == "mean":
        return (found[0] + found[1]) / 2
    if direction == "harmonic-mean":
        total = found[0] + found[1]
        return np.divide(2 * found[0] * found[1], total, out=np.zeros_like(total), where=total > 0)
    return found[0]
