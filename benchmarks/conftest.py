"""Measures ours and the peer's side by side, and prints one table of ratios at the end."""

from __future__ import annotations

import gc
import os
import platform
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from benchmarks import data
from benchmarks.measures import ROWS, Call, Row, Table, clock, seconds


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
        benchmark.extra_info.update(workload=workload, peer=peer, seconds=our_time, ratio=ratio)
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
