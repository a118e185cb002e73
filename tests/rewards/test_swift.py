"""ms-swift's rewards by themselves; tests/parity/test_reward_swift.py runs them inside ms-swift."""

from types import SimpleNamespace as Item
from typing import Any, ClassVar

import pytest

from fastbleu.rewards import BLEUReward, CombinedReward, ConsensusReward
from fastbleu.rewards.swift import BLEUORM

PARTS: dict[str, Any] = {"bleu": (0.5, BLEUReward()), "agreement": (1.0, ConsensusReward())}
TEXTS = ["a b", "x y", "a b c", "x"]
LABELS = ["p0", "p1", "p0", "p1"]


class Agreement(BLEUORM):
    options: ClassVar = {"reward": ConsensusReward()}


class Mix(BLEUORM):
    options: ClassVar = {"reward": CombinedReward(PARTS)}


def test_groups_are_the_completions_of_a_prompt_id() -> None:
    args = Item(num_generations=2)
    columns = {"prompt_id": LABELS, "trainer_state": None}
    assert Agreement(args)(TEXTS, **columns) == ConsensusReward()(TEXTS, groups=LABELS)
    references = ["a b", None, "a", "x"]
    assert Mix()(TEXTS, solution=references, **columns) == CombinedReward(PARTS)(
        TEXTS, references, groups=LABELS
    )
    with pytest.raises(ValueError, match=r"^there is no column 'solution'; the columns are \['prompt_id',"):
        Mix()(TEXTS, **columns)
    with pytest.raises(ValueError, match=r"^there is no column 'prompt_id'; the columns are \[\]$"):
        Agreement()(TEXTS)


def test_a_group_that_is_cut_in_two() -> None:
    columns: dict[str, Any] = {"prompt_id": ["p0", "p0", "p1", "p0"]}
    with pytest.raises(ValueError) as caught:  # noqa: PT011  # the whole message
        Agreement(Item(num_generations=3))(TEXTS, **columns)
    assert str(caught.value) == (
        "prompt_id[2] belongs to 1 completion, but num_generations=3. ms-swift passes the rows of one process: make "
        "per_device_train_batch_size * steps_per_generation a multiple of num_generations, so that no group is "
        "divided among processes"
    )
    Agreement(Item(num_generations=3, num_generations_eval=1))(TEXTS, **columns)
