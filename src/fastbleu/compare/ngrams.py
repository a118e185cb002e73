"""The n-grams of the references, and the number of their matches by each system.

Only n-grams of the references can match, so only these get numbers. The key of an n-gram of order n combines the class
of its first n - 1 tokens and its last token. An n-gram of a system is looked up in the sorted table of its order if
both of its parts of n - 1 tokens occur in the references of the segment. Matches are clipped in each segment, as in
BLEU, by the largest count in any one reference.
"""

from __future__ import annotations

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

#: The number that compare-mt adds to each count before it divides (`alpha`).
_ADDED = 1


class _References:
    """The n-grams of the references, numbered, with their counts in each segment.

    Args:
        by_segment: The tokens of the references of each segment.
        max_order: N, the longest n-grams.

    Attributes:
        tokens: The number of distinct tokens.
        tables: For each order the sorted keys (`key`) of its n-grams; the index of a key is the class of the n-gram.
        counts: For each order, the n-grams of each segment as sorted keys `segment * classes + class`, and the largest
            count of each in any one reference.
        totals: int64 [n-grams], all orders one after the other: the sum of these counts over segments.
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
            totals.append(_added_up(keys, largest, len(table)))
        self.totals: Int64s = np.concatenate(totals)

    def flat(self, lists: Sequence[Sequence[Hashable]]) -> tuple[Int64s, Int64s, Int64s]:
        """Return three arrays int64 [tokens]: the number of each token, the index of its list, the end of its list."""
        import numpy as np

        lengths = np.fromiter(map(len, lists), np.int64, len(lists))
        numbers = self._numbers
        tokens = chain.from_iterable(lists)
        ids = np.fromiter(
            (numbers.setdefault(token, len(numbers)) for token in tokens), np.int64, int(lengths.sum())
        )
        return ids, np.repeat(np.arange(len(lists)), lengths), np.repeat(lengths.cumsum(), lengths)

    def key(self, before: Int64s, last: Int64s) -> Int64s:
        """Return the keys of n-grams, given the class of their first n - 1 tokens and the number of their last one."""
        return before * self.tokens + last

    def ngram(self, k: int) -> Tokens:
        """Return the tokens of an n-gram, given its index in `totals`."""
        for n, first in enumerate(self._firsts, 1):
            if k < len(first):
                return tuple(self._flat[first[k] : first[k] + n])
            k -= len(first)
        raise IndexError(k)


class NgramMatches:
    """The n-grams of the references, and the number of their matches by each system, counted on first use.

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
        held = [self._outputs.reference_tokens(i) for i in range(len(self._outputs))]
        return _References(held, self._outputs.metric.max_ngram_order)

    def matches(self, system: int) -> Int64s:
        """Return the clipped matches of each n-gram in a system's output, int64 [n-grams]; the result is cached."""
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
                # Both parts of n - 1 tokens must occur in references of the segment.
                known[:-1] &= known[1:]
                known &= np.arange(n, len(ids) + n) <= ends
            starts = np.flatnonzero(known)
            # The table of order 1 has all tokens, so each token number is its own class.
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
            matched.append(_added_up(keys, np.minimum(counts, largest), len(table)))
        self._matches[system] = np.concatenate(matched)
        return self._matches[system]

    def words(self) -> tuple[list[Hashable], Int64s]:
        """Return the words of the references, which are the first n-grams, and the sums of their counts."""
        number = len(self.references.tables[0])
        return [self.references.ngram(k)[0] for k in range(number)], self.references.totals[:number]

    def differences(
        self, system: int, other: int, limit: int
    ) -> tuple[tuple[NgramDifference, ...], tuple[NgramDifference, ...]]:
        """Return the n-grams that `system` matches more often than `other`, and the reverse, at most `limit` each.

        They are ranked as in compare-mt; of equal ones, the more frequent and then the longer ones come first.
        """
        import numpy as np

        mine, theirs, totals = self.matches(system), self.matches(other), self.references.totals
        sizes = [len(table) for table in self.references.tables]
        orders = np.repeat(np.arange(1, len(sizes) + 1), sizes)

        def clearest(counts: Int64s, less: Int64s) -> tuple[NgramDifference, ...]:
            ks = np.flatnonzero(counts > less)
            shares = (counts[ks] + _ADDED) / (counts[ks] + less[ks] + 2 * _ADDED)
            ranks = np.lexsort((ks, -orders[ks], -totals[ks], -shares))[:limit]
            return tuple(
                NgramDifference(
                    shown(self.references.ngram(k)), int(mine[k]), int(theirs[k]), int(totals[k]), share
                )
                for k, share in zip(ks[ranks].tolist(), shares[ranks].tolist(), strict=True)
            )

        return clearest(mine, theirs), clearest(theirs, mine)


def _largest_counts(
    classes: Int64s, reference_of: Int64s, segment_of: Int64s, number: int
) -> tuple[Int64s, Int64s]:
    """Return the n-grams of each segment as sorted keys `segment * number + class`, and their largest counts.

    Args:
        classes: The class of each n-gram.
        reference_of: The index of the reference of each n-gram.
        segment_of: The index of the segment of each reference.
        number: The number of classes.

    Returns:
        Two arrays of equal length: the keys, and for each the largest count in any one reference.
    """
    import numpy as np

    keys, counts = np.unique(reference_of * number + classes, return_counts=True)
    if not len(keys):
        return keys, counts
    of_segment = segment_of[keys // number] * number + keys % number
    order = np.argsort(of_segment, kind="stable")
    of_segment = of_segment[order]
    begins = np.flatnonzero(np.diff(of_segment, prepend=-1))
    return of_segment[begins], np.maximum.reduceat(counts[order], begins)


def _positions(table: Int64s, wanted: Int64s) -> Int64s:
    """Return the indices of numbers in a sorted table, -1 for those that it does not contain."""
    import numpy as np

    if not len(table):
        return np.full(len(wanted), -1, dtype=np.int64)
    positions = np.minimum(np.searchsorted(table, wanted), len(table) - 1)
    return np.where(table[positions] == wanted, positions, -1)


def _added_up(keys: Int64s, counts: Int64s, number: int) -> Int64s:
    """Sum the counts of each class over segments; the keys are `segment * number + class`. Returns int64 [number]."""
    import numpy as np

    # Sums of floats are exact below 2^53.
    return np.bincount(keys % number, counts, number).astype(np.int64)


def word_counts(segments: Iterable[Sequence[Hashable]]) -> dict[Hashable, int]:
    """Count how often each word occurs in the segments."""
    from collections import Counter

    counts: Counter[Hashable] = Counter()
    for tokens in segments:
        counts.update(tokens)
    return counts
