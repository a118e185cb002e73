"""Convert completions to rewards: read text or ids, extract the scored part, count its n-grams, and score the counts.

`call_arguments.py` decides whether completions are text, which `text.py` reads, or token ids, which `ids.py` reads.
`extraction.py` extracts the scored part of a text; it calls `chat_templates.py` to find the model's response, and
`reasoning.py` to remove reasoning. `formulas.py` converts counts to rewards. `scoring.py` calls all these modules for
one completion or a batch, and `token_rewards.py` divides a reward among the tokens of a completion.
"""
