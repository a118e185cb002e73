"""Arguments of drop-in replacements: corpora side by side, segments as tokens; and how they are counted.

Peers differ in the shapes that they take and in the errors that they raise. Their modules say which; the steps that
they share are here. Nothing in this module computes a score.
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

    #: What becomes of a str where a list of tokens is expected: its characters are tokens, after a warning or without
    #: one; or it is an error.
    Characters = Literal["warn", "take", "refuse"]

_WHITE_SPACE = get_tokenizer("none")

#: Texts that are joined to search them for characters; a joined copy stays small.
_CHUNK_TEXTS = 4096

#: Types of segments that are counted as they are.
_PLAIN = {list, tuple}


def token_matcher(
    order: int, reference_length: ReferenceLength = "closest", lowercase: bool = False
) -> Matcher:
    """Return the matcher of tokens, or of text between white space, for the orders 1..`order`."""
    return kept_matcher(_WHITE_SPACE, lowercase, order, reference_length)


def aligned(
    hypotheses: Any,
    references: Any,
    names: tuple[str, str],
    like_nltk: bool = False,
) -> tuple[Any, Any]:
    """Return two sequences of the same length in a form that reads quickly.

    Args:
        hypotheses: The segments.
        references: For each of them its references.
        names: What errors call the two.
        like_nltk: Allow that there is no segment, and raise an AssertionError where one sequence is longer.

    Raises:
        TypeError: One of them is a bare str, or not a sequence.
        ValueError: One of them is longer, or there is no segment.

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
    """Return a segment as a list or tuple of tokens: the characters of a str, an array's numbers as Python's.

    Args:
        segment: The segment.
        where: What errors call it.

    Raises:
        TypeError: It is not a sequence.
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
        name: What warnings and errors call it.
        characters: What becomes of a str.
        where: The places of all segments, if they are not name[i]; read only to say where.

    Raises:
        TypeError: A segment is not a sequence, or it is a str and must not be.

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
    """Return the references of each segment as lists of tokens; arguments and errors as of `token_lists`."""
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
    """Check that each of some texts is a str, or None where it may be absent.

    Raises:
        TypeError: One is not; says which.
    """
    for i, text in enumerate(texts):
        if not isinstance(text, str) and not (absent and text is None):
            raise wrong_type(where[i], what, text)


def characters_in(sought: str, texts: Iterable[str]) -> set[str]:
    r"""Find which of some characters are in texts.

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
    """Return the row of a corpus: both lengths, the matches of each order, the candidates of each order.

    Args:
        matcher: Counts.
        segments: n >= 1 segments, as `aligned` returns them.
        lists: For each of them a sequence of at least one reference.
        names: What errors call the two.

    Raises:
        TypeError: Something is not a segment that the matcher takes.
        ValueError: A segment has no reference.

    Example:
        >>> count_corpus(token_matcher(2, "shortest"), ["a b c"], [["a b", "a b d e"]], ("outputs", "references"))
        [3, 2, 2, 1, 3, 2]
    """
    row = count_few(matcher, segments, lists)
    if row is not None:
        return row
    if len(lists) and are_plain(lists) and lists[0] and len({*map(len, lists)}) == 1:
        # Streams without gaps need no further look.
        streams = PerSegment(lists, Place(names[1])).streams()
        return Corpus(matcher, column_of(segments, names[0]), streams).count().row
    return read_corpus_per_segment(matcher, segments, lists, names).count().row
