"""Check and count the arguments of drop-in replacements.

The original implementations differ in the shapes that they accept and in the errors that they raise, as the module of
each describes. This module has the steps that they share. It computes no score.
"""

from __future__ import annotations

from itertools import chain, islice

from ..counting.corpus import Corpus, read_corpus_per_segment
from ..counting.few_segments import count_few
from ..counting.matcher import kept_matcher
from ..errors import ArgumentTypeError, ArgumentValueError, Place, describe, wrong_type
from ..inputs._tokens import as_sequence, types_of
from ..inputs.columns import PerSegment, column_of
from ..inputs.reading import as_list
from ..tokenizers.names import get_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Literal

    from ..counting.matcher import Matcher
    from ..options import ReferenceLength

    #: How to treat a str where a list of tokens is expected: take its characters as tokens, with or without a warning,
    #: or refuse it.
    Characters = Literal["warn", "take", "refuse"]

_WHITE_SPACE = get_tokenizer("none")

#: The number of texts that are joined at a time to search for characters, so that the copy stays small.
_CHUNK_TEXTS = 4096

#: The types of segments that are counted without conversion.
_PLAIN = {list, tuple}


def token_matcher(
    order: int, reference_length: ReferenceLength = "closest", lowercase: bool = False
) -> Matcher:
    """Return the matcher of the orders 1..`order` for tokens, or for text that is split at white space."""
    return kept_matcher(_WHITE_SPACE, lowercase, order, reference_length)


def aligned(
    hypotheses: Any,
    references: Any,
    names: tuple[str, str],
    like_nltk: bool = False,
) -> tuple[Any, Any]:
    """Check that hypotheses and references have the same length, and return both in a form that is fast to read.

    Args:
        hypotheses: n segments.
        references: The references of each segment, n items.
        names: The names of the two arguments, for errors.
        like_nltk: Allow n = 0, and raise an AssertionError for unequal lengths.

    Raises:
        TypeError: An argument is a bare str, or not a sequence.
        ValueError: The lengths differ, or there is no segment.

    Example:
        >>> aligned(["a", "b"], [["a"]], ("predictions", "references"))
        Traceback (most recent call last):
        fastbleu.errors.ArgumentValueError: predictions and references must be of the same length, not 2 and 1
    """
    segments, lists = as_list(hypotheses, names[0]), as_list(references, names[1])
    if len(segments) != len(lists):
        found = f"and {names[1]} must be of the same length, not {len(segments)} and {len(lists)}"
        raise AssertionError(f"{names[0]} {found}") if like_nltk else ArgumentValueError(names[0], found)
    if not like_nltk and not len(segments):
        raise ArgumentValueError(names[0], "is empty; a corpus score needs at least one segment")
    return segments, lists


def are_plain(segments: Any) -> bool:
    """Return whether all segments are lists or tuples of tokens."""
    return types_of(segments) <= _PLAIN


def as_tokens(segment: Any, where: str | Place) -> list[Any] | tuple[Any, ...]:
    """Return a segment as a list or tuple of tokens: the characters of a str, Python numbers for an array.

    Args:
        segment: The segment.
        where: The argument and index of the segment, for errors.

    Raises:
        TypeError: The segment is not a sequence.
    """
    if isinstance(segment, (list, tuple)):
        return segment
    if isinstance(segment, (str, bytes)):
        return list(segment)
    return as_sequence(segment, where)


def token_lists(segments: Any, name: str, characters: Characters = "warn", where: Any = None) -> Any:
    """Return segments as lists or tuples of tokens.

    Args:
        segments: A list of segments.
        name: The name of the argument, for warnings and errors.
        characters: How to treat a str.
        where: The position of each segment, for warnings and errors, if it is not name[i].

    Raises:
        TypeError: A segment is not a sequence, or is a str although `characters` is "refuse".

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     token_lists([["a", "b"], "ab"], "translations")
        [['a', 'b'], ['a', 'b']]
        >>> print(caught[0].message)
        translations[1] is str: 'ab', of which each character is a token
    """
    if are_plain(segments):
        return segments
    places = list(map(Place(name).__getitem__, range(len(segments)))) if where is None else list(where)
    texts = [i for i, segment in enumerate(segments) if isinstance(segment, (str, bytes))]
    if texts and characters != "take":
        found = f"is {describe(segments[texts[0]])}"
        if characters == "refuse":
            raise ArgumentTypeError(
                places[texts[0]],
                f"{found}, where a sequence of tokens is expected; for characters pass list(text)",
                value=segments[texts[0]],
            )
        from warnings import warn

        warn(f"{places[texts[0]]} {found}, of which each character is a token", stacklevel=4)
    return [as_tokens(segment, places[i]) for i, segment in enumerate(segments)]


def token_lists_per_segment(lists: Any, name: str, characters: Characters = "warn") -> list[Any]:
    """Return the references of each segment as lists of tokens, with the arguments and errors of `token_lists`."""
    where = Place(name)
    if not are_plain(lists):
        lists = [as_list(some, where[i]) for i, some in enumerate(lists)]
    flat = list(chain.from_iterable(lists))
    checked = token_lists(
        flat, name, characters, (where[i, k] for i, some in enumerate(lists) for k in range(len(some)))
    )
    if checked is flat:
        return list(lists)
    each = iter(checked)
    return [list(islice(each, len(some))) for some in lists]


def check_texts(texts: Iterable[Any], where: Place, what: str = "a str", absent: bool = False) -> None:
    """Check that every text is a str, or also None if `absent`.

    Raises:
        TypeError: A text has another type; the error names its index.
    """
    for i, text in enumerate(texts):
        if not isinstance(text, str) and not (absent and text is None):
            raise wrong_type(where[i], what, text)


def characters_in(sought: str, texts: Iterable[str]) -> set[str]:
    r"""Return those characters of `sought` that occur in any of the texts.

    Raises:
        TypeError: A text is not a str.

    Example:
        >>> characters_in("&\n", ["a & b", "c"])
        {'&'}
    """
    found: set[str] = set()
    texts = iter(texts)
    while chunk := list(islice(texts, _CHUNK_TEXTS)):
        found.update(filter("".join(chunk).__contains__, sought))
    return found


def count_corpus(matcher: Matcher, segments: Any, lists: Any, names: tuple[str, str]) -> list[int]:
    """Return the sum of the rows of a corpus, [2 + 2N]: both lengths, matches and candidates of the orders 1..N.

    Args:
        matcher: The matcher that counts.
        segments: n >= 1 segments, as `aligned` returns them.
        lists: The references of each segment, at least one each.
        names: The names of the two arguments, for errors.

    Raises:
        TypeError: A segment is of a kind that the matcher does not accept.
        ValueError: A segment has no reference.

    Example:
        >>> count_corpus(token_matcher(2, "shortest"), ["a b c"], [["a b", "a b d e"]], ("outputs", "references"))
        [3, 2, 2, 1, 3, 2]
    """
    row = count_few(matcher, segments, lists)
    if row is not None:
        return row
    if len(lists) and are_plain(lists) and lists[0] and len({*map(len, lists)}) == 1:
        # Equal numbers of references form streams without gaps, which need no check per segment.
        streams = PerSegment(lists, Place(names[1])).streams()
        return Corpus(matcher, column_of(segments, names[0]), streams).count().row
    return read_corpus_per_segment(matcher, segments, lists, names).count().row
