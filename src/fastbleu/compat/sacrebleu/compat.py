"""Replacement for `sacrebleu.compat`: functions that create a metric in each call. TER is the installed sacreBLEU's."""

from __future__ import annotations

from .metrics.bleu import BLEU
from .metrics.chrf import CHRF
from .peer import forward

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...scoring.chrf_formula import CHRFScore
    from ...scoring.score import BLEUScore

_FORWARDED = ("corpus_ter", "sentence_ter")

__all__ = [  # noqa: PLE0604  # all are str
    "corpus_bleu",
    "corpus_chrf",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
    *_FORWARDED,
]

__getattr__ = forward(__name__, dict.fromkeys(_FORWARDED, "compat"))


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
    """Compute the BLEU of a corpus.

    Args:
        hypotheses: n >= 1 segments.
        references: Streams of n references each, `references[stream][segment]`.
        smooth_method: "exp", "floor", "add-k" or "none".
        smooth_value: The value for "floor" (0.1 if None) and "add-k" (1 if None), >= 0.
        force: Do not warn of hypotheses that look tokenized.
        lowercase: Ignore case.
        tokenize: The name of the tokenizer.
        use_effective_order: Exclude the orders for which the hypotheses are too short.

    Returns:
        The score, 0..100.

    Raises:
        AssertionError, KeyError, ImportError: An option is invalid, as for `BLEU`.
        TypeError, IndexError: In the same cases as `BLEU.corpus_score`.

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
    """Compute the BLEU of a tokenized corpus, with "floor" smoothing and effective order.

    Args:
        hypotheses: n >= 1 segments, whose tokens are separated by white space.
        references: As for `corpus_bleu`.
        smooth_value: The number of matches of an order without a match, >= 0.

    Returns:
        The score, 0..100.

    Raises:
        TypeError, IndexError: In the same cases as `corpus_bleu`.

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
    """Compute the BLEU of one segment.

    Args:
        hypothesis: The segment.
        references: The references of the segment, at least one; None is skipped.
        smooth_method: As for `corpus_bleu`.
        smooth_value: As for `corpus_bleu`.
        lowercase: As for `corpus_bleu`.
        tokenize: As for `corpus_bleu`.
        use_effective_order: As for `corpus_bleu`.

    Returns:
        The score, 0..100.

    Raises:
        AssertionError, KeyError, ImportError: An option is invalid, as for `BLEU`.
        TypeError: `hypothesis` or a reference is not a str, or `references` is not a sequence.

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
    """Compute the chrF of a corpus, or with `word_order=2` its chrF++.

    Args:
        hypotheses: n >= 1 segments.
        references: Streams of n references each, `references[stream][segment]`.
        char_order: The largest order of character n-grams, >= 0.
        word_order: The largest order of word n-grams, >= 0.
        beta: The weight of recall relative to precision.
        remove_whitespace: Do not count white space as characters.
        eps_smoothing: Average over all orders, with almost 0 for an order without a match. Otherwise, exclude the
            orders for which the hypotheses or the references are too short.

    Returns:
        The score, 0..100.

    Raises:
        TypeError, IndexError: In the same cases as `CHRF.corpus_score`.

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
    """Compute the chrF of one segment.

    Args:
        hypothesis: The segment.
        references: The references of the segment, at least one; None is skipped.
        char_order: As for `corpus_chrf`.
        word_order: As for `corpus_chrf`.
        beta: As for `corpus_chrf`.
        remove_whitespace: As for `corpus_chrf`.
        eps_smoothing: As for `corpus_chrf`.

    Returns:
        The score, 0..100.

    Raises:
        TypeError: `hypothesis` or a reference is not a str, or `references` is not a sequence.

    Example:
        >>> sentence_chrf("the cat sat", ["the cat sat down"])
        chrF2 = 66.02
    """
    metric = CHRF(char_order, word_order, beta, False, not remove_whitespace, eps_smoothing)
    return metric.sentence_score(hypothesis, references)
