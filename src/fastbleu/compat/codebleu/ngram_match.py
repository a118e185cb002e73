"""The n-gram match of CodeBLEU, `CodeBLEU/bleu.py`: NLTK's BLEU, smoothed by its method 1 unless told otherwise."""

from __future__ import annotations

from ...errors import describe
from ...scoring import codebleu as formula
from ..arguments import aligned, count_corpus, token_lists, token_lists_per_segment, token_matcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["corpus_bleu", "sentence_bleu"]

_NAMES = ("hypotheses", "list_of_references")


def read_corpus(list_of_references: Any, hypotheses: Any, smoothing_function: Any) -> tuple[Any, Any]:
    """Return the hypotheses as lists of tokens, and the references as they are, both aligned.

    Raises:
        AssertionError: There are more of one than of the other.
        TypeError: Something is not a sequence, or there is a smoothing function.
    """
    if smoothing_function is not None:
        raise TypeError(
            "smoothing_function must be None, which is CodeBLEU's own; for others use fastbleu.compat.nltk, "
            f"not {describe(smoothing_function)}"
        )
    segments, lists = aligned(hypotheses, list_of_references, _NAMES, like_nltk=True)
    return token_lists(segments, _NAMES[0]), lists


def sentence_bleu(
    references: Sequence[Sequence[Any]],
    hypothesis: Sequence[Any],
    weights: Sequence[float] = (0.25, 0.25, 0.25, 0.25),
    smoothing_function: None = None,
    auto_reweigh: bool = False,
) -> float:
    """Score one segment: `corpus_bleu` of it alone.

    Example:
        >>> sentence_bleu(["int x = 0 ;".split()], "int y = 0 ;".split())
        0.28574404296988
    """
    return corpus_bleu([references], [hypothesis], weights, smoothing_function, auto_reweigh)


def corpus_bleu(
    list_of_references: Sequence[Sequence[Sequence[Any]]],
    hypotheses: Sequence[Sequence[Any]],
    weights: Sequence[float] = (0.25, 0.25, 0.25, 0.25),
    smoothing_function: None = None,
    auto_reweigh: bool = False,
) -> float:
    """Score a corpus.

    Args:
        list_of_references: For each hypothesis its references, at least one, each a sequence of hashable tokens.
        hypotheses: As many sequences of tokens.
        weights: One number for each order.
        smoothing_function: None.
        auto_reweigh: If the hypotheses have fewer than 4 tokens and `weights` is (0.25,) * 4, spread them over as many
            orders as there are tokens.

    Returns:
        The score, 0..1; the integer 0 if no token matches. An order without a match counts 0.1 matches.

    Raises:
        AssertionError: There are more hypotheses than lists of references, or fewer.
        TypeError: Something is not a sequence of hashable tokens, or there is a smoothing function.
        ValueError: A segment has no reference.

    Example:
        >>> corpus_bleu([["int x = 0 ;".split()], ["x ++ ;".split()]], ["int y = 0 ;".split(), "x ++ ;".split()])
        0.3140084866979345
    """
    segments, lists = read_corpus(list_of_references, hypotheses, smoothing_function)
    lists = token_lists_per_segment(lists, _NAMES[1])
    if not len(weights) or not segments:
        return 0
    row = count_corpus(token_matcher(len(weights)), segments, lists, _NAMES)
    return formula.ngram_match(row, map(len, segments), weights, auto_reweigh)
