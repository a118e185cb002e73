"""Compute BLEU of a corpus and of each of its systems with Dask.

To run it:

    python on_dask.py sample/pairs
"""

from __future__ import annotations

import sys

import dask.dataframe as dd
import pandas as pd

from fastbleu import arrow


def count(rows: pd.DataFrame) -> pd.DataFrame:
    """Return one row per system with the sums of its counts in a partition, so that workers send little data."""
    counted = arrow.statistics(rows, hypothesis="mt", references=["ref_a", "ref_b"])
    return arrow.total_by(counted, "system").to_pandas()


def main(pairs: str) -> None:
    """Print the score of the corpus and of each system."""
    rows = dd.read_parquet(pairs, columns=["system", "mt", "ref_a", "ref_b"])
    sums = rows.map_partitions(count, meta=count(rows.head(0))).compute()
    print("corpus", arrow.total(sums).score)
    for row in arrow.total_by(sums, "system").sort_by("system").to_pylist():
        print(row["system"], row["bleu"])


if __name__ == "__main__":
    main(*sys.argv[1:])
