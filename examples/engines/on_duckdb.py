"""BLEU in DuckDB's SQL: of a corpus, of each system in it, and each system's worst translation.

To run it:

    python on_duckdb.py sample/pairs
"""

from __future__ import annotations

import sys

import duckdb

import fastbleu.engines.duckdb

CORPUS = "select bleu(mt, ref_a, ref_b) from pairs"
SYSTEMS = "select system, bleu(mt, ref_a, ref_b) from pairs group by system order by system"
WORST = """
    select system, arg_min(mt, bleu_sentence(mt, ref_a, ref_b)), min(bleu_sentence(mt, ref_a, ref_b))
    from pairs group by system order by system
"""


def main(pairs: str) -> None:
    """Print the scores."""
    with duckdb.connect() as connection:
        fastbleu.engines.duckdb.register(connection)
        connection.read_parquet(f"{pairs}/*.parquet").create_view("pairs")
        print("corpus", *connection.execute(CORPUS).fetchone())
        for system, score in connection.execute(SYSTEMS).fetchall():
            print(system, score)
        for system, translation, score in connection.execute(WORST).fetchall():
            print(f"worst of {system}: {score} {translation}")


if __name__ == "__main__":
    main(*sys.argv[1:])
