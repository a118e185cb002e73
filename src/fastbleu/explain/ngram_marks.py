"""Marks of the tokens that belong to n-grams that count.

BLEU says how many occurrences of an n-gram count, not which. Here the occurrences inside the longest n-grams that count
come first, and of equal ones the first in the segment.
"""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .explanation import Explanation, Tokens


@dataclass(slots=True)
class Mark:
    """The n-gram that a token is part of.

    Attributes:
        order: The order of the longest n-gram that counts and that the token is part of, 0 if there is none.
        start: The position where that n-gram begins (of several, the first).
        joined: Whether the next token is part of the same n-gram, or of one of the same order that overlaps it.
        single: Whether the token counts as a 1-gram.
    """

    order: int = 0
    start: int = 0
    joined: bool = False
    single: bool = False


def hypothesis_marks(explanation: Explanation) -> list[Mark]:
    """Mark each token of the hypothesis by the n-gram that counts."""
    quotas = [{ngram.tokens: ngram.clipped_count for ngram in order.ngrams} for order in explanation.orders]
    return mark_ngrams(explanation.hypothesis, quotas)


def reference_marks(explanation: Explanation, reference: Tokens) -> list[Mark]:
    """Mark each token of a reference by the n-gram that is in the hypothesis, as often as it is there."""
    quotas = [{ngram.tokens: ngram.count for ngram in order.ngrams} for order in explanation.orders]
    return mark_ngrams(reference, quotas)


def mark_ngrams(tokens: Tokens, quotas: Sequence[dict[Tokens, int]]) -> list[Mark]:
    """Mark occurrences of each n-gram until its quota is used up, from the longest order down.

    Args:
        tokens: The tokens of a segment.
        quotas: For each of the orders 1..N, how many occurrences of each n-gram to mark.
    """
    marks = [Mark() for _ in tokens]
    longest: dict[int, int] = {}  # where n-grams that count begin: the longest order that each is inside of
    for n in range(min(len(quotas), len(tokens)), 0, -1):
        quota = quotas[n - 1]
        places: dict[Tokens, list[int]] = {}
        for start, ngram in enumerate(zip(*(tokens[i:] for i in range(n)), strict=False)):
            if quota.get(ngram):
                places.setdefault(ngram, []).append(start)
        inside = {
            start: max(longest.get(start, n), longest.get(start - 1, n))
            for at in places.values()
            for start in at
        }
        longest = {
            start: inside[start]
            for ngram, at in places.items()
            for start in sorted(at, key=inside.__getitem__, reverse=True)[: quota[ngram]]
        }
        _cover(marks, sorted(longest), n)
    for start in longest:
        marks[start].single = True
    return marks


def _cover(marks: list[Mark], starts: list[int], n: int) -> None:
    """Marks the tokens of n-grams, except those that belong to longer ones."""
    end = 0
    for start in starts:
        for i in range(max(start, end), start + n):
            if not marks[i].order:
                marks[i].order, marks[i].start = n, start
        for i in range(max(start, end - 1), start + n - 1):
            marks[i].joined = marks[i].joined or marks[i].order == marks[i + 1].order == n
        end = start + n
