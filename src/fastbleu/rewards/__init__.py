"""Reward functions for training language models.

`BLEUReward` scores completions against references. `ConsensusReward`, `DiversityReward`, `RepetitionPenalty`,
`RepetitionShare` and a `LengthReward` with a target need no references. `CombinedReward` adds up several rewards. Each
supported training stack has a module, such as `fastbleu.rewards.trl`, that adapts these rewards to the arguments and
results of that stack. Importing the module does not import the stack.
"""

from .combined import CombinedReward
from .counts import RewardCounts
from .group_rewards import ConsensusReward, DiversityReward, RepetitionShare, diversity_adjusted
from .length import LengthReward
from .repetition_clusters import repetition_share
from .repetition_penalty import RepetitionPenalty
from .reward import BLEUReward

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
