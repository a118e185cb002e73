"""Long segments that are hard for one algorithm or another, and what must take linear time and memory."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.long_ids import NAMES, ROUNDS, TOKENS, Matrix, counted, ids, least, once, ratio
from benchmarks.measures import Table, run
from fastbleu import BLEU

# --- Inputs that are hard for one algorithm or another --------------------------------------------------------------


def worst_inputs(width: int) -> dict[str, tuple[Matrix, Matrix]]:
    rows = TOKENS // width
    text, other = ids("zipf", rows, width)

    def repeated(row: Matrix) -> tuple[Matrix, Matrix]:
        matrix = np.tile(row, (rows, 1))
        return matrix, matrix.copy()

    places = np.arange(width)
    return {
        "Zipf": (text, other),
        "one token": repeated(places * 0),
        "two alternating": repeated(places % 2),
        **{f"period {n}": repeated(places % n) for n in (63, 64, 65)},
        "all distinct": repeated(places),
        "equal": (text, text.copy()),
        "reversed": (text, text[:, ::-1].copy()),
        "rotated": (text, np.roll(text, 1, axis=1)),
        "large ids": (text + (1 << 40), other + (1 << 40)),
    }


@pytest.mark.parametrize("width", [128, 512, 1024, 8192])
def test_worst_inputs(benchmark: Any, table: Table, width: int) -> None:
    inputs = worst_inputs(width)
    calls = [counted(hypotheses, [references]) for hypotheses, references in inputs.values()]
    once(benchmark, calls[0])
    times = least(*calls, rounds=ROUNDS)
    ratios = [seconds / times[0] for seconds in times]
    worst = max(zip(ratios, inputs, strict=True))
    table.add(
        f"worst of {len(inputs) - 1} inputs, {width} columns: {worst[1]}",
        f"Zipf: {times[0] * 1e9 / TOKENS / 2:.1f} ns; "
        + ", ".join(f"{name}: {value:.2f}" for name, value in zip(inputs, ratios, strict=True)),
        worst[0],
        3,
        2,
        show=ratio,
    )


# --- What must be linear --------------------------------------------------------------------------------------------


def with_empty_references(n: int) -> tuple[str, list[str], int]:
    return "a " * 65, ["a " * 65, *[""] * n], n


def with_short_references(n: int) -> tuple[str, list[str], int]:
    return "x1 y z w " * 20, [f"x{i % 50} y z" for i in range(n)], n


def with_different_lengths(n: int) -> tuple[str, list[str], int]:
    return "a b", ["a " * i for i in range(n)], n * n


@pytest.mark.parametrize(
    ("name", "make", "few", "many", "order"),
    [
        ("16,000 empty references", with_empty_references, 2_000, 16_000, 4),
        ("16,000 short references, 6 orders", with_short_references, 2_000, 16_000, 6),
        ("2,400 different reference lengths", with_different_lengths, 800, 2_400, 4),
    ],
)
def test_linear(
    benchmark: Any,
    table: Table,
    name: str,
    make: Callable[[int], tuple[str, list[str], int]],
    few: int,
    many: int,
    order: int,
) -> None:
    metric = BLEU(max_ngram_order=order)
    calls, sizes = [], []
    for n in (few, many):
        hypothesis, references, size = make(n)
        calls.append(partial(metric.sentence_score, hypothesis, references))
        sizes.append(size)
    once(benchmark, calls[0])
    small, large = least(*calls, rounds=5)
    table.add(
        name,
        f"{few:,}, each: {small / few * 1e9:.0f} ns to {large / many * 1e9:.0f} ns a reference",
        large / small * sizes[0] / sizes[1],
        2,
        1.2,
        show=ratio,
    )


# Counts one segment, whose sides are two files, and says how long it took, how much memory it took at most beyond its
# input, and how long a signal waited at most, by the processor's time. A signal comes every five milliseconds.
LARGE_PROGRAM = """
import json, os, resource, signal, sys, time
import numpy as np
from fastbleu import BLEU
hypothesis, reference = (np.load(path) for path in sys.argv[1:])
metric = BLEU(tokenize="none")
metric.statistics(hypothesis[:, :100], [reference[:, :100]])
before = int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
start = time.thread_time()
metric.statistics(hypothesis, [reference])
seconds = time.thread_time() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
handled = [time.thread_time()]
signal.signal(signal.SIGALRM, lambda *_: handled.append(time.thread_time()))
signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
metric.statistics(hypothesis, [reference])
signal.setitimer(signal.ITIMER_REAL, 0)
handled.append(time.thread_time())
waits = [after - before for before, after in zip(handled, handled[1:])]
print(json.dumps([seconds, peak - before, max(waits)]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.parametrize("kind", ["uniform", "zipf"])
def test_one_segment_of_ten_million_tokens(benchmark: Any, table: Table, tmp_path: Path, kind: str) -> None:
    figures = []
    for width in (1_000_000, 10_000_000):
        paths = [tmp_path / f"{side}.npy" for side in ("hypothesis", "reference")]
        for path, side in zip(paths, ids.__wrapped__(kind, 1, width), strict=True):
            np.save(path, side)
        taken = [json.loads(run("-c", LARGE_PROGRAM, *map(str, paths))) for _ in range(3)]
        figures.append([min(column) for column in zip(*taken, strict=True)])
    once(benchmark, lambda: None)
    (small, _, _), (large, memory, wait) = figures
    n = 10_000_000
    table.add(
        f"one segment of 10,000,000 {NAMES[kind]}, and such a reference",
        f"1,000,000: {small * 1e9 / (2 * n / 10):.1f} ns to {large * 1e9 / (2 * n):.1f} ns a token of both sides",
        large / small / 10,
        3,
        1.5,
        show=ratio,
    )
    table.add(
        "memory for it beyond the input",
        "a token of both sides",
        memory / (2 * n),
        60,
        40,
        show="{:.0f} bytes".format,
    )
    table.add("longest time that a signal waits in it", "", wait, 1, 0.5, show="{:.2f} s".format)
