"""What the shapes of all hosts share: the reward within, and what it must not be asked for."""

from __future__ import annotations

from ..errors import ArgumentValueError
from .reward import BLEUReward

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .counts import RewardCounts


class HostReward:
    """A `BLEUReward` in the shape that a host calls.

    Args:
        options: Arguments of `BLEUReward` by name, without `baseline` and `stepwise`.

    Attributes:
        reward: The reward within.
        scale: What a perfect match is worth.
        tolerant: Whether a broken sample counts as empty instead of raising.

    Raises:
        TypeError: An option has the wrong type.
        ValueError: An option has a bad value, or is one that the host cannot use.
    """

    #: The host's name, for errors.
    HOST = "this host"

    def __init__(self, options: Mapping[str, Any]) -> None:
        if options.get("baseline") is not None:
            raise ArgumentValueError("baseline", f"must be None: {self.HOST} subtracts its own")
        if options.get("stepwise"):
            raise ArgumentValueError(
                "stepwise", f"must be False: {self.HOST} takes one reward for a completion"
            )
        self.reward = BLEUReward(**options)
        self.scale = float(options.get("scale", 1.0))
        self.tolerant = options.get("errors") == "empty"
        self.__name__ = self.reward.__name__

    @property
    def signature(self) -> str:
        """How rewards are computed, in one line for the log."""
        return self.reward.signature

    @property
    def counts(self) -> RewardCounts:
        """What this reward has seen so far in this process."""
        return self.reward.counts

    def shares(self) -> dict[str, float]:
        """What part of all samples so far was empty, clipped, too long or broken, under names for the log."""
        return {f"{self.__name__}_{name}": share for name, share in self.counts.shares().items()}

    def share_of_scale(self, reward: float) -> float:
        """A reward on the scale 0..1; what `empty` puts below 0 is 0."""
        return min(max(reward / self.scale, 0.0), 1.0)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__name__!r} {self.signature}>"
