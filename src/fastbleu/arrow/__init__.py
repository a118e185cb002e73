"""Arrow: a table in, the same table with scores or statistics out. What Ray, Spark, Dask and datasets call.

Every function takes a pyarrow `RecordBatch` or `Table` and returns the same kind, or takes any other table with
`__arrow_c_stream__` (polars, DuckDB, nanoarrow, pandas) and returns a pyarrow `Table`. They need the extra `arrow`.
"""

from .scores import score, statistics
from .totals import total, total_by

__all__ = ["score", "statistics", "total", "total_by"]
