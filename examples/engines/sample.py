"""Write the sample of `examples/` as Parquet files, for the other programs of this folder.

    python sample.py sample

This writes `sample/pairs` (the translations of two systems with two references) and `sample/pools` (the candidates of
each sentence). Each is a folder of several files, as larger data would be.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

EXAMPLES = Path(__file__).resolve().parent.parent


def lines(name: str) -> list[str]:
    """Return the segments of a file of the sample, one per line."""
    return (EXAMPLES / name).read_text(encoding="utf-8").removesuffix("\n").split("\n")


def pairs() -> pa.Table:
    """Return rows with a system, its translation and two references; every seventh row lacks the second reference."""
    reference_a = lines("reference.A.de")
    reference_b = [None if i % 7 == 6 else line for i, line in enumerate(lines("reference.B.de"))]
    tables = [
        pa.table(
            {
                "system": [system] * len(reference_a),
                "mt": lines(f"system.{system}.de"),
                "ref_a": reference_a,
                "ref_b": pa.array(reference_b, pa.string()),
            }
        )
        for system in ("alpha", "beta")
    ]
    return pa.concat_tables(tables)


def pools() -> pa.Table:
    """Return rows with the number of a sentence and the list of its candidates."""
    candidates: dict[int, list[str]] = {}
    for line in lines("nbest.de"):
        source, text, *_ = line.split(" ||| ")
        candidates.setdefault(int(source), []).append(text)
    return pa.table({"source": list(candidates), "samples": list(candidates.values())})


def write(table: pa.Table, folder: Path, files: int) -> None:
    """Write a table to a folder, as several Parquet files."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = -(-len(table) // files)
    for i in range(files):
        pq.write_table(table.slice(i * rows, rows), folder / f"part-{i}.parquet")


if __name__ == "__main__":
    (name,) = sys.argv[1:]
    write(pairs(), Path(name, "pairs"), files=3)
    write(pools(), Path(name, "pools"), files=2)
