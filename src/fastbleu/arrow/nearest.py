"""The texts of an index that are nearest to those of a column, as columns after the others."""

from __future__ import annotations

from ..errors import wrong_type
from ..search import Index
from .tables import Table, check_str

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from ..options import Direction


def nearest(
    batch: Any,
    queries: str,
    index: Index,
    k: int = 5,
    at_least: float = 0.0,
    direction: Direction = "query-as-hypothesis",
    *,
    prefix: str = "nearest_",
    **options: Any,
) -> Any:
    """Add the texts of an index that score highest with the text of each row, as `fastbleu.search.Index` finds them.

    Args:
        batch: n rows: a pyarrow `RecordBatch` or `Table`, or any table with `__arrow_c_stream__`.
        queries: The column of texts.
        index: The index.
        k: As for `Index.nearest`, and so the next two.
        at_least: The score that texts must reach.
        direction: Which of two texts is the hypothesis.
        prefix: What the names of the new columns begin with.
        options: Those of `Index.nearest`, by name: `formula`, `smoothing`, `threads`, `progress`.

    Returns:
        The same rows and columns, and after them prefix + "index", lists of int64, the places of the texts in the
        index, best first; and prefix + "score", lists of float64. A list has k items, or fewer where fewer texts are
        found.

    Raises:
        TypeError: `batch` is not a table, `index` not an index, or a text is null; names batch['column'][row].
        ValueError: There is no such column, or as `Index.nearest`.
        ImportError: pyarrow is not installed.

    Example:
        >>> import pyarrow as pa
        >>> index = Index(["the cat sat", "a dog ran away", "the cat sat down"])
        >>> table = nearest(pa.table({"text": ["the cat sat up", "dogs"]}), "text", index, at_least=1)
        >>> table["nearest_index"].to_pylist()
        [[0, 2], []]
    """
    if not isinstance(index, Index):
        raise wrong_type("index", "a fastbleu.search.Index", index)
    table = Table(batch, "batch")
    names = [f"{check_str('prefix', prefix)}index", f"{prefix}score"]
    table.check_new("prefix", names)
    texts = table.get("queries", queries)
    with table.naming(queries=queries):
        found = index.nearest(texts, k, at_least, direction, **options)
    there = found.indices >= 0
    return table.append(names, [_lists(numbers, there) for numbers in found])


def _lists(numbers: NDArray[Any], there: NDArray[Any]) -> Any:
    """An Arrow array with a list for each row, of those numbers that are there."""
    import numpy as np
    import pyarrow as pa

    offsets = np.zeros(len(numbers) + 1, dtype=np.int64)
    np.cumsum(there.sum(axis=1), out=offsets[1:])
    return pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(numbers[there]))
