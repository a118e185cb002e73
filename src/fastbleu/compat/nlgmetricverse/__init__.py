"""nlg-metricverse's `bleu`, on the compiled counting pass.

    from fastbleu.compat.nlgmetricverse import NLGMetricverse, load_metric      # from nlgmetricverse import ...
    from fastbleu.compat.nlgmetricverse import compute                          # the numbers alone

Equal to the last digit to `nlgmetricverse/metrics/bleu` of https://github.com/disi-unibo-nlp/nlg-metricverse at
53d948b (its version 0.9.6): ASCII punctuation becomes spaces, the text is lowercased and split, and tensorflow/nmt's
formula is applied. Several predictions for an item are treated as there: all of them are scored as one corpus, each
against all references of its item. Then the lengths are replaced by the sums of each item's longest prediction and
shortest reference; and unless the corpus was longer than its references, the score is multiplied by the penalty of
these lengths over that of the corpus. That penalty, and with it the score, can exceed 1. Where the predictions or the
shortest references have no token at all, or the corpus' penalty is too small for a float to divide by, there is a
ZeroDivisionError.

Where it differs, deliberately:

- The first prediction and the first reference may have no token. There it is an IndexError.
- Predictions and references of unequal length, an item without predictions or references, and a text that is not a str
  are errors that say where. So is a bare str for a list, whose characters are scored there.
- Tuples and arrays are taken as lists are. There, a tuple of str is scored by its characters.
- There is `bleu` alone, and of the options of `NLGMetricverse` those that are documented here; predictions and
  references are lists, not files. No times are reported. The lists that it is called with stay as they are; there,
  empty items are taken out of them. A metric's name never changes; there, `max_order` is added to "bleu_planet", the
  name with `compute_kwargs` that lack it, at each call.
"""

from .metric import Bleu, NLGMetricverse, load_metric
from .score import compute

__all__ = ["Bleu", "NLGMetricverse", "compute", "load_metric"]
