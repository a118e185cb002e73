"""The metric: `bleu` has the methods of BLEU, `configured` its options, `warning` what is logged.

`chrf` is CHRF, `metric` what both share; `accumulator` adds up counts that come in batches, and `state` is what of them
is saved. `operators` are what compiled steps hold, and `checks` checks the metric that a function takes as an argument.
"""

from .bleu import BLEU

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .metric import AnySegments as AnySegments
    from .metric import AnyStreams as AnyStreams

__all__ = ["BLEU"]
