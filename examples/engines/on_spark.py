"""BLEU with Spark: of a corpus, of each system in it, and the winners of pools by minimum Bayes risk.

spark-submit --master "local[2]" on_spark.py sample/pairs sample/pools winners
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.functions import sum as sum_of

from fastbleu import arrow

COUNTS = [f"bleu_{name}_{n}" for name in ("correct", "total") for n in (1, 2, 3, 4)]
COUNTS = ["bleu_sys_len", "bleu_ref_len", *COUNTS]


def count(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The sums of the counts of each system in a batch: what goes back to Spark is a row for each system."""
    for batch in batches:
        counted = arrow.statistics(batch, hypothesis="mt", references=["ref_a", "ref_b"])
        yield from arrow.total_by(counted, "system").select(["system", *COUNTS]).to_batches()


def sums(spark: SparkSession, pairs: str) -> pa.Table:
    """The sums of the counts of each system, as Spark sums them."""
    rows = spark.read.parquet(pairs).select("system", "mt", "ref_a", "ref_b")
    counted = rows.mapInArrow(count, f"system string, {', '.join(f'{name} bigint' for name in COUNTS)}")
    return counted.groupBy("system").agg(*(sum_of(name).alias(name) for name in COUNTS)).toArrow()


def choose(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Each pool's number with the index and the expected utility of its best candidate."""
    for batch in batches:
        yield arrow.mbr(batch, pools="samples").select(["source", "mbr_index", "mbr_utility"])


def main(pairs: str, pools: str, winners: str) -> None:
    """Print the scores, and write the winners."""
    spark = SparkSession.builder.appName("fastbleu").getOrCreate()
    counted = sums(spark, pairs)
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
