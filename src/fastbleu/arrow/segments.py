"""Columns of a table as hypotheses and references; errors name the column and the row."""

from __future__ import annotations

from ..errors import ArgumentError, ArgumentTypeError, ArgumentValueError, Place, wrong_type
from .tables import import_pyarrow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

    from numpy import int64
    from numpy.typing import NDArray

    from ..counting.corpus import Corpus
    from ..metric import BLEU
    from .tables import Columns

    #: How many lists there are around the values, and what these are.
    Kind: TypeAlias = tuple[int, str]

#: What a column of hypotheses must hold.
SEGMENTS = "strings, or lists of strings or of integers"

#: The content of lists that have none.
NOTHING = "nothing"


class ReferenceColumns:
    """The columns of references.

    Args:
        columns: The table.
        references: The name of a column of references, one in each row or a list; or a list of names, each of a column
            with one reference in each row.
        kind: What one reference is: the depth and the content of its lists.
        beside: The argument that names the column of hypotheses or pools, and that name.

    Attributes:
        are_per_segment: Whether each row has a list of references.

    Raises:
        TypeError: A name is no str, or a column has a wrong type.
        ValueError: There is no column of a name; one is named twice; or a row has no reference.
    """

    def __init__(
        self, columns: Columns, references: str | Sequence[str], kind: Kind, beside: tuple[str, str]
    ) -> None:
        self._table = columns.argument
        names = [references] if isinstance(references, str) else references
        if not isinstance(names, (list, tuple)):
            raise wrong_type("references", "the name of a column, or a list of names", references)
        if not names:
            raise ArgumentValueError("references", "is empty; name at least one column")
        self._names = list(names)
        self._columns = [columns.get("references", name) for name in names]
        lists = kind[0] + 1, kind[1]
        first = self._columns[0].type
        self.are_per_segment = (
            isinstance(references, str) and same_kind(first, lists) and not same_kind(first, kind)
        )
        for name, column in zip(self._names, self._columns, strict=True):
            if self.are_per_segment or same_kind(column.type, kind):
                continue
            hint = ""
            if same_kind(column.type, lists):
                hint = f"; a column with a list in each row stands alone: references={name!r}"
            raise ArgumentTypeError(
                Place(self._table)[name], f"must be a column of {described(kind)}, not of {column.type}{hint}"
            )
        for i, name in enumerate(self._names):
            if name in self._names[:i]:
                raise ArgumentValueError("references", f"names the column {name!r} twice")
            if name == beside[1]:
                raise ArgumentValueError("references", f"names the column {name!r}, and so does {beside[0]}")
        self._check_present()

    def _check_present(self) -> None:
        """Each row must have a reference."""
        pyarrow = import_pyarrow()
        if self.are_per_segment:
            place = Place(self._table)[self._names[0]]
            sizes = list_sizes(self._columns[0], place, "a list of references")
            if not sizes.all():
                raise ArgumentValueError(place[int(sizes.argmin())], "is empty; a row needs a reference")
            return
        if not all(map(_may_hold_null, self._columns)):
            return
        absent, *others = map(_is_null, self._columns)
        for other in others:
            absent = pyarrow.compute.and_(absent, other)
        row = pyarrow.compute.index(absent, True).as_py()
        if row >= 0:
            first, *others = (str(Place(self._table)[name, row]) for name in self._names)
            also = f", and so {'is' if len(others) == 1 else 'are'} {', '.join(others)}" if others else ""
            raise ArgumentValueError(
                Place(first), f'is null{also}; a row needs a reference, "" for an empty one'
            )

    @property
    def num_references(self) -> int | None:
        """How many references each row has, where the columns alone say it; else None."""
        return 1 if len(self._names) == 1 and not self.are_per_segment else None

    @property
    def given(self) -> Any:
        """The references as a metric takes them: a column of lists, or streams."""
        return self._columns[0] if self.are_per_segment else self._columns

    def located(self, error: ArgumentError) -> ArgumentError:
        """An error about references as they are `given`, as one about a column."""
        indices = error.indices
        if error.argument != "references":
            return error
        if self.are_per_segment and not indices:
            return self._without_any() or error
        if self.are_per_segment or len(self._names) == 1:
            return error.at(Place(self._table, (self._names[0], *indices[not self.are_per_segment :])))
        if indices:
            return error.at(Place(self._table, (self._names[indices[0]], *indices[1:])))
        return error

    def _without_any(self) -> ArgumentError | None:
        """The error about the first list that holds nothing but nulls; None if there is no such list."""
        import numpy as np

        place = Place(self._table)[self._names[0]]
        sizes = list_sizes(self._columns[0], place, "a list of references")
        absent = _is_null(import_pyarrow().compute.list_flatten(self._columns[0]))
        absent = np.add.reduceat(
            absent.to_numpy(zero_copy_only=False), sizes.cumsum() - sizes, dtype=np.int64
        )
        rows = (absent == sizes).nonzero()[0]
        if not len(rows):
            return None
        what = 'holds nothing but null; a row needs a reference, "" for an empty one'
        return ArgumentValueError(place[int(rows[0])], what)


class Segments:
    """The columns of hypotheses and of references.

    Args:
        columns: The table.
        hypothesis: The name of the column of hypotheses.
        references: As for `ReferenceColumns`.

    Attributes:
        references: The columns of references.

    Raises:
        TypeError: A name is no str, or a column has a wrong type.
        ValueError: There is no column of a name; a hypothesis is null, or a row has no reference.

    Example:
        >>> import pyarrow as pa
        >>> from fastbleu import BLEU
        >>> from fastbleu.arrow.tables import Columns
        >>> table = pa.table({"mt": ["a b"], "refs": [["a c", "a b"]]})
        >>> Segments(Columns(table, "batch"), "mt", "refs").corpus(BLEU()).count().row
        [2, 2, 2, 1, 0, 0, 2, 1, 0, 0]
    """

    def __init__(self, columns: Columns, hypothesis: str, references: str | Sequence[str]) -> None:
        self._column = columns.get("hypothesis", hypothesis)
        self._place = Place(columns.argument)[hypothesis]
        kind = list_kind(self._column.type)
        if kind is None or kind[0] > 1 or kind == (0, "integers"):
            raise ArgumentTypeError(
                self._place, f"must be a column of {SEGMENTS}, not of {self._column.type}"
            )
        check_no_null(self._column, self._place, "a hypothesis")
        self.references = ReferenceColumns(columns, references, kind, ("hypothesis", hypothesis))

    def corpus(self, metric: BLEU) -> Corpus:
        """Hypotheses and references, ready to be counted.

        Raises:
            TypeError, ValueError: As `BLEU.corpus_score`; names the column and the row.
        """
        try:
            return metric.corpus(self._column, self.references.given)
        except ArgumentError as error:
            raise self.located(error) from None

    def located(self, error: ArgumentError) -> ArgumentError:
        """An error about an argument of the metric, as one about a column."""
        if error.argument == "hypotheses":
            return error.at(self._place[error.indices])
        return self.references.located(error)


def list_kind(arrow_type: Any) -> Kind | None:
    """How many lists a type has around strings or integers, and which of them it holds; None of any other type.

    A dictionary is one of strings.

    Example:
        >>> import pyarrow as pa
        >>> list_kind(pa.large_string()), list_kind(pa.list_(pa.int32())), list_kind(pa.float64())
        ((0, 'strings'), (1, 'integers'), None)
    """
    types = import_pyarrow().types
    depth = 0
    while _is_list(arrow_type):
        arrow_type, depth = arrow_type.value_type, depth + 1
    if types.is_dictionary(arrow_type):
        return (depth, "strings") if _is_string(arrow_type.value_type) else None
    if _is_string(arrow_type):
        return depth, "strings"
    if types.is_integer(arrow_type):
        return depth, "integers"
    return (depth, NOTHING) if types.is_null(arrow_type) else None


def same_kind(arrow_type: Any, kind: Kind) -> bool:
    """Whether a column of a type may hold what is of a kind; nulls may be anything.

    Example:
        >>> import pyarrow as pa
        >>> same_kind(pa.list_(pa.string()), (1, "strings")), same_kind(pa.null(), (1, "strings"))
        (True, True)
    """
    found = list_kind(arrow_type)
    if found is None:
        return False
    depths_fit = found[0] <= kind[0] if found[1] == NOTHING else found[0] == kind[0] or kind[1] == NOTHING
    return depths_fit and (found[1] == kind[1] or NOTHING in (found[1], kind[1]))


def described(kind: Kind) -> str:
    """A kind in words.

    Example:
        >>> described((0, "strings")), described((2, "integers"))
        ('strings', 'lists of lists of integers')
    """
    return "lists of " * kind[0] + kind[1]


def list_sizes(column: Any, place: Place, what: str) -> NDArray[int64]:
    """How many elements each list of a column has, int64 [n].

    Args:
        column: The column.
        place: What errors call it.
        what: What errors call a list.

    Raises:
        TypeError: pyarrow does not know lists of this type.
        ValueError: One is null; names the row.
    """
    check_no_null(column, place, what)
    pyarrow = import_pyarrow()
    try:
        sizes = pyarrow.compute.list_value_length(column).cast(pyarrow.int64())
    except pyarrow.ArrowNotImplementedError:  # list views, in old releases of pyarrow
        raise ArgumentTypeError(
            place, f"has the type {column.type}, which this release of pyarrow cannot read as lists"
        ) from None
    found: NDArray[int64] = sizes.to_numpy()
    return found


def _is_string(kind: Any) -> bool:
    types = import_pyarrow().types
    return types.is_string(kind) or types.is_large_string(kind) or _is(kind, "string_view")


def _chunks(column: Any) -> list[Any]:
    """The arrays of a column."""
    chunks: list[Any] = column.chunks if isinstance(column, import_pyarrow().ChunkedArray) else [column]
    return chunks


def _may_hold_null(column: Any) -> bool:
    """Whether a column holds a null, or its dictionary does."""
    if column.null_count:
        return True
    has_dictionary = import_pyarrow().types.is_dictionary(column.type)
    return has_dictionary and any(chunk.dictionary.null_count for chunk in _chunks(column))


def _is_null(column: Any) -> Any:
    """Which values of a column are null, also where a dictionary holds the null: a ChunkedArray of bool."""
    pyarrow = import_pyarrow()
    if pyarrow.types.is_dictionary(column.type):
        found = [chunk.dictionary.is_null().take(chunk.indices).fill_null(True) for chunk in _chunks(column)]
    else:
        found = [chunk.is_null() for chunk in _chunks(column)]
    return pyarrow.chunked_array(found, pyarrow.bool_())


def _is_list(kind: Any) -> bool:
    types = import_pyarrow().types
    known = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    return known or _is(kind, "list_view") or _is(kind, "large_list_view")


def _is(kind: Any, name: str) -> bool:
    """Whether a type is one that older releases of pyarrow lack."""
    test = getattr(import_pyarrow().types, f"is_{name}", None)
    return test is not None and bool(test(kind))


def check_no_null(column: Any, where: Place, what: str) -> None:
    """Check that a column has no null.

    Raises:
        ValueError: It has; names the row.
    """
    if column.null_count:
        row = import_pyarrow().compute.index(column.is_null(), True).as_py()
        raise ArgumentValueError(where[row], f"is null, where {what} is expected")
