"""Segments that are shown in full: every system beside the references, with what matched marked."""

from __future__ import annotations

from functools import cached_property

from ..explain.explanation import count_ngrams
from ..explain.marks import mark_ngrams
from .results import MarkedText

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy import float64
    from numpy.typing import NDArray

    from .texts import Texts, Tokens


class Segment:
    """A segment, and what each system made of it. What is marked is computed when it is first asked for.

    Args:
        index: See below.
        scores: See below.
        texts: What all systems wrote.
        source: See below.
        document: See below.
        domain: See below.
        language: See below.

    Attributes:
        index: Its number, from 0.
        scores: The segment score of each system, 0..100, in the order of `Comparison.systems`; with effective order.
        source: Its source, None if none was given.
        document: The name of its document, None if none was given.
        domain: Its domain, likewise.
        language: Its language, likewise.
    """

    def __init__(
        self,
        index: int,
        scores: tuple[float, ...],
        texts: Texts,
        source: str | None = None,
        document: str | None = None,
        domain: str | None = None,
        language: str | None = None,
    ) -> None:
        self.index = index
        self.scores = scores
        self.source = source
        self.document = document
        self.domain = domain
        self.language = language
        self._texts = texts
        self._marked: dict[int, MarkedText] = {}

    def __repr__(self) -> str:
        return f"<Segment {self.index} of {len(self.scores)} systems>"

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """What each system wrote, in the order of `Comparison.systems`; tokens are joined by spaces, ids decoded."""
        return tuple(self._texts.hypothesis(s, self.index) for s in range(len(self.scores)))

    @cached_property
    def reference_texts(self) -> tuple[str | None, ...]:
        """The references, likewise; None where one is absent."""
        return self._texts.references(self.index)

    @cached_property
    def systems(self) -> tuple[MarkedText, ...]:
        """The tokens of each system, in the order of `Comparison.systems`, with what matched marked."""
        return tuple(map(self.marked, range(len(self.scores))))

    def marked(self, system: int) -> MarkedText:
        """The tokens of one system, by its place among `Comparison.systems`, with what matched marked."""
        if system not in self._marked:
            tokens = self._texts.tokens(system, self.index)
            marks = mark_ngrams(tokens, self._largest_counts)
            words = self._largest_counts[0]
            self._marked[system] = MarkedText(
                self._texts.shown(tokens),
                tuple(mark.order for mark in marks),
                tuple(mark.joined for mark in marks),
                tuple(
                    not mark.order and (token,) in words for mark, token in zip(marks, tokens, strict=True)
                ),
            )
        return self._marked[system]

    @cached_property
    def references(self) -> tuple[tuple[str, ...] | None, ...]:
        """The tokens of each reference; None where one is absent."""
        return tuple(
            None if tokens is None else self._texts.shown(tokens)
            for tokens in self._texts.reference_tokens(self.index)
        )

    @cached_property
    def _largest_counts(self) -> list[dict[Tokens, int]]:
        """Of each order, the largest count of each n-gram in any one reference."""
        references = [tokens for tokens in self._texts.reference_tokens(self.index) if tokens is not None]
        found: list[dict[Tokens, int]] = []
        for n in range(1, self._texts.max_ngram_order + 1):
            largest: dict[Tokens, int] = {}
            for tokens in references:
                for ngram, count in count_ngrams(tokens, n).items():
                    largest[ngram] = max(count, largest.get(ngram, 0))
            found.append(largest)
        return found


def most_different(
    scores: NDArray[float64], pairs: Sequence[tuple[int, int]], most: int
) -> tuple[list[int], list[tuple[list[int], list[int]]]]:
    """Choose the segments in which systems differ most, the same number for each pair and direction if possible.

    Args:
        scores: float64 [systems, n], the score of each segment.
        pairs: The places of the two systems of each pair.
        most: How many segments to choose at most, over all pairs. A pair may have segments that others chose.

    Returns:
        The numbers of the segments chosen, in order; and for each pair the places among them of the segments where the
        first system gains most, and of those where it loses most, the largest difference first. Segments of equal
        scores are left out.

    Example:
        >>> import numpy as np
        >>> most_different(np.array([[50.0, 10, 30, 0], [20.0, 90, 30, 5]]), [(0, 1)], 2)
        ([0, 1], [([0], [1])])
    """
    import numpy as np

    ranked: list[NDArray[np.int64]] = []
    for first, second in pairs:
        difference = scores[first] - scores[second]
        for gain in (difference, -difference):
            order = np.argsort(-gain, kind="stable")[:most]
            ranked.append(order[gain[order] > 0])
    taken: list[int] = [0] * len(ranked)
    chosen: dict[int, None] = {}
    for place in range(max(map(len, ranked), default=0)):
        for k, order in enumerate(ranked):
            if place < len(order):
                segment = int(order[place])
                if segment not in chosen and len(chosen) == most:
                    continue
                if taken[k] == place:
                    chosen[segment] = None
                    taken[k] += 1
    numbers = sorted(chosen)
    place_of = {segment: place for place, segment in enumerate(numbers)}
    lists = [
        [place_of[segment] for segment in order[:number].tolist()]
        for order, number in zip(ranked, taken, strict=True)
    ]
    return numbers, list(zip(lists[::2], lists[1::2], strict=True))
