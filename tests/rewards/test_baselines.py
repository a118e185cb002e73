"""Rewards less a baseline, against the formulas of the trainers, one group at a time."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu.rewards.baselines import BASELINES, ZSCORE_EPSILON, advantages

NAN = math.nan


def exact(method: str, rewards: Sequence[float]) -> list[float]:
    """Advantages within one group by exact fractions; the standard deviation alone is rounded."""
    n, values = len(rewards), [Fraction(reward) for reward in rewards]
    mean = sum(values) / n
    if n == 1:
        return [0.0]
    if method == "mean":
        return [float(value - mean) for value in values]
    if method == "leave-one-out":
        return [float(value - (sum(values) - value) / (n - 1)) for value in values]
    deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / (n - 1))
    return [float(value - mean) / (deviation + 1e-4) for value in values]


def by_groups(method: str, rewards: Sequence[float], groups: Sequence[Hashable]) -> list[float]:
    members: dict[Hashable, list[int]] = defaultdict(list)
    for i, label in enumerate(groups):
        if not math.isnan(rewards[i]):
            members[label].append(i)
    found = [NAN] * len(rewards)
    for places in members.values():
        for i, advantage in zip(places, exact(method, [rewards[i] for i in places]), strict=True):
            found[i] = advantage
    return found


def some(seed: int, n: int = 60, groups: int = 9) -> tuple[np.ndarray[Any, Any], list[str]]:
    draw = random.Random(seed)
    rewards = [NAN if draw.random() < 0.1 else draw.random() for _ in range(n)]
    return np.array(rewards), [f"prompt {draw.randrange(groups)}" for _ in range(n)]


@pytest.mark.parametrize("method", ["mean", "leave-one-out", "zscore"])
@pytest.mark.parametrize("seed", range(5))
def test_each_group_by_its_own_formula(method: Any, seed: int) -> None:
    rewards, groups = some(seed)
    found = advantages(rewards, groups, method)
    np.testing.assert_allclose(found, by_groups(method, rewards, groups), rtol=0, atol=2e-14)


def test_values_on_dyadic_rewards_are_exact() -> None:
    rewards = np.array([0.25, 0.75, 0.5, 1.0])
    assert advantages(rewards, 4, "mean").tolist() == [-0.375, 0.125, -0.125, 0.375]
    assert advantages(rewards, 2, "mean").tolist() == [-0.25, 0.25, -0.25, 0.25]
    assert advantages(rewards, [1, 0, 1, 0], "leave-one-out").tolist() == [-0.25, -0.25, 0.25, 0.25]
    deviation = math.sqrt(0.125)
    expected = [-0.25 / (deviation + 1e-4), 0.25 / (deviation + 1e-4)]
    assert advantages(rewards[:2], 2, "zscore").tolist() == expected
    assert advantages(rewards, None, "greedy", np.full(4, 0.5)).tolist() == [-0.25, 0.25, 0.0, 0.5]


def of_trl(method: str, rewards: Any, torch: Any) -> Any:
    """`RLOOTrainer` and `GRPOTrainer` (scale_rewards="group") of huggingface/trl 1.16.0; the second leaves NaN out."""
    if method == "leave-one-out":
        return rewards - (rewards.sum(dim=1, keepdim=True) - rewards) / 5
    mean = torch.nanmean(rewards, dim=1, keepdim=True)
    count = (~rewards.isnan()).sum(dim=1, keepdim=True).double()  # a quotient of integers is float32
    variance = torch.nanmean((rewards - mean) ** 2, dim=1, keepdim=True) * (count / (count - 1))
    return (rewards - mean) / (torch.sqrt(variance) + 1e-4)


def of_verl(method: str, rewards: Any, torch: Any) -> Any:
    """`compute_rloo_outcome_advantage` and `compute_grpo_outcome_advantage` of volcengine/verl b178a3cd."""
    mean = rewards.mean(dim=1, keepdim=True)
    if method == "leave-one-out":
        return rewards * 6 / 5 - mean * 6 / 5
    deviation = torch.std(rewards, dim=1, keepdim=True)
    # Theirs adds 1e-6, which is all that differs.
    return (rewards - mean) / (deviation + 1e-6) * (deviation + 1e-6) / (deviation + ZSCORE_EPSILON)


@pytest.mark.parametrize(
    ("trainer", "method", "has_gaps"),
    [
        (of_trl, "zscore", True),
        (of_trl, "leave-one-out", False),
        (of_verl, "zscore", False),
        (of_verl, "leave-one-out", False),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_values_are_those_of_trainers(trainer: Any, method: Any, has_gaps: bool, seed: int) -> None:
    torch = pytest.importorskip("torch", exc_type=ImportError)
    rewards = some(seed)[0] if has_gaps else np.nan_to_num(some(seed)[0], nan=0.5)
    expected = trainer(method, torch.from_numpy(rewards).view(-1, 6), torch).view(-1).numpy()
    np.testing.assert_allclose(advantages(rewards, 6, method), expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("method", ["mean", "leave-one-out", "zscore"])
def test_no_order_changes_a_bit(method: Any) -> None:
    rewards, groups = some(7, 200, 11)
    found = advantages(rewards, groups, method)
    for seed in range(10):
        order = np.random.default_rng(seed).permutation(len(rewards))
        shuffled = advantages(rewards[order], [groups[i] for i in order], method)
        assert shuffled.tobytes() == found[order].tobytes()
    alone = [i for i, label in enumerate(groups) if label == groups[0]]
    assert advantages(rewards[alone], len(alone), method).tobytes() == found[alone].tobytes()


@pytest.mark.parametrize("method", ["mean", "leave-one-out", "zscore"])
@given(st.floats(-100, 100), st.integers(1, 60))
def test_equal_rewards_and_groups_of_one_have_no_advantage(method: Any, reward: float, size: int) -> None:
    rewards = np.full(size, reward)
    assert advantages(rewards, size, method).tolist() == [0.0] * size
    assert advantages(rewards + np.arange(size), 1, method).tolist() == [0.0] * size


@pytest.mark.parametrize("method", ["mean", "leave-one-out", "zscore"])
def test_no_reward_is_left_out(method: Any) -> None:
    rewards = np.array([0.25, NAN, 0.5, NAN, 1.0])
    groups = ["a", "a", "a", "b", "c"]
    found = advantages(rewards, groups, method)
    expected = advantages(np.array([0.25, 0.5]), 2, method).tolist()
    assert [found[0], found[2], found[4]] == [*expected, 0.0]
    assert np.isnan(found[[1, 3]]).all()
    nothing = advantages(np.full(4, NAN), 2, method)
    assert np.isnan(nothing).all()
    assert advantages(np.empty(0), 3, method).tolist() == []
    assert advantages(np.empty(0), [], method).tolist() == []


def test_signs_of_zero_change_nothing() -> None:
    for rewards in ([0.0, -0.0, 0.5], [-0.0, 0.0, 0.5]):
        assert advantages(np.array(rewards), 3, "mean").tobytes() == (
            advantages(np.array([0.0, 0.0, 0.5]), 3, "mean").tobytes()
        )


def test_rewards_are_not_changed() -> None:
    rewards = np.array([0.25, 0.75])
    rewards.flags.writeable = False
    for method in BASELINES:
        advantages(rewards, 2, method, rewards)
    assert rewards.tolist() == [0.25, 0.75]


@pytest.mark.parametrize(
    "groups",
    [
        ["a", "b", "a", "b"],
        ("a", "b", "a", "b"),
        np.array([3, -1, 3, -1]),
        np.array([1.5, 2.5, 1.5, 2.5]),
        np.array(["a", "b", "a", "b"], dtype=object),
        [("a", 1), None, ("a", 1), None],
        "a tensor",
    ],
)
def test_labels_of_many_kinds(groups: Any) -> None:
    if isinstance(groups, str):
        groups = pytest.importorskip("torch", exc_type=ImportError).tensor([0, 1, 0, 1])
    found = advantages(np.array([0.25, 0.5, 0.75, 1.0]), groups, "mean")
    assert found.tolist() == [-0.25, -0.25, 0.25, 0.25]


def test_one_number_of_numpy_for_groups() -> None:
    assert advantages(np.array([0.25, 0.5]), np.int32(2), "mean").tolist() == [-0.125, 0.125]


GREEDY = np.array([0.5, NAN])


@pytest.mark.parametrize(
    ("groups", "method", "greedy", "error", "message"),
    [
        (None, "mean", None, ValueError, "groups is None, but baseline='mean' compares"),
        (3, "mean", None, ValueError, "groups is 3, but 2 rewards are not a multiple of it"),
        (0, "mean", None, ValueError, "groups must be at least 1, got 0"),
        (True, "mean", None, TypeError, "groups must be an int, not bool: True"),
        ("ab", "mean", None, TypeError, "groups must be a sequence of labels, or an int, not a bare str: 'ab'"),
        (1.5, "mean", None, TypeError, "groups must be a sequence of labels, or an int, not float: 1.5"),
        (["a"], "mean", None, ValueError, "groups has 1 labels, but there are 2 rewards"),
        (["a", ["b"]], "mean", None, TypeError, "groups[1] must be a label that can be hashed, not list: ['b']"),
        (["a", NAN], "mean", None, ValueError, "groups[1] must be a label that equals itself, got nan"),
        (np.zeros((2, 1)), "mean", None, ValueError, "groups must have one dimension, not the shape [2, 1]"),
        (None, "greedy", None, ValueError, "greedy is None, but baseline='greedy' needs"),
        (None, "greedy", GREEDY[:1], ValueError, "greedy has 1 rewards, but there are 2 rewards"),
    ],
)  # fmt: skip
def test_errors_say_where(groups: Any, method: Any, greedy: Any, error: Any, message: str) -> None:
    with pytest.raises(error) as caught:
        advantages(np.array([0.25, 0.5]), groups, method, greedy)
    assert str(caught.value).startswith(message)
