"""Values as Arrow columns of every type that holds them: plain, viewed, as a dictionary, cut and in chunks.

Importing this module needs pyarrow; the tests that use it say so with `pytest.importorskip` first.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pyarrow as pa

Texts = Sequence[str | None]

#: Types that older releases of pyarrow lack, or cannot make from lists.
NEWER = {
    name: getattr(pa, name) for name in ("string_view", "list_view", "large_list_view") if hasattr(pa, name)
}


def sliced(column: Any) -> Any:
    """Give values an offset, and something after them."""
    if not len(column):
        return pa.concat_arrays([column, pa.nulls(2, column.type)]).slice(1, 0)
    return pa.concat_arrays([column.slice(0, 1), column, column.slice(0, 1)]).slice(1, len(column))


def chunked(column: Any) -> Any:
    """Put values into chunks of unequal length, some of them empty, with offsets."""
    cuts = sorted({0, len(column) // 3, len(column) // 2, len(column)})
    pieces = [column.slice(start, stop - start) for start, stop in pairwise(cuts)]
    empty = column.slice(0, 0)
    return pa.chunked_array([empty, *pieces, empty], type=column.type)


def text_columns(texts: Texts) -> dict[str, Any]:
    plain = pa.array(texts, pa.string())
    arrays = {
        "string": plain,
        "large_string": pa.array(texts, pa.large_string()),
        "dictionary": plain.dictionary_encode(),
        "large dictionary": pa.array(texts, pa.large_string()).dictionary_encode(),
        "sliced": sliced(plain),
    }
    if "string_view" in NEWER:
        arrays["string_view"] = pa.array(texts, NEWER["string_view"]())
    return {**arrays, **{f"chunks of {name}": chunked(array) for name, array in arrays.items()}}


def list_columns(lists: Sequence[Sequence[Any] | None], leaf: Any) -> dict[str, Any]:
    """Lists as a column of each type of list, of values of the type `leaf`."""
    plain = pa.array(lists, pa.list_(leaf))
    columns = {"list": plain, "large_list": pa.array(lists, pa.large_list(leaf)), "sliced": sliced(plain)}
    sizes = {len(each) for each in lists if each is not None}
    if len(sizes) == 1:
        columns["fixed_size_list"] = pa.array(lists, pa.list_(leaf, sizes.pop()))
    for name in ("list_view", "large_list_view"):
        if name in NEWER:
            columns[name] = pa.array(lists, NEWER[name](leaf))
    return {**columns, "chunks": chunked(plain)}
