"""torchmetrics' BLEU and chrF, as functions and as metrics, with counts of any size.

    from fastbleu.compat.torchmetrics import SacreBLEUScore        # instead of: from torchmetrics.text import ...
    from fastbleu.compat.torchmetrics import sacre_bleu_score      # instead of: from torchmetrics.functional.text ...

`bleu_score`, `sacre_bleu_score`, `BLEUScore` and `SacreBLEUScore` have the signatures, the names of states and the
scale (0..1) of torchmetrics 1.9.0, and its values to 1e-6, the precision of its float32. `chrf_score` and `CHRFScore`
have its chrF and chrF++ to the last digit.

As in torchmetrics, the reference length is the closest one, of two equally close ones the first. The score is 0 if an
order has no match, even with smoothing. Weights are not renormalised. Text is not stripped before it is tokenized, and
it is lowercased afterwards.

The classes are `torchmetrics.Metric`s. They work in `MetricCollection`, with `forward`, `plot`, `to`, `merge_state`,
pickle and `torch.distributed`. Checkpoints of torchmetrics' classes can be loaded, and torchmetrics can load theirs.

Fixed bugs of torchmetrics:

- Counts are int64. In torchmetrics they are float32, which stops counting at 2^24, so longer corpora get a wrong score.
- `forward` calls `update` once (`full_state_update=False`), not twice, unless `dist_sync_on_step=True`.
- `merge_state` works; in torchmetrics it raises a RuntimeError. It discards a score that was computed before, and
  refuses a metric with another `n_gram`, `tokenize` or `lowercase`.
- `set_dtype` changes the dtype of the score, but not that of the counts.
- `update` raises a ValueError if predictions and references differ in number; torchmetrics truncates the longer list.
- The tensors of a checkpoint are copied, not used in place, and a state of another shape is an error.

Deliberate differences:

- A str instead of a list of texts raises a TypeError, except in `bleu_score`, where a str is allowed. torchmetrics
  scores its characters.
- A text that is None, 0 or False counts as empty, as in torchmetrics, but with a `UserWarning`; so does an empty list,
  without a warning.
- An update that fails leaves the counts unchanged.
- Iterators are accepted for all lists; mappings and sets are refused.
- `n_gram` must be an int >= 1, `smooth` and `lowercase` must be flags, and weights finite numbers.
- Scores are computed in float64, and rounded once.
- `tokenize="intl"` does not need the package regex. "flores101" and "flores200" use the model that sacreBLEU has
  downloaded, and download nothing. "ja-mecab" and "ko-mecab" refuse text that MeCab would truncate at a NUL character
  or cannot encode, and dictionaries other than the one that defines the scores.

A `MetricCollection` puts metrics whose counts are nearly equal after the first batch into one compute group, whatever
their options are. For metrics that differ in `tokenize` or `lowercase`, pass `compute_groups=False`, as with
torchmetrics' own metrics.
"""

from ...system.extras import imports_of

with imports_of("torchmetrics", "fastbleu.compat.torchmetrics"):
    from .functional import bleu_score, chrf_score, sacre_bleu_score
    from .metrics import BLEUScore, CHRFScore, SacreBLEUScore

__all__ = ["BLEUScore", "CHRFScore", "SacreBLEUScore", "bleu_score", "chrf_score", "sacre_bleu_score"]
