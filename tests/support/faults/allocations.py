"""Let each allocation of a call fail in turn, and report what went wrong. A program that needs `fork`.

`python -m tests.support.faults.allocations KIND`, with the library of allocations.c preloaded, makes each call in a
child process, and writes a line of JSON for it.
"""

import ctypes
import gc
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any

from tests.support.entry_points import GROUPS, plain

KINDS = {"python": 0, "modules": 1}
NEVER = 1 << 40

# Each call with a failure is followed by one without, so most calls are tried at some hundred places.
EVERY = os.environ.get("FASTBLEU_FAULTS") == "all"
PLACES = 10_000 if EVERY else 120
LEAK_PLACES = 10_000 if EVERY else 12
REPEATS = 20
WINDOWS = 10
# Far longer than any call takes: only a call that never comes back runs into it.
PATIENCE = 3600 if EVERY else 120


class Hooks:
    def __init__(self) -> None:
        library = ctypes.PyDLL(None)
        library.held.restype = library.asked.restype = ctypes.c_long
        library.call_with_failures.restype = ctypes.py_object
        library.call_with_failures.argtypes = [ctypes.py_object, ctypes.c_int, ctypes.c_long, ctypes.c_long]
        self.held: Callable[[int], int] = library.held
        self.asked: Callable[[int], int] = library.asked
        self.call: Callable[[Callable[[], Any], int, int, int], Any] = library.call_with_failures
        if library.watch() < 1:
            raise SystemExit("the library of allocations.c is not preloaded, or no compiled module is loaded")


def places(number: int, most: int) -> Iterator[int]:
    """Yield the allocations that fail: the first and the last ones, and others at even distances between them."""
    if number <= most:
        yield from range(1, number + 1)
        return
    step = number / most
    yield from sorted({1 + int(i * step) for i in range(most)})


def outcome(hooks: Hooks, call: Callable[[], Any], kind: int, first: int, last: int) -> tuple[str, Any]:
    """Return the outcome of the call: its result, MemoryError, or another error as it would be printed."""
    try:
        return "result", plain(hooks.call(call, kind, first, last))
    except MemoryError:
        return "MemoryError", None
    except BaseException:  # noqa: BLE001  # each is reported
        return "other", traceback.format_exc()


def try_call(hooks: Hooks, call: Callable[[], Any], kind: int, progress: int) -> list[str]:
    """Fail one allocation, then all from one on, and return the errors."""
    wrong: list[str] = []
    expected = plain(call())
    if plain(call()) != expected:
        return ["two calls differ without any failure"]
    gc.collect()
    gc.freeze()
    hooks.call(call, kind, NEVER, NEVER)
    number = hooks.asked(kind)
    # Where all that follows fails, Python 3.11 itself goes on without end: only what modules ask for fails so.
    for last in (0, NEVER) if kind == KINDS["modules"] else (0,):
        for place in places(number, PLACES):
            os.pwrite(
                progress,
                b"%-60s" % f"{place} of {number}, to {'itself' if last == 0 else 'the end'}".encode(),
                0,
            )
            what, found = outcome(hooks, call, kind, place, last or place)
            if what == "other":
                wrong.append(f"allocation {place} of {number}, last {last}: {found}")
            elif what == "result" and found != expected:
                wrong.append(f"allocation {place} of {number}, last {last}: another result: {found!r}")
            del found
            try:
                again = plain(call())
            except BaseException:  # noqa: BLE001  # each is reported
                wrong.append(f"after allocation {place} of {number}, last {last}: {traceback.format_exc()}")
                return wrong
            if again != expected:
                wrong.append(
                    f"after allocation {place} of {number}, last {last}: the next result is {again!r}"
                )
                return wrong
    for place in places(number, LEAK_PLACES):
        os.pwrite(progress, b"%-60s" % f"{place} of {number}, for leaks".encode(), 0)
        # Caches and lists of free objects fill at first.
        for _ in range(WINDOWS):
            before = hooks.held(0), hooks.held(1)
            for _ in range(REPEATS):
                outcome(hooks, call, kind, place, place)
            gc.collect()
            grown = hooks.held(0) - before[0], hooks.held(1) - before[1]
            if max(grown) < REPEATS:
                break
        else:
            wrong.append(
                f"allocation {place} of {number}: {REPEATS} calls keep {grown[0]} and {grown[1]} blocks"
            )
    return wrong


def main() -> None:
    groups = ["compiled"] if sys.argv[1] == "python" else list(GROUPS)
    calls = [(group, name) for group in groups for name in GROUPS[group]()]
    hooks = Hooks()
    kind = KINDS[sys.argv[1]]
    progress = os.memfd_create("progress")
    for group, name in calls:
        os.ftruncate(progress, 0)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            signal.alarm(PATIENCE)
            with os.fdopen(writer, "w", encoding="utf-8") as file:
                try:
                    json.dump(try_call(hooks, GROUPS[group]()[name], kind, progress), file)
                except BaseException:  # noqa: BLE001  # each is reported
                    json.dump([traceback.format_exc()], file)
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader, encoding="utf-8") as file:
            answer = file.read()
        _, status = os.waitpid(child, 0)
        if status or not answer:
            ended = os.waitstatus_to_exitcode(status)
            wrong = [f"ended with {ended} at allocation {os.pread(progress, 60, 0).decode().strip()}"]
        else:
            wrong = json.loads(answer)
        sys.stdout.write(json.dumps({"call": f"{group}: {name}", "wrong": wrong}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
