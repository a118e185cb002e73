"""The n-grams of the references, and how often each system matches them.

Only n-grams of the references can match, so only these get numbers: those of order n by the number of their first n - 1
tokens and their last token. What a system wrote is looked up in the sorted table of each order, if its parts are in the
references of the segment. Matches are clipped in each segment, as BLEU clips them, by the largest count in any one
reference.
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

#: What compare-mt adds to each count before it divides (`alpha`).
_ADDED = 1


class _Numbers(dict["Hashable", int]):
    """Numbers keys from 0 on, in the order in which they are first looked up."""

    def __missing__(self, key: Hashable) -> int:
        number = self[key] = len(self)
        return number


class _References:
    """The n-grams of the references, numbered, with how often each stands in each segment.

    Args:
        by_segment: The tokens of the references of each segment.
        most: N, the longest n-grams.

    Attributes:
        tokens: How many different tokens there are.
        tables: For each order the n-grams as numbers (`key`), in order; the place of one is its class.
        counts: For each order the n-grams of each segment, as segment * classes + class in order, and the largest
            count of each in any one reference.
        totals: int64 [n-grams]: over all orders and segments, the sum of these counts.
    """

    def __init__(self, by_segment: Sequence[Sequence[Sequence[Hashable]]], most: int) -> None:
        import numpy as np

        lists = list(chain.from_iterable(by_segment))
        segment_of = np.repeat(np.arange(len(by_segment)), [len(each) for each in by_segment])
        self._numbers = _Numbers()
        self._flat = list(chain.from_iterable(lists))
        self._firsts: list[Int64s] = []
        ids, reference_of, ends = self.flat(lists)
        self.tokens = len(self._numbers)
        self.tables: list[Int64s] = []
        self.counts: list[tuple[Int64s, Int64s]] = []
        totals: list[Int64s] = []
        classes = ids
        for n in range(1, most + 1):
            starts = _starts(ends, n)
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
        """The numbers of all tokens; for each, which list it is of, and where that list ends."""
        import numpy as np

        lengths = np.fromiter(map(len, lists), np.int64, len(lists))
        number = self._numbers.__getitem__
        ids = np.fromiter(map(number, chain.from_iterable(lists)), np.int64, int(lengths.sum()))
        return ids, np.repeat(np.arange(len(lists)), lengths), np.repeat(lengths.cumsum(), lengths)

    def key(self, before: Int64s, last: Int64s) -> Int64s:
        """N-grams as numbers: by the class of their first tokens, and their last one."""
        return before * self.tokens + last

    def ngram(self, k: int) -> Tokens:
        """The tokens of an n-gram by its place in `totals`."""
        for n, first in enumerate(self._firsts, 1):
            if k < len(first):
                return tuple(self._flat[first[k] : first[k] + n])
            k -= len(first)
        raise IndexError(k)


class NgramMatches:
    """The n-grams of the references, and how often each system matches them; counted when they are asked for.

    Args:
        outputs: What systems wrote, and the references.

    Example:
        >>> from fastbleu import BLEU
        >>> from fastbleu.compare.outputs import read_outputs
        >>> bleu = BLEU(max_ngram_order=2)
        >>> found = NgramMatches(read_outputs({"a": ["a a b"], "b": ["b a"]}, [["a b a"]], bleu))
        >>> found.matches(0).tolist(), found.matches(1).tolist(), found.reference_counts.tolist()
        ([2, 1, 1, 0], [1, 1, 0, 1], [2, 1, 1, 1])
        >>> [found.ngram(k) for k in range(4)]
        [('a',), ('b',), ('a', 'b'), ('b', 'a')]
    """

    def __init__(self, outputs: Outputs) -> None:
        self._outputs = outputs
        self._found: dict[int, Int64s] = {}

    @cached_property
    def _references(self) -> _References:
        held = [self._outputs.reference_tokens(i) for i in range(len(self._outputs))]
        return _References(held, self._outputs.metric.max_ngram_order)

    @property
    def reference_counts(self) -> Int64s:
        """The count of each n-gram in the references: int64 [n-grams], in each segment the largest count in one."""
        return self._references.totals

    def ngram(self, k: int) -> Tokens:
        """The tokens of an n-gram by its number."""
        return self._references.ngram(k)

    def matches(self, system: int) -> Int64s:
        """Count the occurrences of each n-gram that count for a system: int64 [n-grams]; they are kept."""
        import numpy as np

        if system in self._found:
            return self._found[system]
        references = self._references
        ids, segment_of, ends = references.flat(self._outputs.all_tokens(self._outputs.systems[system]))
        known = ids < references.tokens
        classes = ids
        matched = []
        for n, (table, (keys, largest)) in enumerate(
            zip(references.tables, references.counts, strict=True), 1
        ):
            if n > 1:
                # Both parts of n - 1 tokens must be in references of the segment.
                known[:-1] &= known[1:]
                known &= np.arange(n, len(ids) + n) <= ends
            starts = np.flatnonzero(known)
            # The table of single tokens has all of them, so that each is its own class.
            found = (
                ids[starts]
                if n == 1
                else _places(table, references.key(classes[starts], ids[starts + n - 1]))
            )
            at = _places(keys, segment_of[starts] * len(table) + found)
            at[found < 0] = -1
            known[starts] = at >= 0
            classes = np.full(len(ids), -1, dtype=np.int64)
            classes[starts] = found
            counts = np.bincount(at[at >= 0], minlength=len(keys))
            matched.append(_added_up(keys, np.minimum(counts, largest), len(table)))
        self._found[system] = np.concatenate(matched)
        return self._found[system]

    def words(self) -> tuple[list[Hashable], Int64s]:
        """The words of the references, which are the first n-grams, and how often each stands there."""
        number = len(self._references.tables[0])
        return [self.ngram(k)[0] for k in range(number)], self.reference_counts[:number]

    def differences(
        self, system: int, other: int, most: int
    ) -> tuple[tuple[NgramDifference, ...], tuple[NgramDifference, ...]]:
        """N-grams that one of two systems matches more often, at most `most` each: of the one, and of the other.

        They are ranked as compare-mt ranks them; of equal ones, the more frequent and the longer ones come first.
        """
        import numpy as np

        mine, theirs, totals = self.matches(system), self.matches(other), self.reference_counts
        sizes = [len(table) for table in self._references.tables]
        orders = np.repeat(np.arange(1, len(sizes) + 1), sizes)

        def clearest(counts: Int64s, less: Int64s) -> tuple[NgramDifference, ...]:
            found = np.flatnonzero(counts > less)
            shares = (counts[found] + _ADDED) / (counts[found] + less[found] + 2 * _ADDED)
            ranks = np.lexsort((found, -orders[found], -totals[found], -shares))[:most]
            return tuple(
                NgramDifference(shown(self.ngram(k)), int(mine[k]), int(theirs[k]), int(totals[k]), share)
                for k, share in zip(found[ranks].tolist(), shares[ranks].tolist(), strict=True)
            )

        return clearest(mine, theirs), clearest(theirs, mine)


def _largest_counts(
    classes: Int64s, reference_of: Int64s, segment_of: Int64s, number: int
) -> tuple[Int64s, Int64s]:
    """The n-grams of each segment, as segment * number + class in order, and the largest count in one reference.

    Args:
        classes: The class of each n-gram.
        reference_of: The reference that it is in.
        segment_of: The segment of each reference.
        number: How many classes there are.
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


def _starts(ends: Int64s, n: int) -> Int64s:
    """Find the places where n-grams begin that end within their segment."""
    import numpy as np

    places = np.arange(len(ends))
    return places[places + n <= ends]


def _places(table: Int64s, wanted: Int64s) -> Int64s:
    """Find the places of numbers in a sorted table, -1 where they are not in it."""
    import numpy as np

    if not len(table):
        return np.full(len(wanted), -1, dtype=np.int64)
    at = np.minimum(np.searchsorted(table, wanted), len(table) - 1)
    return np.where(table[at] == wanted, at, -1)


def _added_up(keys: Int64s, counts: Int64s, number: int) -> Int64s:
    """The sum over segments of the counts of each class; the keys are segment * number + class."""
    import numpy as np

    if not number:
        return np.zeros(0, dtype=np.int64)
    # Sums of floats are exact below 2^53.
    return np.bincount(keys % number, counts, number).astype(np.int64)


def word_counts(segments: Iterable[Sequence[Hashable]]) -> dict[Hashable, int]:
    """Count how often each word stands in the segments."""
    from collections import Counter

    counts: Counter[Hashable] = Counter()
    for tokens in segments:
        counts.update(tokens)
    return counts
