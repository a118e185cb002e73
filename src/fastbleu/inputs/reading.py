"""Values of users -> columns. The kind of a value is decided here, once, by a table from types to readers.

`frames` has the rows of the table for data frames, data sets, NumPy and Arrow.
"""

from __future__ import annotations

from functools import lru_cache

from ..errors import (
    ArgumentError,
    ArgumentTypeError,
    ArgumentValueError,
    Place,
    describe,
    place,
    wrong_type,
)
from ._text import TextColumn
from ._tokens import types_of
from .arrow import ArrowLists
from .columns import IDS, TOKENS, Column, Ids, PerSegment, Text, column_of, is_text
from .id_arrays import is_number_array, seen_by_numpy
from .ids import TokenIds, as_token_ids
from .unequal_lengths import check_length, length_message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from .columns import Kind

    #: Makes of a value what `hold` returns; gets the value, what errors call it, and what it must be.
    Reader: TypeAlias = Callable[[Any, Place, str], Any]

#: What a corpus is made of, as errors name it.
NAMES = ("hypotheses", "references")
HYPOTHESES, REFERENCES = map(Place, NAMES)

#: What a list of segments is called in an error, and a list of references given in streams or per segment.
SEGMENTS = "a sequence of segments"
STREAMS = "a list of streams, references[stream][segment]"
PER_SEGMENT = "a sequence that holds the references of each segment, references[segment][k]"

#: Types of segments that are not arrays.
_PLAIN = {list, tuple, str, type(None)}


def read(value: Any, name: str | Place, what: str = SEGMENTS, may_be_absent: bool = False) -> Column:
    """Read segments as a user holds them: arrays of integers, and lists of them, are token ids.

    Args:
        value: A list, tuple, TextColumn, TokenIds, an array of two or three dimensions, a column of Arrow or of a data
            frame, or any other sized iterable; a Column stays as it is.
        name: What errors call them.
        what: What they must be.
        may_be_absent: Whether None stands for a reference that is absent.

    Raises:
        TypeError: It is none of these, or an array does not hold integers or cannot be copied from its device.

    Example:
        >>> read(["a b", "c"], "hypotheses").kind, read([[3, 4]], "hypotheses").kind
        ('text', 'tokens')
    """
    if isinstance(value, Column):
        return value
    held = value if isinstance(value, (list, tuple)) else hold(value, place(name), what)
    if isinstance(held, (list, tuple)):
        try:
            if type(held[0]) is str:
                return Text(held, name, may_be_absent)
        except IndexError:  # it is empty; asked before, another thread could empty it in between
            pass
        kinds = types_of(held) - _PLAIN
        if kinds and any(is_number_array(row, (1,)) for row in held if type(row) in kinds):
            held = as_token_ids(held, name)
    return column_of(held, name, may_be_absent)


def as_list(value: Any, name: str | Place, what: str = SEGMENTS) -> list[Any] | tuple[Any, ...] | TextColumn:
    """Check that a value is a sequence, and give it in a form that reads quickly.

    Args:
        value: As for `read`; the rows of arrays and of Arrow columns of lists become items of a list.
        name: What errors call it.
        what: What it must be.

    Raises:
        TypeError: It is not a sequence.
    """
    if isinstance(value, (list, tuple)):
        return value
    if is_number_array(value, (2, 3)):
        is_indexable = hasattr(value, "__getitem__") and not isinstance(value, memoryview)
        return list(value if is_indexable else seen_by_numpy(value))
    held = hold(value, place(name), what)
    return held if isinstance(held, (list, tuple, TextColumn)) else list(held)


def hold(value: Any, where: Place, what: str) -> Any:
    """Give a sequence in a form that reads quickly.

    Returns:
        A list or tuple, a TextColumn, lists of Arrow, or TokenIds, also of an array of integers.

    Raises:
        TypeError: It is not a sequence of its own kind; a table is refused with the names of its columns.
        ValueError: An array of numbers where segments are expected has another number of dimensions.
    """
    if is_number_array(value, (2, 3)):
        return as_token_ids(value, where)
    if what in (SEGMENTS, STREAMS, PER_SEGMENT):
        _check_dimensions(value, where)
    kind: Any = type(value)
    return _find_reader(kind)(value, where, what)


def _check_dimensions(value: Any, where: Place) -> None:
    """Refuse an array of numbers that has too few dimensions for token ids, or too many; it may be empty.

    Raises:
        ValueError: It has; the message names its shape, and for one dimension the way to a row for each segment.
    """
    dimensions = getattr(value, "ndim", 0)
    if not dimensions or hasattr(type(value), "isna") or not is_number_array(value, (dimensions,)):
        return
    if getattr(getattr(value, "dtype", None), "kind", "i") not in "iufb" or 0 in value.shape:
        return
    shapes = "[segments, tokens]" + ", or [segments, references, tokens]" * (where.argument == NAMES[1])
    reason = f"has the shape {list(value.shape)}, but token ids have a row for each segment: {shapes}"
    if dimensions == 1:
        raise ArgumentValueError(where, f"{reason}; for one segment pass ", "[None]", value=value)
    raise ArgumentValueError(where, reason, value=value)


@lru_cache(maxsize=64)
def _find_reader(kind: type) -> Reader:
    """Find the row of the table for a type."""
    if issubclass(kind, (list, tuple, TextColumn, TokenIds, ArrowLists)):
        return lambda value, _where, _what: value
    if issubclass(kind, (str, bytes, bytearray)):
        return _refuse_bare
    from .frames import find_form  # which a program that scores files does not need

    form = find_form(kind)
    if form is None:
        return _read_iterable

    def read_form(value: Any, where: Place, what: str) -> Any:
        found = form(value, where, what, what == STREAMS)
        return _read_iterable(value, where, what) if found is None else found

    return read_form


def _refuse_bare(value: Any, where: Place, what: str) -> Any:
    left, right = ("[[", "]]") if what in (STREAMS, PER_SEGMENT) else ("[", "]")
    bare = f"must be {what}, not a bare {describe(value)}; for one segment pass {left}"
    raise ArgumentTypeError(where, bare, right, value=value)


def _read_iterable(value: Any, where: Place, what: str) -> Any:
    """A value of a type that nothing is known of: a sized iterable as a list."""
    kind = type(value).__name__
    if hasattr(value, "__next__"):
        raise ArgumentTypeError(
            where, f"must be {what}, not a {kind}; make a list of it: list(", ")", value=value
        )
    dimensions = getattr(value, "ndim", 1)
    if (
        isinstance(value, (dict, set, frozenset, type))
        or dimensions == 0
        or not hasattr(value, "__len__")
        or not hasattr(value, "__iter__")
    ):
        raise wrong_type(where, what, value)
    return list(value)


# References


def read_references(
    references: Any, segments: int | None, kind: Kind | None = None
) -> list[Column] | PerSegment:
    """Read references as streams, references[stream][segment].

    Args:
        references: A sequence of streams, each a sequence of segments; ids of one reference of each segment or more; or
            an Arrow column of lists, with the references of each segment.
        segments: How many segments each must have; None: as many as the first.
        kind: What the hypotheses are. A column of lists of strings beside tokens is one reference of each segment.

    Returns:
        The streams; or the references of each segment of such an Arrow column.

    Raises:
        TypeError: A str stands where a stream belongs, or something else that is not a sequence.
        ValueError: There is no stream, or one has another number of segments.
    """
    held = references
    if not isinstance(references, (list, tuple)):
        if isinstance(references, TextColumn):
            raise ArgumentTypeError(
                REFERENCES, "must be a list of streams, not one TextColumn; pass [", "]", value=references
            )
        held = hold(references, REFERENCES, STREAMS)
        if isinstance(held, TextColumn):
            raise ArgumentTypeError(
                REFERENCES,
                f"must be {STREAMS}, not one column ({type(references).__name__}); pass [",
                "]",
                value=references,
            )
        if isinstance(held, ArrowLists):
            if held.holds == IDS or (kind == TOKENS and held.holds == TOKENS):
                held = column_of(held, REFERENCES, True)
                check_length(REFERENCES, held, segments)
                return [held]
            given = PerSegment(held, REFERENCES)
            check_length(REFERENCES, given, segments)
            return given
    streams: list[Column] = []
    if isinstance(held, TokenIds):
        streams.append(Ids(held, REFERENCES, True))
    else:
        for s, stream in enumerate(held):
            where = Place("references", (s,))
            is_list = isinstance(stream, list)
            streams.append(read(stream, where, SEGMENTS, True) if is_list else _read_stream(stream, where))
    if not streams:
        raise ArgumentValueError(REFERENCES, "is empty; at least one stream of references is needed")
    expected = len(streams[0].held) if segments is None else segments
    for s, column in enumerate(streams):
        if len(column.held) != expected:
            raise ArgumentValueError(column.place, length_message(streams, s, segments, expected))
        if isinstance(column, Ids) and 0 in column.held.shape[1:-1] and len(column):
            raise ArgumentValueError(
                column.place, f"has the shape {list(column.held.shape)}: no segment has any reference"
            )
    return streams


def read_streams(references: Any, kind: Kind | None = None) -> list[Column]:
    """Read references as `read_references` does, and convert those that are given per segment to streams."""
    columns = read_references(references, None, kind)
    return columns.streams() if isinstance(columns, PerSegment) else columns


def _read_stream(stream: Any, where: Place) -> Column:
    """A stream that is not a list."""
    if stream is None:
        raise ArgumentTypeError(where, "is None; leave out a stream that is not there")
    if isinstance(stream, str):
        found = f"[{where.indices[0]}] is {describe(stream)}; one stream goes into a list of its own: ["
        raise ArgumentTypeError(REFERENCES, f"must be {STREAMS}, but ", found, "]", value=stream)
    if is_number_array(stream, (1,)) and not hasattr(type(stream), "isna"):  # a column of pandas may be text
        raise ArgumentValueError(
            where,
            "is an array of one dimension, but references is a list of streams; for one reference of each segment "
            "pass TokenIds(references)",
            value=stream,
        )
    column = read(stream, where, may_be_absent=True)
    if isinstance(column, Ids) and column.held.is_per_segment:
        raise ArgumentValueError(
            column.place,
            f"has the shape {list(column.held.shape)}, references of each segment; pass it as references, not in a "
            "list of streams",
            value=stream,
        )
    return column


def read_per_segment(
    references: Any, segments: int | None = None, name: str | Place = REFERENCES
) -> PerSegment | Ids:
    """Read references that are given per segment.

    Args:
        references: For each segment a sequence of references, at least one of them not None; an Arrow column of lists;
            or ids [segments, references, tokens].
        segments: How many segments there must be; None: any number.
        name: What errors call them.

    Raises:
        TypeError: A bare str, or something that is not a sequence.
        ValueError: There is another number of segments, or a segment has no reference.
    """
    where = place(name)
    lists = references if isinstance(references, (list, tuple)) else hold(references, where, PER_SEGMENT)
    if isinstance(lists, TokenIds):
        return Ids(lists, where, True)
    if isinstance(lists, ArrowLists) and lists.holds != IDS:
        return PerSegment(lists, where)
    if isinstance(lists, ArrowLists) or (isinstance(lists, TextColumn) and lists is not references):
        raise ArgumentTypeError(
            where, f"must be {PER_SEGMENT}, not a column of single segments", value=references
        )
    check_length(where, lists, segments)
    if not types_of(lists) <= {list, tuple} or not all(lists):
        lists = [as_sentence_references(each, where[i]) for i, each in enumerate(lists)]
        for i, each in enumerate(lists):
            first = next((one for one in each if one is not None), "")
            check_sentence_references(each, not is_text(first), where[i])
    return PerSegment(lists, where)


# One segment and its references


def as_sentence(hypothesis: Any, references: Any) -> tuple[Any, list[Any] | tuple[Any, ...]]:
    """Check one segment and its references; of an array of integers take its tokens, without ids of -100.

    Raises:
        TypeError: The references are a bare str, or not a sequence; or an array does not hold integers.
        ValueError: There is no reference; or an id must not be.
    """
    is_plain = type(references) is list and references and references[0] is not None
    found = references if is_plain else as_sentence_references(references)
    for reference in found:
        if type(reference) not in _PLAIN:
            found = [_row_tokens(each, REFERENCES[s]) for s, each in enumerate(found)]
            break
    return hypothesis if type(hypothesis) in _PLAIN else _row_tokens(hypothesis, Place("hypothesis")), found


def _row_tokens(segment: Any, where: Place) -> Any:
    if not is_number_array(segment, (1,)):
        return segment
    try:
        return TokenIds([segment])[0]
    except ArgumentError as error:
        raise error.at(where[error.indices[1:]]) from None


def as_sentence_references(references: Any, where: Place = REFERENCES) -> list[Any] | tuple[Any, ...]:
    """Check the references of one segment: a sequence, of which at least one is not None.

    Raises:
        TypeError: A bare str, or not a sequence.
        ValueError: There is no reference.
    """
    if isinstance(references, str):
        bare = f"must be a sequence of references, not a bare {describe(references)}; pass ["
        raise ArgumentTypeError(where, bare, "]", value=references)
    if not isinstance(references, (list, tuple)):
        references = list(as_list(references, where, "a sequence of references"))
    try:
        is_there = references[0] is not None or any(reference is not None for reference in references)
    except IndexError:
        is_there = False
    if not is_there:
        raise ArgumentValueError(
            where, f"must hold at least one reference, got {references!r}", value=references
        )
    checked: list[Any] | tuple[Any, ...] = references
    return checked


def check_sentence_references(
    references: list[Any] | tuple[Any, ...], are_tokens: bool, where: Place = REFERENCES
) -> None:
    """Check that the references of one segment are all tokens, or all text.

    Raises:
        TypeError: One is not; says which.
    """
    for k, reference in enumerate(references):
        if reference is None:
            continue
        if are_tokens:
            if is_text(reference):
                raise wrong_type(where[k], "a sequence of tokens", reference)
        elif not isinstance(reference, str):
            raise wrong_type(where[k], "a str", reference)
