"""Several systems side by side: is the difference real, how large is it, and where does it come from?

The module may be called itself: `fastbleu.compare(...)` is `fastbleu.compare.compare(...)`.
"""

import sys
from inspect import signature
from types import ModuleType

from .build_comparison import compare
from .comparison import Comparison
from .results import (
    Breakdown,
    Finding,
    MarkedText,
    NgramDifference,
    OtherMetric,
    Pair,
    PairDetail,
    Segment,
    Settings,
    System,
)

__all__ = [
    "Breakdown",
    "Comparison",
    "Finding",
    "MarkedText",
    "NgramDifference",
    "OtherMetric",
    "Pair",
    "PairDetail",
    "Segment",
    "Settings",
    "System",
    "compare",
]


class _Callable(ModuleType):
    """This module, called like its function: importing it makes it the attribute `compare` of the package."""

    __call__ = staticmethod(compare)


# Without it `help` and notebooks would take the first argument for the module.
__signature__ = signature(compare)
sys.modules[__name__].__class__ = _Callable
