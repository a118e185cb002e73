"""BLEU with Ray Data: of a corpus, of each system in it, and the winners of pools by minimum Bayes risk.

    python on_ray.py sample/pairs sample/pools winners

Ray starts on this machine, or joins the cluster that RAY_ADDRESS names.
"""

from __future__ import annotations

import sys

import pyarrow as pa
import ray

from fastbleu import arrow, rerank


def count(batch: pa.Table) -> pa.Table:
    """The sums of the counts of each system in a batch: what leaves the worker is a row for each system."""
    counted = arrow.statistics(batch, hypothesis="mt", references=["ref_a", "ref_b"])
    return arrow.total_by(counted, "system")


def sums(pairs: str) -> pa.Table:
    """The sums of the counts of each system, from each of Ray's tasks."""
    rows = ray.data.read_parquet(pairs, columns=["system", "mt", "ref_a", "ref_b"])
    # A batch is a whole block, so nothing is cut or copied between reading and counting.
    counted = rows.map_batches(count, batch_format="pyarrow", batch_size=None)
    return pa.concat_tables(ray.get(counted.to_arrow_refs()))


def choose(batch: pa.Table) -> pa.Table:
    """Each pool with the index and the expected utility of its best candidate."""
    indices, utilities = rerank.mbr(batch["samples"])
    chosen = batch.append_column("mbr_index", pa.array(indices))
    return chosen.append_column("mbr_utility", pa.array(utilities))


def main(pairs: str, pools: str, winners: str) -> None:
    """Print the scores, and write the winners."""
    counted = sums(pairs)
    print("corpus", arrow.total(counted).score)
    for row in arrow.total_by(counted, "system").sort_by("system").to_pylist():
        print(row["system"], row["bleu"])
    chosen = ray.data.read_parquet(pools).map_batches(choose, batch_format="pyarrow", batch_size=None)
    chosen.write_parquet(winners)


if __name__ == "__main__":
    main(*sys.argv[1:])
