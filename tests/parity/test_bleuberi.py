"""`BLEUReward` beside the reward of BLEUBERI: its function restated, on its format, with `==`.

The function is `bleu_reward_func` of `KeywordDataset` in `training/dataset.py` of lilakk/BLEUBERI, commit e0d15639. It
calls the module `bleu` of Hugging Face `evaluate` with `smooth=True`, which tests.support.evaluate_modules restates
after huggingface/evaluate, commit a7dd3383, and tensorflow/nmt, commit 0be8642.
"""

import random
from typing import Any

from fastbleu.rewards import BLEUReward
from tests.support.evaluate_modules import bleu_module


def their_answer(completion: str) -> str:
    if "<answer>" in completion and "</answer>" in completion:
        return completion.split("<answer>")[1].split("</answer>", maxsplit=1)[0].strip()
    if "<answer>" in completion:
        return completion.split("<answer>")[1].strip()
    return completion.strip()


def test_random() -> None:
    draw = random.Random(6)
    words = ["the", "cat", "sat", "on", "mat", ".", ",", "1.5", "&amp;", "it's", "\u201cja\u201d", "\n"]

    def text() -> str:
        return " ".join(["a", *(draw.choice(words) for _ in range(draw.randrange(12)))])

    forms = ["<answer>{}</answer>", "{}", "<think>x</think><answer>{}", "<answer>{}</answer> more"]
    forms.append("<answer> </answer>")
    completions: list[Any] = [draw.choice(forms).format(text()) for _ in range(1000)]
    completions = [
        [{"role": "assistant", "content": each}] if draw.random() < 0.5 else each for each in completions
    ]
    references = [[text() for _ in range(draw.randrange(1, 5))] for _ in completions]
    # What is scored where a tag is missing is theirs alone, so it is a function here.
    reward = BLEUReward(formula="nmt", extract=their_answer)
    theirs = []
    for messages, texts in zip(completions, references, strict=True):
        completion = messages
        if isinstance(messages, list):
            completion = next(message for message in messages if message["role"] == "assistant")["content"]
        answer = their_answer(completion)
        theirs.append(bleu_module([answer], [texts], smooth=True)["bleu"] if answer else 0)
    assert reward(completions, references) == theirs
    assert [reward.score_one(c, r) for c, r in zip(completions, references, strict=True)] == theirs
