"""The smallest difference that a test set can detect.

Card et al. (2020), "With Little Power Comes Great Responsibility" (https://aclanthology.org/2020.emnlp-main.745): a
test set that is too small hides real differences, and exaggerates those that it happens to show. Its power is the share
of test sets like it on which a real difference of a given size would be found significant.

The difference of two corpus scores is a smooth function of sums over many segments. So it is approximately normally
distributed over test sets, and paired resamples estimate its standard error, `error`. A two-sided test at a level
detects a difference d with the probability P(Z > z - d / error), where Z is a standard normal variable and z the normal
quantile of 1 - level / 2. With z_power as the normal quantile of the power, this probability equals the power if

    d = (z + z_power) * error

Card et al. estimate the power by simulation from the differences of segments; the formula needs no simulation.
"""

from __future__ import annotations

from math import ceil
from statistics import NormalDist

from ..errors import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .results import Settings

#: The default number of trials of a test.
_TRIALS = 10_000

#: If there are many pairs, the default number of trials is this number * pairs / level. A corrected p-value
#: then equals the level if about ten trials reach the observed difference.
_TRIALS_AT_LEVEL = 10

#: The largest default number of trials. A test of a hundred systems with so many trials takes a few seconds.
_MOST_TRIALS = 200_000

#: The width of a 95 % interval, in standard errors.
_ERRORS_IN_INTERVAL = 2 * NormalDist().inv_cdf(0.975)


def detectable(low: float, high: float, level: float = 0.05, power: float = 0.8) -> float:
    """Compute the smallest difference that a test set like this one detects with a given power.

    Args:
        low: The lower end of the 95 % interval of the difference of two systems, from paired resamples.
        high: The upper end of that interval.
        level: The level of the two-sided test, above 0 and below 1.
        power: The share of test sets that detect the difference, above 0 and below 1.

    Returns:
        The difference, in points of BLEU.

    Example:
        >>> round(detectable(0.3, 1.5), 2)
        0.86
    """
    error = (high - low) / _ERRORS_IN_INTERVAL
    normal = NormalDist()
    return (normal.inv_cdf(1 - level / 2) + normal.inv_cdf(power)) * error


def enough_trials(pairs: int, level: float) -> int:
    """Return a number of trials with which differences can be significant after correction for the number of pairs.

    The smallest p-value is 1 / (trials + 1), and a correction may multiply it by the number of pairs.

    Args:
        pairs: The number of pairs that are tested.
        level: The level of the test, above 0 and below 1.

    Example:
        >>> enough_trials(1, 0.05), enough_trials(561, 0.05)
        (10000, 112200)
    """
    return max(_TRIALS, min(_MOST_TRIALS, ceil(_TRIALS_AT_LEVEL * pairs / level)))


def has_few_units(units: int, level: float) -> bool:
    """Return whether there are too few segments or documents for any difference to be significant.

    At least two of the 2^units ways to exchange the outputs of two systems give the observed absolute difference:
    exchanging no unit, and exchanging all units. So p is at least 2 / 2^units.

    Example:
        >>> has_few_units(5, 0.05), has_few_units(6, 0.05)
        (True, False)
    """
    return 2.0 ** (1 - units) > level


def why_none_significant(settings: Settings, pairs: int) -> str:
    """Return a sentence that says why no difference can be significant; "" if differences can be significant.

    Args:
        settings: The settings of the comparison.
        pairs: The number of pairs that were tested.
    """
    times = pairs if settings.correction in ("bonferroni", "holm") else 1
    is_corrected = pairs > 1 and settings.correction != "none"
    corrected = f" after the correction for {pairs:,} pairs" if is_corrected else ""
    units = settings.units
    is_exchanged = settings.test == "randomization"
    if has_few_units(units, settings.level / times if is_exchanged else settings.level):
        available = counted(units, "document" if settings.by_document else "segment", ",")
        return (
            f"{available} {'is' if units == 1 else 'are'} too few for this test: no difference can be significant at "
            f"the level {settings.level:g}{corrected if times > 1 else ''}."
        )
    least = times / (settings.trials + 1)
    if least > settings.level:
        trials = counted(settings.trials, "trial", ",")
        return (
            f"{trials} {'is' if settings.trials == 1 else 'are'} too few for this test: no p can be below "
            f"{least:.2g}{corrected}, so no difference can be significant at the level {settings.level:g}. Run at "
            f"least {ceil(_TRIALS_AT_LEVEL * times / settings.level):,} trials."
        )
    return ""
