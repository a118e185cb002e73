"""Repeat calls in many threads, and check that each result equals that of a single thread."""

import os
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tests.support.entry_points import plain

#: How long the threads of one test run. Before a release, and under ThreadSanitizer, more.
SECONDS = float(os.environ.get("FASTBLEU_THREADS_SECONDS", "0.2"))

THREADS = int(os.environ.get("FASTBLEU_THREADS", "4"))


@contextmanager
def frequent_switches() -> Iterator[None]:
    """Switch threads a hundred times as often as usual, on an interpreter with a global lock."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-5)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def run_together(*targets: Callable[[], object]) -> None:
    """Run each target in its own thread, all starting at the same time, and raise the first error."""
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
    """Make all calls in several threads at once for SECONDS, each thread in its own random orders.

    Args:
        calls: The calls by name; the result of each must always be the same.
        expected: The results; None: the results of one call each in this thread.
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
    """Make one call in several threads at the same time, and return the results."""
    results: list[Any] = []
    run_together(*[lambda: results.append(call())] * threads)
    return results
