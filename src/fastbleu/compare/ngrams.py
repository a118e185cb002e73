"""Count how often each system matches each n-gram of the references.

Only n-grams of the references can match, so only they are numbered. The number is called the *class*; two n-grams of
the same order have the same class if they are equal. The *key* of an n-gram of order n combines the class of its first
n - 1 tokens with the number of its last token. If the first n - 1 tokens and the last n - 1 tokens of an n-gram in a
system's output occur in the references of the segment, the n-gram is looked up in the sorted keys of its order. Matches
are clipped in each segment, as in BLEU, by the largest count in any one reference.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import chain

from .outputs import shown
from .results import NgramDifference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence
    from typing import TypeAlias

    from numpy import int64
    from numpy.typing import NDArray

    from .outputs import Outputs, Tokens

    Int64s: TypeAlias = NDArray[int64]

#: The number that is added to each count to smooth the ratio of two counts; `alpha` in compare-mt.
_ADDED = 1


class _References:
    """The numbered n-grams of the references, with their counts in each segment.

    Args:
        by_segment: The tokens of the references of each segment.
        max_order: N, the order of the longest n-grams.

    Attributes:
        tokens: The number of distinct tokens.
        tables: For each order, the sorted keys of its n-grams (see `key`). The index of a key is the n-gram's class.
        counts: For each order, two arrays with one item per distinct n-gram of each segment: sorted numbers
            `segment * n_classes + class`, where `n_classes` is the number of classes of the order; and the largest
            count of the n-gram in any one reference of the segment.
        totals: int64 [n-grams]: for each n-gram, its largest count in any one reference, summed over segments. The
            n-grams are sorted by order, shortest first.
    """

    def __init__(self, by_segment: Sequence[Sequence[Sequence[Hashable]]], max_order: int) -> None:
        import numpy as np

        lists = list(chain.from_iterable(by_segment))
        segment_of = np.repeat(np.arange(len(by_segment)), [len(each) for each in by_segment])
        self._numbers: dict[Hashable, int] = {}
        self._flat = list(chain.from_iterable(lists))
        self._firsts: list[Int64s] = []
        ids, reference_of, ends = self.flat(lists)
        self.tokens = len(self._numbers)
        self.tables: list[Int64s] = []
        self.counts: list[tuple[Int64s, Int64s]] = []
        totals: list[Int64s] = []
        classes = ids
        for n in range(1, max_order + 1):
            starts = np.flatnonzero(np.arange(n, len(ids) + n) <= ends)
            keys = ids[starts] if n == 1 else self.key(classes[starts], ids[starts + n - 1])
            table, first, of_start = np.unique(keys, return_index=True, return_inverse=True)
            classes = np.full(len(ids), -1, dtype=np.int64)
            classes[starts] = of_start
            self.tables.append(table)
            self._firsts.append(starts[first])
            keys, largest = _largest_counts(of_start, reference_of[starts], segment_of, len(table))
            self.counts.append((keys, largest))
            totals.append(_sum_by_class(keys, largest, len(table)))
        self.totals: Int64s = np.concatenate(totals)

    def flat(self, lists: Sequence[Sequence[Hashable]]) -> tuple[Int64s, Int64s, Int64s]:
        """Concatenate lists of tokens, and assign numbers to new tokens.

        Returns:
            Three arrays, int64 [tokens]: the number of each token, the index of the list that has the token, and the
            position where this list ends in the concatenation.
        """
        import numpy as np

        lengths = np.fromiter(map(len, lists), np.int64, len(lists))
        numbers = self._numbers
        tokens = chain.from_iterable(lists)
        ids = np.fromiter(
            (numbers.setdefault(token, len(numbers)) for token in tokens), np.int64, int(lengths.sum())
        )
        return ids, np.repeat(np.arange(len(lists)), lengths), np.repeat(lengths.cumsum(), lengths)

    def key(self, before: Int64s, last: Int64s) -> Int64s:
        """Return the keys of n-grams, given the class of their first n - 1 tokens and the number of the last token."""
        return before * self.tokens + last

    def ngram(self, k: int) -> Tokens:
        """Return the tokens of an n-gram, given its index in `totals`."""
        for n, first in enumerate(self._firsts, 1):
            if k < len(first):
                return tuple(self._flat[first[k] : first[k] + n])
            k -= len(first)
        raise IndexError(k)


class NgramMatches:
    """The n-grams of the references, and the counts of each system's matches, which are computed on first use.

    Args:
        outputs: The outputs of the systems, and the references.

    Example:
        >>> from fastbleu import BLEU
        >>> from fastbleu.compare.outputs import read_outputs
        >>> bleu = BLEU(max_ngram_order=2)
        >>> ngrams = NgramMatches(read_outputs({"a": ["a a b"], "b": ["b a"]}, [["a b a"]], bleu))
        >>> ngrams.matches(0).tolist(), ngrams.matches(1).tolist(), ngrams.references.totals.tolist()
        ([2, 1, 1, 0], [1, 1, 0, 1], [2, 1, 1, 1])
        >>> [ngrams.references.ngram(k) for k in range(4)]
        [('a',), ('b',), ('a', 'b'), ('b', 'a')]
    """

    def __init__(self, outputs: Outputs) -> None:
        self._outputs = outputs
        self._matches: dict[int, Int64s] = {}

    @cached_property
    def references(self) -> _References:
        """The n-grams of the references."""
        by_segment = [self._outputs.reference_tokens(i) for i in range(len(self._outputs))]
        return _References(by_segment, self._outputs.metric.max_ngram_order)

    def matches(self, system: int) -> Int64s:
        """Return how often a system matches each n-gram, clipped, int64 [n-grams]; the result is cached."""
        import numpy as np

        if system in self._matches:
            return self._matches[system]
        references = self.references
        ids, segment_of, ends = references.flat(self._outputs.all_tokens(self._outputs.systems[system]))
        known = ids < references.tokens
        classes = ids
        matched = []
        for n, (table, (keys, largest)) in enumerate(
            zip(references.tables, references.counts, strict=True), 1
        ):
            if n > 1:
                # The first and the last n - 1 tokens must both occur in references of the segment.
                known[:-1] &= known[1:]
                known &= np.arange(n, len(ids) + n) <= ends
            starts = np.flatnonzero(known)
            # The class of a 1-gram is the number of its token.
            of_start = (
                ids[starts]
                if n == 1
                else _positions(table, references.key(classes[starts], ids[starts + n - 1]))
            )
            positions = _positions(keys, segment_of[starts] * len(table) + of_start)
            positions[of_start < 0] = -1
            known[starts] = positions >= 0
            classes = np.full(len(ids), -1, dtype=np.int64)
            classes[starts] = of_start
            counts = np.bincount(positions[positions >= 0], minlength=len(keys))
            matched.append(_sum_by_class(keys, np.minimum(counts, largest), len(table)))
        self._matches[system] = np.concatenate(matched)
        return self._matches[system]

    def words(self) -> tuple[list[Hashable], Int64s]:
        """Return the n-grams of order 1, which are the first ones in `totals`, and their totals."""
        number = len(self.references.tables[0])
        return [self.references.ngram(k)[0] for k in range(number)], self.references.totals[:number]

    def differences(
        self, system: int, other: int, limit: int
    ) -> tuple[tuple[NgramDifference, ...], tuple[NgramDifference, ...]]:
        """Return the n-grams that `system` matches more often than `other`, and those that `other` matches more often.

        Both tuples have at most `limit` n-grams, ranked by `NgramDifference.score` as in compare-mt. N-grams with equal
        scores are ranked by their frequency in the references; equally frequent n-grams are ranked by length.
        """
        import numpy as np

        mine, theirs, totals = self.matches(system), self.matches(other), self.references.totals
        sizes = [len(table) for table in self.references.tables]
        orders = np.repeat(np.arange(1, len(sizes) + 1), sizes)

        def best(more: Int64s, less: Int64s) -> tuple[NgramDifference, ...]:
            ks = np.flatnonzero(more > less)
            scores = (more[ks] + _ADDED) / (more[ks] + less[ks] + 2 * _ADDED)
            ranks = np.lexsort((ks, -orders[ks], -totals[ks], -scores))[:limit]
            return tuple(
                NgramDifference(
                    shown(self.references.ngram(k)), int(mine[k]), int(theirs[k]), int(totals[k]), score
                )
                for k, score in zip(ks[ranks].tolist(), scores[ranks].tolist(), strict=True)
            )

        return best(mine, theirs), best(theirs, mine)


def _largest_counts(
    classes: Int64s, reference_of: Int64s, segment_of: Int64s, number: int
) -> tuple[Int64s, Int64s]:
    """Return the largest count of each n-gram in any one reference of each segment.

    Args:
        classes: The class of each occurrence of an n-gram.
        reference_of: The index of the reference that has the occurrence.
        segment_of: The index of the segment of each reference.
        number: The number of classes.

    Returns:
        Two arrays with one item per distinct n-gram of each segment: sorted numbers `segment * number + class`, and
        the largest counts.
    """
    import numpy as np

    keys, counts = np.unique(reference_of * number + classes, return_counts=True)
    if not len(keys):
        return keys, counts
    of_segment = segment_of[keys // number] * number + keys % number
    order = np.argsort(of_segment, kind="stable")
    of_segment = of_segment[order]
    starts = np.flatnonzero(np.diff(of_segment, prepend=-1))
    return of_segment[starts], np.maximum.reduceat(counts[order], starts)


def _positions(table: Int64s, wanted: Int64s) -> Int64s:
    """Return the index in a sorted table of each wanted number; -1 if the table does not contain it."""
    import numpy as np

    if not len(table):
        return np.full(len(wanted), -1, dtype=np.int64)
    positions = np.minimum(np.searchsorted(table, wanted), len(table) - 1)
    return np.where(table[positions] == wanted, positions, -1)


def _sum_by_class(keys: Int64s, counts: Int64s, number: int) -> Int64s:
    """Sum the counts of each of `number` classes over segments, given keys `segment * number + class`."""
    import numpy as np

    # `bincount` adds weights as float64, which is exact below 2^53.
    return np.bincount(keys % number, counts, number).astype(np.int64)


def word_counts(segments: Iterable[Sequence[Hashable]]) -> dict[Hashable, int]:
    """Count how often each word occurs in the segments."""
    return Counter(chain.from_iterable(segments))
