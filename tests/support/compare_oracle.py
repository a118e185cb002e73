"""The counts of a comparison, made the slow and obviously right way. Nothing here is shared with the package."""

import random
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TypeAlias

from tests.support import oracle

Tokens: TypeAlias = Sequence[Hashable]
Ngram: TypeAlias = tuple[Hashable, ...]


def ngrams(tokens: Tokens, most: int) -> Counter[Ngram]:
    return sum((oracle.ngrams(tokens, n) for n in range(1, most + 1)), Counter())


def largest_counts(references: Sequence[Tokens], most: int) -> Counter[Ngram]:
    """Return the largest count of each n-gram in any one reference of a segment."""
    return sum(oracle.clipped(references, most), Counter())


def reference_counts(references: Sequence[Sequence[Tokens]], most: int) -> Counter[Ngram]:
    total: Counter[Ngram] = Counter()
    for of_segment in references:
        total += largest_counts(of_segment, most)
    return total


def matches(
    hypotheses: Sequence[Tokens], references: Sequence[Sequence[Tokens]], most: int
) -> Counter[Ngram]:
    """Return how many occurrences of each n-gram count, clipped in each segment."""
    total: Counter[Ngram] = Counter()
    for tokens, of_segment in zip(hypotheses, references, strict=True):
        total += ngrams(tokens, most) & largest_counts(of_segment, most)
    return total


def clearest(
    mine: Counter[Ngram], theirs: Counter[Ngram], totals: Counter[Ngram], most: int
) -> list[tuple[float, int, int]]:
    """Share, reference count and order of the n-grams that one system matches more often, the first ones."""
    found = [
        ((mine[ngram] + 1) / (mine[ngram] + theirs[ngram] + 2), totals[ngram], len(ngram))
        for ngram in totals
        if mine[ngram] > theirs[ngram]
    ]
    return sorted(found, reverse=True)[:most]


def corpus(
    generator: random.Random, systems: int, segments: int, streams: int, words: int = 6
) -> tuple[list[list[str]], list[list[str | None]]]:
    """Random outputs of systems and streams of references, of few words, so that much matches; some are absent."""
    vocabulary = [chr(ord("a") + k) for k in range(words)]

    def segment() -> str:
        return " ".join(generator.choices(vocabulary, k=generator.randint(0, 9)))

    outputs = [[segment() for _ in range(segments)] for _ in range(systems)]
    references: list[list[str | None]] = [[segment() for _ in range(segments)]]
    references += [
        [segment() if generator.random() < 0.7 else None for _ in range(segments)] for _ in range(streams - 1)
    ]
    return outputs, references
