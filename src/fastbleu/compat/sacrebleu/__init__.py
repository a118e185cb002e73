"""sacreBLEU 2.6.0, whole: BLEU counted by fastbleu, and everything else from the installed sacreBLEU.

    import fastbleu.compat.sacrebleu as sacrebleu            # instead of: import sacrebleu
    from fastbleu.compat.sacrebleu.metrics import BLEU, CHRF

    sys.modules["sacrebleu"] = fastbleu.compat.sacrebleu     # for code that cannot be changed, before it is imported

`BLEU`, `corpus_bleu`, `sentence_bleu` and `raw_corpus_bleu` are fastbleu's. They give sacreBLEU's numbers, strings,
signatures, attributes and half-private methods. Every other name and every other submodule (chrF, TER, test sets,
tokenizers, significance tests) is the installed sacreBLEU's own, imported when it is first asked for. Without
sacreBLEU, asking for one of these is an ImportError. `__version__` is the release that the numbers equal.

It does what sacreBLEU does, misshapen input included: streams of unequal length are cut to the shortest, and a str in
the place of a list is a list of characters. A `UserWarning` says what is wrong and which segments were scored. `BLEU`
of `fastbleu` itself refuses this input.

Where it differs, deliberately:

- NumPy arrays, pandas columns and other sequences of text are taken, where sacreBLEU wants lists and tuples; with
  `tokenize="none"`, tokens and token ids too.
- A negative or infinite `smooth_value` is a ValueError.
- A BLEU score is not an instance of `metrics.base.Score`, nor a signature one of `metrics.base.Signature`. Where that
  matters, `fastbleu.patch` keeps sacreBLEU's own classes.
"""

from .compat import corpus_bleu, raw_corpus_bleu, sentence_bleu
from .metrics.bleu import BLEU
from .peer import find_submodules, hand_on
from .version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    CHRF: Any
    DATASETS: Any
    SACREBLEU_DIR: Any
    TER: Any
    corpus_chrf: Any
    corpus_ter: Any
    download_test_set: Any
    extract_char_ngrams: Any
    extract_word_ngrams: Any
    get_available_testsets: Any
    get_langpairs_for_testset: Any
    get_reference_files: Any
    get_source_file: Any
    sentence_chrf: Any
    sentence_ter: Any
    smart_open: Any

__all__ = [
    "BLEU",
    "CHRF",
    "DATASETS",
    "SACREBLEU_DIR",
    "TER",
    "__version__",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "download_test_set",
    "extract_char_ngrams",
    "extract_word_ngrams",
    "get_available_testsets",
    "get_langpairs_for_testset",
    "get_reference_files",
    "get_source_file",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_ter",
    "smart_open",
]

_UTILS = (
    "SACREBLEU_DIR",
    "download_test_set",
    "get_available_testsets",
    "get_langpairs_for_testset",
    "get_reference_files",
    "get_source_file",
    "smart_open",
)

find_submodules()
__getattr__ = hand_on(
    __name__,
    {
        **dict.fromkeys(_UTILS, "utils"),
        **dict.fromkeys(("corpus_chrf", "corpus_ter", "sentence_chrf", "sentence_ter"), "compat"),
        **dict.fromkeys(("extract_char_ngrams", "extract_word_ngrams"), "metrics.helpers"),
        "CHRF": "metrics.chrf",
        "TER": "metrics.ter",
        "DATASETS": "dataset",
    },
)
