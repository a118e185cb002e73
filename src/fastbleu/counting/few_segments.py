"""A few plain segments and their references, counted without making columns of them, which would take longer."""

from __future__ import annotations

from operator import add

from ..errors import ArgumentError
from ..inputs.reading import HYPOTHESES, REFERENCES
from .totals import Totals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .matcher import Matcher

#: The most segments of a call that are counted so, one by one.
_FEW = 16

#: Types of segments that are counted so.
_FEW_KINDS = (str, list, tuple)


def count_single(matcher: Matcher, hypotheses: Any, streams: Any) -> Totals | None:
    """Count one plain segment with streams of one reference each, in the short way.

    Args:
        matcher: The options that decide tokens and lengths.
        hypotheses: A list or tuple of one text, or of one list of tokens.
        streams: A list of lists or tuples.

    Returns:
        What it comes to. None if it is anything else: the long way counts it, or says what is wrong, and where.

    Raises:
        TypeError, ValueError: As `Corpus.count`.

    Example:
        >>> from fastbleu.counting.matcher import kept_matcher
        >>> from fastbleu.tokenizers.names import get_tokenizer
        >>> matcher = kept_matcher(get_tokenizer("none"), max_ngram_order=2)
        >>> count_single(matcher, ["the cat sat"], [["the cat is here"]]).row
        [3, 4, 2, 1, 3, 2]
        >>> count_single(matcher, ["the cat sat"], ["the cat is here"])
    """
    if not isinstance(hypotheses, (list, tuple)) or len(hypotheses) != 1:
        return None
    if type(streams) is not list or not streams:
        return None
    counter = matcher.counter_of_one(hypotheses[0])
    if counter is None:
        return None
    references = []
    for stream in streams:
        if not isinstance(stream, (list, tuple)) or len(stream) != 1:
            return None
        if counter is matcher.id_counter and type(stream[0]) not in (list, tuple):
            return None  # an array has ids that are not tokens
        references.append(stream[0])
    try:
        return Totals(*counter.count_one(hypotheses[0], references, matcher.lowercase))
    except ArgumentError as error:
        # The kernel names one hypothesis and its references.
        if error.argument == "hypothesis":
            raise error.at(HYPOTHESES[(0, *error.indices)]) from None
        s, *rest = error.indices or (None,)
        raise error.at(REFERENCES if s is None else REFERENCES[(s, 0, *rest)]) from None


def count_few(matcher: Matcher, segments: Any, lists: Any) -> list[int] | None:
    """Count a few plain segments with their references, in the short way.

    Args:
        matcher: The options that decide tokens and lengths.
        segments: Segments of text, or lists or tuples of tokens.
        lists: For each a sequence of references.

    Returns:
        The sum of their rows. None if there are many, if they are anything else, or if anything is wrong with them: the
        long way counts them, or says what is wrong, and where.

    Example:
        >>> from fastbleu.counting.matcher import kept_matcher
        >>> from fastbleu.tokenizers.names import get_tokenizer
        >>> matcher = kept_matcher(get_tokenizer("none"), max_ngram_order=2)
        >>> count_few(matcher, ["the cat sat", "it rains"], [["the cat is here"], ["it rained"]])
        [5, 6, 3, 1, 5, 3]
    """
    if not 0 < len(segments) <= _FEW or len(segments) != len(lists):
        return None
    kind = type(segments[0])
    total: list[int] = []
    try:
        for segment, references in zip(segments, lists, strict=True):
            if type(segment) is not kind or kind not in _FEW_KINDS:
                return None
            row, _, number = matcher.count_one(segment, references)
            if number != len(references):
                return None  # a reference is None
            total = list(map(add, total, row)) if total else row
    except (TypeError, ValueError):
        return None
    return total
