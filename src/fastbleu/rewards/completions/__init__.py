"""From completions to scores: what of a completion is scored, how a batch is read, and what its counts are worth.

`fastbleu.rewards.reward` comes in, and the shapes of hosts do for texts and for the tokens that end a response.
"""
