"""The command line on a Parquet file beside pyarrow, which only reads it, and on pipes of text and of Arrow IPC.

The rows are real sentences, each made different by a number at its end, in the order of systems: pages of the file are
neither dictionaries nor full of repeats. `FASTBLEU_ROWS` says how many there are; the figures of the site are of ten
million.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
pytest.importorskip(
    "resource", reason="the peak of memory is asked of the operating system", exc_type=ImportError
)

import pyarrow.parquet as pq

from benchmarks import data
from benchmarks.measures import Table, run, seconds

ROWS = int(os.environ.get("FASTBLEU_ROWS", "1000000"))
ROUNDS = 3
GROUP = 131_072
PIPED = 3_000_000

COLUMNS = ("--hypothesis", "mt", "--reference", "ref_a")

READ = """
import sys, time
import pyarrow as pa, pyarrow.parquet as pq
pa.set_cpu_count(2)
start = time.perf_counter()
pq.read_table(sys.argv[1], columns=["mt", "ref_a"], use_threads=True)
print(time.perf_counter() - start)
"""

# Runs a command, with the output of another one as its standard input, and prints its seconds, those of its processor,
# and its peak in kB.
WATCH = """
import json, os, subprocess, sys, time
source, command = json.loads(sys.argv[1])
feeding = subprocess.Popen(source, stdout=subprocess.PIPE) if source else None
start = time.perf_counter()
started = subprocess.Popen(command, stdin=feeding and feeding.stdout, stdout=subprocess.PIPE)
score = started.stdout.read().decode()
_, status, usage = os.wait4(started.pid, 0)
assert not status and (feeding is None or not feeding.wait())
print(json.dumps([time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, score]))
"""

# Writes pairs again and again: as lines of two systems' worth of text, or as an Arrow IPC stream.
FEED = """
import sys
form, path, pairs = sys.argv[1], sys.argv[2], int(sys.argv[3])
if form == "text":
    with open(path, "rb") as file:
        lines = file.read()
    for _ in range(pairs // lines.count(b"\\n")):
        sys.stdout.buffer.write(lines)
else:
    import pyarrow as pa
    batches = list(pa.ipc.open_stream(path))
    with pa.ipc.new_stream(pa.PythonFile(sys.stdout.buffer, mode="w"), batches[0].schema) as writer:
        for _ in range(pairs // sum(batch.num_rows for batch in batches)):
            for batch in batches:
                writer.write_batch(batch)
"""


def rows(count: int) -> Iterator[tuple[str, str, str]]:
    systems, reference = data.systems("en-de"), data.references("en-de")[0]
    for i in range(count):
        s, k = divmod(i, -(-count // len(systems)))
        k %= len(reference)
        yield f"{systems[s][k]} {i:x}", f"{reference[k]} {i:x}", f"system {s}"


def write(path: Path, count: int) -> None:
    found, writer = rows(count), None
    while part := list(islice(found, GROUP)):
        table = pa.table(
            dict(zip(("mt", "ref_a", "system"), map(list, zip(*part, strict=True)), strict=True))
        )
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def watch(*arguments: str, source: list[str] | None = None) -> tuple[float, float, float, float]:
    """Seconds of the command, those of the processor, its peak in MB, and the score."""
    command = [sys.executable, "-m", "fastbleu", *arguments, "-b", "-w", "12"]
    wall, processor, peak, score = json.loads(run("-S", "-c", WATCH, json.dumps([source, command])))
    return wall, processor, peak / 1e3, float(score)


@pytest.fixture(scope="module")
def table_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "data.parquet"
    write(path, ROWS)
    return path


def test_parquet(benchmark: Any, table: Table, table_file: Path) -> None:
    watch(str(table_file), *COLUMNS)
    pairs = [
        (float(run("-c", READ, str(table_file))), watch(str(table_file), *COLUMNS, "--threads", "2"))
        for _ in range(ROUNDS)
    ]
    benchmark.pedantic(lambda: None, rounds=1)
    reading, wall = min(pair[0] for pair in pairs), min(pair[1][0] for pair in pairs)
    size = os.stat(table_file).st_size
    workload = f"Parquet to corpus score, {ROWS:,} rows, two threads"
    table.add(
        workload,
        f"pyarrow.parquet.read_table, {size / 1e6:,.0f} MB: {seconds(reading)} to {seconds(wall)}",
        wall / reading,
        3.5,
        2.2,
    )
    table.add(
        "peak memory of that",
        "with pyarrow's own",
        max(pair[1][2] for pair in pairs),
        400,
        250,
        show="{:.0f} MB".format,
    )


@pytest.mark.parametrize("form", ["text", "arrow"])
def test_pipe(benchmark: Any, table: Table, tmp_path: Path, form: str) -> None:
    unit = PIPED // 30
    pairs = list(rows(unit))
    columns = [[pair[k] for pair in pairs] for k in range(2)]
    for name, lines in zip(("mt", "ref"), columns, strict=True):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    stream = pa.table(dict(zip(("mt", "ref_a"), columns, strict=True)))
    with (tmp_path / "stream").open("wb") as file, pa.ipc.new_stream(file, stream.schema) as writer:
        writer.write_table(stream, max_chunksize=8192)

    def piped(count: int) -> tuple[float, float, float, float]:
        feed = [
            sys.executable,
            "-c",
            FEED,
            form,
            str(tmp_path / ("mt" if form == "text" else "stream")),
            str(count),
        ]
        if form == "arrow":
            return watch(*COLUMNS, source=feed)
        # The references are a file that was written; what comes from the pipe is made.
        with (tmp_path / "references").open("wb") as file:
            for _ in range(count // unit):
                file.write((tmp_path / "ref").read_bytes())
        return watch(str(tmp_path / "references"), source=feed)

    few, many = piped(unit), benchmark.pedantic(lambda: piped(PIPED), rounds=1)
    # Equal to the sum of its parts: counts are thirty times as large, and the score is the same.
    assert few[3] == many[3]
    each = (many[1] - few[1]) / (PIPED - unit)
    name = "Arrow IPC" if form == "arrow" else "text"
    table.add(
        f"10^8 pairs from a pipe of {name}, one thread",
        f"measured on {PIPED:,}, the peak {many[2]:.0f} MB, of {unit:,} pairs {few[2]:.0f} MB",
        each * 1e8,
        200,
        100,
        show="{:.0f} s".format,
    )
