"""Is a difference between systems real? Paired tests over the statistics of several systems.

`randomization` and `paired_bootstrap` are the tests. `systems` is what they take, `comparison` what they return, with
corrections of the p-values of many pairs.
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
