"""The doors that are fuzzed. Each module has `check`, which takes any bytes and raises where fastbleu is wrong."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

#: Each door by the name of its module.
DOORS = (
    "arrow", "formulas", "ids", "json_lines", "nbest", "ngrams", "pools", "significance", "states", "text",
)  # fmt: skip


def check_of(door: str) -> Callable[[bytes], None]:
    """The function of a door.

    Raises:
        ImportError: It needs a package that is not installed.
    """
    check: Callable[[bytes], None] = import_module(f".{door}", __name__).check
    return check
