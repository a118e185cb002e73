"""Compute BLEU of a corpus and of each of its systems with Ray Data, and select candidates by minimum Bayes risk.

To run it:

    python on_ray.py sample/pairs sample/pools winners

Ray runs on this machine, or on the cluster that the environment variable RAY_ADDRESS names.
"""

from __future__ import annotations

import sys

import pyarrow as pa
import ray

from fastbleu import arrow, rerank


def count(batch: pa.Table) -> pa.Table:
    """Return one row per system with the sums of its counts in a batch, so that workers send little data."""
    counted = arrow.statistics(batch, hypothesis="mt", references=["ref_a", "ref_b"])
    return arrow.total_by(counted, "system")


def sums(pairs: str) -> pa.Table:
    """Return the rows of all batches: the sums of each system's counts."""
    rows = ray.data.read_parquet(pairs, columns=["system", "mt", "ref_a", "ref_b"])
    # Each batch is a whole block of Ray, so nothing is copied between reading and counting.
    counted = rows.map_batches(count, batch_format="pyarrow", batch_size=None)
    return pa.concat_tables(ray.get(counted.to_arrow_refs()))


def choose(batch: pa.Table) -> pa.Table:
    """Return the pools with the index and the expected utility of the best candidate of each."""
    indices, utilities = rerank.mbr(batch["samples"])
    chosen = batch.append_column("mbr_index", pa.array(indices))
    return chosen.append_column("mbr_utility", pa.array(utilities))


def main(pairs: str, pools: str, winners: str) -> None:
    """Print the score of the corpus and of each system, and write the pools with their winners."""
    counted = sums(pairs)
    print("corpus", arrow.total(counted).score)
    for row in arrow.total_by(counted, "system").sort_by("system").to_pylist():
        print(row["system"], row["bleu"])
    chosen = ray.data.read_parquet(pools).map_batches(choose, batch_format="pyarrow", batch_size=None)
    chosen.write_parquet(winners)


if __name__ == "__main__":
    main(*sys.argv[1:])
