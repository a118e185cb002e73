"""Test whether systems differ significantly, from the statistics of the same segments.

`randomization` and `paired_bootstrap` have the tests, `systems` checks their input, and `p_values` computes and
corrects p-values and has the classes of results.
"""

from .p_values import PairDifference, SignificanceTest, SystemInterval, correct_p_values
from .paired_bootstrap import paired_bootstrap
from .randomization import approximate_randomization

__all__ = [
    "PairDifference",
    "SignificanceTest",
    "SystemInterval",
    "approximate_randomization",
    "correct_p_values",
    "paired_bootstrap",
]
