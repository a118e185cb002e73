"""Counts of a reward for the log: how many samples, and how many of them were empty, cut off, too long."""

from __future__ import annotations

from _thread import allocate_lock

#: A completion is too long above this multiple of its closest reference's tokens.
TOO_LONG = 2

#: Characters of an error that are logged: it may show a whole completion.
_LONGEST_MESSAGE = 500

#: What is counted, in the order of `add`'s arguments.
COUNTED = ("samples", "empty", "clipped", "too_long", "errors")


class RewardCounts:
    """Counts of samples, added up over all calls and threads of one process.

    Attributes:
        samples: Completions that had a reference, and so a reward.
        empty: Those without text: nothing was extracted, or no token was left.
        clipped: Those that were cut off: ids without the `eos_id`; a tag or reasoning that was opened and never closed.
        too_long: Those with more than twice the tokens of the closest reference.
        errors: Those that were broken, which only `errors="empty"` lets pass; they count as empty, too.

    Example:
        >>> counts = RewardCounts()
        >>> counts.add(4, 1, 1)
        >>> counts
        RewardCounts(samples=4, empty=1, clipped=1, too_long=0, errors=0)
        >>> counts.shares()
        {'empty': 0.25, 'clipped': 0.25, 'too_long': 0.0, 'errors': 0.0}
    """

    __slots__ = ("_has_told", "_lock", *COUNTED)

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._has_told = False
        self.samples = self.empty = self.clipped = self.too_long = self.errors = 0

    def add(
        self, samples: int = 1, empty: int = 0, clipped: int = 0, too_long: int = 0, errors: int = 0
    ) -> None:
        """Add the counts of a call; `errors` are among `empty`."""
        with self._lock:
            self.samples += samples
            if empty or clipped or too_long:
                self.empty += empty
                self.clipped += clipped
                self.too_long += too_long
                self.errors += errors  # each of them is empty

    def add_broken(self, error: Exception) -> None:
        """Add a broken sample, and log what the first one raised."""
        self.add(1, 1, 0, 0, 1)
        with self._lock:
            has_told, self._has_told = self._has_told, True
        if not has_told:
            from logging import getLogger

            getLogger("fastbleu").warning(
                "A sample is broken and counts as empty; further ones are only counted, in counts.errors. %s: %s",
                type(error).__name__,
                str(error)[:_LONGEST_MESSAGE],
            )

    def shares(self) -> dict[str, float]:
        """Return the share of samples that were empty, clipped, too long or broken, 0..1; 0 before the first sample."""
        with self._lock:
            among = self.samples or 1
            return {name: getattr(self, name) / among for name in COUNTED[1:]}

    def reset(self) -> None:
        """Begin anew, as a log does at each step."""
        with self._lock:
            self.samples = self.empty = self.clipped = self.too_long = self.errors = 0

    def __repr__(self) -> str:
        return f"RewardCounts({', '.join(f'{name}={getattr(self, name)}' for name in COUNTED)})"
