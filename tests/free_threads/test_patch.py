"""A replaced function that many threads call: each call is answered and counted."""

from __future__ import annotations

from typing import Any

from fastbleu.patch.replacing import LEFT, Replacement
from tests.support.threads import THREADS, run_together


def half(number: float) -> float:
    return number / 2


def faster(number: float) -> Any:
    return number * 0.5 if number < 100 else LEFT


def test_each_call_is_counted() -> None:
    replacement = Replacement(half, faster)
    replacement.install()

    def work() -> None:
        for number in range(200):
            assert half(number) == number / 2

    try:
        run_together(*[work] * THREADS)
    finally:
        replacement.uninstall()
    assert (replacement.taken, replacement.left) == (100 * THREADS, 100 * THREADS)
    assert half(3) == 1.5
