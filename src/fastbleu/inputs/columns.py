"""Columns: segments as text, as tokens or as token ids, with their place, and how each kind is read for the kernels.

`reading` makes them of what users hold. From here on rooms ask a column what it is, and never the type of a value.
"""

from __future__ import annotations

from itertools import accumulate, chain, zip_longest

from ..errors import ArgumentTypeError, ArgumentValueError, Place, place, wrong_type
from ._text import TextColumn
from .arrow import ArrowLists
from .ids import TokenIds, as_token_ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable
    from typing import Any, ClassVar, Literal, TypeAlias

    #: Segments in a form that reads quickly.
    Held: TypeAlias = list[Any] | tuple[Any, ...] | TextColumn | ArrowLists | TokenIds
    #: Reads the segments start..stop - 1 as columns of the kernels; may stop earlier, and says where it did.
    Reader: TypeAlias = Callable[[int, int], tuple[list[Any], int]]
    #: Numbers of tokens that hold from one segment to the next.
    Vocabulary: TypeAlias = dict[Hashable, int]
    Kind: TypeAlias = Literal["text", "tokens", "token ids"]

#: The kinds of segments, as messages name them.
TEXT: Kind = "text"
TOKENS: Kind = "tokens"
IDS: Kind = "token ids"

#: References of each segment are read as streams if these have at most this number of places for each reference.
_MOST_PLACES = 4


class Column:
    """Segments of one kind.

    Args:
        held: Them, in a form that reads quickly.
        name: What errors call them.
        may_be_absent: Whether None among them stands for a reference that is absent.

    Attributes:
        kind: What they are; None if there is none.
    """

    __slots__ = ("held", "may_be_absent", "place")

    kind: ClassVar[Kind | None]

    def __init__(self, held: Any, name: str | Place, may_be_absent: bool = False) -> None:
        self.held = held
        self.place = name if isinstance(name, Place) else Place(name)
        self.may_be_absent = may_be_absent

    def __len__(self) -> int:
        return len(self.held)

    def __getitem__(self, i: int) -> Any:
        """Segment i: a str, or a sequence of tokens; None if it is absent."""
        return self.held[i]

    def as_kind(self, kind: Kind) -> Column:
        """Read segments as those beside them are read. In lists of int no id is ignored.

        Raises:
            TypeError: They must be ids, and are not sequences of int.
        """
        if kind == self.kind:
            return self
        held = self.held
        if kind == IDS:
            first = next(iter(held), None)
            if isinstance(first, str):
                raise wrong_type(self.place[0], "token ids, as what it is compared with", first)
            held = as_token_ids(
                list(held) if isinstance(held, (ArrowLists, TextColumn)) else held, self.place, ignore_id=None
            )
        elif self.kind == IDS:
            held = list(held)
        return CLASSES[kind](held, self.place, self.may_be_absent)


class Text(Column):
    """Segments of str."""

    __slots__ = ()

    kind: ClassVar[Kind | None] = TEXT


class Nothing(Text):
    """A column that holds no segment. It is read as what stands beside it."""

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
    held: TokenIds

    def __getitem__(self, i: int) -> Any:
        """The ids of segment i that are tokens."""
        return self.held.tokens(i, self.place)

    def flat(self) -> Ids:
        """Return itself.

        Raises:
            ValueError: There are several rows of each segment.
        """
        if self.held.is_per_segment:
            raise ArgumentValueError(
                self.place, f"must have the shape [segments, tokens], not {list(self.held.shape)}"
            )
        return self


CLASSES: dict[Kind, type[Column]] = {TEXT: Text, TOKENS: Tokens, IDS: Ids}


def column_of(held: Held, name: str | Place, may_be_absent: bool = False) -> Column:
    """Make a column of segments that are held in a form that reads quickly; the first segment says what they are.

    Args:
        held: A list, tuple or TextColumn, lists of Arrow, or TokenIds.
        name: What errors call them.
        may_be_absent: Whether None stands for a reference that is absent.

    Raises:
        TypeError: It is an Arrow column of lists of lists.

    Example:
        >>> column_of([None, ["a", "b"]], "references").kind
        'tokens'
    """
    if isinstance(held, (list, tuple)):
        for segment in held:
            if segment is not None:
                return (Text if is_text(segment) else Tokens)(held, name, may_be_absent)
        return Nothing(held, name, may_be_absent)
    if isinstance(held, TextColumn):
        return (Text if len(held) else Nothing)(held, name, may_be_absent)
    if isinstance(held, TokenIds):
        return Ids(held, name, may_be_absent)
    if held.holds == IDS:
        return Ids(as_token_ids(held, name), name, may_be_absent)
    if held.holds == TOKENS:
        return (Tokens if len(held) else Nothing)(held, name, may_be_absent)
    raise ArgumentTypeError(
        place(name),
        "is a column of lists of lists; references of each segment stand alone as references",
        value=held,
    )


def is_text(segment: Any) -> bool:
    """Return whether a segment is read as text. A value that is neither text nor tokens is: its reader refuses it."""
    return isinstance(segment, (str, bytes)) or not hasattr(segment, "__len__")


def common_kind(columns: Iterable[Any]) -> Kind:
    """Find how to read several columns together: as ids if one holds ids, else as the first that holds a segment."""
    found: Kind | None = None
    for column in columns:
        if column.kind == IDS:
            return IDS
        found = found or column.kind
    return found or TEXT


class PerSegment:
    """References that are given per segment, references[segment][k].

    Args:
        lists: For each segment a list or tuple of at least one reference, or lists of Arrow.
        where: What errors call them.
    """

    __slots__ = ("lists", "place")

    def __init__(self, lists: Any, where: Place) -> None:
        self.lists = lists
        self.place = where

    def __len__(self) -> int:
        return len(self.lists)

    def is_sparse(self) -> bool:
        """Return whether most places of streams would be empty."""
        lists = self.lists
        if isinstance(lists, ArrowLists):
            sizes = (lists.bounds[1:] - lists.bounds[:-1]).tolist()
        else:
            sizes = list(map(len, lists))
        return len(sizes) * max(sizes, default=0) > _MOST_PLACES * sum(sizes)

    def flat(self) -> tuple[Any, Any]:
        """All references, those of a segment next to each other, and int64 [n + 1], where those of each begin.

        Errors about number k of all of them name the segment and the reference.

        Raises:
            ValueError: A list of Arrow is empty.
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
                self.place[int(empty[0])], "must hold at least one reference, but is null or empty"
            )
        return lists.flat, bounds

    def streams(self) -> list[Column]:
        """The first reference of each segment, the second, and so on, until the longest list has ended."""
        streams = zip_longest(*self.lists) if len(self.lists) else [()]
        return [column_of(stream, self.place.before(k), True) for k, stream in enumerate(streams)]
