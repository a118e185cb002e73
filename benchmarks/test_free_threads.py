"""Two threads on lists of strings: calls of their own, and the threads of one call.

With the interpreter's lock, reading strings is left to one thread at a time; without it (`python3.13t`) nothing is. The
machine has to be quiet: the control says what two threads that share nothing reach at the same moment.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks import data
from benchmarks.measures import Call, Table, independent_loops, least
from fastbleu import BLEU

ROUNDS = 12

#: Whether the interpreter's lock is off.
FREE = not getattr(sys, "_is_gil_enabled", lambda: True)()


def beside(one: Call, other: Call) -> Call:
    """Two calls at the same time, each in a thread of its own that begins with the other."""

    def both() -> None:
        start = threading.Barrier(2)

        def run(call: Call) -> None:
            start.wait()
            call()

        threads = [threading.Thread(target=run, args=(call,)) for call in (one, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return both


def copies(sides: list[list[str]]) -> list[list[str]]:
    """The same text in strings that nobody else holds."""
    return [[f"{text}x"[:-1] for text in side] for side in sides]


def calls(name: str) -> tuple[Call, Call]:
    """The same work for two threads."""
    hypotheses, streams = data.all_systems("en-de", 1)
    hypotheses, streams = list(hypotheses), [list(stream) for stream in streams]
    metric = BLEU(effective_order=True)
    mine = (hypotheses, streams)
    own = copies([hypotheses, *streams])
    theirs = mine if "shared" in name else (own[0], own[1:])
    few = 2_000

    def call(sides: Any) -> Call:
        texts, references = sides
        calls: dict[str, Call] = {
            "corpus_score": lambda: metric.corpus_score(texts, references),
            "sentence_scores": lambda: metric.sentence_scores(texts, references),
            "sentence_score": lambda: [
                metric.sentence_score(texts[i], [references[0][i]]) for i in range(few)
            ],
        }
        return calls[name.split(",", maxsplit=1)[0]]

    return call(mine), call(theirs)


@pytest.mark.parametrize(
    ("name", "must", "reach"),
    [
        ("corpus_score, strings of their own", 1.8, 1.9),
        ("corpus_score, shared strings", 1.6, 1.9),
        ("sentence_scores, strings of their own", 1.8, 1.9),
        ("sentence_score, one metric", 1.2, 1.9),
    ],
)
def test_a_call_in_each_of_two_threads(
    benchmark: Any, table: Table, name: str, must: float, reach: float
) -> None:
    mine, theirs = calls(name)
    both = beside(mine, theirs)
    report(table, f"two threads, {name}", mine, both, 2, must, reach)
    benchmark.pedantic(both, rounds=3)


def test_threads_of_one_call(benchmark: Any, table: Table) -> None:
    hypotheses, streams = data.all_systems("en-de", 1)
    one, two = BLEU(), BLEU(threads=2)
    assert one.corpus_score(hypotheses, streams).score == two.corpus_score(hypotheses, streams).score

    def score(metric: BLEU) -> Callable[[], object]:
        return lambda: metric.corpus_score(hypotheses, streams)

    report(table, "BLEU(threads=2), corpus_score", score(one), score(two), 1, 1.7, 1.9)
    benchmark.pedantic(score(two), rounds=3)


def report(table: Table, name: str, one: Call, both: Call, times: int, must: float, reach: float) -> None:
    """Adds how much more work two threads do in the time of one; of the interpreter with the lock, without a goal."""
    single, double, loop_once, loop_twice = least(one, both, *independent_loops(20), rounds=ROUNDS)
    against = f"one thread; two independent loops {2 * loop_once / loop_twice:.2f}x"
    ratio = times * single / double
    if FREE:
        table.add(f"{name}, without the lock", against, ratio, must, reach, show="{:.2f}x".format)
    else:
        table.note(f"{name}, with the lock", against, f"{ratio:.2f}x")
