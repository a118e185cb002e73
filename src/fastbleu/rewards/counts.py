"""Counts of a reward for the log: the number of samples, and of samples that are empty, truncated and so on."""

from __future__ import annotations

from _thread import allocate_lock

#: A completion is too long if it has more than this multiple of the tokens of its closest reference.
TOO_LONG = 2

#: The maximum number of characters of a logged error, which may quote a whole completion.
_LONGEST_MESSAGE = 500

#: The names of the counts, in the order of `add`'s arguments.
COUNTED = ("samples", "perfect", "zero", "empty", "clipped", "cut", "too_long", "errors")


class RewardCounts:
    """Counts of samples, summed over all calls and threads of a process.

    Attributes:
        samples: The number of completions with a reference, and therefore with a reward.
        perfect: Samples with the highest score.
        zero: Samples with the score 0, even if `empty` gives them another reward.
        empty: Samples without text: nothing was extracted, or no token was left.
        clipped: Truncated samples: ids without the `eos_id`, or a tag or reasoning that was opened and never closed.
        cut: Samples from which `special_tokens="strip"` removed special tokens or a prompt.
        too_long: Samples with more than twice the tokens of the closest reference.
        errors: Malformed samples tolerated by `errors="empty"`; also counted as empty.

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
        """Add the counts of a call. `empty` includes `errors`, and `zero` includes `empty`."""
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
        """Add a malformed sample, and log the error of the first one."""
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
        """Return the share of samples that are perfect, zero and so on, 0..1; 0 before the first sample."""
        samples, *others = self.numbers()
        return {name: number / (samples or 1) for name, number in zip(COUNTED[1:], others, strict=True)}

    def reset(self) -> None:
        """Reset all counts to 0, for example at each step of a log."""
        with self._lock:
            self.samples = self.perfect = self.zero = self.empty = 0
            self.clipped = self.cut = self.too_long = self.errors = 0

    def __repr__(self) -> str:
        return f"RewardCounts({', '.join(f'{name}={getattr(self, name)}' for name in COUNTED)})"


def log_broken(error: Exception) -> None:
    """Log the error of the first malformed sample."""
    from logging import getLogger

    getLogger("fastbleu").warning(
        "A sample is malformed and counts as empty; further ones are only counted, in counts.errors. %s: %s",
        type(error).__name__,
        str(error)[:_LONGEST_MESSAGE],
    )
