"""Batches of completions: broken samples among them, several languages, a reward for each token."""

import re
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, CHRF
from fastbleu.rewards.reward import BLEUReward
from tests.support.reward_hosts import counted, expected

METRIC = BLEU(effective_order=True)
ID_METRIC = BLEU(tokenize="none", effective_order=True)


GOOD = expected("the cat sat", "the cat sat down")

BROKEN: list[Any] = [
    ("the cat sat", 3),
    ("the cat sat", []),
    ("the cat sat", b"the cat"),
    ("the cat sat", ["a", {}]),
    (None, "the cat"),
    (3.5, "the cat"),
    (float("nan"), "the cat"),
    (b"the cat", "the cat"),
    ({"text": "the cat"}, "the cat"),
    ([{"role": "user", "content": "the cat"}], "the cat"),
    ([{"content": 3}], "the cat"),
    ([5, 6], "the cat"),
    ("the cat sat", [5, 6]),
]


@pytest.mark.parametrize(("completion", "references"), BROKEN)
@pytest.mark.parametrize("place", [0, 1])
def test_a_broken_sample(completion: Any, references: Any, place: int) -> None:
    completions: list[Any] = ["the cat sat", "the cat sat"]
    lists: list[Any] = ["the cat sat down", None]
    completions.insert(place, completion)
    lists.insert(place, references)
    with pytest.raises((TypeError, ValueError)):
        BLEUReward()(completions, lists)
    reward = BLEUReward(errors="empty", empty=-0.5)
    expected = [GOOD, None]
    expected.insert(place, -0.5)
    assert reward(completions, lists) == expected
    assert counted(reward) == [2, 1, 0, 0, 1]
    assert reward.score_one(completion, references) == -0.5
    assert counted(reward) == [3, 2, 0, 0, 2]


def test_broken_samples_with_answers() -> None:
    """A batch that begins with ids is text all the same, if an answer is to be found in it."""
    reward = BLEUReward(extract="a", errors="empty")
    assert reward([[5, 6], "<a>the cat sat</a>"], ["x", "the cat sat down"]) == [0.0, GOOD]
    assert counted(reward) == [2, 1, 0, 0, 1]


@pytest.mark.parametrize("by_token", [False, True])
def test_the_first_error_is_logged(by_token: bool, caplog: pytest.LogCaptureFixture) -> None:
    """A mistake in a function of the user's breaks every sample, and would be seen in the counts alone."""

    def extract(text: str) -> str:
        return text.no_such_method()  # type: ignore[attr-defined]

    reward = BLEUReward(extract=extract, errors="empty")
    (reward.token_rewards if by_token else reward)(["a", "b"], ["a", "b"])
    reward.counts.reset()
    reward(["c"], ["c"])
    reward.score_one("d", "d")
    assert counted(reward) == [2, 2, 0, 0, 2]
    (message,) = caplog.messages
    assert message == (
        "A sample is malformed and counts as empty; further malformed samples are counted in counts.errors "
        "without a message. "
        "AttributeError: 'str' object has no attribute 'no_such_method'"
    )


@pytest.mark.parametrize("by_token", [False, True])
def test_the_logged_error_has_the_index_in_the_call(by_token: bool, caplog: pytest.LogCaptureFixture) -> None:
    reward = BLEUReward(errors="empty")
    (reward.token_rewards if by_token else reward)(["a"] * 5 + [None, "b"], ["a"] * 7)
    (message,) = caplog.messages
    assert message.endswith(
        "ArgumentTypeError: completions[5] must be a str or a list of messages, not NoneType: None"
    )


MATRIX = np.array([[5, 6, 7, 2], [5, 6, 9, 2], [5, 6, 7, 8]])
TARGETS = [[5, 6, 7], [5, 6], [5, 6, 7, 8]]


@pytest.mark.parametrize(
    ("options", "completions", "references", "message"),
    [
        ({}, ["a", "b"], ["a"], "references has 1 item, but there are 2 completions"),
        ({}, [[5], [6]], [[5]], "references has 1 item, but there are 2 completions"),
        ({}, "a", ["a"], "completions must be a sequence of completions, not a bare str"),
        ({}, ["a"], "a", "references must be a sequence"),
        ({"extract": "a"}, [[5]], [[5]], "completions are token ids, from which no answer, reasoning .* decode them"),
        ({"metric": METRIC}, [[5]], [[5]], "metric must be a BLEU with tokenize='none'"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("errors", ["raise", "empty"])
def test_what_is_not_a_fault_of_a_sample(
    options: Any, completions: Any, references: Any, message: str, errors: Any
) -> None:
    with pytest.raises((TypeError, ValueError), match=f"^{message}"):
        BLEUReward(errors=errors, **options)(completions, references)
    if type(completions[0]) is list and type(references) is list and len(references) == len(completions):
        with pytest.raises(ValueError, match=f"^{message}"):
            BLEUReward(errors=errors, **options).score_one(completions[0], references[0])


def test_broken_samples_beside_languages() -> None:
    reward = BLEUReward(errors="empty")
    assert reward(["a b", None, "a b"], ["a b", "a", "a b"], languages=["de", "zh", "zh"]) == [1.0, 0.0, 1.0]
    assert counted(reward) == [3, 1, 0, 0, 1]
    with pytest.raises(ValueError, match=r"^languages must be None for token ids, which have no language"):
        reward([[5]], [[5]], languages=["de"])
    with pytest.raises(ValueError, match=r"^references must be text if languages are given"):
        reward(["a"], BLEU().prepare([["a"]]), languages=["de"])
    with pytest.raises(TypeError, match=r"^completions\[2\] must be a str"):
        BLEUReward()(["a", "b", 3], ["a"] * 3, languages=["de", "zh", "zh"])


def test_languages() -> None:
    reward = BLEUReward()
    completions = ["猫坐在垫子上", "a cat sat.", "猫坐在垫子上", "a dog sat."]
    references = ["猫坐在桌子上", "a cat sat down.", None, ["a dog.", "a dog sat!"]]
    chinese = BLEU(tokenize="zh", effective_order=True)
    wanted = [
        expected(completions[0], "猫坐在桌子上", metric=chinese),
        expected(completions[1], "a cat sat down."),
        None,
        expected(completions[3], ["a dog.", "a dog sat!"]),
    ]
    assert reward(completions, references, languages=["zh", "en", "zh", None]) == wanted
    assert reward(completions, references, languages=["en-zh", "de", "zh-CN", "en"]) == wanted
    assert counted(reward)[0] == 6


def test_token_rewards_of_text() -> None:
    reward = BLEUReward(extract="a", empty=-1)
    rewards = reward.token_rewards(
        ["<a>the cat sat</a>", "x", "the", ""], ["the cat sat down", "x", None, "y"]
    )
    assert [None if each is None else len(each) for each in rewards] == [3, 1, None, 1]
    assert sum(rewards[0]) == pytest.approx(GOOD, abs=1e-15)
    assert rewards[1] == rewards[3] == [-1.0]
    assert reward.token_rewards(["a", "b"], [None, None]) == [None, None]
    assert counted(reward) == [3, 2, 0, 0, 0]


def test_token_rewards_of_ids() -> None:
    reward = BLEUReward(pad_id=0, eos_id=2)
    completions = np.array([[5, 6, 7, 2, 0], [2, 0, 0, 0, 0], [0, 5, 6, 9, 2]])
    rewards = reward.token_rewards(completions, [[5, 6, 7, 8], [5], [5, 6, 7]])
    assert rewards.shape == (3, 5)
    assert (rewards[completions < 3] == 0).all()
    whole = reward(completions, [[5, 6, 7, 8], [5], [5, 6, 7]])
    assert rewards.sum(axis=1).tolist() == pytest.approx(whole.tolist(), abs=1e-15)
    listed = reward.token_rewards(completions.tolist(), [[5, 6, 7, 8], [5], [5, 6, 7]])
    assert [row.tolist() for row in listed] == rewards.tolist()
    assert reward.token_rewards(completions.tolist(), [None] * 3) == [None] * 3
    ragged = reward.token_rewards([[0, 5, 6, 2], [2], []], [[5, 6], [5], [5]])
    assert ragged[0].tolist() == pytest.approx([0, np.exp(-1), 1 - np.exp(-1), 0], abs=1e-15)
    assert [row.tolist() for row in ragged[1:]] == [[0.0], []]
    some = reward.token_rewards(completions, [[5, 6, 7, 8], None, None])
    assert some[0].tolist() == rewards[0].tolist()
    assert np.isnan(some[1:]).all()
    assert np.isnan(reward.token_rewards(completions, [None] * 3)).all()


def test_token_rewards_with_broken_samples() -> None:
    reward = BLEUReward(errors="empty", empty=-1, eos_id=2)
    good, broken, absent = reward.token_rewards(["a b", None, "a"], ["a b", "a", None])
    assert good.tolist() == pytest.approx([0.36787944, 0.63212056])
    assert (broken.tolist(), absent) == ([-1.0], None)
    assert counted(reward) == [2, 1, 0, 0, 1]
    completions = np.array([[5, 6, 2], [-5, 6, 2]])
    assert reward.token_rewards(completions, [[5, 6], [5]])[1].tolist() == [-1.0, 0.0, 0.0]
    listed = reward.token_rewards(completions.tolist(), [[5, 6], [5]])
    assert listed[1].tolist() == [-1.0, 0.0, 0.0]


@pytest.mark.parametrize("metric", [METRIC, CHRF()])
def test_token_rewards_of_nothing_but_empty_texts(metric: Any) -> None:
    reward = BLEUReward(metric=metric, extract="a", empty=-1)
    assert reward.token_rewards(["", "b"], ["c", "d"]) == [[-1.0], [-1.0]]
    (placed,) = reward.token_rewards(["b"], ["d"], [[(0, 0), (0, 1)]])
    assert placed.tolist() == [0.0, -1.0]
    ids = np.zeros((1, 2, 0), dtype=np.int64)
    assert BLEUReward().token_rewards(ids, [[5]]).shape == (1, 2, 0)


def test_token_rewards_of_characters_without_a_reference_text() -> None:
    reward = BLEUReward(metric=CHRF(), empty=-1)
    assert reward.token_rewards(["ab"], [""])[0].tolist() == [0.0, -1.0]
    assert reward.token_rewards(["ab"], [""], [[(0, 2), (2, 2)]])[0].tolist() == [0.0, -1.0]


def test_token_rewards_with_white_space_at_the_end() -> None:
    reward = BLEUReward(metric=CHRF(whitespace=True))
    (rewards,) = reward.token_rewards(["ab \n"], ["ab"])
    assert len(rewards) == 4
    assert sum(rewards) == pytest.approx(reward(["ab \n"], ["ab"])[0], abs=1e-15)


@pytest.mark.parametrize(
    ("split", "completion", "tokens"),
    [(lambda text: text.split(" "), "a  b", 3), (lambda text: re.findall("[a-z]+", text), "B c", 2)],
)
def test_token_rewards_by_a_function_as_tokenizer(split: Any, completion: str, tokens: int) -> None:
    """A token may be empty, and lower case may have other tokens."""
    reward = BLEUReward(metric=BLEU(tokenize=split, lowercase=True, effective_order=True))
    (rewards,) = reward.token_rewards([completion], [completion + " d"])
    assert len(rewards) == tokens
    assert sum(rewards) == pytest.approx(reward([completion], [completion + " d"])[0], abs=1e-15)


K_SAMPLES = np.array([[[5, 6, 7, 2], [5, 6, 2, 0]], [[8, 8, 8, 8], [8, 9, 2, 0]]])
K_TARGETS = [[5, 6, 7], [8, 8, 8]]


def in_rows(samples: Any, targets: Any, **options: Any) -> Any:
    """Samples as rows, each with its own copy of the references."""
    repeated = [target for target in targets for _ in range(samples.shape[1])]
    return BLEUReward(**RULE, **options)(samples.reshape(-1, samples.shape[-1]), repeated)


RULE: dict[str, Any] = {"pad_id": 0, "eos_id": 2}


def test_several_samples() -> None:
    reward = BLEUReward(**RULE)
    expected = in_rows(K_SAMPLES, K_TARGETS).reshape(2, 2)
    assert (reward(K_SAMPLES, K_TARGETS) == expected).all()
    assert (reward(K_SAMPLES, np.array(K_TARGETS)) == expected).all()
    assert counted(reward) == [8, 0, 2, 0, 0]
    some = reward(K_SAMPLES, [None, K_TARGETS[1]])
    assert np.isnan(some[0]).all()
    assert (some[1] == expected[1]).all()
    assert reward(K_SAMPLES, [None, None]).shape == (2, 2)
    assert reward(K_SAMPLES[:, :0], K_TARGETS).shape == (2, 0)


def test_several_samples_with_broken_ones() -> None:
    broken = K_SAMPLES.copy()
    broken[1, 0, 0] = -5
    expected = in_rows(K_SAMPLES, K_TARGETS).reshape(2, 2)
    expected[1, 0] = -1
    reward = BLEUReward(errors="empty", empty=-1, **RULE)
    assert (reward(broken, K_TARGETS) == expected).all()
    assert counted(reward) == [4, 1, 0, 0, 1]
    by_token = reward.token_rewards(broken, K_TARGETS)
    whole = np.array(
        [
            BLEUReward(**RULE).token_rewards(row, [target] * 2)
            for row, target in zip(K_SAMPLES, K_TARGETS, strict=True)
        ]
    )
    whole[1, 0] = [-1, 0, 0, 0]
    assert (by_token == whole).all()
    absent = BLEUReward(errors="empty", **RULE).token_rewards(broken, [None, K_TARGETS[1]])
    assert np.isnan(absent[0]).all()
    assert (absent[1, 1] == whole[1, 1]).all()
