"""bestbleu.py as a command on n-best lists of 8: whole processes, the same files, where `BESTBLEU` names the script.

Without the script the time of ours is noted. Both write the same file. Memory does not grow with the number of sources.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import data
from benchmarks.measures import ENVIRONMENT, Table, least, seconds

SCRIPT = os.environ.get("BESTBLEU")
SIZE, SOURCES = 8, 20_000

OURS = [sys.executable, "-m", "fastbleu.compat.bestbleu"]

# Runs a command and prints the peak of its memory in kB; a small process of its own.
WATCH = """
import os, subprocess, sys
one = subprocess.Popen(sys.argv[1:])
_, status, usage = os.wait4(one.pid, 0)
assert not status, status
print(usage.ru_maxrss)
"""


def write_lists(folder: Path, sources: int) -> tuple[Path, Path]:
    """N-best lists of the outputs of eight systems, and their references."""
    pools = itertools.cycle(zip(*data.systems("en-de")[:SIZE], strict=True))
    lines = itertools.cycle(data.references("en-de")[0])
    nbest, reference = folder / f"{sources}.nbest", folder / f"{sources}.ref"
    with (
        nbest.open("w", encoding="utf-8", newline="\n") as file,
        reference.open("w", encoding="utf-8", newline="\n") as other,
    ):
        for i, pool, line in zip(range(sources), pools, lines, strict=False):
            other.write(f"{line}\n")
            file.writelines(f"{i} ||| {text} ||| F0= -12.{k}5 ||| -1.{k}5\n" for k, text in enumerate(pool))
    return nbest, reference


def test_oracle_of_nbest_lists(benchmark: Any, table: Table, tmp_path: Path) -> None:
    nbest, reference = write_lists(tmp_path, SOURCES)
    files = ["-i", str(nbest), "-r", str(reference), "-o"]

    def process(program: list[str], output: str) -> None:
        command = [*program, *files, str(tmp_path / output)]
        subprocess.run(command, check=True, env=ENVIRONMENT)

    workload = f"bestbleu.py as a command, {SOURCES:,} x {SIZE}, one thread"
    process(OURS, "ours")  # bytecode is beside the modules
    benchmark.pedantic(lambda: None, rounds=1)
    if SCRIPT is None:
        table.note(workload, "", seconds(least(lambda: process(OURS, "ours"), rounds=5)[0]))
        return
    script = [sys.executable, SCRIPT]
    ours = least(lambda: process(OURS, "ours"), rounds=5)[0]
    theirs = least(lambda: process(script, "theirs"), rounds=1)[0]
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
    table.add(workload, f"bestbleu.py: {seconds(theirs)} to {seconds(ours)}", theirs / ours, 30, 60)


@pytest.mark.parametrize("sources", [20_000, 200_000])
def test_memory(benchmark: Any, table: Table, tmp_path: Path, sources: int) -> None:
    pytest.importorskip(
        "resource", reason="the peak of memory is asked of the operating system", exc_type=ImportError
    )
    nbest, reference = write_lists(tmp_path, sources)
    benchmark.pedantic(lambda: None, rounds=1)
    command = [*OURS, "-i", str(nbest), "-r", str(reference), "-o", str(tmp_path / "out")]
    peak = subprocess.run(
        [sys.executable, "-S", "-c", WATCH, *command], check=True, capture_output=True, env=ENVIRONMENT
    )
    table.note("memory of the same", f"{sources:,} x {SIZE}", f"{int(peak.stdout) / 1e3:.0f} MB")
