"""Paired significance tests over the statistics of several systems: whether a difference between them is real.

`randomization` and `paired_bootstrap` are the tests. `systems` checks their input; `p_values` computes and corrects
p-values, and has the results.
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
