"""Breakdowns that show the causes of a difference: scores by groups of segments and of words."""

from __future__ import annotations

from .ngrams import word_counts
from .results import Breakdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence
    from typing import Any, TypeAlias

    from numpy import float64, int64
    from numpy.typing import NDArray

    from .ngrams import NgramMatches
    from .outputs import Outputs

    ScoreRows: TypeAlias = Callable[[NDArray[Any]], NDArray[float64]]

#: Lower limits of the groups of lengths, as in compare-mt.
_LENGTHS = (0, 10, 20, 30, 40, 50, 60)

#: Lower limits of the groups of frequencies, nearly those of compare-mt.
_FREQUENCIES = (0, 1, 2, 3, 4, 5, 10, 100, 1000)


def by_length(statistics: NDArray[int64], lengths: NDArray[int64], score_rows: ScoreRows) -> Breakdown:
    """Score groups of segments by the length of their reference.

    Args:
        statistics: int64 [systems, n, 2 + 2N].
        lengths: int64 [n], tokens of the reference.
        score_rows: Scores rows of summed statistics.
    """
    import numpy as np

    of_segment = np.searchsorted(_LENGTHS, lengths, side="right") - 1
    groups, of_segment = np.unique(of_segment, return_inverse=True)
    names = [_range(_LENGTHS, group) for group in groups.tolist()]
    title = "by length of the reference, in tokens"
    return _of_segments("length", title, names, of_segment, statistics, score_rows)


def by_label(
    kind: str, labels: Sequence[str], statistics: NDArray[int64], score_rows: ScoreRows
) -> Breakdown:
    """Score groups of segments by their labels.

    Args:
        kind: The kind of the labels: "domain", "document" or "language".
        labels: The label of each of n segments.
        statistics: int64 [systems, n, 2 + 2N].
        score_rows: Scores rows of summed statistics.
    """
    import numpy as np

    numbers: dict[str, int] = {}
    of_segment = np.array([numbers.setdefault(label, len(numbers)) for label in labels])
    return _of_segments(kind, f"by {kind}", list(numbers), of_segment, statistics, score_rows)


def _of_segments(
    kind: str,
    title: str,
    names: list[str],
    of_segment: NDArray[int64],
    statistics: NDArray[int64],
    score_rows: ScoreRows,
) -> Breakdown:
    """Sum and score the segments of each group; `of_segment` has the index of each segment's group in `names`."""
    import numpy as np

    order = np.argsort(of_segment, kind="stable")
    begins = np.searchsorted(of_segment[order], np.arange(len(names)))
    sums = np.add.reduceat(statistics[:, order], begins, axis=1)
    values = score_rows(sums.reshape(-1, sums.shape[-1])).reshape(sums.shape[:2])
    sizes = np.bincount(of_segment, minlength=len(names)).tolist()
    return Breakdown(kind, title, "BLEU", "segments", tuple(names), tuple(sizes), values)


def by_frequency(outputs: Outputs, matches: NgramMatches, training: Mapping[Hashable, int]) -> Breakdown:
    """Compute the F1 of each system over words of each frequency, as compare-mt's word accuracies.

    Matches are clipped in each segment, as BLEU's 1-grams. Precision is their share of the words that the system
    wrote. Recall is their share of the reference words. The count of a reference word in a segment is its largest
    count in any one reference.

    Args:
        outputs: The outputs of the systems.
        matches: The number of matches of each word by each system.
        training: The count of each word in a training corpus.
    """
    import numpy as np

    def groups_of(words: list[Hashable]) -> NDArray[int64]:
        frequencies = np.array([training.get(word, 0) for word in words], dtype=np.int64)
        groups: NDArray[int64] = np.searchsorted(_FREQUENCIES, frequencies, side="right") - 1
        return groups

    words, expected = matches.words()
    groups = groups_of(words)
    number = len(_FREQUENCIES)
    sizes = np.bincount(groups, expected, number)
    values = np.full((len(outputs.names), number), np.nan)
    for s in range(len(outputs.names)):
        written = word_counts(outputs.all_tokens(outputs.systems[s]))
        counts = np.fromiter(written.values(), np.float64, len(written))
        totals = np.bincount(groups_of(list(written)), counts, number) if len(counts) else np.zeros(number)
        correct = np.bincount(groups, matches.matches(s)[: len(words)], number)
        both = totals + sizes
        np.divide(200 * correct, both, out=values[s], where=both > 0)
    used = np.flatnonzero((sizes > 0) | ~np.isnan(values).all(axis=0))
    return Breakdown(
        "frequency",
        "by frequency of the words in the training corpus",
        "F1",
        "words",
        tuple(_range(_FREQUENCIES, group) for group in used.tolist()),
        tuple(sizes[used].astype(np.int64).tolist()),
        values[:, used],
    )


def _range(limits: Sequence[int], group: int) -> str:
    """Return the name of a group of numbers: the range from its lower limit up to the next one."""
    start = limits[group]
    if group + 1 == len(limits):
        return f"{start} and more"
    stop = limits[group + 1] - 1
    return str(start) if start == stop else f"{start} to {stop}"
