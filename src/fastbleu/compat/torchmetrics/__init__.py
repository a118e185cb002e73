"""torchmetrics' BLEU and chrF, as functions and as metrics, with counts of any size.

    from fastbleu.compat.torchmetrics import SacreBLEUScore        # instead of: from torchmetrics.text import ...
    from fastbleu.compat.torchmetrics import sacre_bleu_score      # instead of: from torchmetrics.functional.text ...

The functions and classes have the signatures, the names of states and the scale (0..1) of torchmetrics 1.9.0. The
scores of `bleu_score`, `sacre_bleu_score`, `BLEUScore` and `SacreBLEUScore` equal those of torchmetrics to 1e-6, the
precision of float32. The scores of `chrf_score` and `CHRFScore` are equal to the last digit.

As in torchmetrics, the reference length is that of the closest reference, and of the first one if two are equally
close. The score is 0 if an order has no match, even with smoothing. Weights are not renormalised. Text is not stripped
before it is tokenized, and it is lowercased after it is tokenized.

The classes inherit from `torchmetrics.Metric`. They work in `MetricCollection`, with `forward`, `plot`, `to`,
`merge_state`, pickle and `torch.distributed`. They can load checkpoints of torchmetrics' classes, and torchmetrics'
classes can load their checkpoints.

Fixed bugs of torchmetrics:

- Counts are int64. In torchmetrics they are float32, which stops counting at 2^24, so longer corpora get a wrong score.
- `forward` calls `update` once (`full_state_update=False`), not twice, unless `dist_sync_on_step=True`.
- `merge_state` works; in torchmetrics it raises a RuntimeError. It discards the cached score, and raises an error for a
  metric with another `n_gram`, `tokenize` or `lowercase`.
- `set_dtype` changes the dtype of the score, but not the dtype of the counts.
- `update` raises a ValueError if predictions and references differ in number; torchmetrics truncates the longer list.
- The tensors of a checkpoint are copied, not used in place, and a state of another shape is an error.

Deliberate differences:

- A str instead of a list of texts raises a TypeError. torchmetrics scores the characters of the str. In `bleu_score`,
  `chrf_score` and `CHRFScore`, a str as `preds` is a single text, as in torchmetrics.
- A text that is None, 0, False or an empty list counts as empty, as in torchmetrics. For None, 0 and False, there is a
  `UserWarning`.
- An update that fails leaves the counts unchanged.
- Iterators are accepted for all lists. Mappings and sets raise a TypeError.
- `n_gram` must be an int >= 1, `smooth` and `lowercase` must be flags, and weights finite numbers.
- Scores are computed in float64, and rounded once.
- `tokenize="intl"` does not need the package regex. "flores101" and "flores200" use the model that sacreBLEU has
  downloaded, and download nothing. "ja-mecab" and "ko-mecab" raise an error for text that MeCab would truncate at a NUL
  character or cannot encode, and if MeCab has another dictionary than the one that sacreBLEU's scores are based on.

A `MetricCollection` puts metrics whose counts are nearly equal after the first batch into one compute group, whatever
their options are. For metrics that differ in `tokenize` or `lowercase`, pass `compute_groups=False`, as with
torchmetrics' own metrics.
"""

from ...system.extras import imports_of

with imports_of("torchmetrics", "fastbleu.compat.torchmetrics"):
    from .functional import bleu_score, chrf_score, sacre_bleu_score
    from .metrics import BLEUScore, CHRFScore, SacreBLEUScore

__all__ = ["BLEUScore", "CHRFScore", "SacreBLEUScore", "bleu_score", "chrf_score", "sacre_bleu_score"]
