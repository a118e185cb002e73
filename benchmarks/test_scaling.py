"""The speed-up of two threads within one call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import data
from benchmarks.measures import Table, independent_loops, least
from fastbleu import BLEU
from fastbleu.inputs import text_lines

TIMES_THE_DATA = 5
"""Twenty systems are over in the time that it takes to start threads; this many times as much is a real run."""

ROUNDS = 12


@pytest.mark.parametrize("source", ["lists", "files", "prepared columns"])
def test_two_threads(benchmark: Any, table: Table, tmp_path: Path, source: str) -> None:
    hypotheses, streams = data.all_systems("en-de", 1)
    hypotheses, streams = hypotheses * TIMES_THE_DATA, [stream * TIMES_THE_DATA for stream in streams]
    one, two = BLEU(), BLEU(threads=2)
    sides: list[Any] = [hypotheses, *streams]
    if source != "lists":
        for i, side in enumerate(sides):
            path = tmp_path / str(i)
            path.write_text("".join(f"{line}\n" for line in side), encoding="utf-8", newline="\n")
            sides[i] = text_lines.read_lines(path)
    if source == "prepared columns":
        sides[1:] = [one.prepare(sides[1:])]

    def score(metric: BLEU) -> object:
        return metric.corpus_score(sides[0], sides[1] if source == "prepared columns" else sides[1:])

    assert score(one).score == score(two).score  # type: ignore[attr-defined]

    single, double, loop_once, loop_twice = least(
        lambda: score(one), lambda: score(two), *independent_loops(100), rounds=ROUNDS
    )
    benchmark.pedantic(lambda: score(two), rounds=3)
    must, reach = (1.5, 1.8) if source == "lists" else (1.7, 1.95)
    table.add(
        f"two threads, from {source}, {len(hypotheses):,} segments",
        f"one thread; two independent loops {2 * loop_once / loop_twice:.2f}x",
        single / double,
        must,
        reach,
        show="{:.2f}x".format,
    )
