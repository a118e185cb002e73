"""Functions that several drop-in replacements share: they check arguments, and count n-gram matches."""

from __future__ import annotations

from itertools import islice

from ..counting.corpus import Corpus, read_corpus_per_segment
from ..counting.few_segments import count_few
from ..counting.matcher import cached_matcher
from ..errors import ArgumentValueError, Location, wrong_type
from ..inputs._tokens import types_of
from ..inputs.columns import PerSegment, as_sequence, column_of
from ..inputs.reading import as_list
from ..tokenizers.names import get_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..counting.matcher import Matcher
    from ..options import ReferenceLength

_WHITE_SPACE = get_tokenizer("none")

#: The number of texts that `characters_in` joins at a time. It is limited so that the joined copy stays small.
_CHUNK_TEXTS = 4096

#: The types of token sequences that compiled code reads without conversion.
_PLAIN = {list, tuple}


def token_matcher(
    order: int, reference_length: ReferenceLength = "closest", lowercase: bool = False
) -> Matcher:
    """Return a matcher that counts n-grams of the orders 1 to `order`, over the items of a list or the words of a str.

    Args:
        order: The largest order of n-grams, >= 1.
        reference_length: How to choose the reference length of a segment with several references.
        lowercase: Ignore case.
    """
    return cached_matcher(_WHITE_SPACE, lowercase, order, reference_length)


def aligned(
    hypotheses: Any, references: Any, names: tuple[str, str], like_nltk: bool = False
) -> tuple[Any, Any]:
    """Check that hypotheses and references have the same length, and return both as sequences.

    Args:
        hypotheses: n segments.
        references: n items, each with the references of one segment.
        names: The names of the two arguments, for error messages.
        like_nltk: Behave like NLTK: allow n = 0, and raise an AssertionError, not a ValueError, for unequal lengths.

    Raises:
        TypeError: An argument is a bare str, or not a sequence.
        ValueError: The lengths differ, or there is no segment.
        AssertionError: The lengths differ, and `like_nltk` is set.

    Example:
        >>> aligned(["a", "b"], [["a"]], ("predictions", "references"))
        Traceback (most recent call last):
        fastbleu.errors.ArgumentValueError: predictions and references must be of the same length, not 2 and 1
    """
    segments, lists = as_list(hypotheses, names[0]), as_list(references, names[1])
    if len(segments) != len(lists):
        reason = f"and {names[1]} must be of the same length, not {len(segments)} and {len(lists)}"
        raise AssertionError(f"{names[0]} {reason}") if like_nltk else ArgumentValueError(names[0], reason)
    if not like_nltk and not len(segments):
        raise ArgumentValueError(names[0], "is empty; a corpus score needs at least one segment")
    return segments, lists


def are_plain(segments: Any) -> bool:
    """Return whether every segment is a list or a tuple."""
    return types_of(segments) <= _PLAIN


def as_tokens(segment: Any, where: str | Location) -> list[Any] | tuple[Any, ...]:
    """Return the tokens of a segment as a list or tuple.

    Args:
        segment: A sequence of tokens. The tokens of a str are its characters; those of an array become Python numbers.
        where: The argument and the index of the segment, for error messages.

    Raises:
        TypeError: The segment is not a sequence.
    """
    if isinstance(segment, (list, tuple)):
        return segment
    if isinstance(segment, (str, bytes)):
        return list(segment)
    return as_sequence(segment, where)


def check_texts(
    texts: Iterable[Any], where: Location, expected: str = "a str", allow_none: bool = False
) -> None:
    """Check that every text is a str.

    Args:
        texts: The texts to check.
        where: The name of the argument with the texts, for error messages.
        expected: The expected type, as the error message describes it.
        allow_none: Whether a text may also be None.

    Raises:
        TypeError: A text has another type; the error names its index.
    """
    for i, text in enumerate(texts):
        if not isinstance(text, str) and not (allow_none and text is None):
            raise wrong_type(where[i], expected, text)


def characters_in(sought: str, texts: Iterable[str]) -> set[str]:
    r"""Return those characters of `sought` that occur in any of the texts.

    Raises:
        TypeError: A text is not a str.

    Example:
        >>> characters_in("&\n", ["a & b", "c"])
        {'&'}
    """
    present: set[str] = set()
    texts = iter(texts)
    while chunk := list(islice(texts, _CHUNK_TEXTS)):
        present.update(filter("".join(chunk).__contains__, sought))
    return present


def count_corpus(matcher: Matcher, segments: Any, lists: Any, names: tuple[str, str]) -> list[int]:
    """Count the n-gram matches of a corpus.

    Args:
        matcher: The matcher that counts, up to the order N.
        segments: n >= 1 segments, as `aligned` returns them.
        lists: The references of each segment, at least one each.
        names: The names of the arguments `segments` and `lists`, for error messages.

    Returns:
        The sufficient statistics of the corpus, [2 + 2N]: sys_len, ref_len, correct_1..N, total_1..N.

    Raises:
        TypeError: A segment is of a type that the matcher does not accept.
        ValueError: A segment has no reference.

    Example:
        >>> count_corpus(token_matcher(2, "shortest"), ["a b c"], [["a b", "a b d e"]], ("outputs", "references"))
        [3, 2, 2, 1, 3, 2]
    """
    row = count_few(matcher, segments, lists)
    if row is not None:
        return row
    if len(lists) and are_plain(lists) and lists[0] and len({*map(len, lists)}) == 1:
        # All segments have equally many references, at least one. So they need not be checked one by one.
        streams = PerSegment(lists, Location(names[1])).streams()
        return Corpus(matcher, column_of(segments, names[0]), streams).count().row
    return read_corpus_per_segment(matcher, segments, lists, names).count().row
