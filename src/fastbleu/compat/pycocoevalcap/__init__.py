"""pycocoevalcap's and coco-caption's BLEU of image captions.

    from fastbleu.compat.pycocoevalcap.bleu.bleu import Bleu             # from pycocoevalcap.bleu.bleu import Bleu
    from fastbleu.compat.pycocoevalcap.bleu.bleu_scorer import BleuScorer

Scores equal, to the last bit, those of pycocoevalcap 1.2 (https://github.com/salaniz/pycocoevalcap/tree/ad63453), the
port of coco-caption (https://github.com/tylin/coco-caption/tree/3a9afb2) to Python 3. `Bleu(4).compute_score(gts, res)`
returns BLEU-1..4 of the corpus and of each image, 0..1, and prints two lines, as the original does. Captions are split
at white space. In each precision, 1e-15 is added to the matches, and 1e-9 to the candidates. The second `compute_score`
of a `BleuScorer` returns only the scores of the corpus, even with another option, as in the original.

Deliberate differences:

- A `BleuScorer` stores the texts, and counts n-grams only when a score is computed. It has `+=`, `cook_append`, `size`
  and `compute_score`. Its other methods, the option `special_reflen`, and the functions `precook`, `cook_refs` and
  `cook_test` are not included.
- `n` may be above 4; the original raises an IndexError.
- `verbose` above 1 prints the same as 1; the original also prints the counts of each image.
- A caption or reference that is not a str raises an error that names it, when the score is computed.
- A str instead of a list of references causes a UserWarning. Its characters are the references, as in the original.
"""

from .bleu.bleu import Bleu
from .bleu.bleu_scorer import BleuScorer

__all__ = ["Bleu", "BleuScorer"]
