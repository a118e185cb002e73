"""Counts of the components of a reward for the log."""

from __future__ import annotations

from _thread import allocate_lock
from math import fsum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class ComponentCounts:
    """Counts of the rewards of one component, summed over all calls and threads of a process.

    Attributes:
        samples: The number of completions.
        none: Completions to which the component did not apply.
        zero: Completions with the reward 0.
        empty: Completions without text to score. Like the next three, counted only for "total".
        clipped: Truncated completions: reasoning or a tag was opened and never closed.
        cut: Completions from which special tokens or a prompt were removed.
        errors: Malformed completions, tolerated by `errors="empty"`.
        sum: The sum of all rewards.

    Example:
        >>> counts = ComponentCounts()
        >>> counts.add([0.5, None, 0.0])
        >>> counts.samples, counts.none, counts.zero, counts.mean
        (3, 1, 1, 0.25)
    """

    __slots__ = ("_has_told", "_lock", "clipped", "cut", "empty", "errors", "none", "samples", "sum", "zero")

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._has_told = False
        self.reset()

    def add(self, rewards: Sequence[float | None]) -> None:
        """Add the rewards of a call."""
        numbers = [reward for reward in rewards if reward is not None]
        with self._lock:
            self.samples += len(rewards)
            self.none += len(rewards) - len(numbers)
            self.zero += numbers.count(0.0)
            self.sum += fsum(numbers)

    def add_texts(self, empty: int, clipped: int, cut: int, errors: Sequence[Exception]) -> None:
        """Add the counts of the texts of a call; log the error of the first malformed one."""
        with self._lock:
            self.empty += empty
            self.clipped += clipped
            self.cut += cut
            self.errors += len(errors)
            is_first = bool(errors) and not self._has_told
            self._has_told |= is_first
        if is_first:
            from .counts import log_broken

            log_broken(errors[0])

    @property
    def mean(self) -> float:
        """The mean of all rewards so far; 0 before the first one."""
        with self._lock:
            return self.sum / ((self.samples - self.none) or 1)

    def shares(self) -> dict[str, float]:
        """Return the share of completions without a reward, with the reward 0, and so on, 0..1."""
        with self._lock:
            number = self.samples or 1
            names = ("none", "zero", "empty", "clipped", "cut", "errors")
            return {name: getattr(self, name) / number for name in names}

    def reset(self) -> None:
        """Set all counts to 0."""
        with self._lock:
            self.samples = self.none = self.zero = self.empty = self.clipped = self.cut = self.errors = 0
            self.sum = 0.0

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)}" for name in self.__slots__ if name[0] != "_")
        return f"ComponentCounts({shown})"
