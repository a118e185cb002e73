"""Mark the tokens that belong to n-grams that count.

BLEU defines how many occurrences of an n-gram count, but not which ones. Here occurrences inside the longest counted
n-grams are preferred, and among equal ones the first in the segment.
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
        order: The order of the longest counted n-gram that contains the token; 0 if there is none.
        start: The position where that n-gram begins; of several, the first.
        joined: Whether the next token is part of the same n-gram, or of an overlapping one of the same order.
        single: Whether the token counts as a 1-gram.
    """

    order: int = 0
    start: int = 0
    joined: bool = False
    single: bool = False


def hypothesis_marks(explanation: Explanation) -> list[Mark]:
    """Mark each token of the hypothesis with its longest counted n-gram."""
    quotas = [{ngram.tokens: ngram.clipped_count for ngram in order.ngrams} for order in explanation.orders]
    return mark_ngrams(explanation.hypothesis, quotas)


def reference_marks(explanation: Explanation, reference: Tokens) -> list[Mark]:
    """Mark each token of a reference with its longest n-gram of the hypothesis, clipped by its count in it."""
    quotas = [{ngram.tokens: ngram.count for ngram in order.ngrams} for order in explanation.orders]
    return mark_ngrams(reference, quotas)


def mark_ngrams(tokens: Tokens, quotas: Sequence[dict[Tokens, int]]) -> list[Mark]:
    """Mark occurrences of each n-gram until its quota is used up, from the longest order down.

    Args:
        tokens: The tokens of a segment.
        quotas: For each order 1..N, the number of occurrences of each n-gram to mark.

    Returns:
        One mark per token.
    """
    marks = [Mark() for _ in tokens]
    # By the position where a marked n-gram begins: the longest order of a marked n-gram that contains it.
    longest: dict[int, int] = {}
    for n in range(min(len(quotas), len(tokens)), 0, -1):
        quota = quotas[n - 1]
        positions: dict[Tokens, list[int]] = {}
        for start, ngram in enumerate(zip(*(tokens[i:] for i in range(n)), strict=False)):
            if quota.get(ngram):
                positions.setdefault(ngram, []).append(start)
        inside = {
            start: max(longest.get(start, n), longest.get(start - 1, n))
            for starts in positions.values()
            for start in starts
        }
        longest = {
            start: inside[start]
            for ngram, starts in positions.items()
            for start in sorted(starts, key=inside.__getitem__, reverse=True)[: quota[ngram]]
        }
        _cover(marks, sorted(longest), n)
    for start in longest:
        marks[start].single = True
    return marks


def _cover(marks: list[Mark], starts: list[int], n: int) -> None:
    """Mark the tokens of the n-grams of order `n` at these starts, except tokens already marked by longer ones."""
    end = 0
    for start in starts:
        for i in range(max(start, end), start + n):
            if not marks[i].order:
                marks[i].order, marks[i].start = n, start
        for i in range(max(start, end - 1), start + n - 1):
            marks[i].joined = marks[i].joined or marks[i].order == marks[i + 1].order == n
        end = start + n
