"""sacreBLEU 2.6.0, whole: BLEU and chrF counted by fastbleu, everything else from the installed sacreBLEU.

    import fastbleu.compat.sacrebleu as sacrebleu            # instead of: import sacrebleu
    from fastbleu.compat.sacrebleu.metrics import BLEU, CHRF

    sys.modules["sacrebleu"] = fastbleu.compat.sacrebleu     # for code that cannot be changed, before it is imported

`BLEU`, `CHRF` and the functions `corpus_bleu`, `sentence_bleu`, `raw_corpus_bleu`, `corpus_chrf` and `sentence_chrf`
are fastbleu's. They give sacreBLEU's numbers, strings, signatures, attributes and half-private methods. Every other
name and every other submodule (TER, test sets, tokenizers, significance tests) is the installed sacreBLEU's own,
imported when it is first asked for. Without sacreBLEU, asking for one of these is an ImportError. `__version__` is the
release that the numbers equal.

It does what sacreBLEU does, misshapen input included: streams of unequal length are cut to the shortest, and a str in
the place of a list is a list of characters. A `UserWarning` says what is wrong and which segments were scored. `BLEU`
and `CHRF` of `fastbleu` itself refuse this input.

Where it differs, deliberately:

- NumPy arrays, pandas columns and other sequences of text are taken, where sacreBLEU wants lists and tuples; with
  `tokenize="none"`, tokens and token ids too.
- A negative or infinite `smooth_value` is a ValueError.
- A score is not an instance of `metrics.base.Score`, nor a signature one of `metrics.base.Signature`. Where that
  matters, `fastbleu.patch` keeps sacreBLEU's own classes.
"""

from .compat import corpus_bleu, corpus_chrf, raw_corpus_bleu, sentence_bleu, sentence_chrf
from .metrics.bleu import BLEU
from .metrics.chrf import CHRF
from .peer import find_submodules, hand_on
from .version import __version__

#: Names that are sacreBLEU's own, and the modules there that define them.
_OF_PEER = {
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
    *_OF_PEER,
]

find_submodules()
__getattr__ = hand_on(__name__, _OF_PEER)
