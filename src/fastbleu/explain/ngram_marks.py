"""Choose which occurrences of n-grams count, and mark their tokens.

BLEU defines how many occurrences of an n-gram count, but not which of them. This module prefers occurrences inside
longer counted n-grams, and otherwise those that come first in the segment.
"""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .explanation import Explanation, Tokens


@dataclass(slots=True)
class Mark:
    """The longest counted n-gram that contains a token.

    Attributes:
        order: The order of the n-gram; 0 if no counted n-gram contains the token.
        start: The index of the first token of the n-gram. If several counted n-grams of this order contain the token,
            `start` belongs to the first of them.
        joined: Whether the next token is part of the same n-gram, or of an overlapping n-gram of the same order.
        single: Whether the token counts as a 1-gram.
    """

    order: int = 0
    start: int = 0
    joined: bool = False
    single: bool = False


def hypothesis_marks(explanation: Explanation) -> list[Mark]:
    """Return the mark of each token of the hypothesis; each n-gram counts `clipped_count` times."""
    quotas = [{ngram.tokens: ngram.clipped_count for ngram in order.ngrams} for order in explanation.orders]
    return mark_ngrams(explanation.hypothesis, quotas)


def reference_marks(explanation: Explanation, reference: Tokens) -> list[Mark]:
    """Return the mark of each token of a reference; n-grams count at most as often as they occur in the hypothesis."""
    quotas = [{ngram.tokens: ngram.count for ngram in order.ngrams} for order in explanation.orders]
    return mark_ngrams(reference, quotas)


def mark_ngrams(tokens: Tokens, quotas: Sequence[dict[Tokens, int]]) -> list[Mark]:
    """Choose the occurrences of n-grams that count, from the longest order to the shortest, and mark their tokens.

    Args:
        tokens: The tokens of a segment.
        quotas: For each order 1..N, a dict that maps each n-gram to the number of its occurrences that may count.

    Returns:
        One mark per token.
    """
    marks = [Mark() for _ in tokens]
    # Maps each start of a counted n-gram of order n + 1 to the order of the longest counted n-gram that contains it.
    longest: dict[int, int] = {}
    for n in range(min(len(quotas), len(tokens)), 0, -1):
        quota = quotas[n - 1]
        positions: dict[Tokens, list[int]] = {}
        for start, ngram in enumerate(zip(*(tokens[i:] for i in range(n)), strict=False)):
            if quota.get(ngram):
                positions.setdefault(ngram, []).append(start)
        # An n-gram is inside a counted (n+1)-gram that begins at the same token or one token earlier.
        candidates = {
            start: max(longest.get(start, n), longest.get(start - 1, n))
            for starts in positions.values()
            for start in starts
        }
        longest = {
            start: candidates[start]
            for ngram, starts in positions.items()
            for start in sorted(starts, key=candidates.__getitem__, reverse=True)[: quota[ngram]]
        }
        _mark_tokens(marks, sorted(longest), n)
    for start in longest:
        marks[start].single = True
    return marks


def _mark_tokens(marks: list[Mark], starts: list[int], n: int) -> None:
    """Mark the tokens of n-grams of order `n`, except tokens that are already marked with a longer n-gram.

    Args:
        marks: The marks of all tokens of the segment, which are changed.
        starts: The index of the first token of each n-gram, in ascending order.
        n: The order of the n-grams.
    """
    end = 0
    for start in starts:
        for i in range(max(start, end), start + n):
            if not marks[i].order:
                marks[i].order, marks[i].start = n, start
        for i in range(max(start, end - 1), start + n - 1):
            marks[i].joined = marks[i].joined or marks[i].order == marks[i + 1].order == n
        end = start + n
