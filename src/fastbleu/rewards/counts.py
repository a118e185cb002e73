"""Counts of a reward for the log: how many samples there were, and what was odd about how many."""

from __future__ import annotations

from _thread import allocate_lock

#: A completion is too long above this multiple of its closest reference's tokens.
TOO_LONG = 2

#: Characters of an error that are logged: it may show a whole completion.
_LONGEST_MESSAGE = 500

#: What is counted, in the order of `add`'s arguments.
COUNTED = ("samples", "perfect", "zero", "empty", "clipped", "cut", "too_long", "errors")


class RewardCounts:
    """Counts of samples, added up over all calls and threads of one process.

    Attributes:
        samples: Completions that had a reference, and so a reward.
        perfect: Those with the highest score.
        zero: Those with the score 0, even where `empty` gives another reward.
        empty: Those without text: nothing was extracted, or no token was left.
        clipped: Those that were cut off: ids without the `eos_id`; a tag or reasoning that was opened and never closed.
        cut: Those that lost special tokens, or a prompt, to `special_tokens="strip"`.
        too_long: Those with more than twice the tokens of the closest reference.
        errors: Those that were broken, which only `errors="empty"` lets pass; they count as empty, too.

    Example:
        >>> counts = RewardCounts()
        >>> counts.add(samples=4, perfect=1, zero=2, empty=1)
        >>> counts
        RewardCounts(samples=4, perfect=1, zero=2, empty=1, clipped=0, cut=0, too_long=0, errors=0)
        >>> counts.shares()["perfect"]
        0.25
    """

    __slots__ = ("_has_told", "_lock", *COUNTED)

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._has_told = False
        self.reset()

    def add(
        self,
        samples: int = 1,
        perfect: int = 0,
        zero: int = 0,
        empty: int = 0,
        clipped: int = 0,
        cut: int = 0,
        too_long: int = 0,
        errors: int = 0,
    ) -> None:
        """Add the counts of a call; `errors` are among `empty`, and these among `zero`."""
        with self._lock:
            self.samples += samples
            self.perfect += perfect
            if zero or clipped or cut or too_long:
                self.zero += zero
                self.empty += empty
                self.clipped += clipped
                self.cut += cut
                self.too_long += too_long
                self.errors += errors

    def add_broken(self, error: Exception) -> None:
        """Add a broken sample, and log what the first one raised."""
        self.add(zero=1, empty=1, errors=1)
        with self._lock:
            has_told, self._has_told = self._has_told, True
        if not has_told:
            log_broken(error)

    def numbers(self) -> list[int]:
        """Return all counts, in the order above."""
        with self._lock:
            return [getattr(self, name) for name in COUNTED]

    def shares(self) -> dict[str, float]:
        """Return what share of the samples was perfect, zero and so on, 0..1; 0 before the first sample."""
        samples, *others = self.numbers()
        return {name: number / (samples or 1) for name, number in zip(COUNTED[1:], others, strict=True)}

    def reset(self) -> None:
        """Begin anew, as a log does at each step."""
        with self._lock:
            self.samples = self.perfect = self.zero = self.empty = 0
            self.clipped = self.cut = self.too_long = self.errors = 0

    def __repr__(self) -> str:
        return f"RewardCounts({', '.join(f'{name}={getattr(self, name)}' for name in COUNTED)})"


def log_broken(error: Exception) -> None:
    """Log the error of the first broken sample."""
    from logging import getLogger

    getLogger("fastbleu").warning(
        "A sample is broken and counts as empty; further ones are only counted, in counts.errors. %s: %s",
        type(error).__name__,
        str(error)[:_LONGEST_MESSAGE],
    )
