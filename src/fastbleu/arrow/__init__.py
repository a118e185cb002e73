"""Add scores or statistics to Arrow tables, for Ray, Spark, Dask and datasets.

`score` and `statistics` add columns to the rows, and `total` and `total_by` score sums of these statistics. Tables may
be pyarrow's, or any objects with `__arrow_c_stream__` (polars, DuckDB, nanoarrow, pandas). The extra `arrow` is
required.
"""

from .scores import score, statistics
from .totals import total, total_by

__all__ = ["score", "statistics", "total", "total_by"]
