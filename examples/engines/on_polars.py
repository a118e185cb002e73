"""BLEU as expressions of Polars, over Parquet that is streamed: of a corpus, of each system in it, and of each row.

To run it:

    python on_polars.py sample/pairs scored.parquet
"""

from __future__ import annotations

import sys

import polars as pl

import fastbleu.engines.polars  # noqa: F401 - registers the namespace


def main(pairs: str, scored: str) -> None:
    """Print the scores, and write those of the rows."""
    rows = pl.scan_parquet(f"{pairs}/*.parquet")
    # Counts first, so that Polars sums them while it reads: the text never is in memory as a whole.
    counted = rows.select("system", counts=pl.col("mt").bleu.statistics("ref_a", "ref_b"))
    total = pl.col("counts").bleu.total()
    print("corpus", counted.select(total).collect(engine="streaming").item())
    systems = counted.group_by("system").agg(total).sort("system")
    for system, score in systems.collect(engine="streaming").iter_rows():
        print(system, score)
    rows.with_columns(bleu=pl.col("mt").bleu.sentence("ref_a", "ref_b")).sink_parquet(scored)


if __name__ == "__main__":
    main(*sys.argv[1:])
