"""sacreBLEU 2.6.0, with BLEU and chrF computed by fastbleu.

    import fastbleu.compat.sacrebleu as sacrebleu            # instead of: import sacrebleu
    from fastbleu.compat.sacrebleu.metrics import BLEU, CHRF

    sys.modules["sacrebleu"] = fastbleu.compat.sacrebleu     # for code that cannot be changed, before it is imported

`BLEU`, `CHRF` and the functions `corpus_bleu`, `sentence_bleu`, `raw_corpus_bleu`, `corpus_chrf` and `sentence_chrf`
are fastbleu's. Their scores, strings, signatures and attributes are those of sacreBLEU. The classes also have the
methods with a leading underscore that public programs call. `__version__` is the release whose scores are reproduced.

Every other name and submodule (TER, test sets, tokenizers, significance tests) is that of the installed sacreBLEU,
which is imported on first access. If sacreBLEU is not installed, the access raises an ImportError.

Malformed input is scored as in sacreBLEU: streams of unequal length are truncated to the shortest, and a str instead of
a list is a list of characters. A `UserWarning` says what is malformed and which segments were scored. (`fastbleu.BLEU`
and `fastbleu.CHRF` raise an error for such input.)

Deliberate differences:

- NumPy arrays, pandas columns and other sequences of text are accepted, where sacreBLEU requires lists and tuples. With
  `tokenize="none"`, segments may also be sequences of tokens or token ids.
- A negative or infinite `smooth_value` raises a ValueError.
- A score is not an instance of `metrics.base.Score`, and a signature is not an instance of `metrics.base.Signature`. If
  a program checks for these classes, use `fastbleu.patch`, which keeps them.
"""

from .compat import corpus_bleu, corpus_chrf, raw_corpus_bleu, sentence_bleu, sentence_chrf
from .metrics.bleu import BLEU
from .metrics.chrf import CHRF
from .peer import find_submodules, forward
from .version import __version__

#: The names that are taken from the installed sacreBLEU, and the modules of sacreBLEU that define them.
_FORWARDED = {
    "DATASETS": "dataset",
    "SACREBLEU_DIR": "utils",
    "TER": "metrics.ter",
    "corpus_ter": "compat",
    "download_test_set": "utils",
    "extract_char_ngrams": "metrics.helpers",
    "extract_word_ngrams": "metrics.helpers",
    "get_available_testsets": "utils",
    "get_langpairs_for_testset": "utils",
    "get_reference_files": "utils",
    "get_source_file": "utils",
    "sentence_ter": "compat",
    "smart_open": "utils",
}

__all__ = [  # noqa: PLE0604  # all are str
    "BLEU",
    "CHRF",
    "__version__",
    "corpus_bleu",
    "corpus_chrf",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
    *_FORWARDED,
]

find_submodules()
__getattr__ = forward(__name__, _FORWARDED)
