"""The n-gram match of CodeBLEU, `CodeBLEU/bleu.py`: NLTK's BLEU, smoothed by its method 1 unless told otherwise."""

from __future__ import annotations

from .. import nltk
from ..arguments import aligned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["corpus_bleu", "sentence_bleu"]

_NAMES = ("hypotheses", "list_of_references")


def sentence_bleu(
    references: Sequence[Sequence[Any]],
    hypothesis: Sequence[Any],
    weights: Sequence[float] = (0.25, 0.25, 0.25, 0.25),
    smoothing_function: Any = None,
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
    smoothing_function: Any = None,
    auto_reweigh: bool = False,
) -> float:
    """Score a corpus.

    Args:
        list_of_references: For each hypothesis its references, at least one, each a sequence of hashable tokens.
        hypotheses: As many sequences of tokens.
        weights: One number for each order.
        smoothing_function: As for `fastbleu.compat.nltk.corpus_bleu`; None: method 1.
        auto_reweigh: If the hypotheses have fewer than 4 tokens and `weights` is (0.25,) * 4, spread them over as many
            orders as there are tokens.

    Returns:
        The score, 0..1; the integer 0 if no token matches. An order without a match counts 0.1 matches.

    Raises:
        AssertionError: There are more hypotheses than lists of references, or fewer.
        TypeError: Something is not a sequence of hashable tokens.
        ValueError: A segment has no reference.

    Example:
        >>> corpus_bleu([["int x = 0 ;".split()], ["x ++ ;".split()]], ["int y = 0 ;".split(), "x ++ ;".split()])
        0.3140084866979345
    """
    segments, lists = aligned(hypotheses, list_of_references, _NAMES, like_nltk=True)
    if not len(weights) or not len(segments):
        return 0
    smooth = smoothing_function or nltk.SmoothingFunction().method1
    score: float = nltk.corpus_bleu(lists, segments, weights, smooth, auto_reweigh)
    return score
