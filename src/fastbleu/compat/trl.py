"""`fastbleu.rewards.trl` by the name that it had first: programs that use it keep running, new ones use the other."""

from ..rewards.trl import TRLReward as BLEUReward
from ..rewards.trl import bleu_reward

__all__ = ["BLEUReward", "bleu_reward"]
