"""Compute BLEU of a corpus, of each of its systems and of each row with Polars, from streamed Parquet files.

To run it:

    python on_polars.py sample/pairs scored.parquet
"""

from __future__ import annotations

import sys

import polars as pl

from fastbleu import arrow


def count(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the counts of each row."""
    return pl.DataFrame(arrow.statistics(rows, "mt", ["ref_a", "ref_b"]))


def score(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the score of each row."""
    return pl.DataFrame(arrow.score(rows, "mt", ["ref_a", "ref_b"]))


def main(pairs: str, scored: str) -> None:
    """Print the score of the corpus and of each system, and write the scores of the rows."""
    rows = pl.scan_parquet(f"{pairs}/*.parquet")
    none = rows.head(0).collect()
    # Polars counts and sums batch by batch while it reads, so the whole text is never in memory.
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
