"""Columns of data frames and data sets, NumPy's arrays of text, and Arrow: read all at once, by their own best way.

To iterate over such a column makes an object of its library for each row, which costs two to fifty times what reading
its values at once costs. Nothing is imported here: the type of a value says what it is. Rows count by position; an
index plays no role.

Columns that a library keeps in the layout of Arrow are read as columns of Arrow, the others as a list. A value that the
library holds to be missing (None, NaN, `pandas.NA`, `pandas.NaT`) is None.
"""

from __future__ import annotations

from importlib.util import find_spec
from math import isnan

from ..errors import ArgumentTypeError, Place
from ._tokens import types_of
from .arrow import is_arrow, is_arrow_type, is_result
from .arrow_columns import read_arrow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    #: A row of the table in `reading`; see `find_form`.
    Form: TypeAlias = Callable[[Any, Place, str, bool], Any]

#: Features of datasets whose values are what the Arrow column holds; others decode it.
_PLAIN_FEATURES = ("Value", "List", "LargeList", "Sequence")

#: Kinds of NumPy's dtypes that hold text or objects.
_NUMPY_KINDS = ("O", "U", "T")

#: Types of values of which none is missing.
_PRESENT = {str, list, tuple, type(None)}

#: Rows taken at a time from a column. An Arrow string array holds at most 2 GiB.
_ROWS_TAKEN = 1 << 17

#: Names of columns that a message shows.
_MOST_NAMES = 12


def find_form(kind: type) -> Form | None:
    """Find what reads values of a type: columns, and tables, which are refused; None for any other type.

    The result gets a value, what errors call it, what it must be, and whether that is a list of columns. It returns a
    list, in which None stands for a missing value; a TextColumn or lists of Arrow, where the memory of the column is
    read; or None if the value is not a column after all.

    Example:
        >>> import numpy as np
        >>> read = find_form(np.ndarray)
        >>> read(np.array(["the cat", float("nan")], dtype=object), Place("hypotheses"), "a sequence", False)
        ['the cat', None]
    """
    may_be_table = any(hasattr(kind, attribute) for attribute in ("column_names", "columns", "schema"))
    values_of = _find_values(kind)
    if values_of is None and not may_be_table:
        return None

    def read(value: Any, where: Place, what: str, takes_several: bool) -> Any:
        if may_be_table:
            _refuse_table(value, where, what, takes_several)
        found = None if values_of is None else values_of(value)
        if found is not None and is_arrow(found):
            return read_arrow(found, where)
        if takes_several and isinstance(found, list) and kind.__module__ != "numpy":
            _refuse_lists(found, value, where)
        return found

    return read


def _find_values(kind: type) -> Callable[[Any], Any] | None:
    """Find what takes the values out of columns of a type: a list, an object of Arrow, or None for another column."""
    if kind.__module__ == "numpy":
        return _of_numpy if hasattr(kind, "dtype") else None
    if hasattr(kind, "isna") and hasattr(kind, "dtype"):
        if hasattr(kind, "array") and not hasattr(kind, "levels"):
            return lambda value: _of_pandas(value.array)  # of a Series or an Index
        return _of_pandas if hasattr(kind, "_from_sequence") else None
    if hasattr(kind, "to_list") and hasattr(kind, "is_null"):
        return _of_polars
    if kind.__module__.partition(".")[0] == "datasets" and hasattr(kind, "__len__"):
        return _of_datasets
    return (lambda value: value) if is_arrow_type(kind) else None


def _of_polars(series: Any) -> Any:
    """The values of a series, by pyarrow where it is installed; without a copy for strings of more than 12 bytes."""
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
    """The values of an array of pandas."""
    import numpy as np

    dtype = array.dtype
    if hasattr(dtype, "pyarrow_dtype") or getattr(dtype, "storage", "").startswith("pyarrow"):
        return array.__arrow_array__()
    # Columns of objects do not go through Arrow, which refuses some of them and reads others as something else.
    return _with_none(np.asarray(array, dtype=object).tolist())


def _of_datasets(column: Any) -> Any:
    """The values of a `datasets.Column`: as Arrow holds them, unless the data set makes something else of them."""
    if not hasattr(column, "column_name"):
        return None
    is_held = hasattr(column.source, "data") and column.source.format["type"] != "custom"
    if is_held and _is_plain(column.features):
        return _whole_column(column.source, column.column_name)
    return list(column[:])


def _whole_column(dataset: Any, name: str) -> Any:
    """A column of a `datasets.Dataset` as Arrow holds it, in the order of its rows."""
    held = dataset.data.column(name)
    if dataset._indices is None:
        return held
    # Rows were selected or shuffled. What datasets itself does takes thirty times as long.
    import pyarrow as pa

    rows = dataset._indices.column(0)
    starts = range(0, len(rows), _ROWS_TAKEN)
    taken = [held.take(rows.slice(start, _ROWS_TAKEN)) for start in starts]
    return pa.chunked_array([chunk for part in taken for chunk in part.chunks], type=held.type)


def _is_plain(feature: Any) -> bool:
    while hasattr(feature, "feature"):
        if type(feature).__name__ not in _PLAIN_FEATURES:
            return False
        feature = feature.feature
    return type(feature).__name__ in _PLAIN_FEATURES


def _with_none(values: list[Any]) -> list[Any]:
    """The values with None for missing ones."""
    odd = types_of(values) - _PRESENT
    if any(kind.__name__ in ("NAType", "NaTType") or _is_float(kind) for kind in odd):
        return [None if _is_missing(value) else value for value in values]
    return values


def _is_float(kind: type) -> bool:
    return issubclass(kind, float) or (kind.__module__ == "numpy" and kind.__name__.startswith("float"))


def _is_missing(value: Any) -> bool:
    kind = type(value)
    return kind.__name__ in ("NAType", "NaTType") or (_is_float(kind) and isnan(value))


def _refuse_lists(values: list[Any], value: Any, where: Place) -> None:
    """Refuse a column of lists as Python objects: these may be streams, or the references of each segment.

    Raises:
        TypeError: The first value is a list.
    """
    first = next((each for each in values if each is not None), None)
    if isinstance(first, (list, tuple)) or getattr(first, "ndim", 0) > 0:
        kind = f"is one column ({type(value).__name__}) of lists; for the references of each segment pass "
        raise ArgumentTypeError(
            where, f"{kind}metric.prepare_segments(", "), for streams list(", ")", value=value
        )


def _refuse_table(value: Any, where: Place, what: str, takes_several: bool) -> None:
    """Refuse a table where a column is wanted, and say which columns it has.

    Raises:
        TypeError: It is a table; not the result of a query with one column, which stands for that.
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
        text += ": " + ", ".join(shown[:_MOST_NAMES]) + (", ..." if len(shown) > _MOST_NAMES else "")
    raise ArgumentTypeError(where, text, value=value)


def _column_names(value: Any) -> Any:
    """The names of the columns of a table, or a dict of splits; empty if they are unknown; None: it is not a table."""
    kind = type(value)
    try:
        if hasattr(kind, "collect_schema"):  # polars; to ask a lazy frame for its columns is a warning
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
    except Exception:  # noqa: BLE001  # of a plan that cannot be run, or of a connection that is closed
        return []
    if callable(names):
        return []
    return names if isinstance(names, dict) else [] if names is None else list(names)
