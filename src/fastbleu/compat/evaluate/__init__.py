"""Hugging Face `evaluate`'s `bleu`, `sacrebleu`, `google_bleu` and `chrf`, on the compiled counting pass.

    from fastbleu.compat import evaluate                # instead of: import evaluate
    evaluate.load("bleu").compute(predictions=predictions, references=references)
    evaluate.compute(predictions=predictions, references=references)        # the same, and no Arrow file in between

Equal, to the last digit, to the modules of these names at `evaluate` 0.4.6: `bleu` (tensorflow/nmt's formula over 13a
tokens, 0..1), `sacrebleu` and `chrf` (sacreBLEU 2.6.0, 0..100) and `google_bleu` (the corpus GLEU of NLTK 3.10.4 over
13a tokens, 0..1). `load` returns an `evaluate.Metric`, for `evaluate.combine`, evaluators and trainers; nothing is
downloaded. Every other name, other modules included, comes from `evaluate` itself. `compute`, `compute_sacrebleu`,
`compute_google_bleu` and `compute_chrf` work without that package.

Where the predictions or the shortest references have no token at all, `bleu` raises a ZeroDivisionError, as there.

The 13a tokenizer of `bleu` and `google_bleu` is theirs: unlike sacreBLEU it does not strip the text first, so that a
"-" before a line break at the very end disappears with the line break.

Where they differ, deliberately:

- A text that is not a str, a str among lists of references, and a segment without references are errors that say where.
  There, numbers and lists are scored as they print, a str is one reference per character, and `google_bleu` skips a
  segment without references. A reference that is None counts as absent in `sacrebleu` and `chrf` only, as there.
- A tokenizer that returns a str is a TypeError. There, its characters are scored; `tokenizer=list` does that.
- `tokenizer=None` is the default tokenizer.
- `compute` accepts lone surrogates, which the Arrow files that `evaluate` keeps cannot hold.
"""

from .compute_functions import Tokenizer13a, compute, compute_chrf, compute_google_bleu, compute_sacrebleu
from .modules import combine, installed_evaluate, load

__all__ = [
    "Tokenizer13a",
    "combine",
    "compute",
    "compute_chrf",
    "compute_google_bleu",
    "compute_sacrebleu",
    "load",
]


def __getattr__(name: str) -> object:
    """Take every other name from `evaluate` itself, so that one changed import is enough."""
    if not name.startswith("_"):
        try:
            return getattr(installed_evaluate(), name)
        except ImportError as error:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}: {error}") from None
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
