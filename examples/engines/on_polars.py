"""BLEU with Polars, over Parquet that is streamed: of a corpus, of each system in it, and of each row.

To run it:

    python on_polars.py sample/pairs scored.parquet
"""

from __future__ import annotations

import sys

import polars as pl

from fastbleu import arrow


def count(rows: pl.DataFrame) -> pl.DataFrame:
    """The counts of each row."""
    return pl.DataFrame(arrow.statistics(rows, "mt", ["ref_a", "ref_b"]))


def score(rows: pl.DataFrame) -> pl.DataFrame:
    """The score of each row."""
    return pl.DataFrame(arrow.score(rows, "mt", ["ref_a", "ref_b"]))


def main(pairs: str, scored: str) -> None:
    """Print the scores, and write those of the rows."""
    rows = pl.scan_parquet(f"{pairs}/*.parquet")
    none = rows.head(0).collect()
    # Polars counts batch by batch while it reads, and sums the counts: the text never is in memory as a whole.
    counted = rows.map_batches(count, schema=count(none).schema, streamable=True)
    sums = (
        counted.group_by("system").agg(pl.col("^bleu_.*$").sum()).sort("system").collect(engine="streaming")
    )
    print("corpus", arrow.total(sums).score)
    for row in arrow.total_by(sums, "system").to_pylist():
        print(row["system"], row["bleu"])
    rows.map_batches(score, schema=score(none).schema, streamable=True).sink_parquet(scored)


if __name__ == "__main__":
    main(*sys.argv[1:])
