"""Read columns of data frames and data sets, NumPy text arrays and Arrow data, by the fastest method of each library.

Iterating over such a column creates an object of its library for each row, which takes two to fifty times as long as
reading all values at once. No library is imported to recognise a value: its type is enough. Rows are identified by
position; an index is ignored.

Columns in Arrow's memory layout are read as Arrow columns, the others as lists. A value that the library treats as
missing (None, NaN, `pandas.NA`, `pandas.NaT`) becomes None.
"""

from __future__ import annotations

from importlib.util import find_spec
from math import isnan

from ..errors import ArgumentTypeError, Location
from ._tokens import types_of
from .arrow import is_arrow, is_arrow_type, is_result
from .arrow_columns import read_arrow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    #: A reader in the table of `reading`; see `find_form`.
    Form: TypeAlias = Callable[[Any, Location, str, bool], Any]

#: Features of `datasets` whose values are those of the Arrow column; other features decode it.
_PLAIN_FEATURES = ("Value", "List", "LargeList", "Sequence")

#: The kinds of NumPy's dtypes for text and objects.
_NUMPY_KINDS = ("O", "U", "T")

#: Types of values that are never treated as missing, except None itself.
_PRESENT = {str, list, tuple, type(None)}

#: Take this many rows of a column at a time. An Arrow string array holds at most 2 GiB.
_ROWS_TAKEN = 1 << 17

#: Show at most this many names of columns in a message.
_MAX_NAMES = 12


def find_form(kind: type) -> Form | None:
    """Find the reader of a type of columns, or of tables, which it rejects; return None for any other type.

    The reader takes a value, its name in errors, the expected value, and whether a list of columns is expected. It
    returns a list, in which None is a missing value; a TextColumn or Arrow lists, if the column is read in place; or
    None if the value is not a column.

    Example:
        >>> import numpy as np
        >>> read = find_form(np.ndarray)
        >>> read(np.array(["the cat", float("nan")], dtype=object), Location("hypotheses"), "a sequence", False)
        ['the cat', None]
    """
    may_be_table = any(hasattr(kind, attribute) for attribute in ("column_names", "columns", "schema"))
    values_of = _find_values(kind)
    if values_of is None and not may_be_table:
        return None

    def read(value: Any, where: Location, what: str, takes_several: bool) -> Any:
        if may_be_table:
            _refuse_table(value, where, what, takes_several)
        values = None if values_of is None else values_of(value)
        if values is not None and is_arrow(values):
            return read_arrow(values, where)
        if takes_several and isinstance(values, list) and kind.__module__ != "numpy":
            _refuse_lists(values, value, where)
        return values

    return read


def _find_values(kind: type) -> Callable[[Any], Any] | None:
    """Find the function that returns the values of a column as a list or as Arrow data; None for another type."""
    if kind.__module__ == "numpy":
        return _of_numpy if hasattr(kind, "dtype") else None
    if hasattr(kind, "isna") and hasattr(kind, "dtype"):
        if hasattr(kind, "array") and not hasattr(kind, "levels"):
            return lambda value: _of_pandas(value.array)  # A Series or an Index.
        return _of_pandas if hasattr(kind, "_from_sequence") else None
    if hasattr(kind, "to_list") and hasattr(kind, "is_null"):
        return _of_polars
    if kind.__module__.partition(".")[0] == "datasets" and hasattr(kind, "__len__"):
        return _of_datasets
    return (lambda value: value) if is_arrow_type(kind) else None


def _of_polars(series: Any) -> Any:
    """Return the series itself for pyarrow to read, without copying strings longer than 12 bytes; else a list."""
    is_readable = find_spec("pyarrow") is not None and str(series.dtype) != "Object"
    return series if is_readable else series.to_list()


def _of_numpy(array: Any) -> Any:
    dtype = array.dtype
    if dtype.kind not in _NUMPY_KINDS or not array.ndim:
        return None
    values: list[Any] = array.tolist()
    if dtype.kind == "U" or array.ndim > 2:
        return values
    return _with_none(values) if array.ndim == 1 else [_with_none(row) for row in values]


def _of_pandas(array: Any) -> Any:
    """Return the values of a pandas array."""
    import numpy as np

    dtype = array.dtype
    if hasattr(dtype, "pyarrow_dtype") or getattr(dtype, "storage", "").startswith("pyarrow"):
        return array.__arrow_array__()
    # Do not convert columns of objects by Arrow, which rejects some values and changes others.
    return _with_none(np.asarray(array, dtype=object).tolist())


def _of_datasets(column: Any) -> Any:
    """Return the values of a `datasets.Column`: the Arrow data, unless the data set transforms the values."""
    if not hasattr(column, "column_name"):
        return None
    is_arrow = hasattr(column.source, "data") and column.source.format["type"] != "custom"
    if is_arrow and _is_plain(column.features):
        return _whole_column(column.source, column.column_name)
    return list(column[:])


def _whole_column(dataset: Any, name: str) -> Any:
    """Return the Arrow data of a column of a `datasets.Dataset`, in the order of its rows."""
    data = dataset.data.column(name)
    if dataset._indices is None:
        return data
    # Rows were selected or shuffled. The method of `datasets` takes thirty times as long.
    import pyarrow as pa

    rows = dataset._indices.column(0)
    starts = range(0, len(rows), _ROWS_TAKEN)
    taken = [data.take(rows.slice(start, _ROWS_TAKEN)) for start in starts]
    return pa.chunked_array([chunk for part in taken for chunk in part.chunks], type=data.type)


def _is_plain(feature: Any) -> bool:
    while hasattr(feature, "feature"):
        if type(feature).__name__ not in _PLAIN_FEATURES:
            return False
        feature = feature.feature
    return type(feature).__name__ in _PLAIN_FEATURES


def _with_none(values: list[Any]) -> list[Any]:
    """Replace missing values by None."""
    odd = types_of(values) - _PRESENT
    if any(kind.__name__ in ("NAType", "NaTType") or _is_float(kind) for kind in odd):
        return [None if _is_missing(value) else value for value in values]
    return values


def _is_float(kind: type) -> bool:
    return issubclass(kind, float) or (kind.__module__ == "numpy" and kind.__name__.startswith("float"))


def _is_missing(value: Any) -> bool:
    kind = type(value)
    return kind.__name__ in ("NAType", "NaTType") or (_is_float(kind) and isnan(value))


def _refuse_lists(values: list[Any], value: Any, where: Location) -> None:
    """Reject a column of lists as Python objects, which may be either streams or the references of each segment.

    Raises:
        TypeError: The first value is a list.
    """
    first = next((each for each in values if each is not None), None)
    if isinstance(first, (list, tuple)) or getattr(first, "ndim", 0) > 0:
        kind = f"is one column ({type(value).__name__}) of lists; for the references of each segment pass "
        raise ArgumentTypeError(
            where, f"{kind}metric.prepare_segments(", "), for streams list(", ")", value=value
        )


def _refuse_table(value: Any, where: Location, what: str, takes_several: bool) -> None:
    """Reject a table where a column is expected, and name its columns.

    Raises:
        TypeError: The value is a table. The result of a query with one column is read as that column.
    """
    kind = type(value)
    names = _column_names(value)
    if names is None or (len(names) == 1 and is_arrow(value) and is_result(value)):
        return
    several = "one of its columns or more in a list" if takes_several else "one of its columns"
    lazily = "collect it and " if hasattr(kind, "collect_schema") and hasattr(kind, "collect") else ""
    text = f"must be {what}, not a {kind.__name__}; {lazily}pass {several}"
    if isinstance(names, dict):
        text = f"must be {what}, not a {kind.__name__}; take one of its splits and pass {several}"
    if names:
        shown = [repr(each) for each in names]
        text += ": " + ", ".join(shown[:_MAX_NAMES]) + (", ..." if len(shown) > _MAX_NAMES else "")
    raise ArgumentTypeError(where, text, value=value)


def _column_names(value: Any) -> Any:
    """Return a table's column names (empty if unknown), or a dict of splits; None if the value is not a table."""
    kind = type(value)
    try:
        if hasattr(kind, "collect_schema"):  # In polars, the `columns` of a lazy frame warn.
            return value.collect_schema().names()
        names = (
            value.column_names
            if hasattr(kind, "column_names")
            else value.columns
            if hasattr(kind, "columns")
            else value.schema.names
        )
    except AttributeError:
        return None
    except Exception:  # noqa: BLE001  # The query plan is invalid, or the connection is closed.
        return []
    if callable(names):
        return []
    return names if isinstance(names, dict) else [] if names is None else list(names)
