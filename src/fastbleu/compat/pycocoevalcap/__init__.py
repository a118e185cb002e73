"""The BLEU of image captioning: pycocoevalcap's and coco-caption's, on the compiled counting pass.

    from fastbleu.compat.pycocoevalcap.bleu.bleu import Bleu             # from pycocoevalcap.bleu.bleu import Bleu
    from fastbleu.compat.pycocoevalcap.bleu.bleu_scorer import BleuScorer

Equal, to the last digit of every float, to pycocoevalcap 1.2 (https://github.com/salaniz/pycocoevalcap/tree/ad63453),
which is coco-caption (https://github.com/tylin/coco-caption/tree/3a9afb2) for Python 3: `Bleu(4).compute_score(gts,
res)` returns BLEU-1..4 of the corpus and of each image, 0..1, and prints what the original prints. Captions are split
at white space; 1e-15 is added to each numerator and 1e-9 to each denominator. As there, the second `compute_score` of
a `BleuScorer` returns the corpus' scores alone, under every option.

Where they differ, deliberately:

- A scorer holds the texts and counts them when a score is asked for. It has `+=`, `cook_append`, `size` and
  `compute_score`; the other methods, and the module's `precook`, `cook_refs` and `cook_test`, are not included.
- n may be above 4. There, it is an IndexError.
- A caption or reference that is not a str is an error that says which, when the score is asked for. Bytes are
  split and compared, as there, with a UserWarning; so are the characters of a str in the place of a list of references.
"""

from .bleu.bleu import Bleu
from .bleu.bleu_scorer import BleuScorer

__all__ = ["Bleu", "BleuScorer"]
