"""`fastbleu.compat.trl` is a name for `fastbleu.rewards.trl`."""

from __future__ import annotations

import pickle

import fastbleu.rewards.trl
from fastbleu import BLEU
from fastbleu.compat import trl


def test_it_is_a_name() -> None:
    assert trl.bleu_reward is fastbleu.rewards.trl.bleu_reward
    assert trl.BLEUReward is fastbleu.rewards.trl.TRLReward


def test_programs_of_before_keep_running() -> None:
    metric = BLEU(max_ngram_order=2, lowercase=True, effective_order=True)
    reward = pickle.loads(pickle.dumps(trl.bleu_reward("answer", metric=metric, name="bleu_2")))
    assert reward.__name__ == "bleu_2"
    assert reward(
        ["?", "?"], ["The cat sat", "a"], None, answer=["the cat sat", None], trainer_state=None
    ) == [1.0, None]
