"""Hugging Face `evaluate` 0.4.6, with `bleu`, `sacrebleu`, `google_bleu` and `chrf` computed by fastbleu.

    from fastbleu.compat import evaluate                # instead of: import evaluate
    evaluate.load("bleu").compute(predictions=predictions, references=references)
    evaluate.compute(predictions=predictions, references=references)        # the same, without an Arrow file

fastbleu provides the following modules. Their results equal those of the original modules, to the last digit:

- `bleu`: tensorflow/nmt's formula over 13a tokens, 0..1. A ZeroDivisionError is raised if the predictions or the
  shortest references have no tokens at all.
- `sacrebleu` and `chrf`: sacreBLEU 2.6.0, 0..100.
- `google_bleu`: the corpus GLEU of NLTK 3.10.4 over 13a tokens, 0..1.

For these modules, `load` downloads nothing and returns an `evaluate.Metric`, which can be used with `evaluate.combine`,
evaluators and trainers. All other names and modules are those of the installed `evaluate`. `compute`,
`compute_sacrebleu`, `compute_google_bleu` and `compute_chrf` also work if `evaluate` is not installed.

Unlike sacreBLEU's, the 13a tokenizer of `bleu` and `google_bleu` does not strip text first. So if a text ends with a
"-" and a line break, both are removed.

Deliberate differences:

- A text that is not a str, a str among lists of references, and a segment without references raise errors that name
  the argument and the index. The original converts numbers and lists to text, and reads each character of a str as a
  reference. Its `google_bleu` skips segments without references.
- For `sacrebleu` and `chrf`, a reference that is None is missing, as in the original. For `bleu` and `google_bleu`, it
  is an error.
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
