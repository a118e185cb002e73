"""Count the samples of a reward, and how many are empty, truncated and so on, so that training can log the counts."""

from __future__ import annotations

from _thread import allocate_lock
from math import fsum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

#: A completion is counted as too long if it has more than this many times the tokens of its closest reference.
TOO_LONG = 2

#: Truncate logged error messages to this many characters, because they may quote a long completion.
_LONGEST_MESSAGE = 500

#: The names of the counts of a `BLEUReward`, in the order of the parameters of `RewardCounts.add`.
COUNTED = ("samples", "perfect", "zero", "empty", "clipped", "cut", "too_long", "errors")


class _Counts:
    """Named counts, summed over all calls and threads of a process."""

    __slots__ = ("_has_logged", "_lock")  # Slots are faster than a dict.

    #: The names of the counts; the first one is "samples".
    NAMES: ClassVar[tuple[str, ...]]

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._has_logged = False
        self.reset()

    def numbers(self) -> list[int]:
        """Return all counts in the order of `NAMES`."""
        with self._lock:
            return [getattr(self, name) for name in self.NAMES]

    def shares(self) -> dict[str, float]:
        """Return each count except "samples" as a share of all samples, 0..1; all are 0 before the first sample."""
        samples, *others = self.numbers()
        return {name: number / (samples or 1) for name, number in zip(self.NAMES[1:], others, strict=True)}

    def reset(self) -> None:
        """Reset all counts to 0, for example after each time they are logged."""
        raise NotImplementedError

    def log_once(self, error: Exception) -> None:
        """Log the error of a malformed sample, unless an error was logged before."""
        with self._lock:
            has_logged, self._has_logged = self._has_logged, True
        if not has_logged:
            from logging import getLogger

            getLogger("fastbleu").warning(
                "A sample is malformed and counts as empty; further malformed samples are counted in counts.errors "
                "without a message. %s: %s",
                type(error).__name__,
                str(error)[:_LONGEST_MESSAGE],
            )

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={number}" for name, number in zip(self.NAMES, self.numbers(), strict=True))
        return f"{type(self).__name__}({shown})"


class RewardCounts(_Counts):
    """Counts of the samples of a `BLEUReward`, summed over all calls and threads of a process.

    Attributes:
        samples: The number of completions with a reference, and therefore with a reward.
        perfect: Samples with the highest score.
        zero: Samples with the score 0, even if the option `empty` gives them another reward.
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

    __slots__ = NAMES = COUNTED

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
        """Add the counts of a call. `zero` includes the empty samples, and `empty` includes the malformed samples."""
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

    def reset(self) -> None:
        """Reset all counts to 0, for example after each time they are logged."""
        with self._lock:
            self.samples = self.perfect = self.zero = self.empty = 0
            self.clipped = self.cut = self.too_long = self.errors = 0

    def add_malformed(self, error: Exception) -> None:
        """Count a malformed sample; if it is the first one, log its error."""
        self.add(zero=1, empty=1, errors=1)
        self.log_once(error)


class ComponentCounts(_Counts):
    """Counts of the rewards of one component, summed over all calls and threads of a process.

    Attributes:
        samples: The number of completions.
        none: The number of completions to which the component did not apply.
        zero: The number of completions with the reward 0.
        empty: The number of completions without text to score. `empty`, `clipped`, `cut` and `errors` are counted only
            for "total", the sum of all components, and are 0 for a component.
        clipped: The number of truncated completions: reasoning or a tag was opened and never closed.
        cut: The number of completions from which special tokens or a prompt were removed.
        errors: The number of malformed completions, which `errors="empty"` tolerates.
        sum: The sum of all rewards.

    Example:
        >>> counts = ComponentCounts()
        >>> counts.add([0.5, None, 0.0])
        >>> counts.samples, counts.none, counts.zero, counts.mean
        (3, 1, 1, 0.25)
    """

    NAMES = ("samples", "none", "zero", "empty", "clipped", "cut", "errors")
    __slots__ = (*NAMES, "sum")

    def add(self, rewards: Sequence[float | None]) -> None:
        """Add the rewards of a call to `samples`, `none`, `zero` and `sum`."""
        numbers = [reward for reward in rewards if reward is not None]
        with self._lock:
            self.samples += len(rewards)
            self.none += len(rewards) - len(numbers)
            self.zero += numbers.count(0.0)
            self.sum += fsum(numbers)

    def add_texts(self, empty: int, clipped: int, cut: int, errors: Sequence[Exception]) -> None:
        """Add the counts of the completions of a call.

        Args:
            empty: The number of completions without text to score.
            clipped: The number of truncated completions.
            cut: The number of completions from which special tokens or a prompt were removed.
            errors: The error of each malformed completion. The first error ever added to this object is logged.
        """
        with self._lock:
            self.empty += empty
            self.clipped += clipped
            self.cut += cut
            self.errors += len(errors)
        for error in errors[:1]:
            self.log_once(error)

    def reset(self) -> None:
        """Reset all counts to 0, for example after each time they are logged."""
        with self._lock:
            self.samples = self.none = self.zero = self.empty = self.clipped = self.cut = self.errors = 0
            self.sum = 0.0

    @property
    def mean(self) -> float:
        """The mean of all rewards so far; 0 before the first one."""
        with self._lock:
            return self.sum / ((self.samples - self.none) or 1)
