"""Read columns of data frames, data sets, NumPy arrays of text and Arrow data, by the fastest method of each library.

Iterating over a column would create an object of its library for each row, which takes two to fifty times as long as
reading all values at once. A column is recognised by attributes of its type, so that no library is imported for that.
Rows are identified by position; the index of a pandas Series is ignored.

Columns in Arrow's memory layout are read as Arrow columns, all other columns as lists. A value that the library treats
as missing (None, NaN, `pandas.NA`, `pandas.NaT`) becomes None.
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

    #: A function that reads a column; see `find_frame_reader`.
    FrameReader: TypeAlias = Callable[[Any, Location, str, bool], Any]

#: Names of the features of `datasets` that leave the values of the Arrow column unchanged; other features decode them.
_PLAIN_FEATURES = ("Value", "List", "LargeList", "Sequence")

#: The kinds of NumPy's dtypes for objects and for text.
_NUMPY_KINDS = ("O", "U", "T")

#: Types whose values `_with_none` does not change: None, and values that no library treats as missing.
_NEVER_MISSING = {str, list, tuple, type(None)}

#: The number of rows to take from a column at a time, so that an Arrow string array stays below its limit of 2 GiB.
_ROWS_TAKEN = 1 << 17

#: The maximum number of column names in a message.
_MAX_NAMES = 12


def find_frame_reader(kind: type) -> FrameReader | None:
    """Return a function that reads the columns of a type; None if objects of the type are neither columns nor tables.

    The function takes a value, its location, a description of the expected value for errors, and whether a list of
    columns is expected. It returns a list, in which None is a missing value; a TextColumn or ArrowLists, if it can read
    the column in place; or None, if the value is not a column. It raises TypeError for a table.

    Example:
        >>> import numpy as np
        >>> read = find_frame_reader(np.ndarray)
        >>> read(np.array(["the cat", float("nan")], dtype=object), Location("hypotheses"), "a sequence", False)
        ['the cat', None]
    """
    may_be_table = any(hasattr(kind, attribute) for attribute in ("column_names", "columns", "schema"))
    values_of = _find_values(kind)
    if values_of is None and not may_be_table:
        return None

    def read_column(value: Any, where: Location, expected: str, takes_several: bool) -> Any:
        if may_be_table:
            _refuse_table(value, where, expected, takes_several)
        values = None if values_of is None else values_of(value)
        if values is not None and is_arrow(values):
            return read_arrow(values, where)
        if takes_several and isinstance(values, list) and kind.__module__ != "numpy":
            _refuse_lists(values, value, where)
        return values

    return read_column


def _find_values(kind: type) -> Callable[[Any], Any] | None:
    """Return the function that converts columns of a type to a list or to Arrow data; None for any other type."""
    if kind.__module__ == "numpy":
        return _of_numpy if hasattr(kind, "dtype") else None
    if hasattr(kind, "isna") and hasattr(kind, "dtype"):
        if hasattr(kind, "array") and not hasattr(kind, "levels"):
            return lambda value: _of_pandas(value.array)  # This is a Series or an Index.
        return _of_pandas if hasattr(kind, "_from_sequence") else None
    if hasattr(kind, "to_list") and hasattr(kind, "is_null"):
        return _of_polars
    if kind.__module__.partition(".")[0] == "datasets" and hasattr(kind, "__len__"):
        return _of_datasets
    return (lambda value: value) if is_arrow_type(kind) else None


def _of_polars(series: Any) -> Any:
    """Return a polars series unchanged if pyarrow can read it, else as a list."""
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
    """Return the values of a pandas array as Arrow data if it stores them as such, else as a list."""
    import numpy as np

    dtype = array.dtype
    if hasattr(dtype, "pyarrow_dtype") or getattr(dtype, "storage", "").startswith("pyarrow"):
        return array.__arrow_array__()
    # Convert columns of objects to lists, because a conversion to Arrow rejects some values and changes others.
    return _with_none(np.asarray(array, dtype=object).tolist())


def _of_datasets(column: Any) -> Any:
    """Return the Arrow data of a `datasets.Column`, or a list if the data set transforms the values.

    Return None for another type of `datasets`.
    """
    if not hasattr(column, "column_name"):
        return None
    is_untransformed = hasattr(column.source, "data") and column.source.format["type"] != "custom"
    if is_untransformed and _is_plain(column.features):
        return _arrow_column(column.source, column.column_name)
    return list(column[:])


def _arrow_column(dataset: Any, name: str) -> Any:
    """Return the Arrow data of a column of a `datasets.Dataset`, in the order of its rows."""
    data = dataset.data.column(name)
    if dataset._indices is None:
        return data
    # Rows were selected or shuffled. Select them with pyarrow, because the method of `datasets` takes 30 times as long.
    import pyarrow as pa

    rows = dataset._indices.column(0)
    taken = [data.take(rows.slice(start, _ROWS_TAKEN)) for start in range(0, len(rows), _ROWS_TAKEN)]
    return pa.chunked_array([chunk for part in taken for chunk in part.chunks], type=data.type)


def _is_plain(feature: Any) -> bool:
    is_plain = type(feature).__name__ in _PLAIN_FEATURES
    return is_plain and (not hasattr(feature, "feature") or _is_plain(feature.feature))


def _with_none(values: list[Any]) -> list[Any]:
    """Replace NaN, `pandas.NA` and `pandas.NaT` by None."""
    other_types = types_of(values) - _NEVER_MISSING
    if any(kind.__name__ in ("NAType", "NaTType") or _is_float(kind) for kind in other_types):
        return [None if _is_missing(value) else value for value in values]
    return values


def _is_float(kind: type) -> bool:
    return issubclass(kind, float) or (kind.__module__ == "numpy" and kind.__name__.startswith("float"))


def _is_missing(value: Any) -> bool:
    kind = type(value)
    return kind.__name__ in ("NAType", "NaTType") or (_is_float(kind) and isnan(value))


def _refuse_lists(values: list[Any], value: Any, where: Location) -> None:
    """Reject a column of Python lists, because each list may be either a stream or the references of a segment.

    Args:
        values: The values of the column.
        value: The column.
        where: The location of the column.

    Raises:
        TypeError: The first value that is not None is a list, a tuple or an array.
    """
    first = next((item for item in values if item is not None), None)
    if isinstance(first, (list, tuple)) or getattr(first, "ndim", 0) > 0:
        kind = f"is one column ({type(value).__name__}) of lists; for the references of each segment pass "
        raise ArgumentTypeError(
            where, f"{kind}metric.prepare_segments(", "), for streams list(", ")", value=value
        )


def _refuse_table(value: Any, where: Location, expected: str, takes_several: bool) -> None:
    """Reject a table, because a column is expected. The result of a query is accepted if it has one column.

    Args:
        value: The value of an argument, which need not be a table.
        where: The location of the value.
        expected: A description of the expected value, for the message.
        takes_several: Whether a list of columns is expected.

    Raises:
        TypeError: The value is a table; the message names its columns.
    """
    kind = type(value)
    names = _column_names(value)
    if names is None or (len(names) == 1 and is_arrow(value) and is_result(value)):
        return
    several = "one of its columns or more in a list" if takes_several else "one of its columns"
    lazily = "collect it and " if hasattr(kind, "collect_schema") and hasattr(kind, "collect") else ""
    text = f"must be {expected}, not a {kind.__name__}; {lazily}pass {several}"
    if isinstance(names, dict):
        text = f"must be {expected}, not a {kind.__name__}; take one of its splits and pass {several}"
    if names:
        shown = [repr(name) for name in names]
        text += ": " + ", ".join(shown[:_MAX_NAMES]) + (", ..." if len(shown) > _MAX_NAMES else "")
    raise ArgumentTypeError(where, text, value=value)


def _column_names(value: Any) -> Any:
    """Return the column names of a table.

    Returns:
        A list of names, which is empty if they are unknown; a dict with the names for each split of a `DatasetDict`; or
        None if the value is not a table.
    """
    kind = type(value)
    try:
        if hasattr(kind, "collect_schema"):  # The attribute `columns` of a polars LazyFrame raises a warning.
            return value.collect_schema().names()
        attribute = next((each for each in ("column_names", "columns") if hasattr(kind, each)), None)
        names = value.schema.names if attribute is None else getattr(value, attribute)
    except AttributeError:
        return None
    except Exception:  # noqa: BLE001  # The query plan is invalid, or the connection is closed.
        return []
    if callable(names):
        return []
    return names if isinstance(names, dict) else [] if names is None else list(names)
