"""`sacrebleu.compat`: one call instead of a metric. BLEU and chrF are counted by fastbleu, TER is sacreBLEU's."""

from __future__ import annotations

from .metrics.bleu import BLEU
from .metrics.chrf import CHRF
from .peer import hand_on

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...scoring.chrf_formula import CHRFScore
    from ...scoring.score import BLEUScore

_OF_PEER = ("corpus_ter", "sentence_ter")

__all__ = [  # noqa: PLE0604  # all are str
    "corpus_bleu",
    "corpus_chrf",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
    *_OF_PEER,
]

__getattr__ = hand_on(__name__, dict.fromkeys(_OF_PEER, "compat"))


def corpus_bleu(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str | None]],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str | None = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = False,
) -> BLEUScore:
    """Score a system's output as a whole.

    Arguments and result are those of `fastbleu.corpus_bleu`, misshapen input and errors those of `BLEU` here.

    Example:
        >>> corpus_bleu(["the cat sat on the mat"], [["the cat sat on the mat"]]).score
        100.00000000000004
    """
    metric = BLEU(
        lowercase, force, tokenize, smooth_method, smooth_value, effective_order=use_effective_order
    )
    return metric.corpus_score(hypotheses, references)


def raw_corpus_bleu(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str | None]],
    smooth_value: float | None = BLEU.SMOOTH_DEFAULTS["floor"],
) -> BLEUScore:
    """Score tokenized output: no tokenizer, "floor" smoothing, effective order.

    Arguments and result are those of `fastbleu.raw_corpus_bleu`, misshapen input and errors those of `BLEU` here.

    Example:
        >>> round(raw_corpus_bleu(["the cat sat ."], [["the cat sits ."]]).score, 2)
        18.8
    """
    return corpus_bleu(
        hypotheses, references, "floor", smooth_value, True, tokenize="none", use_effective_order=True
    )


def sentence_bleu(
    hypothesis: str,
    references: Sequence[str | None],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    lowercase: bool = False,
    tokenize: str | None = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = True,
) -> BLEUScore:
    """Score one segment, with effective order.

    Arguments and result are those of `fastbleu.sentence_bleu`, misshapen input and errors those of `BLEU` here.

    Example:
        >>> round(sentence_bleu("the cat sat", ["the cat sat down"]).score, 2)
        71.65
    """
    metric = BLEU(
        lowercase, False, tokenize, smooth_method, smooth_value, effective_order=use_effective_order
    )
    return metric.sentence_score(hypothesis, references)


def corpus_chrf(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str | None]],
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: int = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """Score a system's output as a whole by chrF; with `word_order=2`, by chrF++.

    Arguments and errors are those of `CHRF` here; `remove_whitespace` is the opposite of its `whitespace`.

    Example:
        >>> corpus_chrf(["the cat sat on the mat"], [["a cat sat on the mat"]])
        chrF2 = 88.96
    """
    metric = CHRF(char_order, word_order, beta, False, not remove_whitespace, eps_smoothing)
    return metric.corpus_score(hypotheses, references)


def sentence_chrf(
    hypothesis: str,
    references: Sequence[str | None],
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: int = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """Score one segment by chrF; arguments as for `corpus_chrf`.

    Example:
        >>> sentence_chrf("the cat sat", ["the cat sat down"])
        chrF2 = 66.02
    """
    metric = CHRF(char_order, word_order, beta, False, not remove_whitespace, eps_smoothing)
    return metric.sentence_score(hypothesis, references)
