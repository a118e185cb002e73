"""Columns of segments: text, tokens or token ids, with the argument's name for errors.

`reading` creates them from input. All later packages check the kind of a column, never the type of a value.
"""

from __future__ import annotations

from itertools import accumulate, chain, zip_longest

from ..errors import ArgumentTypeError, ArgumentValueError, Location, locate, wrong_type
from ._text import TextColumn
from .arrow import ArrowLists
from .ids import TokenIds, as_token_ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable
    from typing import Any, ClassVar, Literal, TypeAlias

    #: Segments in a form that can be read fast.
    SegmentData: TypeAlias = list[Any] | tuple[Any, ...] | TextColumn | ArrowLists | TokenIds
    #: Converts segments start..stop - 1, or fewer, to columns for the kernels; returns these and where it stopped.
    Reader: TypeAlias = Callable[[int, int], tuple[list[Any], int]]
    #: The ids of tokens, shared by several segments.
    Vocabulary: TypeAlias = dict[Hashable, int]
    Kind: TypeAlias = Literal["text", "tokens", "token ids"]

#: The kinds of segments, as named in messages.
TEXT: Kind = "text"
TOKENS: Kind = "tokens"
IDS: Kind = "token ids"

#: Read references per segment as streams if the streams have at most this many entries for each reference.
_MAX_ENTRIES = 4


class Column:
    """Segments of one kind.

    Args:
        data: The segments, in a form that can be read fast.
        name: The argument's name in errors.
        may_be_missing: Whether `None` is allowed among them, for a missing reference.

    Attributes:
        kind: The kind of the segments; None if the column is empty.
    """

    __slots__ = ("data", "location", "may_be_missing")

    kind: ClassVar[Kind | None]

    def __init__(self, data: Any, name: str | Location, may_be_missing: bool = False) -> None:
        self.data = data
        self.location = name if isinstance(name, Location) else Location(name)
        self.may_be_missing = may_be_missing

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, i: int) -> Any:
        """Return segment i: a str, or a sequence of tokens; None if it is missing."""
        return self.data[i]

    def as_kind(self, kind: Kind) -> Column:
        """Convert the column to the kind of another column that it is compared with. In lists of int, no id is ignored.

        Raises:
            TypeError: The kind is ids, and the segments are not sequences of int.
        """
        if kind == self.kind:
            return self
        data = self.data
        if kind == IDS:
            first = next(iter(data), None)
            if isinstance(first, str):
                raise wrong_type(self.location[0], "token ids, like the other argument", first)
            data = as_token_ids(
                list(data) if isinstance(data, (ArrowLists, TextColumn)) else data,
                self.location,
                ignore_id=None,
            )
        elif self.kind == IDS:
            data = list(data)
        return CLASSES[kind](data, self.location, self.may_be_missing)


class Text(Column):
    """Segments of str."""

    __slots__ = ()

    kind: ClassVar[Kind | None] = TEXT


class EmptyColumn(Text):
    """A column without segments. It has no kind of its own, and is read as the kind of the other columns."""

    __slots__ = ()

    kind = None


class Tokens(Column):
    """Segments that are sequences of hashable tokens."""

    __slots__ = ()

    kind: ClassVar[Kind | None] = TOKENS


class Ids(Column):
    """Segments of token ids."""

    __slots__ = ()

    kind: ClassVar[Kind | None] = IDS
    data: TokenIds

    def __getitem__(self, i: int) -> Any:
        """Return the ids of segment i that are tokens."""
        return self.data.tokens(i, self.location)

    def flat(self) -> Ids:
        """Return the column itself, after checking its shape.

        Raises:
            ValueError: It has several rows per segment.
        """
        if self.data.is_per_segment:
            raise ArgumentValueError(
                self.location, f"must have the shape [segments, tokens], not {list(self.data.shape)}"
            )
        return self


CLASSES: dict[Kind, type[Column]] = {TEXT: Text, TOKENS: Tokens, IDS: Ids}


def column_of(data: SegmentData, name: str | Location, may_be_missing: bool = False) -> Column:
    """Create a column of segments in a form that can be read fast; the first segment decides the kind.

    Args:
        data: A list, a tuple, a TextColumn, Arrow lists, or TokenIds.
        name: The argument's name in errors.
        may_be_missing: Whether `None` is allowed, for a missing reference.

    Raises:
        TypeError: `data` is an Arrow column of lists of lists.

    Example:
        >>> column_of([None, ["a", "b"]], "references").kind
        'tokens'
    """
    if isinstance(data, (list, tuple)):
        for segment in data:
            if segment is not None:
                return (Text if is_text(segment) else Tokens)(data, name, may_be_missing)
        return EmptyColumn(data, name, may_be_missing)
    if isinstance(data, TextColumn):
        return (Text if len(data) else EmptyColumn)(data, name, may_be_missing)
    if isinstance(data, TokenIds):
        return Ids(data, name, may_be_missing)
    if data.holds == IDS:
        return Ids(as_token_ids(data, name), name, may_be_missing)
    if data.holds == TOKENS:
        return (Tokens if len(data) else EmptyColumn)(data, name, may_be_missing)
    raise ArgumentTypeError(
        locate(name),
        "is a column of lists of lists; pass the references of each segment without a list around them",
        value=data,
    )


def is_text(segment: Any) -> bool:
    """Return whether a segment is read as text, including a value of a wrong type, which the reader then rejects."""
    return isinstance(segment, (str, bytes)) or not hasattr(segment, "__len__")


def common_kind(columns: Iterable[Any]) -> Kind:
    """Return the kind for reading columns together: ids if one holds ids, else that of the first non-empty one."""
    first: Kind | None = None
    for column in columns:
        if column.kind == IDS:
            return IDS
        first = first or column.kind
    return first or TEXT


class PerSegment:
    """References that are given per segment, references[segment][k].

    Args:
        lists: A list or tuple of at least one reference per segment, or Arrow lists.
        where: The argument's name in errors.
    """

    __slots__ = ("lists", "location")

    def __init__(self, lists: Any, where: Location) -> None:
        self.lists = lists
        self.location = where

    def __len__(self) -> int:
        return len(self.lists)

    def is_sparse(self) -> bool:
        """Return whether most entries of streams would be missing references."""
        lists = self.lists
        if isinstance(lists, ArrowLists):
            sizes = (lists.bounds[1:] - lists.bounds[:-1]).tolist()
        else:
            sizes = list(map(len, lists))
        return len(sizes) * max(sizes, default=0) > _MAX_ENTRIES * sum(sizes)

    def flat(self) -> tuple[Any, Any]:
        """Return all references, segment by segment, and int64 [n + 1], the index of each segment's first reference.

        Errors about reference k of all of them name the segment and the reference.

        Raises:
            ValueError: An Arrow list is empty.
        """
        lists = self.lists
        if not isinstance(lists, ArrowLists):
            from array import array

            bounds: Any = array("q", accumulate(map(len, lists), initial=0))
            return list(chain.from_iterable(lists)), bounds
        bounds = lists.bounds
        empty = (bounds[1:] == bounds[:-1]).nonzero()[0]
        if len(empty):
            raise ArgumentValueError(
                self.location[int(empty[0])], "must hold at least one reference, but is null or empty"
            )
        return lists.flat, bounds

    def streams(self) -> list[Column]:
        """Return streams: the first reference of each segment, the second, and so on, up to the longest list."""
        streams = zip_longest(*self.lists) if len(self.lists) else [()]
        return [column_of(stream, self.location.before(k), True) for k, stream in enumerate(streams)]
