"""From completions to rewards, station by station.

`kinds.py`: is a completion text or token ids? `text.py` and `ids.py` read it. `reasoning.py` and `extraction.py` find
the part that is scored. `formulas.py` turns its row of counts into a reward. `scoring.py` goes through all stations,
for `fastbleu.rewards.reward`.
"""
