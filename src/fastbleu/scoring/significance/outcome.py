"""From p-values and resampled scores to what a test returns: intervals, as sacreBLEU computes them, and corrections."""

from __future__ import annotations

from typing import NamedTuple

from ..bootstrap import draws_outside
from .comparison import PairDifference, SignificanceTest, SystemInterval
from .corrections import correct_p_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from numpy import float64
    from numpy.typing import NDArray

    from ...options import Correction
    from .systems import Systems


class Decided(NamedTuple):
    """What a test found out about the systems at two places; see `PairDifference`."""

    first: int
    second: int
    extreme: int
    trials: int
    exact: bool

    def p_value(self, difference: float, is_drawn_from_one: bool = False) -> float:
        """The p-value of a difference: 1 if that is 0, else sacreBLEU's if not all assignments were enumerated.

        Args:
            difference: The difference.
            is_drawn_from_one: Whether there is one segment to draw: all resamples are equal, and say nothing.
        """
        if not difference or is_drawn_from_one:
            return 1.0
        return self.extreme / self.trials if self.exact else (self.extreme + 1) / (self.trials + 1)


def outcome(
    test: Literal["randomization", "bootstrap"],
    systems: Systems,
    decided: list[Decided],
    correction: Correction,
    n_trials: int,
    scores: NDArray[float64],
    own_scores: NDArray[float64],
    seed: str,
) -> SignificanceTest:
    """Put together what a test returns.

    Args:
        test: The name of the test.
        systems: The systems.
        decided: What it found out about each pair.
        correction: How to correct the p-values.
        n_trials: The number of trials, or of resamples.
        scores: The scores of the same resamples of each system, [systems, resamples], for the intervals of differences;
            without resamples there are none.
        own_scores: Likewise for the intervals of the systems.
        seed: The seed, as a signature prints it.
    """
    differences = [float(systems.scores[pair.first] - systems.scores[pair.second]) for pair in decided]
    is_drawn_from_one = test == "bootstrap" and systems.units == 1
    p_values = [
        pair.p_value(difference, is_drawn_from_one)
        for pair, difference in zip(decided, differences, strict=True)
    ]
    corrected = correct_p_values(p_values, correction)
    n_resamples = scores.shape[1]
    return SignificanceTest(
        test,
        tuple(
            SystemInterval(name, score, *(_interval(resampled) if n_resamples else ()))
            for name, score, resampled in zip(systems.names, systems.scores.tolist(), own_scores, strict=True)
        ),
        tuple(
            PairDifference(
                systems.names[pair.first],
                systems.names[pair.second],
                difference,
                p_value,
                corrected_p_value,
                pair.extreme,
                pair.trials,
                pair.exact,
                *(_interval(scores[pair.first] - scores[pair.second])[1:] if n_resamples else ()),
            )
            for pair, difference, p_value, corrected_p_value in zip(
                decided, differences, p_values, corrected, strict=True
            )
        ),
        correction,
        n_trials,
        n_resamples,
        seed,
        systems.units,
    )


def _interval(scores: NDArray[float64]) -> tuple[float, float, float]:
    """The mean of resampled scores, and the ends of their 95 % interval."""
    import numpy as np

    ordered = np.sort(scores)
    outside = draws_outside(len(ordered))
    return float(ordered.mean()), float(ordered[outside]), float(ordered[-1 - outside])
