"""What two systems do differently, in detail; computed when it is asked for."""

from __future__ import annotations

from functools import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .ngrams import NgramMatches
    from .results import NgramDifference


class PairDetail:
    """What two systems do differently.

    Args:
        matches: How often each system matches n-grams.
        system: The place of the pair's `system` among the systems.
        other: The place of the pair's `other`.
        most_ngrams: How many n-grams to list of each.
        better: See below.
        worse: See below.

    Attributes:
        better: Places in `Comparison.segments` of those where `system` gains most, the largest gain first.
        worse: Places in `Comparison.segments` of those where it loses most, the largest loss first.
    """

    def __init__(
        self,
        matches: NgramMatches,
        system: int,
        other: int,
        most_ngrams: int,
        better: tuple[int, ...],
        worse: tuple[int, ...],
    ) -> None:
        self.better = better
        self.worse = worse
        self._matches = matches
        self._places = system, other
        self._most = most_ngrams

    @property
    def ngrams_system(self) -> tuple[NgramDifference, ...]:
        """N-grams that `system` matches more often, the clearest first."""
        return self._ngrams[0]

    @property
    def ngrams_other(self) -> tuple[NgramDifference, ...]:
        """N-grams that `other` matches more often, likewise."""
        return self._ngrams[1]

    @cached_property
    def _ngrams(self) -> tuple[tuple[NgramDifference, ...], tuple[NgramDifference, ...]]:
        return self._matches.differences(*self._places, self._most)
