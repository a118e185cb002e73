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

from tests.support.entry_points import plain

#: How long the threads of one test run. Before a release, and under ThreadSanitizer, more.
SECONDS = float(os.environ.get("FASTBLEU_THREADS_SECONDS", "0.2"))

THREADS = int(os.environ.get("FASTBLEU_THREADS", "4"))


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
