"""BLEU and other rewards as training stacks call them.

`BLEUReward` scores completions against references. `ConsensusReward`, `DiversityReward`, `RepetitionPenalty`,
`RepetitionShare` and `LengthReward` need none, and `CombinedReward` adds up several rewards. A module for each stack
gives them the form that its host calls: `fastbleu.rewards.trl` and others. None of them imports its host.
"""

from .counts import RewardCounts
from .reward import BLEUReward

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .combined import CombinedReward
    from .group_rewards import ConsensusReward, DiversityReward, RepetitionShare, diversity_adjusted
    from .length import LengthReward
    from .repetition import repetition_share
    from .repetition_penalty import RepetitionPenalty

#: The module of each name that is imported on first access.
_MODULES = {
    "CombinedReward": "combined",
    "ConsensusReward": "group_rewards",
    "DiversityReward": "group_rewards",
    "LengthReward": "length",
    "RepetitionPenalty": "repetition_penalty",
    "RepetitionShare": "group_rewards",
    "diversity_adjusted": "group_rewards",
    "repetition_share": "repetition",
}

__all__ = [
    "BLEUReward",
    "CombinedReward",
    "ConsensusReward",
    "DiversityReward",
    "LengthReward",
    "RepetitionPenalty",
    "RepetitionShare",
    "RewardCounts",
    "diversity_adjusted",
    "repetition_share",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name in _MODULES:
            from importlib import import_module

            return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
