"""The metrics: `bleu` has the methods of BLEU, `bleu_options` its options, `warning` its warnings; `chrf` is CHRF.

`metric` is the base of both. `accumulator` sums counts of batches, and `accumulator_state` is their saved form.
`compiled_steps` computes the operators of compiled steps, and `check_metric` checks a metric given as an argument.
"""

from .bleu import BLEU

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .metric import AnySegments as AnySegments
    from .metric import AnyStreams as AnyStreams

__all__ = ["BLEU"]
