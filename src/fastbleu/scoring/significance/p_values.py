"""Compute and correct p-values, and build the result of a significance test."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import ArgumentValueError, Location, wrong_type
from ...options import CORRECTIONS, check_choice, check_number
from ..bootstrap import draws_outside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, Literal

    from numpy.typing import NDArray

    from ...options import Correction
    from .systems import Systems


@dataclass(frozen=True)
class SystemInterval:
    """The score of a system and its confidence interval.

    Attributes:
        name: The name of the system.
        score: The corpus score, 0..100.
        mean: The mean score of the resamples; None without resamples.
        low: The lower end of the 95 % confidence interval; None without resamples.
        high: The upper end of the interval; None without resamples.
        half_width: Half the width of the interval, which sacreBLEU prints after the mean; None without resamples.
    """

    name: str
    score: float
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    half_width: float | None = None


@dataclass(frozen=True)
class PairDifference:
    """The difference between the scores of two systems, and its p-value.

    Attributes:
        first: The name of the first system.
        second: The name of the second system.
        difference: The score of the first system minus that of the second, -100..100.
        p_value: The probability of a difference at least as large, in either direction, between equally good systems,
            0..1. It is 1 for a difference of 0.
        corrected_p_value: The p-value, corrected for the number of pairs.
        extreme: The number of trials whose difference was larger than the observed one. sacreBLEU's p-value is
            (extreme + 1) / (n_trials + 1), with `SignificanceTest.n_trials`.
        low: The lower end of the difference's 95 % confidence interval; None without resamples.
        high: The upper end of the difference's interval; None without resamples.
    """

    first: str
    second: str
    difference: float
    p_value: float
    corrected_p_value: float
    extreme: int
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class SignificanceTest:
    """The result of a paired test of several systems.

    Attributes:
        test: "randomization" or "bootstrap".
        systems: The systems, in the given order.
        pairs: The compared pairs: first the pairs of the first system with each later one; with `pairs="all"`, then the
            pairs of the second system with each later one, and so on.
        correction: The correction of the p-values for the number of pairs.
        n_trials: The number of trials of the randomization, or of resamples of the bootstrap.
        n_resamples: The number of resamples from which the intervals are computed; 0 without intervals.
        seed: The seed of the random numbers, as in signatures.
        units: The number of documents if the test exchanged or drew documents, else the number of segments.
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
        """Return the comparison of two systems. In it, the systems may be in the opposite order.

        Args:
            first: The name of one system.
            second: The name of the other system.

        Raises:
            ValueError: The two systems were not compared.
        """
        for pair in self.pairs:
            if {pair.first, pair.second} == {first, second} and first != second:
                return pair
        raise ArgumentValueError(
            "second", f"is {second!r}, which was not compared with {first!r}", value=second
        )


def correct_p_values(p_values: Iterable[float], correction: Correction) -> list[float]:
    """Correct p-values for the number of comparisons.

    Args:
        p_values: n numbers, 0..1.
        correction: "none"; "bonferroni" (controls the family-wise error rate, p times n); "holm" (controls the same
            rate with at least the same power; Holm 1979); or "benjamini-hochberg" (controls the false discovery rate;
            Benjamini and Hochberg 1995).

    Returns:
        n corrected p-values, 0..1, in the given order. A difference is significant at a level if its corrected p-value
        is at most that level.

    Raises:
        TypeError: A p-value is not a number.
        ValueError: A p-value is NaN or not in 0..1, or the correction is unknown.

    Example:
        >>> correct_p_values([0.01, 0.04, 0.03], "holm")
        [0.03, 0.06, 0.06]
        >>> correct_p_values([0.01, 0.04, 0.03], "benjamini-hochberg")
        [0.03, 0.04, 0.04]
    """
    check_choice("correction", correction, CORRECTIONS)
    where = Location("p_values")
    if not hasattr(p_values, "__iter__"):
        raise wrong_type(where, "a sequence of numbers", p_values)
    given = [check_number(where[i], p, lambda p: 0 <= p <= 1, "from 0 to 1") for i, p in enumerate(p_values)]
    n = len(given)
    if correction == "none":
        return given
    if correction == "bonferroni":
        return [min(1.0, n * p) for p in given]
    corrected = [0.0] * n
    order = sorted(range(n), key=given.__getitem__)
    if correction == "holm":
        bound = 0.0
        for rank, i in enumerate(order):
            bound = corrected[i] = max(bound, min(1.0, (n - rank) * given[i]))
        return corrected
    bound = 1.0
    for rank, i in zip(range(n, 0, -1), reversed(order), strict=True):
        bound = corrected[i] = min(bound, n * given[i] / rank)
    return corrected


def outcome(
    test: Literal["randomization", "bootstrap"],
    systems: Systems,
    extreme: Sequence[int],
    lowest: Sequence[float],
    n_trials: int,
    seed: str,
    scores: Sequence[NDArray[Any]],
    system_scores: Sequence[NDArray[Any]],
) -> SignificanceTest:
    """Build the result of a test: p-values, and intervals as sacreBLEU computes them.

    Args:
        test: The name of the test.
        systems: The systems.
        extreme: For each pair, the number of trials whose difference was larger than the observed one.
        lowest: The smallest possible p-value of each pair.
        n_trials: The number of trials, or of resamples.
        seed: The seed, as in signatures.
        scores: For each system, the scores of the same resamples, [n_resamples], for the intervals of the differences.
            Empty without resamples.
        system_scores: For each system, the scores of resamples, [n_resamples], for the interval of its score. Empty
            without resamples.
    """
    differences = [float(systems.scores[i] - systems.scores[j]) for i, j in systems.pairs]
    p_values = [
        max(bound, (count + 1) / (n_trials + 1)) if difference else 1.0
        for difference, count, bound in zip(differences, extreme, lowest, strict=True)
    ]
    corrected = correct_p_values(p_values, systems.correction)
    names = systems.names
    return SignificanceTest(
        test,
        tuple(
            SystemInterval(name, score, *(_interval(system_scores[k]) if system_scores else ()))
            for k, (name, score) in enumerate(zip(names, systems.scores.tolist(), strict=True))
        ),
        tuple(
            PairDifference(
                names[i],
                names[j],
                difference,
                p_value,
                corrected_p_value,
                count,
                *(_interval(scores[i] - scores[j])[1:3] if scores else ()),
            )
            for (i, j), difference, p_value, corrected_p_value, count in zip(
                systems.pairs, differences, p_values, corrected, extreme, strict=True
            )
        ),
        systems.correction,
        n_trials,
        len(scores[0]) if scores else 0,
        seed,
        systems.units,
    )


def _interval(scores: NDArray[Any]) -> tuple[float, float, float, float]:
    """Return the mean of resampled scores, the lower and upper end of their 95 % interval, and half its width."""
    import numpy as np

    ordered = np.sort(scores)
    outside = draws_outside(len(ordered))
    low, high = ordered[outside], ordered[-1 - outside]
    # As in sacreBLEU, the arithmetic is float32 if the scores are.
    return float(ordered.mean()), float(low), float(high), float(0.5 * (high - low))
