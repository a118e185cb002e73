"""The NIST score of mteval: n-grams count by their information, that is by how surprising their last word is.

Doddington 2002, "Automatic evaluation of machine translation quality using n-gram co-occurrence statistics",
https://dl.acm.org/doi/10.5555/1289189.1289273, as mteval-v13a.pl and mteval-v14.pl compute it. They add floats in the
order of Perl's hashes, which differs from run to run, and print four digits.
"""

from __future__ import annotations

from collections import Counter
from math import exp, log

from ..arguments import ngrams_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TypeAlias

    Ngram: TypeAlias = tuple[str, ...]

#: Words before the last one that are not context: none at all, and what is false for Perl.
_NO_CONTEXT = ((), ("",), ("0",))


def order_of(ngram: Ngram) -> int:
    """The order of an n-gram: 0 for the empty word alone, which the scripts split into no words, and do not score."""
    return 0 if ngram == ("",) else len(ngram)


class NgramInformation:
    """The information of n-grams, from all references.

    Args:
        references: The words of each.
        max_order: The longest n-grams counted.

    Example:
        >>> information = NgramInformation([["a", "b"], ["a", "c"], ["d"]], 2)
        >>> round(information[("a",)], 4), information[("a", "b")]
        (1.3219, 1.0)
    """

    def __init__(self, references: Iterable[Sequence[str]], max_order: int) -> None:
        self.max_order = max_order
        self._counts: Counter[Ngram] = Counter()
        self._words = 0
        for words in references:
            self._words += len(words)
            self._counts.update(ngrams_of(words, max_order))

    def __getitem__(self, ngram: Ngram) -> float:
        context = ngram[:-1]
        times = self._words if context in _NO_CONTEXT else self._counts[context]
        return -log(self._counts[ngram] / times) / log(2)

    def matches(self, translation: Sequence[str], references: Iterable[Sequence[str]]) -> dict[Ngram, int]:
        """Count the matches of each n-gram of a translation, at most as often as it stands in one of the references."""
        counts = [Counter(ngrams_of(words, self.max_order)) for words in references]
        found = {}
        for ngram, times in Counter(ngrams_of(translation, self.max_order)).items():
            most = max((reference[ngram] for reference in counts), default=0)
            if most:
                found[ngram] = min(times, most)
        return found

    def count(self, translation: Sequence[str], references: Sequence[Sequence[str]]) -> list[float]:
        """Count one segment.

        Returns:
            The information of the matched n-grams of each order, the translation's n-grams of each order, and the words
            of all references: 2N + 1 numbers that add up over segments.
        """
        information = [0.0] * self.max_order
        for ngram, times in self.matches(translation, references).items():
            if order_of(ngram):
                information[order_of(ngram) - 1] += self[ngram] * times
        totals = [max(0, len(translation) - n) for n in range(self.max_order)]
        return [*information, *totals, sum(map(len, references))]


def nist_scores(counts: Sequence[float], references: int) -> tuple[list[float], list[float]]:
    """Compute the NIST scores of each order alone, and of all orders up to it.

    Args:
        counts: What `NgramInformation.count` returns, of a segment, or summed over a document or a system.
        references: How many there are of each segment.

    Returns:
        Two lists with a score for each order.

    Raises:
        ValueError: The references have no words.

    Example:
        >>> nist_scores([4.0, 1.0, 4, 3, 8], 2)
        ([1.0, 0.3333333333333333], [1.0, 1.3333333333333333])
    """
    orders, reference_words = len(counts) // 2, counts[-1]
    if not reference_words:
        raise ValueError(
            "the references of a part have no words: there is no NIST score (mteval divides by 0)"
        )
    penalty = length_penalty(counts[orders] / (reference_words / references))
    total, individual, cumulative = 0.0, [], []
    for information, ngrams in zip(counts[:orders], counts[orders:-1], strict=True):
        share = information / max(ngrams, 1)
        total += share
        individual.append(share * penalty)
        cumulative.append(total * penalty)
    return individual, cumulative


def length_penalty(ratio: float) -> float:
    """Compute the factor for translations of this length, over the mean length of their references: 0.5 at 2/3.

    Example:
        >>> length_penalty(1.2), round(length_penalty(2 / 3), 12), length_penalty(0)
        (1.0, 0.5, 0.0)
    """
    if ratio >= 1:
        return 1.0
    if ratio <= 0:
        return 0.0
    beta = -log(0.5) / log(1.5) / log(1.5)
    return exp(-beta * log(ratio) * log(ratio))
