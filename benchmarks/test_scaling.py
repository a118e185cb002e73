"""The growth of work: with threads, and with the length of a segment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import data
from benchmarks.measures import Table, independent_loops, least
from fastbleu import BLEU
from fastbleu.inputs import text_files

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
            sides[i] = text_files.read_lines(path)
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


def long_and_short(count: int, shorter: int) -> tuple[list[list[str]], list[list[str]]]:
    """Return tokens as one segment a side, and cut into `shorter` segments: hypotheses, references each."""
    sides = data.tokens(count)
    size = count // shorter
    whole = [[" ".join(side)] for side in sides]
    parts = [[" ".join(side[i : i + size]) for i in range(0, count, size)] for side in sides]
    return whole, parts


def test_time_of_a_long_segment(benchmark: Any, table: Table) -> None:
    whole, parts = long_and_short(1_000_000, 1_000)
    metric = BLEU(tokenize="none")
    long_time, short_time = least(
        lambda: metric.statistics(whole[0], whole[1:]),
        lambda: metric.statistics(parts[0], parts[1:]),
        rounds=5,
    )
    benchmark.pedantic(lambda: metric.statistics(whole[0], whole[1:]), rounds=3)
    table.add(
        "time, one segment of 1,000,000 tokens",
        f"1,000 segments of 1,000: {short_time * 1e3:.0f} ms to {long_time * 1e3:.0f} ms",
        long_time / short_time,
        4,
        1.1,
        show="{:.2f}x".format,
    )
