"""Add scores or statistics to Arrow tables, for Ray, Spark, Dask and datasets.

`score` and `statistics` add columns to a table. `total` and `total_by` compute corpus scores from the columns that
`statistics` added. A table may be of pyarrow, or any object with `__arrow_c_stream__` (polars, DuckDB, nanoarrow,
pandas). This package needs pyarrow, which the extra `arrow` installs.
"""

from .scores import score, statistics
from .totals import total, total_by

__all__ = ["score", "statistics", "total", "total_by"]
