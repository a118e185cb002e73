"""Define the metrics `BLEU` and `CHRF`, and the accumulators that sum their counts over batches.

`metric` has the base class of both metrics, and `metric_warnings` their warnings. `bleu` has the methods of `BLEU`,
`bleu_options` its options, and `chrf` has `CHRF`. `accumulator` has the accumulators, which `accumulator_state` saves
and loads.
`compiled_steps` computes the operators of `fastbleu.torch`, and `check_metric` checks metrics passed as arguments.
"""

from .bleu import BLEU

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .metric import AnySegments as AnySegments
    from .metric import AnyStreams as AnyStreams

__all__ = ["BLEU"]
