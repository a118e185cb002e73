"""`sacrebleu.compat`: one call instead of a metric. BLEU is counted by fastbleu, the rest is sacreBLEU's."""

from __future__ import annotations

from .metrics.bleu import BLEU
from .peer import hand_on

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...scoring.score import BLEUScore

_OF_PEER = ("corpus_chrf", "corpus_ter", "sentence_chrf", "sentence_ter")

__all__ = ["corpus_bleu", "raw_corpus_bleu", "sentence_bleu", *_OF_PEER]  # noqa: PLE0604  # all are str

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
