"""What segments are, text, tokens or token ids: decided here, once, for every door."""

from __future__ import annotations

from ..errors import (
    NOWHERE,
    ArgumentError,
    ArgumentTypeError,
    ArgumentValueError,
    Place,
    describe,
    place,
    wrong_type,
)
from ._text import TextColumn, text_column
from .arrow import ArrowIds, ArrowLists, ArrowTokens, is_arrow, read_arrow
from .frames import as_column
from .ids import TokenIds, as_token_ids, is_number_array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Literal, TypeAlias

    from .text import Listed

    Kind: TypeAlias = Literal["text", "tokens", "token ids"]
    Names: TypeAlias = tuple[str, str]

#: The kinds of segments, as messages name them.
TEXT: Kind = "text"
TOKENS: Kind = "tokens"
IDS: Kind = "token ids"

#: What a corpus is made of, as errors name it.
NAMES = ("hypotheses", "references")
HYPOTHESES, REFERENCES = map(Place, NAMES)

#: What a list of segments is called in an error, and a list of references given in streams or per segment.
SEGMENTS = "a sequence of segments"
STREAMS = "a list of streams, references[stream][segment]"
PER_SEGMENT = "a sequence that holds the references of each segment, references[segment][k]"

#: Types of segments that are tokens without a doubt.
_TOKEN_LISTS = {list, tuple}

#: Types of segments that are no arrays.
_PLAIN = {list, tuple, str, type(None)}


class Segments:
    """Segments as a user holds them, and what they are.

    Args:
        held: A list, tuple or TextColumn, or TokenIds.
        name: What errors call them.
        are_references: Whether None among them stands for a reference that is absent.
        kind: What they are; None: what the first segment is.
        stream: Where they stand among the streams of that name, if they are one of them.

    Attributes:
        kind: TEXT, TOKENS or IDS; None where no segment is there.

    Example:
        >>> Segments([None, ["a", "b"]], "references").kind
        'tokens'
    """

    __slots__ = ("_name", "_stream", "are_references", "held", "kind")

    def __init__(
        self,
        held: Any,
        name: str | Place,
        are_references: bool = False,
        kind: Kind | None = None,
        stream: int = NOWHERE,
    ) -> None:
        self.held = held
        self.are_references = are_references
        self.kind = kind or _kind_of_first(held)
        self._name = name
        self._stream = stream

    @property
    def place(self) -> Place:
        """What errors call them."""
        name, stream = self._name, self._stream
        return name if stream == NOWHERE and isinstance(name, Place) else place(name, stream)

    def __len__(self) -> int:
        return len(self.held)

    def as_ids(self) -> Segments:
        """The same segments read as ids, as is everything beside ids. In lists of int no id is ignored.

        Raises:
            TypeError: They are no sequences of int.
        """
        if self.kind == IDS:
            return self
        first = next(iter(self.held), None)
        if isinstance(first, str):
            raise wrong_type(self.place[0], "token ids, as what it is compared with", first)
        held = list(self.held) if isinstance(self.held, ArrowTokens) else self.held
        ids = as_token_ids(held, self.place, ignore_id=None)
        return Segments(ids, self.place, self.are_references, IDS)

    def as_tokens(self) -> Segments:
        """Ids as lists of tokens."""
        lists = [self.held.tokens(i, self.place) for i in range(len(self))]
        return Segments(lists, self.place, self.are_references, TOKENS)


def tokens_or_characters(corpus: list[Any], name: str, where: Iterable[Place] | None = None) -> list[Any]:
    """Segments as stand-ins take them whose peers score a str by its characters: a list of them in its place.

    Args:
        corpus: Segments of tokens.
        name: What warnings and errors call them.
        where: The places of all of them, if they are not name[i]; read only to say where.

    Raises:
        TypeError: A segment is None.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     tokens_or_characters([["a", "b"], "ab"], "translations")
        [['a', 'b'], ['a', 'b']]
        >>> print(caught[0].message)
        translations[1] is str: 'ab', of which each character is a token
    """
    types = {*map(type, corpus)}
    if types <= _TOKEN_LISTS:
        return corpus
    odd = next(
        (i for i, segment in enumerate(corpus) if segment is None or isinstance(segment, (str, bytes))), None
    )
    if odd is None:
        return corpus
    from itertools import islice

    found = Place(name)[odd] if where is None else next(islice(where, odd, None))
    if corpus[odd] is None:
        raise wrong_type(found, "a sequence of tokens", None)
    from warnings import warn

    warn(f"{found} is {describe(corpus[odd])}, of which each character is a token", stacklevel=4)
    return [list(segment) if isinstance(segment, (str, bytes)) else segment for segment in corpus]


def _kind_of_first(held: Any) -> Kind | None:
    """What the first segment is that is there."""
    if isinstance(held, TokenIds):
        return IDS
    if isinstance(held, (TextColumn, ArrowTokens)):
        # No row need be read.
        return (TEXT if isinstance(held, TextColumn) else TOKENS) if len(held) else None
    for segment in held:
        if segment is not None:
            return kind_of(segment)
    return None


def kind_of(segment: Any) -> Kind:
    """What one segment is. A value that is neither text nor tokens counts as text: its reader refuses it."""
    return TEXT if isinstance(segment, (str, bytes)) or not hasattr(segment, "__len__") else TOKENS


def common_kind(sources: Iterable[Any]) -> Kind:
    """How to read several sources together: as ids if one of them is, else as the first that holds a segment."""
    found: Kind | None = None
    for source in sources:
        if source.kind == IDS:
            return IDS
        found = found or source.kind
    return found or TEXT


def as_list(value: Any, name: str | Place, what: str = SEGMENTS) -> Listed:
    """Checks that a value is a sequence, and gives it in a form that reads quickly.

    Args:
        value: A list, tuple, TextColumn, a column of a data frame, or any other sized iterable that is no str, mapping
            or set.
        name: What errors call it.
        what: What it must be.

    Raises:
        TypeError: It is none of these.
    """
    if isinstance(value, (list, tuple, TextColumn)):
        return value
    if isinstance(value, (str, bytes, bytearray)):
        left, right = ("[[", "]]") if what in (STREAMS, PER_SEGMENT) else ("[", "]")
        bare = f"must be {what}, not a bare {describe(value)}; for one segment pass {left}"
        raise ArgumentTypeError(name, bare, right, value=value)
    value = as_column(value, name, what, what == STREAMS)
    if type(value) is list:
        return value
    if is_arrow(value):
        held = read_arrow(value, name)
        return held if isinstance(held, TextColumn) else list(held)
    kind = type(value).__name__
    if hasattr(value, "__next__"):
        raise ArgumentTypeError(
            name, f"must be {what}, not a {kind}; make a list of it: list(", ")", value=value
        )
    dimensions = getattr(value, "ndim", 1)
    if (
        isinstance(value, (dict, set, frozenset, type))
        or dimensions == 0
        or not hasattr(value, "__len__")
        or not hasattr(value, "__iter__")
    ):
        raise wrong_type(name, what, value)
    if isinstance(value, memoryview) and dimensions > 1:
        import numpy as np

        return list(np.asarray(value))  # memoryview has no rows of its own
    return list(value)


def as_segments(
    value: Any, name: str | Place, what: str = SEGMENTS, are_references: bool = False
) -> Segments:
    """Segments as a door takes them: arrays of integers, and lists of them, are token ids.

    Args:
        value: TokenIds, arrays of two or three dimensions, or what `as_list` takes; Segments stay as they are.
        name: What errors call them.
        what: What they must be.
        are_references: Whether None stands for one that is absent.

    Raises:
        TypeError: It is none of these, or an array holds no integers or cannot be copied from its device.
    """
    if isinstance(value, (list, tuple)):
        try:
            is_text = type(value[0]) is str
        except IndexError:  # it is empty; asked before, another thread could empty it in between
            is_text = False
        if is_text:
            return Segments(value, name, are_references, TEXT)
        kinds = set(map(type, value)) - _PLAIN
        if kinds and any(is_id_row(row) for row in value if type(row) in kinds):
            return Segments(as_token_ids(value, name), name, are_references, IDS)
        return Segments(value, name, are_references)
    if isinstance(value, Segments):
        return value
    ids = id_matrix(value, name)
    if ids is not None:
        return Segments(ids, name, are_references, IDS)
    value = as_column(value, name, what)
    if type(value) is list:
        return as_segments(value, name, what, are_references)
    if isinstance(value, ArrowLists) or is_arrow(value):
        return _arrow_segments(value, name, are_references)
    return Segments(as_list(value, name, what), name, are_references)


def _arrow_segments(value: Any, name: str | Place, are_references: bool, stream: int = NOWHERE) -> Segments:
    """Segments of an Arrow column, or of what was read from one: strings, lists of strings, or lists of integers.

    Raises:
        TypeError: It holds lists of lists.
    """
    held = value if isinstance(value, (TextColumn, ArrowLists)) else read_arrow(value, name)
    if isinstance(held, TextColumn):
        return Segments(held, name, are_references, TEXT, stream)
    if isinstance(held, ArrowTokens):
        return Segments(held, name, are_references, TOKENS, stream)
    if isinstance(held, ArrowIds):
        return Segments(as_token_ids(held, name), name, are_references, IDS, stream)
    raise ArgumentTypeError(
        place(name), "is a column of lists of lists; references of each segment stand alone as references"
    )


def id_matrix(value: Any, name: str | Place) -> TokenIds | None:
    """TokenIds as they are, and arrays of two or three dimensions as TokenIds; None for everything else.

    Raises:
        TypeError: An array holds no integers, or cannot be copied from its device.
    """
    if isinstance(value, TokenIds):
        return value
    return as_token_ids(value, name) if is_number_array(value, (2, 3)) else None


def is_id_row(value: Any) -> bool:
    """Whether a value is an array of one dimension, to be read as the ids of one segment."""
    return is_number_array(value, (1,))


# A corpus


def flat_ids(segments: Segments) -> Segments:
    """Segments as ids, one row of them for each.

    Raises:
        TypeError: They are no sequences of int.
        ValueError: There are several rows of each segment.
    """
    found = segments.as_ids()
    if found.held.is_per_segment:
        raise ArgumentValueError(
            segments.place, f"must have the shape [segments, tokens], not {list(found.held.shape)}"
        )
    return found


def as_streams(references: Any, segments: int | None, kind: Kind | None = None) -> list[Segments]:
    """Checks references as streams, references[stream][segment].

    Args:
        references: A sequence of streams, each a sequence of segments; ids of one reference of each segment or more; or
            an Arrow column of lists, with the references of each segment.
        segments: How many segments each must have; None: as many as the first.
        kind: What the hypotheses are. A column of lists of strings beside tokens is one reference of each segment.

    Raises:
        TypeError: A str stands where a stream belongs, or something else that is no sequence.
        ValueError: There is no stream, or one has another number of segments.
    """
    if isinstance(references, TextColumn):
        raise ArgumentTypeError(REFERENCES, "must be a list of streams, not one TextColumn; pass [", "]")
    streams: list[Segments]
    ids = None
    if not isinstance(references, (list, tuple)):
        ids = id_matrix(references, REFERENCES)
        if ids is None:
            references = as_column(references, REFERENCES, STREAMS, True)
            if isinstance(references, ArrowLists) or is_arrow(references):
                return _arrow_streams(arrow_references(references), segments, kind)
    if ids is None:
        outer = as_list(references, REFERENCES, STREAMS)
        streams = []
        for s, stream in enumerate(outer):
            try:
                is_text = isinstance(stream, list) and type(stream[0]) is str
            except IndexError:  # as in as_segments
                is_text = False
            streams.append(Segments(stream, REFERENCES, True, TEXT, s) if is_text else _as_stream(stream, s))
    else:
        streams = [Segments(ids, REFERENCES, True, IDS)]
    if not streams:
        raise ArgumentValueError(REFERENCES, "is empty; at least one stream of references is needed")
    expected = len(streams[0]) if segments is None else segments
    for s, stream in enumerate(streams):
        if len(stream) != expected:
            raise ArgumentValueError(stream.place, _length_message(streams, s, segments, expected))
        if stream.kind == IDS and 0 in stream.held.shape[1:-1] and len(stream):
            raise ArgumentValueError(
                stream.place, f"has the shape {list(stream.held.shape)}: no segment has any reference"
            )
    return streams


def arrow_references(references: Any) -> ArrowLists:
    """An Arrow column with the references of each segment.

    Raises:
        TypeError: It holds no lists.
    """
    held = references if isinstance(references, ArrowLists) else read_arrow(references, REFERENCES)
    if isinstance(held, TextColumn):
        raise ArgumentTypeError(
            REFERENCES, f"must be {STREAMS}, not one column ({type(references).__name__}); pass [", "]"
        )
    return held


def as_flat_references(held: TextColumn | ArrowLists, name: Place) -> tuple[Any, Any]:
    """References of each segment in an Arrow column: all of them, and where in them those of each segment begin.

    Raises:
        TypeError: The column holds no lists.
        ValueError: A segment has no reference.
    """
    if isinstance(held, (TextColumn, ArrowIds)):
        raise ArgumentTypeError(name, f"must be {PER_SEGMENT}, not a column of single segments")
    bounds = held.bounds
    empty = (bounds[1:] == bounds[:-1]).nonzero()[0]
    if len(empty):
        raise ArgumentValueError(
            name[int(empty[0])], "must hold at least one reference, but is null or empty"
        )
    return held.gathered(), bounds


def _arrow_streams(lists: ArrowLists, segments: int | None, kind: Kind | None) -> list[Segments]:
    """References of each segment as streams, of which some segments have fewer."""
    if segments is not None and len(lists) != segments:
        found = f"has {len(lists)} segment{'s'[: len(lists) != 1]}"
        raise ArgumentValueError(REFERENCES, f"{found}, but {_counted_hypotheses(segments)}")
    if isinstance(lists, ArrowIds) or (kind == TOKENS and isinstance(lists, ArrowTokens)):
        return [_arrow_segments(lists, REFERENCES, True)]
    streams = lists.streams(REFERENCES) or [text_column([None] * len(lists), may_be_absent=True)]
    return [_arrow_segments(held, REFERENCES.before(k), True) for k, held in enumerate(streams)]


def _as_stream(stream: Any, s: int) -> Segments:
    """A stream that is no list of text."""
    if isinstance(stream, Segments):
        return stream
    if stream is None:
        raise ArgumentTypeError(REFERENCES[s], "is None; leave out a stream that is not there")
    if isinstance(stream, str):
        found = f"[{s}] is {describe(stream)}; one stream goes into a list of its own: ["
        raise ArgumentTypeError(REFERENCES, f"must be {STREAMS}, but ", found, "]", value=stream)
    stream = as_column(stream, REFERENCES[s], SEGMENTS)
    if is_id_row(stream):
        raise ArgumentValueError(
            REFERENCES[s],
            "is an array of one dimension, but references is a list of streams; for one reference of each segment "
            "pass TokenIds(references)",
        )
    segments = as_segments(stream, REFERENCES[s], are_references=True)
    if segments.kind == IDS and segments.held.is_per_segment:
        raise ArgumentValueError(
            segments.place,
            f"has the shape {list(segments.held.shape)}, references of each segment; pass it as references, not in a "
            "list of streams",
        )
    return segments


def _length_message(streams: list[Segments], s: int, segments: int | None, expected: int) -> str:
    held = streams[s].held
    if isinstance(held, TokenIds) and len(held.shape) > 1:
        found = f"has the shape {list(held.shape)}"
        if held.is_per_segment:
            found += ", which is [segments, references, tokens]"
    else:
        found = f"has {len(held)} segment{'s'[: len(held) != 1]}"
    if segments is None:
        return f"{found}, but references[0] has {expected}"
    message = f"{found}, but {_counted_hypotheses(segments)}"
    if len(streams) == segments and all(stream.kind != IDS and len(stream) != segments for stream in streams):
        message += (
            "; references look transposed, they are references[stream][segment]: "
            "pass per-segment lists through BLEU.prepare_segments"
        )
    return message


def _counted_hypotheses(number: int) -> str:
    return "there is 1 hypothesis" if number == 1 else f"there are {number} hypotheses"


# References of one segment, and references given per segment


def as_sentence(hypothesis: Any, references: Any) -> tuple[Any, list[Any] | tuple[Any, ...]]:
    """One segment and its references, checked; of an array of integers its tokens, without ids of -100.

    Raises:
        TypeError: The references are a bare str, or no sequence; or an array holds no integers.
        ValueError: There is no reference; or an id must not be.
    """
    found = as_sentence_references(references)
    if not set(map(type, found)) <= _PLAIN:
        found = [_row_tokens(reference, REFERENCES[s]) for s, reference in enumerate(found)]
    return hypothesis if type(hypothesis) in _PLAIN else _row_tokens(hypothesis, Place("hypothesis")), found


def _row_tokens(segment: Any, where: Place) -> Any:
    if not is_id_row(segment):
        return segment
    try:
        return TokenIds([segment])[0]
    except ArgumentError as error:
        raise error.at(where[error.indices[1:]]) from None


def as_sentence_references(references: Any, name: Place = REFERENCES) -> list[Any] | tuple[Any, ...]:
    """Checks the references of one segment: a sequence, of which at least one is not None.

    Raises:
        TypeError: A bare str, or no sequence.
        ValueError: There is no reference.
    """
    if isinstance(references, str):
        bare = f"must be a sequence of references, not a bare {describe(references)}; pass ["
        raise ArgumentTypeError(name, bare, "]", value=references)
    if not isinstance(references, (list, tuple)):
        references = list(as_list(references, name, "a sequence of references"))
    try:
        is_there = references[0] is not None or any(reference is not None for reference in references)
    except IndexError:
        is_there = False
    if not is_there:
        raise ArgumentValueError(
            name, f"must hold at least one reference, got {references!r}", value=references
        )
    checked: list[Any] | tuple[Any, ...] = references
    return checked


def check_sentence_references(
    references: list[Any] | tuple[Any, ...], kind: Kind | None, name: Place = REFERENCES
) -> None:
    """Checks that the references of one segment are of a kind, such as that of the hypothesis.

    Raises:
        TypeError: One is not; says which.
    """
    for k, reference in enumerate(references):
        if reference is None:
            continue
        if kind == TOKENS:
            if isinstance(reference, (str, bytes)) or not hasattr(reference, "__len__"):
                raise wrong_type(name[k], "a sequence of tokens", reference)
        elif not isinstance(reference, str):
            raise wrong_type(name[k], "a str", reference)


def given_per_segment(streams: Iterable[Any], name: str) -> list[Segments]:
    """Streams made of references that were given per segment: errors name references[segment][k]."""
    where = Place(name)
    return [Segments(stream, where.before(k), True) for k, stream in enumerate(streams)]


def as_reference_lists(references: Any, segments: int | None, name: str | Place = REFERENCES) -> Any:
    """Checks references that are given per segment.

    Args:
        references: For each segment a sequence of references, at least one of them not None.
        segments: How many segments there must be; None: any number.
        name: What errors call them.

    Returns:
        A sequence with a list or tuple for each segment.

    Raises:
        TypeError: A bare str, or something that is no sequence.
        ValueError: There is another number of segments, or a segment has no reference.
    """
    where = name if isinstance(name, Place) else Place(name)
    lists = as_list(references, where, PER_SEGMENT)
    if segments is not None and len(lists) != segments:
        found = f"has {len(lists)} segment{'s'[: len(lists) != 1]}"
        raise ArgumentValueError(where, f"{found}, but {_counted_hypotheses(segments)}")
    if not set(map(type, lists)) <= {list, tuple} or not all(lists):
        checked = [as_sentence_references(each, where[i]) for i, each in enumerate(lists)]
        for i, each in enumerate(checked):
            check_sentence_references(each, _kind_of_first(each), where[i])
        return checked
    return lists
