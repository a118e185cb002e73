"""Many threads that make the same calls over and over, and the check that all get what one thread gets."""

from __future__ import annotations

import os
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fastbleu import BLEUScore
from fastbleu.scoring.signature import Signature

#: How long the threads of one test run. Before a release, and under ThreadSanitizer, more.
SECONDS = float(os.environ.get("FASTBLEU_THREADS_SECONDS", "0.2"))

THREADS = int(os.environ.get("FASTBLEU_THREADS", "4"))


def plain(value: Any) -> Any:
    """A result as values that `==` compares as a whole."""
    if isinstance(value, BLEUScore):
        fields = (
            value.score,
            value.counts,
            value.totals,
            value.precisions,
            value.bp,
            value.sys_len,
            value.ref_len,
        )
        return (*fields, str(value.signature))
    if isinstance(value, Signature):
        return str(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


@contextmanager
def frequent_switches() -> Iterator[None]:
    """Lets an interpreter with a lock hand it on a hundred times as often as usual."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-5)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def run_together(*targets: Callable[[], object]) -> None:
    """Run each target in a thread of its own, all beginning at the same time; raise the first error."""
    start = threading.Barrier(len(targets))
    errors: list[BaseException] = []

    def run(target: Callable[[], object]) -> None:
        try:
            start.wait()
            target()
        except BaseException as error:  # noqa: BLE001  # raised below
            errors.append(error)

    threads = [threading.Thread(target=run, args=(target,)) for target in targets]
    with frequent_switches():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]


def hammer(calls: Mapping[str, Callable[[], Any]], expected: Mapping[str, Any] | None = None) -> None:
    """Make all calls in several threads at once for SECONDS, each thread in orders of its own.

    Args:
        calls: By name; of each the result must be the same whenever it is made.
        expected: What they return; None: what they return now, in this thread alone.
    """
    wanted = {name: plain(call()) for name, call in calls.items()} if expected is None else expected
    stop = time.monotonic() + SECONDS

    def work(number: int) -> None:
        generator = random.Random(number)
        names = list(calls)
        while True:
            generator.shuffle(names)
            for name in names:
                assert plain(calls[name]()) == wanted[name], name
                if time.monotonic() > stop:
                    return

    run_together(*(lambda number=number: work(number) for number in range(THREADS)))


def at_once(call: Callable[[], Any], threads: int = THREADS) -> list[Any]:
    """Make one call in several threads at the same time; what each returned."""
    results: list[Any] = []
    run_together(*[lambda: results.append(call())] * threads)
    return results


#: Segments of many shapes: short, empty, beyond one and two words of a position set, by classes, not ASCII, no text.
HYPOTHESES = [
    "The cat sat on the mat.",
    "",
    "It rained all day, 1.5 inches.",
    "Der Überfluß – „größer“ als 100 %, sagt er.",
    "a b a b a b a c",
    "\ud800 x \x00 y \U0001f600",
    " ".join(f"w{k % 23}" for k in range(90)),
    " ".join(f"v{k * k % 37}" for k in range(200)),
    "yes",
]
STREAMS: list[list[str | None]] = [
    [
        "The cat is sitting on the mat.",
        "Nothing.",
        "It rained all day: 1.5 inches.",
        "Der Überfluss ist „größer“ als 100 %, sagt sie.",
        "b a b a c",
        "\ud800 x \x00 z \U0001f600",
        " ".join(f"w{k % 19}" for k in range(80)),
        " ".join(f"v{k * k % 31}" for k in range(190)),
        "no",
    ],
    [
        "On the mat sat the cat!",
        "",
        None,
        "Er sagt: größer als 100 %.",
        "a b",
        None,
        " ".join(f"w{k % 29}" for k in range(100)),
        "short",
        "yes",
    ],
]
