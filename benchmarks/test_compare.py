"""Whole reports: every pair of twenty systems tested and explained, against compare-mt on two, as commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks import data
from benchmarks.measures import Table, least, run
from fastbleu.compare import compare as compare_systems

#: compare-mt's command, and the option that has it test for significance, as ours always does.
PEER = "import sys; from compare_mt.compare_mt_main import main; main()"
TESTED = "score_type=bleu,bootstrap=1000,prob_thresh=0.05"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, list[str]]:
    """The reference, and the outputs of all systems."""

    def written(name: str, lines: list[str]) -> str:
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return str(tmp_path / name)

    systems = [written(f"system{k}.de", lines) for k, lines in enumerate(data.systems("en-de"))]
    return written("reference.de", data.references("en-de")[0]), systems


def test_report_against_compare_mt(
    files: tuple[str, list[str]], compare: Callable[..., None], table: Table
) -> None:
    pytest.importorskip("compare_mt.compare_mt_main")
    reference, systems = files

    def ours() -> str:
        return run("-m", "fastbleu.cli.compare.command", reference, "-i", *systems)

    compare(
        f"report of {len(systems)} systems as text, 10,000 trials for each pair, command",
        ours,
        "compare-mt on two systems, 1,000 resamples, command",
        lambda: run("-c", PEER, reference, *systems[:2], "--compare_scores", TESTED),
        10,
        30,
        rounds=3,
        ours_per_round=3,
    )
    mine, theirs = least(ours, lambda: run("-c", PEER, reference, *systems[:2]), rounds=2)
    table.note("the same report", "compare-mt on two systems, without a test", f"{theirs / mine:.3g}x")


def test_parts_of_a_report(benchmark: Any, table: Table) -> None:
    systems = {f"system {k}": lines for k, lines in enumerate(data.systems("en-de"))}
    references = data.references("en-de")[:1]

    def report() -> str:
        return str(compare_systems(systems, references))

    whole, untested = least(
        report, lambda: compare_systems(systems, references, trials=1, resamples=2), rounds=5
    )
    benchmark.pedantic(report, rounds=1)
    table.note(f"the same report in a process, {len(systems)} systems", "whole", f"{1e3 * whole:.3g} ms")
    table.note("of which counting, scoring and looking for what is wrong", "", f"{1e3 * untested:.3g} ms")
