"""Long segments: what a token costs at any length, as a multiple of what it costs at 64 columns in the same run."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from benchmarks import measures
from benchmarks.long_ids import (
    METRIC,
    NAMES,
    ROUNDS,
    TOKENS,
    Matrix,
    counted,
    ids,
    least,
    listed,
    once,
    ratio,
)
from benchmarks.measures import Table, independent_loops
from fastbleu import BLEU

SHORT = 64
WIDTHS = (128, 256, 512, 1024, 2048, 4096, 8192)

KINDS = ("uniform", "real", "zipf")
# By kind: what a token of up to 8,192 columns may cost, as a multiple of one of 64; the milliseconds of [256, 1024].
LIMITS = {"uniform": (3.5, 2), "real": (5, 3), "zipf": (6.5, 4)}
MILLISECONDS = {"uniform": (4.5, 2.5), "real": (6.5, 4), "zipf": (9, 5)}


# --- The cost per token at every length -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_references", [1, 4])
def test_every_length(benchmark: Any, table: Table, kind: str, n_references: int) -> None:
    """Per token of all: those of the hypothesis and of each reference."""
    calls = [counted(*pair_of_64(kind))]
    for width in WIDTHS:
        hypotheses, references = ids(kind, TOKENS // width, width)
        streams = [np.roll(references, shift, axis=0) for shift in range(n_references)]
        calls.append(counted(hypotheses, streams))
    once(benchmark, calls[-1])
    base, *times = least(*calls, rounds=ROUNDS)
    base *= 1e9 / TOKENS / 2
    costs = [seconds * 1e9 / TOKENS / (1 + n_references) for seconds in times]
    references_name = "1 reference" if n_references == 1 else f"{n_references} references"
    table.add(
        f"{NAMES[kind]}, 128 to 8,192 columns, {references_name}",
        f"ns a token of all; 64 columns, 1 reference: {base:.1f}; {listed(WIDTHS, costs)}",
        max(costs) / base,
        *LIMITS[kind],
        show=ratio,
    )


def pair_of_64(kind: str) -> tuple[Matrix, list[Matrix]]:
    hypotheses, references = ids(kind, TOKENS // SHORT, SHORT)
    return hypotheses, [references]


# --- Calls ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_rewards_of_long_rollouts(benchmark: Any, table: Table, kind: str) -> None:
    hypotheses, references = ids(kind, 256, 1024)
    threads = BLEU(tokenize="none", effective_order=True, threads=2)
    calls = [partial(metric.sentence_scores, hypotheses, [references]) for metric in (METRIC, threads)]
    (alone,) = least(calls[0], rounds=2 * ROUNDS)
    one, two, loop_once, loop_twice = measures.least(*calls, *independent_loops(5), rounds=4 * ROUNDS)
    once(benchmark, calls[0])
    table.add(
        f"sentence_scores, [256, 1024] int64, {NAMES[kind]}",
        "",
        alone * 1e3,
        *MILLISECONDS[kind],
        show="{:.2f} ms".format,
    )
    table.add(
        "the same, two threads",
        f"one thread: {one * 1e3:.2f} ms to {two * 1e3:.2f} ms; independent loops {2 * loop_once / loop_twice:.2f}x",
        one / two,
        1.8,
        1.95,
        show=ratio,
    )
