"""Convert completions to rewards: read text or ids, extract the scored part, count it, and compute the reward.

`kinds.py` tells text from token ids, and `text.py` and `ids.py` read them. `extraction.py` finds the part of a text
that is scored, with `marks.py` and `reasoning.py`. `formulas.py` turns rows of counts into rewards. `scoring.py` does
all of this for one completion or a batch, for `fastbleu.rewards.reward`.
"""
