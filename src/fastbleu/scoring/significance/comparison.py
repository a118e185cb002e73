"""What a test of significance returns: each system, each pair of them, and which systems are told apart."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import ArgumentValueError, wrong_value
from ...options import check_number
from .clusters import clusters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from ...options import Correction


@dataclass(frozen=True)
class SystemInterval:
    """The score of a system, and how far it depends on the segments drawn.

    Attributes:
        name: The system's name.
        score: Its corpus score, 0..100.
        mean: The mean score of the resamples; None if nothing was resampled.
        low: The lower end of the 95 % confidence interval, likewise.
        high: The upper end, likewise.
    """

    name: str
    score: float
    mean: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def half_width(self) -> float | None:
        """Half the width of the interval, which sacreBLEU prints behind the mean."""
        return None if self.low is None or self.high is None else 0.5 * (self.high - self.low)


@dataclass(frozen=True)
class PairDifference:
    """How two systems differ, and how likely such a difference is between systems of equal quality.

    Attributes:
        first: The name of one system.
        second: The name of the other.
        difference: The score of the first less that of the second, -100..100.
        p_value: The probability of a difference at least as large, either way, between equally good systems, 0..1.
        corrected_p_value: The same, corrected for the number of pairs.
        extreme: In how many trials the difference was larger than the one observed, as sacreBLEU counts them; of an
            exact test, in how many assignments it was at least as large.
        trials: The number of trials or resamples; of an exact test, of assignments.
        exact: Whether all assignments were enumerated. Then the p-value is extreme / trials, else
            (extreme + 1) / (trials + 1), as sacreBLEU has it. The p-value is 1 all the same for a difference of 0, and
            in the bootstrap for a single segment or document.
        low: The lower end of the difference's 95 % confidence interval; None if nothing was resampled.
        high: The upper end, likewise.
    """

    first: str
    second: str
    difference: float
    p_value: float
    corrected_p_value: float
    extreme: int
    trials: int
    exact: bool = False
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class SignificanceTest:
    """The outcome of a paired test of several systems.

    Attributes:
        test: "randomization" or "bootstrap".
        systems: Each system, in the order given.
        pairs: The pairs compared: the first system with each other one, then, if all pairs were asked for, the second
            with those behind it, and so on.
        correction: How the p-values were corrected for the number of pairs.
        n_trials: Trials of the randomization, or resamples of the bootstrap.
        n_resamples: Resamples that the intervals come from, 0 if there are none.
        seed: The seed of the random numbers, as a signature prints it.
        units: How many segments, or documents if these were given, were exchanged or drawn as one.
    """

    test: Literal["randomization", "bootstrap"]
    systems: tuple[SystemInterval, ...]
    pairs: tuple[PairDifference, ...]
    correction: Correction
    n_trials: int
    n_resamples: int
    seed: str
    units: int

    def pair(self, first: str, second: str) -> PairDifference:
        """The comparison of two systems, in the order in which it was made.

        Args:
            first: The name of one system.
            second: The name of the other.

        Raises:
            ValueError: The two were not compared.
        """
        for found in self.pairs:
            if {found.first, found.second} == {first, second} and first != second:
                return found
        raise ArgumentValueError("pair", f"of {first!r} and {second!r} was not compared")

    def clusters(self, level: float = 0.05) -> list[list[str]]:
        """Put the systems into clusters, as the findings of WMT do.

        A cluster ends where each system so far is significantly better than each one behind it.

        Args:
            level: Differences whose corrected p-value is at most this one are significant, 0..1.

        Returns:
            The clusters, the best one first; the names in each from the highest score to the lowest.

        Raises:
            TypeError: `level` is no number.
            ValueError: `level` is out of range, or not all pairs were compared.
        """
        level = check_number("level", level)
        if not 0 <= level <= 1:  # false for NaN too
            raise wrong_value("level", "from 0 to 1", level)
        scores = {system.name: system.score for system in self.systems}
        compared = {(pair.first, pair.second): pair for pair in self.pairs}

        def differ(better: str, worse: str) -> bool:
            pair = compared.get((better, worse)) or compared.get((worse, better)) or self.pair(better, worse)
            return pair.corrected_p_value <= level

        return clusters(scores, differ)
