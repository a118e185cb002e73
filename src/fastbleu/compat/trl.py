"""`fastbleu.rewards.trl` by the name that it had first; programs that use it keep running.

    from fastbleu.rewards.trl import bleu_reward  # the name for new ones
"""

from ..rewards.trl import TRLReward as BLEUReward
from ..rewards.trl import bleu_reward

__all__ = ["BLEUReward", "bleu_reward"]
