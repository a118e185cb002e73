"""Count a few segments that are str or lists of tokens. This is faster than converting them to columns."""

from __future__ import annotations

from operator import add

from ..errors import ArgumentError
from ..inputs.reading import HYPOTHESES, REFERENCES
from .row_sums import Totals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .matcher import Matcher

#: `count_few` counts at most this many segments.
_MAX_SEGMENTS = 16

#: `count_few` counts segments of these types.
_SEGMENT_TYPES = (str, list, tuple)


def count_single(matcher: Matcher, hypotheses: Any, streams: Any) -> Totals | None:
    """Count a corpus of one segment directly, without creating a `Corpus`.

    Args:
        matcher: A matcher with the options of tokenizing and counting.
        hypotheses: A list or tuple of one str, or of one list of tokens.
        streams: A list of streams, each a list or tuple of one reference.

    Returns:
        The counts of the segment; or None if the arguments are anything else. The caller must then pass them to a
        `Corpus`, which counts them or raises an error.

    Raises:
        TypeError, ValueError: The segment or a reference is invalid. The errors are those of `Corpus.count`.

    Example:
        >>> from fastbleu.counting.matcher import cached_matcher
        >>> from fastbleu.tokenizers.names import get_tokenizer
        >>> matcher = cached_matcher(get_tokenizer("none"), max_ngram_order=2)
        >>> count_single(matcher, ["the cat sat"], [["the cat is here"]]).row
        [3, 4, 2, 1, 3, 2]
        >>> count_single(matcher, ["the cat sat"], ["the cat is here"])
    """
    if not isinstance(hypotheses, (list, tuple)) or len(hypotheses) != 1:
        return None
    if type(streams) is not list or not streams:
        return None
    counter = matcher.counter_for_segment(hypotheses[0])
    if counter is None:
        return None
    references = []
    for stream in streams:
        if not isinstance(stream, (list, tuple)) or len(stream) != 1:
            return None
        if counter is matcher.id_counter and type(stream[0]) not in (list, tuple):
            return None  # An array may contain ids that are not tokens, such as padding.
        references.append(stream[0])
    try:
        return Totals(*counter.count_one(hypotheses[0], references, matcher.lowercase))
    except ArgumentError as error:
        # The kernel's error has the index of a reference in the segment; replace it by the indices in the arguments.
        if error.argument == "hypothesis":
            raise error.at(HYPOTHESES[(0, *error.indices)]) from None
        s, *rest = error.indices or (None,)
        raise error.at(REFERENCES if s is None else REFERENCES[(s, 0, *rest)]) from None


def count_few(matcher: Matcher, segments: Any, lists: Any) -> list[int] | None:
    """Count a few segments without converting them to columns, and return the sum of their rows.

    Args:
        matcher: A matcher with the options of tokenizing and counting.
        segments: 1 to 16 segments of one type: str, list or tuple of tokens.
        lists: A sequence of references for each segment.

    Returns:
        The sum of the rows, 2 + 2N int; or None if the arguments are anything else or invalid. The caller must then
        pass them to a `Corpus`, which counts them or raises an error.

    Example:
        >>> from fastbleu.counting.matcher import cached_matcher
        >>> from fastbleu.tokenizers.names import get_tokenizer
        >>> matcher = cached_matcher(get_tokenizer("none"), max_ngram_order=2)
        >>> count_few(matcher, ["the cat sat", "it rains"], [["the cat is here"], ["it rained"]])
        [5, 6, 3, 1, 5, 3]
    """
    if not 0 < len(segments) <= _MAX_SEGMENTS or len(segments) != len(lists):
        return None
    kind = type(segments[0])
    total: list[int] = []
    try:
        for segment, references in zip(segments, lists, strict=True):
            if type(segment) is not kind or kind not in _SEGMENT_TYPES:
                return None
            row, _, number = matcher.count_one(segment, references)
            if number != len(references):
                return None  # A reference is None.
            total = list(map(add, total, row)) if total else row
    except (TypeError, ValueError):
        return None
    return total
