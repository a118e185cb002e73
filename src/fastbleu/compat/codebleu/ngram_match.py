"""The n-gram match of CodeBLEU, `CodeBLEU/bleu.py`: NLTK's BLEU, smoothed by its method 1 unless told otherwise."""

from __future__ import annotations

from operator import add

from ...counting.corpus import read_corpus_per_segment, rows_of
from ...counting.rows import empty_rows
from ...scoring.nltk import Constants, method1, score
from .tokens import check_segments, matcher_of, refuse_smoothing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


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
    refuse_smoothing(smoothing_function)
    lists, segments = check_segments(list_of_references, hypotheses)
    order = len(weights)
    if not order or not segments:
        return 0
    rows = empty_rows(len(segments), order)
    names = ("hypotheses", "list_of_references")
    row = read_corpus_per_segment(matcher_of(order), segments, lists, names).count(rows_of(rows)).row
    # A segment too short for an order has one candidate of it.
    shorter = (rows[:, 2 + order :] == 0).sum(axis=0).tolist()
    candidates = list(map(add, row[2 + order :], shorter))
    found: float = score(row[2 : 2 + order], candidates, row[0], row[1], [weights], _smooth, auto_reweigh)
    return found


def _smooth(matches: list[int], candidates: list[int]) -> list[float]:
    return method1(matches, candidates, Constants)
