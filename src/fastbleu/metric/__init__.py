"""The metric: `bleu` and `counts` have the front doors, `configured` the options, `warning` what is logged.

Everyone comes in by `BLEU`; `accumulator` adds up counts that come in batches, and `state` is what of them is saved.
"""

from .bleu import BLEU

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .configured import AnySegments as AnySegments
    from .configured import AnyStreams as AnyStreams

__all__ = ["BLEU"]
