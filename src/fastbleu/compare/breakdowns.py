"""Score groups of segments and groups of words, to show where systems differ."""

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

#: The smallest reference length of each group, in tokens, as in compare-mt.
_LENGTHS = (0, 10, 20, 30, 40, 50, 60)

#: The smallest word frequency of each group, similar to compare-mt's.
_FREQUENCIES = (0, 1, 2, 3, 4, 5, 10, 100, 1000)


def by_length(statistics: NDArray[int64], lengths: NDArray[int64], score_rows: ScoreRows) -> Breakdown:
    """Group segments by the length of their reference, and score each group.

    Args:
        statistics: The sufficient statistics, int64 [systems, n, 2 + 2N].
        lengths: The number of tokens of each segment's reference, int64 [n].
        score_rows: A function that returns the score of each row of summed statistics.
    """
    import numpy as np

    groups = np.searchsorted(_LENGTHS, lengths, side="right") - 1
    used, groups = np.unique(groups, return_inverse=True)
    names = [_range(_LENGTHS, group) for group in used.tolist()]
    title = "by length of the reference, in tokens"
    return _score_groups("length", title, names, groups, statistics, score_rows)


def by_label(
    kind: str, labels: Sequence[str], statistics: NDArray[int64], score_rows: ScoreRows
) -> Breakdown:
    """Group segments by their labels, and score each group.

    Args:
        kind: The kind of the labels: "domain", "document" or "language".
        labels: The label of each of n segments.
        statistics: The sufficient statistics, int64 [systems, n, 2 + 2N].
        score_rows: A function that returns the score of each row of summed statistics.
    """
    import numpy as np

    numbers: dict[str, int] = {}
    groups = np.array([numbers.setdefault(label, len(numbers)) for label in labels])
    return _score_groups(kind, f"by {kind}", list(numbers), groups, statistics, score_rows)


def _score_groups(
    kind: str,
    title: str,
    names: list[str],
    groups: NDArray[int64],
    statistics: NDArray[int64],
    score_rows: ScoreRows,
) -> Breakdown:
    """Sum the statistics of each group and score the sums.

    Args:
        kind: The kind of the breakdown.
        title: The title of the breakdown.
        names: The names of the groups; each group has at least one segment.
        groups: For each segment, the index of its group in `names`, int64 [n].
        statistics: The sufficient statistics, int64 [systems, n, 2 + 2N].
        score_rows: A function that returns the score of each row of summed statistics.
    """
    import numpy as np

    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], np.arange(len(names)))
    sums = np.add.reduceat(statistics[:, order], starts, axis=1)
    values = score_rows(sums.reshape(-1, sums.shape[-1])).reshape(sums.shape[:2])
    sizes = np.bincount(groups, minlength=len(names)).tolist()
    return Breakdown(kind, title, "BLEU", "segments", tuple(names), tuple(sizes), values)


def by_frequency(outputs: Outputs, matches: NgramMatches, training: Mapping[Hashable, int]) -> Breakdown:
    """Group words by their frequency in a training corpus, and compute each system's F1, as compare-mt does.

    Matches are clipped in each segment, as BLEU clips 1-grams. Precision is the number of matches divided by the number
    of words that the system wrote. Recall is the number of matches divided by the number of reference words. If a
    segment has several references, the number of occurrences of a word is its largest count in any one of them.

    Args:
        outputs: The outputs of the systems.
        matches: The counts of n-gram matches, which include those of words.
        training: The count of each word in the training corpus.
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
    for system, segments in enumerate(outputs.systems):
        written = word_counts(outputs.all_tokens(segments))
        counts = np.fromiter(written.values(), np.float64, len(written))
        totals = np.bincount(groups_of(list(written)), counts, number) if len(counts) else np.zeros(number)
        correct = np.bincount(groups, matches.matches(system)[: len(words)], number)
        total = totals + sizes
        np.divide(200 * correct, total, out=values[system], where=total > 0)
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
    """Return the name of a group of numbers, such as "5 to 9"; `limits` has the smallest number of each group."""
    start = limits[group]
    if group + 1 == len(limits):
        return f"{start} and more"
    stop = limits[group + 1] - 1
    return str(start) if start == stop else f"{start} to {stop}"
