"""Hugging Face `evaluate` 0.4.6, with `bleu`, `sacrebleu`, `google_bleu` and `chrf` counted by fastbleu.

    from fastbleu.compat import evaluate                # instead of: import evaluate
    evaluate.load("bleu").compute(predictions=predictions, references=references)
    evaluate.compute(predictions=predictions, references=references)        # the same, without an Arrow file

The results equal, to the last digit, those of the modules of these names:

- `bleu`: tensorflow/nmt's formula over 13a tokens, 0..1. A ZeroDivisionError is raised if the predictions or the
  shortest references have no tokens at all.
- `sacrebleu` and `chrf`: sacreBLEU 2.6.0, 0..100.
- `google_bleu`: the corpus GLEU of NLTK 3.10.4 over 13a tokens, 0..1.

`load` returns an `evaluate.Metric`, for `evaluate.combine`, evaluators and trainers, and downloads nothing. All other
names and modules are those of the installed `evaluate`. `compute`, `compute_sacrebleu`, `compute_google_bleu` and
`compute_chrf` work without that package.

The 13a tokenizer of `bleu` and `google_bleu` does not strip text first, unlike sacreBLEU's. So a "-" before a line
break at the end of a text is removed together with the line break.

Deliberate differences:

- A text that is not a str, a str among lists of references, and a segment without references raise errors that name
  the position. In the original, numbers and lists are converted to text, a str is one reference per character, and
  `google_bleu` skips a segment without references. A reference that is None is missing in `sacrebleu` and `chrf`, as in
  the original, and an error in the other two.
- A tokenizer that returns a str raises a TypeError. The original scores its characters; pass `tokenizer=list` for that.
- `tokenizer=None` is the default tokenizer.
- `compute` accepts lone surrogates, which Arrow files cannot contain.
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
    """Return an attribute of the installed `evaluate`, so that only the import must be changed."""
    if not name.startswith("_"):
        try:
            return getattr(installed_evaluate(), name)
        except ImportError as error:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}: {error}") from None
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
