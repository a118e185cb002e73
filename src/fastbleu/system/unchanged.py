"""Tells whether a program has changed a module or a class of another package."""

from __future__ import annotations

import inspect
from operator import itemgetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: Where values come from that belong to a peer's own code, besides the peer itself.
_LIBRARIES = {
    "builtins",
    "collections",
    "fractions",
    "functools",
    "math",
    "re",
    "regex",
    "sacrebleu",
    "sys",
    "torch",
    "typing",
    "warnings",
}


class Unchanged:
    """Tells whether a program has changed what an original reads by name.

    Args:
        holder: The module or class that holds the values.
        names: Those that the original reads; what the holder does not have is left out.

    Example:
        >>> from types import ModuleType
        >>> module = ModuleType("peer")
        >>> module.helper = module.other = sorted
        >>> is_unchanged = Unchanged(module, "helper")
        >>> module.other = None
        >>> first = is_unchanged()
        >>> module.helper = reversed
        >>> first, is_unchanged()
        (True, False)
    """

    __slots__ = ("_get", "_held", "_own")

    def __init__(self, holder: Any, *names: str) -> None:
        self._held = vars(holder)
        present = [name for name in names if name in self._held]
        self._get: Callable[[Any], Any] = itemgetter(*present) if present else _nothing
        self._own = self._get(self._held)
        root = _root(holder.__name__ if inspect.ismodule(holder) else holder.__module__)
        if not all(_root_of(self._held[name]) in {root, "", *_LIBRARIES} for name in present):
            self._own = None  # somebody was here before: it is never what the peer has

    def __call__(self) -> bool:
        """Return whether the values are still those that the peer came with."""
        try:
            found: bool = self._get(self._held) == self._own
        except KeyError:
            return False
        return found


def _nothing(_: Any) -> tuple[()]:
    return ()


def _root(module: str) -> str:
    return module.partition(".")[0]


def _root_of(value: Any) -> str:
    """Return the package that a value comes from; "" where that is not known."""
    value = getattr(value, "__func__", value)  # of a static method
    return _root(value.__name__ if inspect.ismodule(value) else str(getattr(value, "__module__", "")))
