"""Compute BLEU of a corpus and of each of its systems with Spark, and select candidates by minimum Bayes risk.

To run it (in the second command, the Python workers themselves read the Parquet files of the pairs):

    spark-submit --master "local[2]" on_spark.py sample/pairs sample/pools winners
    spark-submit --master "local[2]" on_spark.py sample/pairs sample/pools winners files
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from pyspark.sql.functions import sum as sum_of

from fastbleu import arrow, rerank

COUNTS = [f"bleu_{name}_{n}" for name in ("correct", "total") for n in (1, 2, 3, 4)]
COUNTS = ["bleu_sys_len", "bleu_ref_len", *COUNTS]
SCHEMA = f"system string, {', '.join(f'{name} bigint' for name in COUNTS)}"
COLUMNS = ["system", "mt", "ref_a", "ref_b"]


def count(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield one row per system with the sums of its counts in a batch, so that little data goes back to Spark."""
    for batch in batches:
        counted = arrow.statistics(batch, hypothesis="mt", references=["ref_a", "ref_b"])
        yield from arrow.total_by(counted, "system").select(["system", *COUNTS]).to_batches()


def sums(spark: SparkSession, pairs: str) -> pa.Table:
    """Return the sums of each system's counts, with text that Spark reads."""
    counted = spark.read.parquet(pairs).select(*COLUMNS).mapInArrow(count, SCHEMA)
    return counted.groupBy("system").agg(*(sum_of(name).alias(name) for name in COUNTS)).toArrow()


def count_row_groups(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Count rows as `count` does, but read them from files: each row of a batch names a file and a row group in it."""
    for batch in batches:
        for each in batch.to_pylist():
            groups = [each["row_group"]]
            file = pq.ParquetFile(each["path"])
            yield from count(file.iter_batches(50_000, row_groups=groups, columns=COLUMNS, use_threads=False))


def sums_of_files(spark: SparkSession, pairs: str) -> pa.Table:
    """Return the same sums as `sums`; Spark sends names of row groups, but no text goes through its Java process."""
    groups = [
        (path, group)
        for path in ds.dataset(pairs).files
        for group in range(pq.read_metadata(path).num_row_groups)
    ]
    rows = spark.createDataFrame(groups, "path string, row_group int").repartition(len(groups))
    counted = rows.mapInArrow(count_row_groups, SCHEMA)
    return counted.groupBy("system").agg(*(sum_of(name).alias(name) for name in COUNTS)).toArrow()


def choose(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the number of each pool with the index and the expected utility of its best candidate."""
    for batch in batches:
        indices, utilities = rerank.mbr(batch["samples"])
        columns = [batch["source"], pa.array(indices), pa.array(utilities)]
        yield pa.RecordBatch.from_arrays(columns, ["source", "mbr_index", "mbr_utility"])


def main(pairs: str, pools: str, winners: str, read: str = "") -> None:
    """Print the score of the corpus and of each system, and write the winner of each pool."""
    spark = SparkSession.builder.appName("fastbleu").getOrCreate()
    counted = sums_of_files(spark, pairs) if read == "files" else sums(spark, pairs)
    print("corpus", arrow.total(counted).score)
    for row in arrow.total_by(counted, "system").sort_by("system").to_pylist():
        print(row["system"], row["bleu"])
    chosen = spark.read.parquet(pools).mapInArrow(
        choose, "source bigint, mbr_index bigint, mbr_utility double"
    )
    chosen.write.parquet(winners)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
