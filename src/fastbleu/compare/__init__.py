"""Compare several systems: whether a difference is significant, how large it is, and what causes it.

The module itself is callable: `fastbleu.compare(...)` is `fastbleu.compare.compare(...)`.
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
    """The type of this module, which makes `fastbleu.compare(...)` call the function `compare`."""

    __call__ = staticmethod(compare)


# Without an explicit signature, `help` and notebooks would hide the parameter `systems` as if it were `self`.
__signature__ = signature(compare)
sys.modules[__name__].__class__ = _Callable
