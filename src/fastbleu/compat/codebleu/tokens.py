"""Segments of tokens as the two n-gram matches of CodeBLEU take them, and what matches them."""

from __future__ import annotations

from functools import lru_cache

from ...counting.matcher import Matcher
from ...errors import ArgumentValueError, Place, describe
from ...inputs.reading import as_list, tokens_or_characters
from ...tokenizers.names import get_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@lru_cache(maxsize=16)
def matcher_of(order: int) -> Matcher:
    """A matcher of tokens for the orders 1..`order`; the closest reference length counts."""
    return Matcher(get_tokenizer("none"), max_ngram_order=order)


def refuse_smoothing(smoothing_function: Any) -> None:
    """Refuse a smoothing function.

    Raises:
        TypeError: There is one.
    """
    if smoothing_function is not None:
        raise TypeError(
            "smoothing_function must be None, which is CodeBLEU's own; for others use fastbleu.compat.nltk, "
            f"not {describe(smoothing_function)}"
        )


def check_segments(
    list_of_references: Any, hypotheses: Any, weighted: bool = False
) -> tuple[list[Any], list[Any]]:
    """The references and the hypotheses as lists, and their tokens as lists, too.

    Args:
        list_of_references: For each hypothesis its references.
        hypotheses: Sequences of tokens.
        weighted: Whether each reference is a sequence that begins with tokens and their weights.

    Raises:
        AssertionError: There are more of one than of the other.
        TypeError: Something is not a sequence.
        ValueError: A segment has no reference.
    """
    lists: list[Any] = [
        as_list(some, Place("list_of_references")[i])
        for i, some in enumerate(as_list(list_of_references, "list_of_references"))
    ]
    segments = as_list(hypotheses, "hypotheses")
    if len(lists) != len(segments):
        raise AssertionError(
            "The number of hypotheses and their reference(s) should be the same, "
            f"but there are {len(segments)} hypotheses and references for {len(lists)}"
        )
    if not all(lists):
        i = next(i for i, some in enumerate(lists) if not some)
        raise ArgumentValueError(Place("list_of_references")[i], "holds no reference")
    where = (Place("list_of_references")[i, k] for i, some in enumerate(lists) for k in range(len(some)))
    flat = [reference for some in lists for reference in some]
    tokens = [pair[0] for pair in flat] if weighted else flat
    checked = tokens_or_characters(tokens, "list_of_references", where)
    if checked is not tokens:
        if weighted:
            checked = [[found, *pair[1:]] for found, pair in zip(checked, flat, strict=True)]
        references = iter(checked)
        lists = [[next(references) for _ in some] for some in lists]
    return lists, tokens_or_characters(list(segments), "hypotheses")
