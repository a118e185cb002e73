"""torchmetrics' BLEU and chrF, functions and metrics, on the compiled counting pass and with counts of any size.

    from fastbleu.compat.torchmetrics import SacreBLEUScore        # instead of: from torchmetrics.text import ...
    from fastbleu.compat.torchmetrics import sacre_bleu_score      # instead of: from torchmetrics.functional.text ...

`bleu_score`, `sacre_bleu_score`, `BLEUScore` and `SacreBLEUScore` have the signatures, the states' names and the scale
(0..1) of torchmetrics 1.9.0, and its values to 1e-6, the precision of its float32: closest reference length, of two
the first; 0 where an order has no match, even with smoothing; weights that are not renormalised; text that is
lowercased after it is tokenized, and not stripped before. `chrf_score` and `CHRFScore` have its chrF++ and chrF to the
last digit. The classes are `torchmetrics.Metric`s: they work in
`MetricCollection`, with `forward`, `plot`, `to`, `merge_state`, checkpoints (also those that torchmetrics' own classes
have written, and theirs read ours), pickle, and `torch.distributed`.

What is fixed:

- Counts are int64. There they are float32, which cannot count beyond 2^24: longer corpora get a wrong score, silently.
- `forward` updates once (`full_state_update=False`) and not twice, unless `dist_sync_on_step=True` asks for it.
- `merge_state` works. There it is a RuntimeError. It forgets a score computed before, and refuses metrics of another
  `n_gram`, `tokenize` or `lowercase`.
- `set_dtype` changes the dtype of the score and leaves the counts alone.
- `update` with more or fewer references than predictions is a ValueError. There, the longer one is cut.
- A checkpoint's tensors are copied, not used in place, and states of another shape are an error.

Where they differ, deliberately:

- A str where a list of texts belongs is a TypeError, except where `bleu_score` takes one. There, its characters are
  scored.
- A text that is None, 0 or False counts as empty, as there, but with a `UserWarning`. An empty list has none.
- An update that fails leaves the counts as they were.
- Iterators are taken everywhere, mappings and sets nowhere.
- `n_gram` must be an int >= 1, `smooth` and `lowercase` flags, and weights finite numbers.
- Scores are computed in float64 and then rounded once.
- `tokenize="intl"` does not need the package regex. "flores101" and "flores200" look for the model where sacreBLEU
  keeps it and download nothing. "ja-mecab" and "ko-mecab" refuse text that MeCab would cut short at a NUL character,
  or that it cannot encode, and dictionaries other than the one that defines the scores.

A `MetricCollection` puts metrics into one compute group if their counts are nearly the same after the first batch, and
does not look at their options. Metrics that differ in `tokenize` or `lowercase` need `compute_groups=False` there, as
torchmetrics' own do.
"""

from ...system.extras import imports_of

with imports_of("torchmetrics", "fastbleu.compat.torchmetrics"):
    from .functional import bleu_score, chrf_score, sacre_bleu_score
    from .metrics import BLEUScore, CHRFScore, SacreBLEUScore

__all__ = ["BLEUScore", "CHRFScore", "SacreBLEUScore", "bleu_score", "chrf_score", "sacre_bleu_score"]
