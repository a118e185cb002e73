"""Clocks, whole processes, and the table that a run of the benchmarks prints at its end."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

Call = Callable[[], object]


class Row(NamedTuple):
    """One line of the table."""

    workload: str
    against: str
    ratio: str
    must: str
    reach: str
    verdict: str


ROWS: list[Row] = []


def verdict(value: float, must: float, reach: float) -> str:
    """Judge a value: larger is better where `reach` is larger than `must`, smaller otherwise."""
    sign = 1 if reach >= must else -1
    if sign * value >= sign * reach:
        return "reached"
    return "met" if sign * value >= sign * must else "MISSED"


def seconds(value: float) -> str:
    return f"{value:.3g} s" if value >= 1 else f"{value * 1e3:.3g} ms"


def clock(call: Call, timer: Callable[[], float] = time.perf_counter) -> float:
    start = timer()
    call()
    return timer() - start


def least(*calls: Call, rounds: int, timer: Callable[[], float] = time.perf_counter) -> list[float]:
    """Shortest time of each call; they take turns, so that a slow spell of the machine hits all."""
    times = [[clock(call, timer) for call in calls] for _ in range(rounds)]
    return [min(column) for column in zip(*times, strict=True)]


def independent_loops(size: int) -> tuple[Call, Call]:
    """A loop, and two of them that share nothing, in two threads: what the machine can give at this moment."""
    block = bytes(1 << 20)

    def loop() -> None:
        digest = hashlib.sha256()
        for _ in range(size):
            digest.update(block)

    def twice() -> None:
        with ThreadPoolExecutor(2) as pool:
            for future in [pool.submit(loop), pool.submit(loop)]:
                future.result()

    return loop, twice


class Table:
    """Collects rows for the end of the run."""

    def add(
        self,
        workload: str,
        against: str,
        value: float,
        must: float,
        reach: float,
        *,
        show: Callable[[float], str] = "{:.3g}x".format,
    ) -> None:
        """Adds a value with what it must be at least (at most, where `reach` is the smaller), and what is aimed at."""
        sign = "" if reach >= must else "<= "
        limits = (sign + show(must), sign + show(reach))
        ROWS.append(Row(workload, against, show(value), *limits, verdict(value, must, reach)))

    def note(self, workload: str, against: str, value: str) -> None:
        """Adds a figure that nothing is asked of."""
        ROWS.append(Row(workload, against, value, "", "", ""))


# An installed package has its bytecode beside it; a checkout gets it in the first run, if that may write.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run(*arguments: str) -> str:
    command = [sys.executable, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout
