"""Columns of data frames and data sets, and NumPy's arrays of text: read all at once, by their own best way.

To iterate over such a column makes an object of its library for each row, which costs two to fifty times what reading
its values at once costs. Nothing is imported here: the type of a value says what it is. Rows count by position; an
index plays no role.

Where a library keeps a column in the layout of Arrow, that column is handed on and no row of it becomes a Python
object. A value that the library holds to be missing (None, NaN, `pandas.NA`, `pandas.NaT`) is None.
"""

from __future__ import annotations

from math import isnan

from ..errors import ArgumentTypeError
from ._text import listed
from .arrow import is_arrow, is_result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..errors import Place

#: How the names of Arrow's types begin that hold text, or lists of text or ids. A column of another type is read as
#: Python values, so that an error shows the value.
_ARROW_TYPES = ("string", "large_string", "dictionary", "list", "large_list", "fixed_size_list")

#: The same for polars.
_POLARS_TYPES = ("String", "Utf8", "Categorical", "Enum", "List", "Array")

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


def as_column(value: Any, name: str | Place, what: str, takes_several: bool = False) -> Any:
    """A column in a form that reads quickly; every door asks this first about what is no list or tuple.

    Args:
        value: A column of pandas, polars or datasets, an array of NumPy, an object of Arrow, or anything else.
        name: What errors call it.
        what: What it must be.
        takes_several: Whether it must be a list of columns.

    Returns:
        What `column_of` makes of it, or the value itself where that is None.

    Raises:
        TypeError: It is a table; the message says which columns it has. Or a list of columns is wanted, and it is one
            of lists as Python objects: these may be streams, or the references of each segment.
    """
    refuse_table(value, name, what, takes_several)
    found = column_of(value)
    if takes_several and isinstance(found, list) and type(value).__module__ != "numpy":
        first = next((each for each in found if each is not None), None)
        if isinstance(first, (list, tuple)) or getattr(first, "ndim", 0) > 0:
            kind = (
                f"is one column ({type(value).__name__}) of lists; for the references of each segment pass "
            )
            raise ArgumentTypeError(
                name, f"{kind}BLEU.prepare_segments(", "), for streams list(", ")", value=value
            )
    return value if found is None else found


def column_of(value: Any) -> Any:
    """What a column holds, in a form that reads quickly.

    Args:
        value: A column of pandas, polars or datasets, an array of NumPy, an object of Arrow, or anything else.

    Returns:
        A list, in which None stands for a missing value; or an object with `__arrow_c_stream__` or
        `__arrow_c_array__`, where the column lies in memory as Arrow lays it out; or None if it is not a column.

    Example:
        >>> import numpy as np
        >>> column_of(np.array(["the cat", float("nan")], dtype=object))
        ['the cat', None]
    """
    kind = type(value)
    if kind.__module__ == "numpy":
        return _of_numpy(value) if hasattr(kind, "dtype") and value.dtype.kind in _NUMPY_KINDS else None
    if hasattr(kind, "isna") and hasattr(kind, "dtype"):
        if hasattr(kind, "array") and not hasattr(kind, "levels"):
            return _of_pandas(value.array)  # of a Series or an Index
        return _of_pandas(value) if hasattr(kind, "_from_sequence") else None
    if hasattr(kind, "to_list") and hasattr(kind, "is_null"):
        name = getattr(value.dtype, "__name__", None) or type(value.dtype).__name__
        return value if name in _POLARS_TYPES and is_arrow(value) else value.to_list()
    if kind.__module__.partition(".")[0] == "datasets" and hasattr(value, "column_name"):
        return _of_datasets(value) if hasattr(kind, "__len__") else None
    return value if is_arrow(value) else None


def _of_numpy(array: Any) -> list[Any] | None:
    if not array.ndim:
        return None
    if array.ndim == 1 and array.dtype.kind == "O":
        return _of_objects(array)
    values: list[Any] = array.tolist()
    if array.dtype.kind == "U" or array.ndim > 2:
        return values
    return _with_none(values) if array.ndim == 1 else [_with_none(row) for row in values]


def _of_objects(array: Any) -> list[Any]:
    values, all_text = listed(array)
    return values if all_text else _with_none(values)


def _of_pandas(array: Any) -> Any:
    """The values of an array of pandas."""
    import numpy as np

    dtype = array.dtype
    if hasattr(dtype, "categories"):
        categories = np.empty(len(dtype.categories) + 1, dtype=object)
        categories[:-1] = np.asarray(dtype.categories, dtype=object)
        categories[-1] = None  # the code of a missing value is -1
        return _of_objects(categories[array.codes])
    if hasattr(dtype, "pyarrow_dtype") or getattr(dtype, "storage", "").startswith("pyarrow"):
        held = array.__arrow_array__()
        if str(held.type).startswith(_ARROW_TYPES):
            return held
    # Columns of objects do not go through Arrow, which refuses some of them and reads others as something else.
    return _of_objects(np.asarray(array, dtype=object))


def _of_datasets(column: Any) -> Any:
    """The values of a `datasets.Column`, which may be a field of another one."""
    fields = [column.column_name]
    source = column.source
    while hasattr(source, "column_name"):
        fields.append(source.column_name)
        source = source.source
    form = getattr(source, "format", {}).get("type")
    if form == "custom" or not _is_plain(getattr(column, "features", None)):
        # The user's own transform, or a feature that is decoded.
        return _listed(column[:])
    held = _whole_column(source, fields.pop())
    if fields:
        import pyarrow.compute as pc

        held = pc.struct_field(held, fields[::-1])
    is_text = "string" in str(held.type)
    return (
        held if str(held.type).startswith(_ARROW_TYPES) and (is_text or form is None) else _listed(column[:])
    )


def _whole_column(dataset: Any, name: str) -> Any:
    """A column of a `datasets.Dataset` as Arrow holds it, in the order of its rows."""
    if not hasattr(dataset, "_indices"):  # no release lacks `_indices` yet
        return dataset.select_columns([name]).with_format("arrow")[:].column(name)
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


def _listed(values: Any) -> list[Any]:
    return values if isinstance(values, list) else list(values)


def _with_none(values: list[Any]) -> list[Any]:
    """The values with None for missing ones."""
    odd = set(map(type, values)) - _PRESENT
    if any(kind.__name__ in ("NAType", "NaTType") or _is_float(kind) for kind in odd):
        return [None if _is_missing(value) else value for value in values]
    return values


def _is_float(kind: type) -> bool:
    return issubclass(kind, float) or (kind.__module__ == "numpy" and kind.__name__.startswith("float"))


def _is_missing(value: Any) -> bool:
    kind = type(value)
    return kind.__name__ in ("NAType", "NaTType") or (_is_float(kind) and isnan(value))


def refuse_table(value: Any, name: str | Place, what: str, takes_several: bool) -> None:
    """Refuses a table where a column is wanted, and says which columns it has.

    Args:
        value: Anything; a data frame, a table or batch of Arrow, a data set, a relation of DuckDB.
        name: What errors call it.
        what: What it must be.
        takes_several: Whether it must be a list of columns.

    Raises:
        TypeError: It is a table; not the result of a query with one column, which stands for that.
    """
    kind = type(value)
    if not any(hasattr(kind, attribute) for attribute in ("column_names", "columns", "schema")):
        return
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
    raise ArgumentTypeError(name, text, value=value)


def _column_names(value: Any) -> Any:
    """The names of the columns of a table, or a dict of splits; empty if nobody knows them; None: it is no table."""
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
