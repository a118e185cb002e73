"""Convert input to columns, and decide whether its segments are text, tokens or token ids.

`_find_reader` chooses the function that reads a type of input. `frames` has the functions for data frames, data sets,
NumPy and Arrow.
"""

from __future__ import annotations

from functools import lru_cache
from numbers import Integral

from ..errors import (
    ArgumentError,
    ArgumentTypeError,
    ArgumentValueError,
    GroupLocation,
    Location,
    describe,
    locate,
    wrong_type,
)
from ._text import TextColumn
from ._tokens import types_of
from .arrow import ArrowLists
from .columns import IDS, TOKENS, Column, Ids, PerSegment, Text, column_of, is_text
from .id_arrays import as_numpy, is_number_array
from .ids import TokenIds, as_token_ids
from .unequal_lengths import check_length, length_message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from .columns import Kind

    #: A function that converts a value as `as_readable` does, with the same arguments.
    Reader: TypeAlias = Callable[[Any, Location, str], Any]

#: The names of the arguments for hypotheses and references, for errors.
NAMES = ("hypotheses", "references")
HYPOTHESES, REFERENCES = map(Location, NAMES)

#: Descriptions of the values that arguments must have, for errors.
SEGMENTS = "a sequence of segments"
STREAMS = "a list of streams, references[stream][segment]"
PER_SEGMENT = "a sequence that holds the references of each segment, references[segment][k]"

#: Types of segments that are not arrays.
_PLAIN = {list, tuple, str, type(None)}


def read(value: Any, name: str | Location, expected: str = SEGMENTS, may_be_missing: bool = False) -> Column:
    """Convert segments of any supported type to a column. Arrays of integers, and lists of arrays, are token ids.

    Args:
        value: A list, a tuple, a TextColumn, TokenIds, an array of two or three dimensions, a column of Arrow data or
            of a data frame, or another iterable that has a length. A Column is returned unchanged.
        name: The argument's name in errors.
        expected: A description of the expected value for errors.
        may_be_missing: Whether segments may be `None`, for missing references.

    Raises:
        TypeError: The value has another type, an array does not contain integers, or an array cannot be copied from its
            device.

    Example:
        >>> read(["a b", "c"], "hypotheses").kind, read([[3, 4]], "hypotheses").kind
        ('text', 'tokens')
    """
    if isinstance(value, Column):
        return value
    data = value if isinstance(value, (list, tuple)) else as_readable(value, locate(name), expected)
    if isinstance(data, (list, tuple)):
        try:
            if type(data[0]) is str:
                return Text(data, name, may_be_missing)
        except IndexError:
            pass  # The list is empty. A check of its length before might be outdated by another thread.
        kinds = types_of(data)
        if kinds and data is value and all(issubclass(kind, Integral) for kind in kinds):
            if isinstance(name, GroupLocation):
                raise wrong_type(name[0], "a row of token ids", data[0])
            rows = f"is a list of {kinds.pop().__name__}, but token ids have a row for each segment"
            raise ArgumentTypeError(locate(name), f"{rows}; for one segment pass [", "]", value=value)
        kinds -= _PLAIN
        if kinds and any(is_number_array(row, (1,)) for row in data if type(row) in kinds):
            data = as_token_ids(data, name)
    return column_of(data, name, may_be_missing)


def as_list(
    value: Any, name: str | Location, expected: str = SEGMENTS
) -> list[Any] | tuple[Any, ...] | TextColumn:
    """Convert a sequence to a list, unless it is a list, a tuple or a TextColumn.

    Args:
        value: The sequence, of any type that `read` supports. The rows of an array, and the lists of an Arrow column,
            become the items of the list.
        name: The argument's name in errors.
        expected: A description of the expected value for errors.

    Raises:
        TypeError: The value is not a sequence.
    """
    if isinstance(value, (list, tuple)):
        return value
    if is_number_array(value, (2, 3)):
        is_indexable = hasattr(value, "__getitem__") and not isinstance(value, memoryview)
        return list(value if is_indexable else as_numpy(value))
    data = as_readable(value, locate(name), expected)
    return data if isinstance(data, (list, tuple, TextColumn)) else list(data)


def as_readable(value: Any, where: Location, expected: str) -> Any:
    """Convert a sequence to one of the types that columns are created from.

    Args:
        value: The sequence.
        where: The location of the value.
        expected: A description of the expected value for errors.

    Returns:
        A list, a tuple, a TextColumn, ArrowLists, or TokenIds. An array of integers becomes TokenIds.

    Raises:
        TypeError: The value is not a supported sequence; for a table, the message names its columns.
        ValueError: Segments are expected, but the value is an array of numbers with neither two nor three dimensions.
    """
    if is_number_array(value, (2, 3)):
        return as_token_ids(value, where)
    if expected in (SEGMENTS, STREAMS, PER_SEGMENT):
        _check_dimensions(value, where)
    kind: Any = type(value)
    return _find_reader(kind)(value, where, expected)


def _check_dimensions(value: Any, where: Location) -> None:
    """Reject an array of numbers with too few or too many dimensions for token ids, unless it is empty.

    Raises:
        ValueError: The array is rejected; the message names its shape and, for one dimension, how to add a second.
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
    """Return the function that reads values of a type."""
    if issubclass(kind, (list, tuple, TextColumn, TokenIds, ArrowLists)):
        return lambda value, _where, _expected: value
    if issubclass(kind, (str, bytes, bytearray)):
        return _refuse_str
    from .frames import find_frame_reader  # Import it late, because programs that score files do not need it.

    frame_reader = find_frame_reader(kind)
    if frame_reader is None:
        return _read_iterable

    def read_frame(value: Any, where: Location, expected: str) -> Any:
        data = frame_reader(value, where, expected, expected == STREAMS)
        return _read_iterable(value, where, expected) if data is None else data

    return read_frame


def _refuse_str(value: Any, where: Location, expected: str) -> Any:
    """Reject a str or bytes where a sequence is expected. The message says how to pass a sequence of one item.

    The noun for an item is found in descriptions such as "a sequence of prompts" and "a sequence with the language of
    each completion".
    """
    left, right = ("[[", "]]") if expected in (STREAMS, PER_SEGMENT) else ("[", "]")
    _, _, nouns = expected.partition(" each " if " each " in expected else "sequence of ")
    item = nouns.partition(",")[0].removesuffix("s") or "segment"
    bare = f"must be {expected}, not a bare {describe(value)}; for one {item} pass {left}"
    raise ArgumentTypeError(where, bare, right, value=value)


def _read_iterable(value: Any, where: Location, expected: str) -> Any:
    """Convert an iterable that has a length to a list.

    Raises:
        TypeError: The value is not such an iterable, or is a dict, a set or an array without dimensions.
    """
    kind = type(value).__name__
    if hasattr(value, "__next__"):
        raise ArgumentTypeError(
            where, f"must be {expected}, not a {kind}; convert it to a list: list(", ")", value=value
        )
    if (
        isinstance(value, (dict, set, frozenset, type))
        or getattr(value, "ndim", 1) == 0
        or not hasattr(value, "__len__")
        or not hasattr(value, "__iter__")
    ):
        raise wrong_type(where, expected, value)
    return list(value)


# References


def read_references(
    references: Any, segments: int | None, kind: Kind | None = None, hypotheses: Column | None = None
) -> list[Column] | PerSegment:
    """Read references as streams: references[stream][segment].

    Args:
        references: A sequence of streams, each a sequence of segments; an array or TokenIds with one or several
            references per segment; or an Arrow column with a list of references per segment.
        segments: The number of segments that each stream must have; None for the number in the first stream.
        kind: The kind of the hypotheses. If they are tokens, an Arrow list of strings is one reference of tokens; if
            they are text, it is a list of references.
        hypotheses: The hypotheses, for errors about unequal numbers of segments.

    Returns:
        The streams; or, for an Arrow column with lists of references, the references per segment.

    Raises:
        TypeError: A stream is a str, or is not a sequence.
        ValueError: There is no stream, or a stream has a wrong number of segments.
    """
    data = references
    if not isinstance(references, (list, tuple)):
        data = as_readable(references, REFERENCES, STREAMS)
        if isinstance(data, TextColumn):
            raise ArgumentTypeError(
                REFERENCES,
                f"must be {STREAMS}, not one column ({type(references).__name__}); pass [",
                "]",
                value=references,
            )
        if isinstance(data, ArrowLists):
            if data.holds == IDS or (kind == TOKENS and data.holds == TOKENS):
                data = column_of(data, REFERENCES, True)
                check_length(REFERENCES, data, segments)
                return [data]
            given = PerSegment(data, REFERENCES)
            check_length(REFERENCES, given, segments)
            return given
    streams: list[Column] = []
    if isinstance(data, TokenIds):
        streams.append(Ids(data, REFERENCES, True))
    else:
        for s, stream in enumerate(data):
            where = Location("references", (s,))
            is_list = isinstance(stream, list)
            if is_list and isinstance(next(iter(stream), None), int):
                reason = f"[{s}] is a list of int; if it is the ids of one segment, pass ["
                raise ArgumentTypeError(REFERENCES, f"must be {STREAMS}, but ", reason, "]", value=stream)
            streams.append(read(stream, where, SEGMENTS, True) if is_list else _read_stream(stream, where))
    if not streams:
        raise ArgumentValueError(REFERENCES, "is empty; at least one stream of references is needed")
    expected = len(streams[0].data) if segments is None else segments
    for s, column in enumerate(streams):
        if len(column.data) != expected:
            raise ArgumentValueError(
                column.location, length_message(streams, s, segments, expected, hypotheses)
            )
        if isinstance(column, Ids) and 0 in column.data.shape[1:-1] and len(column):
            raise ArgumentValueError(
                column.location, f"has the shape {list(column.data.shape)}: no segment has any reference"
            )
    return streams


def read_streams(references: Any, kind: Kind | None = None) -> list[Column]:
    """Read references as `read_references` does, but convert references per segment to streams as well."""
    columns = read_references(references, None, kind)
    return columns.streams() if isinstance(columns, PerSegment) else columns


def _read_stream(stream: Any, where: Location) -> Column:
    """Read a stream that is not a list.

    Raises:
        TypeError: The stream is None, a str, or not a sequence.
        ValueError: The stream is an array that is not a matrix of ids [segments, tokens].
    """
    if stream is None:
        raise ArgumentTypeError(where, "is None; omit a stream that is missing")
    if isinstance(stream, str):
        bare = f"[{where.indices[0]}] is {describe(stream)}; put one stream into a list of its own: ["
        raise ArgumentTypeError(REFERENCES, f"must be {STREAMS}, but ", bare, "]", value=stream)
    # Accept a pandas column, which has one dimension, but may contain text.
    if is_number_array(stream, (1,)) and not hasattr(type(stream), "isna"):
        raise ArgumentValueError(
            where,
            "is an array of one dimension, but references is a list of streams; for one reference of each segment "
            "pass TokenIds(references)",
            value=stream,
        )
    column = read(stream, where, may_be_missing=True)
    if isinstance(column, Ids) and column.data.is_per_segment:
        raise ArgumentValueError(
            column.location,
            f"has the shape {list(column.data.shape)}, which is [segments, references, tokens]; pass it as references, "
            "not in a list of streams",
            value=stream,
        )
    return column


def read_per_segment(
    references: Any, segments: int | None = None, name: str | Location = REFERENCES
) -> PerSegment | Ids:
    """Read references that are given per segment: references[segment][k].

    Args:
        references: For each segment, a sequence of references, at least one of which is not None; or an Arrow column of
            lists; or token ids [segments, references, tokens].
        segments: The expected number of segments; None accepts any number.
        name: The argument's name in errors.

    Raises:
        TypeError: `references`, or the references of a segment, are a str or not a sequence.
        ValueError: The number of segments differs from `segments`, or a segment has no reference.
    """
    where = locate(name)
    lists = (
        references if isinstance(references, (list, tuple)) else as_readable(references, where, PER_SEGMENT)
    )
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
        lists = [as_sentence_references(segment, where[i]) for i, segment in enumerate(lists)]
        for i, segment in enumerate(lists):
            first = next((reference for reference in segment if reference is not None), "")
            check_sentence_references(segment, not is_text(first), where[i])
    return PerSegment(lists, where)


# One segment and its references


def as_sentence(hypothesis: Any, references: Any) -> tuple[Any, list[Any] | tuple[Any, ...]]:
    """Check a segment and its references. Convert arrays of integers to lists of int, without ids of -100.

    Raises:
        TypeError: The references are a str or not a sequence, or an array does not contain integers.
        ValueError: There is no reference, or an id is negative or does not fit int64.
    """
    is_plain = type(references) is list and references and references[0] is not None
    checked = references if is_plain else as_sentence_references(references)
    for reference in checked:
        if type(reference) not in _PLAIN:
            checked = [_row_tokens(segment, REFERENCES[s]) for s, segment in enumerate(checked)]
            break
    if type(hypothesis) not in _PLAIN:
        hypothesis = _row_tokens(hypothesis, Location("hypothesis"))
    return hypothesis, checked


def _row_tokens(segment: Any, where: Location) -> Any:
    if not is_number_array(segment, (1,)):
        return segment
    try:
        return TokenIds([segment])[0]
    except ArgumentError as error:
        raise error.at(where[error.indices[1:]]) from None


def as_sentence_references(references: Any, where: Location = REFERENCES) -> list[Any] | tuple[Any, ...]:
    """Check that the references of a segment are a sequence with an item that is not None; return them.

    A sequence that is not a list or tuple is converted to a list.

    Raises:
        TypeError: The references are a str or not a sequence.
        ValueError: There is no reference.
    """
    if isinstance(references, str):
        bare = f"must be a sequence of references, not a bare {describe(references)}; pass ["
        raise ArgumentTypeError(where, bare, "]", value=references)
    if not isinstance(references, (list, tuple)):
        references = list(as_list(references, where, "a sequence of references"))
    try:
        has_reference = references[0] is not None or any(reference is not None for reference in references)
    except IndexError:
        has_reference = False
    if not has_reference:
        raise ArgumentValueError(
            where, f"must hold at least one reference, got {references!r}", value=references
        )
    checked: list[Any] | tuple[Any, ...] = references
    return checked


def check_sentence_references(
    references: list[Any] | tuple[Any, ...], are_tokens: bool, where: Location = REFERENCES
) -> None:
    """Check that all references of a segment are of the kind of its hypothesis. None is accepted.

    Args:
        references: The references.
        are_tokens: Whether they must be sequences of tokens, not str.
        where: The location of the references.

    Raises:
        TypeError: A reference has another kind; the message names its index.
    """
    for k, reference in enumerate(references):
        if reference is None:
            continue
        if are_tokens:
            if is_text(reference):
                raise wrong_type(where[k], "a sequence of tokens", reference)
        elif not isinstance(reference, str):
            raise wrong_type(where[k], "a str", reference)
