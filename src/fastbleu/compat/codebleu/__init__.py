"""The BLEU of code generation: CodeXGLUE's, CodeT5's and CodeBERT's, and CodeBLEU's n-gram matches.

    from fastbleu.compat.codebleu.bleu import _bleu                  # from evaluator.bleu import _bleu
    from fastbleu.compat.codebleu import smooth_bleu                 # from evaluator import smooth_bleu
    from fastbleu.compat.codebleu import get_codebleu                # from evaluator.CodeBLEU.calc_code_bleu import ...
    from fastbleu.compat.codebleu import calc_codebleu               # from codebleu import calc_codebleu

Equal, to the last digit, to the programs of https://github.com/microsoft/CodeXGLUE/tree/ac74a62,
https://github.com/salesforce/CodeT5/tree/7de7f69 and https://github.com/microsoft/CodeBERT/tree/c0de43d, and to the
package codebleu 0.7.0:

- `bleu`, there `evaluator/bleu.py`: tensorflow/nmt's BLEU, and `_bleu` of two files, smoothed and rounded.
- `smooth_bleu`, there `evaluator/smooth_bleu.py` or `code2nl/bleu.py`: the mean of smoothed sentence scores.
- `ngram_match`, there `evaluator/CodeBLEU/bleu.py`: NLTK's BLEU, with its smoothing method 1 unless told otherwise.
- `weighted_ngram_match`, of the same name there: the same formula over keyword-weighted recalls.
- `get_codebleu`, there in `evaluator/CodeBLEU/calc_code_bleu.py`, and `calc_codebleu` of `codebleu`: all four parts.

The syntax match and the data-flow match of CodeBLEU compare parse trees and are not BLEU: pass them, or what computes
them, or install `codebleu`, which is then asked for them.

Where they differ, deliberately:

- `bleu.compute_bleu` is `fastbleu.compat.nmt`'s, which refuses corpora of unequal length and a str in the place of a
  list of tokens. Files of unequal length are cut by `bleu._bleu`, as there, with a UserWarning, which the characters of
  a str have, too, where the weighted match scores them.
- Files are UTF-8 under every locale. (The copy of `bleu.py` in CodeXGLUE's Text-Text also ends lines at form feeds
  and Unicode's separators; this one does not.)
- The weighted match takes no other smoothing function than its own. Helpers of the two, such as `modified_recall`, are
  not there.
- `get_codebleu` may have several files of references, which is an AssertionError there.
"""

from . import bleu, ngram_match, smooth_bleu, weighted_ngram_match
from .calc_code_bleu import calc_codebleu, get_codebleu

__all__ = ["bleu", "calc_codebleu", "get_codebleu", "ngram_match", "smooth_bleu", "weighted_ngram_match"]
