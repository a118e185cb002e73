"""References that a metric keeps: as sacreBLEU's cache holds them, and prepared for counting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from ...counting.references import References

    class _Extracting(Protocol):
        def _preprocess_segment(self, sent: str) -> str: ...

        def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]: ...


class CachedReferences(Sequence["dict[str, Any]"]):
    """References of each segment, as sacreBLEU keeps them: `ref_ngrams`, a counter of tuples, and `ref_lens`.

    A dictionary is made when it is asked for, and kept: programs change its counts. Counting uses the prepared
    references instead.

    Args:
        metric: Makes the dictionaries.
        lines: For each segment its references, without those that are None.
        prepared: The same references.
    """

    def __init__(self, metric: _Extracting, lines: list[list[str]], prepared: References) -> None:
        self.prepared = prepared
        self.num_refs = prepared.num_references
        self._metric = metric
        self._lines = lines
        self._made: dict[int, dict[str, Any]] = {}

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        place = range(len(self))[index]
        if place not in self._made:
            lines = map(self._metric._preprocess_segment, self._lines[place])
            self._made[place] = self._metric._extract_reference_info(list(lines))
        return self._made[place]


def extract_all_word_ngrams(
    line: str, min_order: int, max_order: int
) -> tuple[Counter[tuple[str, ...]], int]:
    """Count the n-grams of a tokenized line.

    Args:
        line: Text in which white space separates the tokens.
        min_order: The shortest n-grams.
        max_order: The longest.

    Returns:
        How often each n-gram occurs, a tuple of tokens, and the number of tokens.

    Example:
        >>> extract_all_word_ngrams("a b a", 1, 2)
        (Counter({('a',): 2, ('b',): 1, ('a', 'b'): 1, ('b', 'a'): 1}), 3)
    """
    tokens = line.split()
    orders = range(min_order, max_order + 1)
    ngrams = (tuple(tokens[i : i + n]) for n in orders for i in range(len(tokens) - n + 1))
    return Counter(ngrams), len(tokens)


def extract_reference_info(references: Sequence[str], max_ngram_order: int) -> dict[str, Any]:
    """What sacreBLEU keeps of the tokenized references of a segment: the largest count of each n-gram, and lengths.

    Example:
        >>> extract_reference_info(["a b", "a a a"], 1)
        {'ref_ngrams': Counter({('a',): 3, ('b',): 1}), 'ref_lens': [2, 3]}
    """
    ngrams: Counter[tuple[str, ...]] | None = None
    lengths = []
    for reference in references:
        found, length = extract_all_word_ngrams(reference, 1, max_ngram_order)
        lengths.append(length)
        ngrams = found if ngrams is None else ngrams | found
    return {"ref_ngrams": ngrams, "ref_lens": lengths}


def segment_statistics(
    hypothesis: str, ref_ngrams: Any, ref_lens: Sequence[int], max_ngram_order: int
) -> list[int]:
    """The row of a tokenized hypothesis against what `extract_reference_info` keeps of its references.

    Example:
        >>> segment_statistics("a a c", **extract_reference_info(["a b", "a a a"], 1), max_ngram_order=1)
        [3, 3, 2, 3]
    """
    ngrams, length = extract_all_word_ngrams(hypothesis, 1, max_ngram_order)
    correct, total = [0] * max_ngram_order, [0] * max_ngram_order
    for ngram, number in ngrams.items():
        total[len(ngram) - 1] += number
        if ngram in ref_ngrams:
            correct[len(ngram) - 1] += min(number, ref_ngrams[ngram])
    return [length, closest_length(length, ref_lens), *correct, *total]


def closest_length(length: int, ref_lens: Sequence[int]) -> int:
    """The length nearest to that of the hypothesis, the shorter of two; -1 if there is none."""
    return min(ref_lens, key=lambda each: (abs(length - each), each), default=-1)
