"""Columns: segments that are text, tokens or token ids, with the argument's name for errors.

`reading` creates columns from input. The packages that use columns check a column's kind, never the type of its data.
"""

from __future__ import annotations

from itertools import accumulate, chain, zip_longest

from ..errors import NO_INDEX, ArgumentTypeError, ArgumentValueError, Location, describe, locate, wrong_type
from ._text import TextColumn
from .arrow import ArrowLists
from .ids import TokenIds, as_token_ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable
    from typing import Any, ClassVar, Literal, TypeAlias

    #: The types of segments for which there is a fast reader.
    SegmentData: TypeAlias = list[Any] | tuple[Any, ...] | TextColumn | ArrowLists | TokenIds
    #: A function that converts segments start..stop - 1, or only the first few, to columns for the kernels. It
    #: returns the columns, and the index after the last segment that was converted.
    Reader: TypeAlias = Callable[[int, int], tuple[list[Any], int]]
    #: The ids of tokens, shared by several segments.
    Vocabulary: TypeAlias = dict[Hashable, int]
    Kind: TypeAlias = Literal["text", "tokens", "token ids"]

#: The kinds of segments, by their names in messages.
TEXT: Kind = "text"
TOKENS: Kind = "tokens"
IDS: Kind = "token ids"

#: References per segment are sparse if, as streams, they would have more than this many entries per reference. Most of
#: these entries would be None, for missing references.
_MAX_ENTRIES = 4


class Column:
    """Segments of one kind.

    Args:
        data: The segments: a list, a tuple, a TextColumn, ArrowLists or TokenIds.
        name: The argument's name in errors.
        may_be_missing: Whether segments may be `None`, for missing references.

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
        """Return segment i: a str, a sequence of tokens or ids, or None if the segment is missing."""
        return self.data[i]

    def as_kind(self, kind: Kind) -> Column:
        """Convert the column to the kind of another column, so that their segments can be compared.

        Lists of int are converted to token ids without ignoring any id, not even -100.

        Raises:
            TypeError: `kind` is token ids, but the segments are not sequences of int.
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
    """A column of segments that are str."""

    __slots__ = ()

    kind: ClassVar[Kind | None] = TEXT


class EmptyColumn(Text):
    """A column without segments. It has no kind, and is read together with columns of any kind."""

    __slots__ = ()

    kind = None


class Tokens(Column):
    """A column of segments that are sequences of hashable tokens."""

    __slots__ = ()

    kind: ClassVar[Kind | None] = TOKENS


class Ids(Column):
    """A column of segments that are token ids."""

    __slots__ = ()

    kind: ClassVar[Kind | None] = IDS
    data: TokenIds

    def __getitem__(self, i: int) -> Any:
        """Return the tokens of segment i: its ids without padding, ignored ids and the ids after its end."""
        return self.data.tokens(i, self.location)

    def flat(self) -> Ids:
        """Check that the column has one row per segment, and return the column itself.

        Raises:
            ValueError: The column has the shape [segments, references, tokens].
        """
        if self.data.is_per_segment:
            raise ArgumentValueError(
                self.location, f"must have the shape [segments, tokens], not {list(self.data.shape)}"
            )
        return self


CLASSES: dict[Kind, type[Column]] = {TEXT: Text, TOKENS: Tokens, IDS: Ids}


def column_of(data: SegmentData, name: str | Location, may_be_missing: bool = False) -> Column:
    """Create a column. In a list, the first segment that is not None determines the kind.

    Args:
        data: The segments: a list, a tuple, a TextColumn, ArrowLists or TokenIds.
        name: The argument's name in errors.
        may_be_missing: Whether segments may be `None`, for missing references.

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
    """Return whether a segment is read as text: a str, or an object that is not a sequence of tokens.

    The reader of text rejects an object that is not a str.
    """
    return isinstance(segment, (str, bytes)) or not hasattr(segment, "__len__")


def as_sequence(tokens: Any, name: str | Location, i: int = NO_INDEX) -> list[Any] | tuple[Any, ...]:
    """Convert a sequence of tokens to a list, unless it is a list or tuple.

    Raises:
        TypeError: `tokens` is not a sequence of tokens; the message names name[i], or only `name` without `i`.
    """
    if isinstance(tokens, (list, tuple)):
        return tokens
    sequence: Any = tokens
    if not isinstance(tokens, (str, bytes, bytearray, dict, set, frozenset)) and hasattr(tokens, "__len__"):
        # Equal items of arrays and tensors may have different hashes; equal Python numbers have equal hashes.
        sequence = tokens.tolist() if hasattr(tokens, "tolist") else list(tokens)
    # Check the result, because `tolist` returns a number for an array without dimensions.
    if not isinstance(sequence, (list, tuple)):
        where, advice = locate(name, i), ""
        if isinstance(tokens, str) and where.argument == "references" and len(where.indices) == 2:
            advice = f"; if references[{where.indices[0]}] is one tokenized segment, pass [references]"
        reason = f"must be a sequence of tokens, not {describe(tokens)}{advice}"
        raise ArgumentTypeError(where, reason, value=tokens)
    return sequence


def common_kind(columns: Iterable[Any]) -> Kind:
    """Choose the kind to which columns are converted before they are compared.

    The kind is token ids if any column contains token ids, else the kind of the first column that is not empty.
    """
    first: Kind | None = None
    for column in columns:
        if column.kind == IDS:
            return IDS
        first = first or column.kind
    return first or TEXT


class PerSegment:
    """References that are given per segment: references[segment][k] is reference k of a segment.

    Args:
        lists: For each segment, a list or tuple of at least one reference; or ArrowLists.
        where: The argument's name in errors.
    """

    __slots__ = ("lists", "location")

    def __init__(self, lists: Any, where: Location) -> None:
        self.lists = lists
        self.location = where

    def __len__(self) -> int:
        return len(self.lists)

    def is_sparse(self) -> bool:
        """Return whether most entries would be missing references if the references were converted to streams."""
        lists = self.lists
        if isinstance(lists, ArrowLists):
            sizes = (lists.bounds[1:] - lists.bounds[:-1]).tolist()
        else:
            sizes = list(map(len, lists))
        return len(sizes) * max(sizes, default=0) > _MAX_ENTRIES * sum(sizes)

    def flat(self) -> tuple[Any, Any]:
        """Return all references in one list, and the index of each segment's first reference in this list.

        Returns:
            The references of the first segment, then those of the second, and so on; and the indices, int64 [n + 1] for
            n segments, the last of which is the number of references.

        Raises:
            ValueError: An Arrow list is null or empty.
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
        """Convert the references to streams: a column of the first reference of each segment, of the second, and so on.

        There are as many streams as the longest list has references. They contain None for missing references.
        """
        streams = zip_longest(*self.lists) if len(self.lists) else [()]
        return [column_of(stream, self.location.before(k), True) for k, stream in enumerate(streams)]
