"""BLEU as the reward that training stacks call.

`BLEUReward` scores completions. A module for each stack gives it the form that its host calls: `fastbleu.rewards.trl`
and others, imported on first access. None of them imports its host.
"""

from .counts import RewardCounts
from .reward import BLEUReward

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .repetition import repetition_share

__all__ = ["BLEUReward", "RewardCounts", "repetition_share"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name == "repetition_share":
            from .repetition import repetition_share

            return repetition_share
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
