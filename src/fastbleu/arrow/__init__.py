"""Arrow: a table in, the same table with scores or statistics out. What Ray, Spark, DuckDB and Polars call.

Every function takes a pyarrow `RecordBatch` or `Table` and returns the same kind, or takes any other table with
`__arrow_c_stream__` (polars, DuckDB, nanoarrow, pandas) and returns a pyarrow `Table`. They need the extra `arrow`.
"""

from .pools import mbr, oracle, self_bleu
from .scores import from_scores, from_statistics, score, statistics
from .totals import total, total_by

__all__ = [
    "from_scores",
    "from_statistics",
    "mbr",
    "oracle",
    "score",
    "self_bleu",
    "statistics",
    "total",
    "total_by",
]
