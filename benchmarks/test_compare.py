"""Comparisons: a report as text and as a page. No peer makes one, so what is asked for is a time and a size."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from benchmarks import data
from benchmarks.measures import Table, clock, least, seconds
from fastbleu.compare import compare

SEGMENTS = 10_000


def of_size(lines: list[str]) -> list[str]:
    """The lines, over and over, until there are as many as are asked for."""
    return list(itertools.islice(itertools.cycle(lines), SEGMENTS))


def test_page_of_20_systems_and_10_000_segments(benchmark: Any, table: Table) -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    outputs = data.systems("en-de")[:20]
    systems = {f"system {k}": of_size(output) for k, output in enumerate(outputs, 1)}
    references = [of_size(data.references("en-de")[0])]
    documents = [f"document {i // 15}" for i in range(SEGMENTS)]
    times, size = [], 0
    for _ in range(3):
        # What the page shows is counted when it is first asked for, so each page needs a comparison of its own.
        comparison = compare(systems, references, trials=100, resamples=100, documents=documents)
        pages: list[str] = []
        times.append(clock(lambda: pages.append(comparison.to_html())))  # noqa: B023  # called at once
        size = len(pages[0].encode())
    benchmark.pedantic(comparison.to_html, rounds=1)
    workload = f"page of a comparison, {len(systems)} systems, {SEGMENTS:,} segments"
    table.add(f"{workload}, time", "one page", min(times), 5, 3, show=seconds)
    table.add(f"{workload}, size", "one page", size / 1e6, 10, 4, show="{:.3g} MB".format)


def test_report_of_20_systems(benchmark: Any, table: Table) -> None:
    systems = {f"system {k}": lines for k, lines in enumerate(data.systems("en-de"))}
    references = data.references("en-de")[:1]

    def report() -> str:
        return str(compare(systems, references))

    whole, untested = least(report, lambda: compare(systems, references, trials=1, resamples=2), rounds=3)
    benchmark.pedantic(report, rounds=1)
    workload = f"report of {len(systems)} systems as text, time"
    table.add(workload, "one report", whole, 6, 3, show=seconds)
    table.note("of which counting, scoring and looking for what is wrong", "", f"{1e3 * untested:.3g} ms")
