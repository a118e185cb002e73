"""Add scores or statistics to Arrow tables, for Ray, Spark, Dask and datasets.

For a pyarrow `RecordBatch` or `Table`, every function returns the same type; for any other table with
`__arrow_c_stream__` (polars, DuckDB, nanoarrow, pandas), it returns a pyarrow `Table`. The extra `arrow` is required.
"""

from .scores import score, statistics
from .totals import total, total_by

__all__ = ["score", "statistics", "total", "total_by"]
