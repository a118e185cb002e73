"""Two threads on lists of strings: calls of their own, and the threads of one call.

With the interpreter's lock, reading strings is left to one thread at a time; without it (`python3.13t`) nothing is. The
machine has to be quiet: two loops that share nothing say what two threads can reach at the same moment.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks import data
from benchmarks.measures import Call, Table, independent_loops, least
from fastbleu import BLEU, TokenIds
from fastbleu.rewards import BLEUReward

ROUNDS = 12

#: Calls in a row, so that to start a thread counts little.
REPEATS = 4

#: Whether the interpreter's lock is off.
FREE = not getattr(sys, "_is_gil_enabled", lambda: True)()


def repeated(call: Call) -> Call:
    """Repeat a call REPEATS times."""

    def run() -> None:
        for _ in range(REPEATS):
            call()

    return run


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
    """Copy text into strings that nobody else holds."""
    return [[f"{text}x"[:-1] for text in side] for side in sides]


#: Words of the data as numbers.
WORDS: dict[str, int] = {}


def numbered(side: list[list[str]]) -> list[list[int]]:
    """Tokens as ids."""
    return [[WORDS.setdefault(word, len(WORDS)) for word in tokens] for tokens in side]


def calls(name: str) -> tuple[Call, Call]:
    """Return one call for each of two threads, with equal work."""
    hypotheses, streams = data.all_systems("en-de", 1)
    mine = [list(hypotheses), list(streams[0])]
    theirs = mine if "shared" in name else copies(mine)
    metric, by_tokens, reward = BLEU(effective_order=True), BLEU(tokenize="none"), BLEUReward()
    accumulator = metric.accumulator()
    few = 500

    def call(sides: list[list[str]]) -> Call:
        texts, references = sides
        kind = name.split(",", maxsplit=1)[0]
        if kind == "corpus_score":
            return lambda: metric.corpus_score(texts, [references])
        if kind == "sentence_scores":
            return lambda: metric.sentence_scores(texts, [references])
        if kind == "sentence_score":
            own = BLEU(effective_order=True) if "own" in name else metric
            return lambda: [own.sentence_score(texts[i], [references[i]]) for i in range(few)]
        if kind == "accumulator":
            return lambda: accumulator.update(texts, [references])
        if kind == "rewards":
            return lambda: reward(texts, references)
        if kind == "Arrow":
            import pyarrow as pa

            arrays = [pa.array(side) for side in sides]
            return lambda: metric.corpus_score(arrays[0], [arrays[1]])
        tokens = [[text.split() for text in side] for side in sides]
        if kind == "tokens":
            return lambda: by_tokens.corpus_score(tokens[0], [tokens[1]])
        lists = [numbered(side) for side in tokens]
        if kind == "lists of ids":
            return lambda: by_tokens.corpus_score(lists[0], [lists[1]])
        ids = [TokenIds(side) for side in lists]
        return lambda: by_tokens.corpus_score(ids[0], ids[1])

    return repeated(call(mine)), repeated(call(theirs))


@pytest.mark.parametrize(
    ("name", "must", "reach"),
    [
        ("corpus_score, strings of their own", 1.9, 1.95),
        ("corpus_score, shared strings", 1.6, 1.9),
        ("sentence_scores, strings of their own", 1.9, 1.95),
        ("sentence_score, one metric", 1.2, 1.9),
        ("sentence_score, own metrics", 1.6, 1.9),
        ("tokens, of their own", 1.6, 1.9),
        ("lists of ids, of their own", 1.6, 1.9),
        ("TokenIds, of their own", 1.8, 1.95),
        ("Arrow, of their own", 1.8, 1.95),
        ("accumulator, shared by both", 1.8, 1.95),
        ("rewards, one reward", 1.6, 1.9),
    ],
)
def test_a_call_in_each_of_two_threads(
    benchmark: Any, table: Table, name: str, must: float, reach: float
) -> None:
    if name.startswith("Arrow"):
        pytest.importorskip("pyarrow")
    mine, theirs = calls(name)
    both = beside(mine, theirs)
    report(table, f"two threads, {name}", [mine, theirs], both, must, reach)
    benchmark.pedantic(both, rounds=3)


def test_threads_of_one_call(benchmark: Any, table: Table) -> None:
    hypotheses, streams = data.all_systems("en-de", 1)
    one, two = BLEU(), BLEU(threads=2)
    assert one.corpus_score(hypotheses, streams).score == two.corpus_score(hypotheses, streams).score

    def score(metric: BLEU) -> Callable[[], object]:
        return lambda: metric.corpus_score(hypotheses, streams)

    report(table, "BLEU(threads=2), corpus_score", [score(one)], score(two), 1.7, 1.9)
    benchmark.pedantic(score(two), rounds=3)


def report(table: Table, name: str, apart: list[Call], together: Call, must: float, reach: float) -> None:
    """Adds how much sooner two threads have done some work than one; with the lock, that has no goal."""
    *each, both, once, twice = least(*apart, together, *independent_loops(100), rounds=ROUNDS)
    against = f"one thread; two independent loops {2 * once / twice:.2f}x"
    ratio = sum(each) / both
    if FREE:
        table.add(f"{name}, without the lock", against, ratio, must, reach, show="{:.2f}x".format)
    else:
        table.note(f"{name}, with the lock", against, f"{ratio:.2f}x")
