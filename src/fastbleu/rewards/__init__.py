"""BLEU and other rewards as training stacks call them.

`BLEUReward` scores completions against references. `ConsensusReward`, `DiversityReward`, `RepetitionPenalty`,
`RepetitionShare` and `LengthReward` need none, and `CombinedReward` adds up several rewards. A module for each stack
gives them the form that its host calls: `fastbleu.rewards.trl` and others. None of them imports its host.
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
