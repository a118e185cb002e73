"""Compute BLEU of a corpus and of each of its systems with DuckDB, and find each system's worst translation by SQL.

To run it:

    python on_duckdb.py sample/pairs
"""

from __future__ import annotations

import sys

import duckdb
import pyarrow as pa

from fastbleu import BLEU, arrow

WORST = """
    select system, arg_min(mt, bleu(mt, [ref_a, ref_b])), min(bleu(mt, [ref_a, ref_b]))
    from pairs group by system order by system
"""


def bleu(hypotheses: pa.ChunkedArray, references: pa.ChunkedArray) -> pa.Array:
    """Return the score of each row; a function for SQL."""
    return pa.array(BLEU(effective_order=True).sentence_scores(hypotheses, references))


def main(pairs: str) -> None:
    """Print the score of the corpus and of each system, and the worst translations."""
    with duckdb.connect() as connection:
        connection.read_parquet(f"{pairs}/*.parquet").create_view("pairs")
        batches = connection.sql("from pairs").to_arrow_reader(50_000)
        counted = (arrow.statistics(batch, "mt", ["ref_a", "ref_b"]) for batch in batches)
        systems = arrow.total_by(counted, "system")
        print("corpus", arrow.total(systems).score)
        for row in systems.sort_by("system").to_pylist():
            print(row["system"], row["bleu"])
        connection.create_function(
            "bleu", bleu, ["VARCHAR", "VARCHAR[]"], "DOUBLE", type="arrow", null_handling="special"
        )
        for system, translation, score in connection.execute(WORST).fetchall():
            print(f"worst of {system}: {score} {translation}")


if __name__ == "__main__":
    main(*sys.argv[1:])
