"""Columns of a table as hypotheses and references; errors name the column and the row."""

from __future__ import annotations

from ..errors import ArgumentError, ArgumentTypeError, ArgumentValueError, Place, wrong_type
from .tables import import_pyarrow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..counting.corpus import Corpus
    from ..metric import BLEU
    from .tables import Columns

#: What a column must hold.
SEGMENTS = "strings, or lists of strings or of integers"


class Segments:
    """The columns of hypotheses and of references.

    Args:
        columns: The table.
        hypothesis: The name of the column of hypotheses.
        references: The name of a column of references, one for each hypothesis or a list; or a list of names, each of a
            column that has one reference for each hypothesis.

    Raises:
        TypeError: A name is no str, or a column has a wrong type.
        ValueError: There is no column of a name; or a hypothesis is null.

    Example:
        >>> import pyarrow as pa
        >>> from fastbleu import BLEU
        >>> from fastbleu.arrow.tables import Columns
        >>> table = pa.table({"mt": ["a b"], "refs": [["a c", "a b"]]})
        >>> Segments(Columns(table, "batch"), "mt", "refs").corpus(BLEU()).count().row
        [2, 2, 2, 1, 0, 0, 2, 1, 0, 0]
    """

    def __init__(self, columns: Columns, hypothesis: str, references: str | list[str]) -> None:
        self._table = columns.argument
        self._hypothesis = hypothesis
        self._column = columns.get("hypothesis", hypothesis)
        depth = segment_depth(self._column.type)
        if depth is None:
            raise self._wrong_type(hypothesis, self._column, SEGMENTS)
        names = [references] if isinstance(references, str) else references
        if not isinstance(names, (list, tuple)):
            raise wrong_type("references", "the name of a column, or a list of names", references)
        if not names:
            raise ArgumentValueError("references", "is empty; name at least one column")
        self._names = list(names)
        self._streams = [columns.get("references", name) for name in names]
        kinds = [list_depth(stream.type) for stream in self._streams]
        #: Whether the column of references holds a list of them for each hypothesis.
        self.are_per_segment = isinstance(references, str) and kinds[0] == (depth[0] + 1, depth[1])
        for name, stream, kind in zip(self._names, self._streams, kinds, strict=True):
            if self.are_per_segment or kind in (depth, None) or None in (kind[1], depth[1]):
                continue
            one = f"{stream.type} where {hypothesis!r} has {self._column.type}"
            if not isinstance(references, str) and kind == (depth[0] + 1, depth[1]):
                one += f"; references of each segment stand alone: references={name!r}"
            raise ArgumentTypeError(Place(self._table)[name], f"has the type {one}")
        check_no_null(self._column, Place(self._table)[hypothesis], "a hypothesis")
        self._check_references()

    def _wrong_type(self, name: str, column: Any, what: str) -> ArgumentTypeError:
        return ArgumentTypeError(
            Place(self._table)[name], f"must be a column of {what}, not of {column.type}"
        )

    def _check_references(self) -> None:
        """Each hypothesis must have one."""
        pyarrow = import_pyarrow()
        if not all(stream.null_count for stream in self._streams):
            return
        absent = self._streams[0].is_null()
        for stream in self._streams[1:]:
            absent = pyarrow.compute.and_(absent, stream.is_null())
        row = pyarrow.compute.index(absent, True).as_py()
        if row >= 0:
            places = [str(Place(self._table)[name, row]) for name in self._names]
            also = (
                f" and so {'is' if len(places) == 2 else 'are'} {', '.join(places[1:])}" if places[1:] else ""
            )
            raise ArgumentValueError(
                Place(self._table)[self._names[0], row],
                f'is null{also}; each segment needs a reference, "" for an empty one',
            )

    @property
    def num_references(self) -> int | None:
        """How many references each hypothesis has, where the columns alone say it; else None."""
        return 1 if len(self._names) == 1 and not self.are_per_segment else None

    def corpus(self, metric: BLEU) -> Corpus:
        """Hypotheses and references, ready to be counted.

        Raises:
            TypeError, ValueError: As `BLEU.corpus_score`; names the column and the row.
        """
        try:
            if self.are_per_segment:
                references: Any = metric.prepare_segments(_as_list(self._streams[0]))
            else:
                references = [_as_list(stream) for stream in self._streams]
            return metric.corpus(_as_list(self._column), references)
        except ArgumentError as error:
            raise self.located(error) from None

    def located(self, error: ArgumentError) -> ArgumentError:
        """An error about an argument of the metric, as one about a column."""
        indices = error.indices
        if error.argument == "hypotheses":
            return error.at(Place(self._table, (self._hypothesis, *indices)))
        if error.argument != "references":
            return error
        if self.are_per_segment or len(self._names) == 1:
            return error.at(Place(self._table, (self._names[0], *indices[not self.are_per_segment :])))
        if indices:
            return error.at(Place(self._table, (self._names[indices[0]], *indices[1:])))
        return error


def list_depth(kind: Any) -> tuple[int, str | None] | None:
    """How many lists a type has around strings or integers, and which of them it holds; None of any other type.

    Example:
        >>> import pyarrow as pa
        >>> list_depth(pa.large_string()), list_depth(pa.list_(pa.int32())), list_depth(pa.float64())
        ((0, 'text'), (1, 'ids'), None)
    """
    types = import_pyarrow().types
    depth = 0
    while True:
        if types.is_dictionary(kind):
            kind = kind.value_type
        if not _is_list(kind):
            break
        kind, depth = kind.value_type, depth + 1
    if types.is_string(kind) or types.is_large_string(kind) or _is(kind, "string_view"):
        return depth, "text"
    if types.is_integer(kind):
        return depth, "ids"
    return (depth, None) if types.is_null(kind) else None


def segment_depth(kind: Any) -> tuple[int, str | None] | None:
    """The depth of the type of segments: text, tokens or ids; None of any other type."""
    found = list_depth(kind)
    return found if found is not None and found[0] <= 1 and found != (0, "ids") else None


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


def _as_list(column: Any) -> Any:
    return column.to_pylist()
