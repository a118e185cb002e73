"""Measures ours and the peer's side by side, and prints one table of ratios at the end."""

from __future__ import annotations

import gc
import os
import platform
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from benchmarks import data

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
    """How a value stands: larger is better where `reach` is larger than `must`, smaller otherwise."""
    sign = 1 if reach >= must else -1
    if sign * value >= sign * reach:
        return "reached"
    return "met" if sign * value >= sign * must else "MISSED"


def seconds(value: float) -> str:
    return f"{value:.3g} s" if value >= 1 else f"{value * 1e3:.3g} ms"


def clock(call: Call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def least(*calls: Call, rounds: int) -> list[float]:
    """Shortest time of each call; they take turns, so that a slow spell of the machine hits all."""
    times = [[clock(call) for call in calls] for _ in range(rounds)]
    return [min(column) for column in zip(*times, strict=True)]


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


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def compare(benchmark: Any, table: Table) -> Callable[..., None]:
    """`compare(workload, ours, peer, theirs, must, reach)`: times both in turns and adds the ratio to the table."""

    def run(
        workload: str,
        ours: Call,
        peer: str,
        theirs: Call,
        must: float,
        reach: float,
        *,
        before_theirs: Call = lambda: None,
        rounds: int = 5,
        ours_per_round: int = 8,
    ) -> None:
        peer_times: list[float] = []
        turns: Iterator[int] = iter(range(rounds * ours_per_round))

        def let_the_peer_run() -> None:
            if next(turns) % ours_per_round == 0:
                before_theirs()
                gc.collect()
                peer_times.append(clock(theirs))

        benchmark.pedantic(ours, setup=let_the_peer_run, rounds=rounds * ours_per_round)
        our_time = benchmark.stats.stats.min
        ratio = min(peer_times) / our_time
        benchmark.extra_info.update(peer=peer, peer_seconds=min(peer_times), ratio=ratio)
        table.add(workload, f"{peer}: {seconds(min(peer_times))} to {seconds(our_time)}", ratio, must, reach)

    return run


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    # The plugin's own tables come on request (--benchmark-verbose, --benchmark-json); one table is the point here.
    if not config.getoption("benchmark_verbose", False):
        config.option.benchmark_quiet = True


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if not ROWS:
        return
    heads = Row("workload", "against", "value", "must", "reach", "")
    widths = [max(len(row[i]) for row in (heads, *ROWS)) for i in range(len(heads))]
    terminalreporter.section("ratios")
    terminalreporter.write_line(
        f"{data.describe()}; Python {platform.python_version()}, {os.cpu_count()} processors; "
        "minimum of repeats, ours and the peer's in turns"
    )
    for row in (heads, tuple("-" * width for width in widths), *ROWS):
        terminalreporter.write_line(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        )
