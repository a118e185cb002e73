"""The command line on 10,000 pools of 64 as Moses writes n-best lists: two threads beside one, and the peak of memory.

Beside the gain of two threads stands that of two processes of one thread, each on half of the file, in the same
minutes: what the machine can give to programs that share nothing.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip(
    "resource", reason="the peak of memory is asked of the operating system", exc_type=ImportError
)

from benchmarks import data
from benchmarks.measures import Table, run
from tests.support import rerank_pools

POOLS, SIZE, ROUNDS = 10_000, 64, 4

COMMAND = ("-m", "fastbleu.cli.rerank.rerank_command", "mbr")

# Runs commands at the same time, each from a file to a file, and prints for how long and the peak of each in kB. It is
# a small process of its own: what a process held before it became another program counts as that program's peak.
WATCH = """
import json, os, subprocess, sys, time
jobs = json.loads(sys.argv[1])
start = time.perf_counter()
started = [
    subprocess.Popen(command, stdin=open(source, "rb"), stdout=open(target, "wb"), stderr=subprocess.DEVNULL)
    for command, source, target in jobs
]
ended = [os.wait4(one.pid, 0) for one in started]
seconds = time.perf_counter() - start
assert not any(status for _, status, _ in ended), ended
print(json.dumps([seconds, [usage.ru_maxrss for _, _, usage in ended]]))
"""


class Run(NamedTuple):
    """The time of all commands together, and the peak of resident memory of the largest in MB."""

    seconds: float
    peak: float


def watch(*jobs: tuple[Path, Path, int]) -> Run:
    """Run the command on each source, to its target, on this many threads."""
    written = [
        ([sys.executable, *COMMAND, "--threads", str(threads)], str(source), str(target))
        for source, target, threads in jobs
    ]
    seconds, peaks = json.loads(run("-S", "-c", WATCH, json.dumps(written)))
    return Run(seconds, max(peaks) / 1e3)


def write_pools(paths: Sequence[Path]) -> None:
    """10,000 pools in Moses's format, to all of the paths in turns of equal length."""
    sources = list(zip(*data.systems("en-de"), strict=True))
    generator = random.Random(data.SEED)
    share = POOLS // len(paths)
    numbers = iter(range(POOLS))
    for path in paths:
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for i in itertools.islice(numbers, share):
                pool = rerank_pools.grow(sources[i % len(sources)], SIZE, f"{i}")
                for candidate in pool:
                    features = [f"{generator.uniform(-30, 0):.4f}" for _ in range(4)]
                    fields = f"LM0= {features[0]} WordPenalty0= {features[1]} PhrasePenalty0= {features[2]}"
                    file.write(f"{i} ||| {candidate} ||| {fields} ||| {features[3]}\n")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The pools, both halves of them, and the first tenth."""
    folder = tmp_path_factory.mktemp("pools")
    halves = [folder / "first.nbest", folder / "second.nbest"]
    write_pools(halves)
    whole, tenth = folder / "whole.nbest", folder / "tenth.nbest"
    whole.write_bytes(b"".join(path.read_bytes() for path in halves))
    with whole.open("rb") as source, tenth.open("wb") as target:
        target.writelines(itertools.islice(source, POOLS // 10 * SIZE))
    return {"whole": whole, "first": halves[0], "second": halves[1], "tenth": tenth}


def test_two_threads(benchmark: Any, table: Table, files: dict[str, Path], tmp_path: Path) -> None:
    targets = [tmp_path / name for name in ("one", "two", "first", "second")]
    # The files are in the cache of the operating system, and bytecode beside the modules.
    watch((files["tenth"], targets[0], 1))
    rounds = [
        (
            watch((files["whole"], targets[0], 1)),
            watch((files["whole"], targets[1], 2)),
            watch((files["first"], targets[2], 1), (files["second"], targets[3], 1)),
        )
        for _ in range(ROUNDS)
    ]
    assert targets[0].read_bytes() == targets[1].read_bytes()
    assert targets[0].read_bytes() == targets[2].read_bytes() + targets[3].read_bytes()
    benchmark.pedantic(lambda: None, rounds=1)
    one, two, apart = (min(one_round[i].seconds for one_round in rounds) for i in range(3))
    size = os.stat(files["whole"]).st_size
    table.add(
        f"fastbleu-rerank mbr, {POOLS:,} pools of {SIZE}, two threads",
        f"one thread, {one:.3g} s to {two:.3g} s; two processes on a half each {one / apart:.2f}x",
        one / two,
        1.6,
        1.9,
        show="{:.2f}x".format,
    )
    table.note(
        "the same, one thread", f"{size / 1e6:.0f} MB", f"{POOLS * SIZE / one:,.0f} candidates per second"
    )


@pytest.mark.parametrize("threads", [1, 2])
def test_memory(benchmark: Any, table: Table, files: dict[str, Path], tmp_path: Path, threads: int) -> None:
    tenth = watch((files["tenth"], tmp_path / "tenth", threads))
    whole = benchmark.pedantic(lambda: watch((files["whole"], tmp_path / "whole", threads)), rounds=1)
    table.add(
        f"memory of the same, {threads} threads" if threads > 1 else "memory of the same, one thread",
        f"a tenth of the file: {tenth.peak:.0f} MB",
        whole.peak,
        150,
        149,
        show="{:.0f} MB".format,
    )
