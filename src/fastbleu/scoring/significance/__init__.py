"""Is a difference between systems real? Paired tests over the statistics of several systems.

`randomization` and `paired_bootstrap` are the tests. `corrections` and `clusters` say what follows from the p-values of
many pairs. `systems` is what the tests take, `comparison` what they return.
"""

from .clusters import clusters
from .comparison import PairDifference, SignificanceTest, SystemInterval
from .corrections import correct_p_values
from .paired_bootstrap import paired_bootstrap
from .randomization import approximate_randomization

__all__ = [
    "PairDifference",
    "SignificanceTest",
    "SystemInterval",
    "approximate_randomization",
    "clusters",
    "correct_p_values",
    "paired_bootstrap",
]
