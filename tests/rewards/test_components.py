"""Components of rewards: what they read and refuse, counts, checks, copies, threads."""

import logging
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, CHRF, TokenIds
from fastbleu.errors import ArgumentError
from fastbleu.rewards import (
    BLEUReward,
    CombinedReward,
    ConsensusReward,
    DiversityReward,
    LengthReward,
    RepetitionPenalty,
    RepetitionShare,
    diversity_adjusted,
)
from fastbleu.rewards.components import like_completions

TEXTS = ["the cat sat", "the cat sat down", "a dog ran", "", "the cat sat"]
REFERENCES = ["the cat sat down", ["a cat", "the cat sat"], None, "it rained", "the cat"]
GROUPS = ["x", "y", "x", "y", "x"]

COMPONENTS: list[Any] = [
    ConsensusReward(),
    ConsensusReward(CHRF(), exclude_self=False, name="agreement"),
    DiversityReward(),
    DiversityReward("pairwise", CHRF()),
    RepetitionPenalty(n=2, max_penalty=-0.5, of="scored"),
    RepetitionShare(0.4, "single"),
    LengthReward(),
    LengthReward(3, unit="characters", of="scored"),
    LengthReward.soft_overlong(5, 2, unit="words"),
    LengthReward.dapo(5, 2, 0.5, unit="words", name="dapo"),
]


WRONG: Any = "x"


def length(completions: Any, *_: Any, **__: Any) -> list[float]:
    return [float(len(each)) for each in completions]


def combined(**options: Any) -> CombinedReward:
    parts = {f"c{i}": (0.5 + i, each) for i, each in enumerate(COMPONENTS)}
    return CombinedReward({"bleu": (1, BLEUReward()), "own": (0.1, length), **parts}, **options)


@pytest.mark.parametrize("component", COMPONENTS, ids=repr)
def test_a_copy_gives_the_same_rewards_and_repr(component: Any) -> None:
    copy = pickle.loads(pickle.dumps(component))
    assert repr(copy) == repr(component)
    assert copy.__name__ == component.__name__
    rewards = component(TEXTS, REFERENCES, groups=GROUPS)
    assert copy(TEXTS, REFERENCES, groups=GROUPS) == rewards
    assert len(rewards) == len(TEXTS)


def test_a_copied_combination_gives_the_same_rewards() -> None:
    reward = combined(errors="empty")
    copy = pickle.loads(pickle.dumps(reward))
    parts = reward.components(TEXTS, REFERENCES, groups=GROUPS)
    assert copy.components(TEXTS, REFERENCES, groups=GROUPS) == parts
    assert repr(copy) == repr(reward)


@pytest.mark.parametrize(
    ("component", "shown"),
    [
        (ConsensusReward(), "ConsensusReward(metric=None, exclude_self=True, name='consensus_reward')"),
        (DiversityReward(), "DiversityReward(metric=None, kind='self-bleu', name='diversity_reward')"),
        (
            RepetitionPenalty(),
            "RepetitionPenalty(n=3, max_penalty=-1.0, of='completion', name='repetition_penalty')",
        ),
        (LengthReward(), "LengthReward(target=None, unit='words', of='scored', name='length_reward')"),
        (CombinedReward({"a": (1, length)}), "<CombinedReward 'combined_reward' a: 1>"),
    ],
)
def test_repr(component: Any, shown: str) -> None:
    assert repr(component) == shown


@pytest.mark.parametrize("component", COMPONENTS[:4], ids=repr)
def test_labels_of_any_kind_and_order_mean_the_same_groups(component: Any, torch: Any) -> None:
    rewards = component(TEXTS, groups=GROUPS)
    labels = [1, 0, 1, 0, 1]
    for groups in (labels, tuple(GROUPS), np.array(labels), np.array(GROUPS), torch.tensor(labels)):
        assert component(TEXTS, groups=groups) == rewards
    order = [3, 0, 4, 1, 2]
    shuffled = component([TEXTS[i] for i in order], groups=[GROUPS[i] for i in order])
    assert shuffled == pytest.approx([rewards[i] for i in order], abs=1e-15)
    apart = component([TEXTS[i] for i in (0, 2, 4)], groups=3)
    assert apart == [rewards[i] for i in (0, 2, 4)]


def test_a_sample_alone_in_its_group_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    reward = ConsensusReward()
    with caplog.at_level(logging.WARNING, "fastbleu"):
        assert reward(["a", "b", "c"], groups=[1, 1, 2]) == [0.0, 0.0, None]
        assert reward(["a"], groups=1) == [None]
    (record,) = caplog.records
    assert record.getMessage() == (
        "completions[2] is the only completion of its group, so consensus_reward returns None for it; this warning is "
        "not repeated for other completions."
    )
    assert ConsensusReward(exclude_self=False)(["a b c d"], groups=1) == [1.0]  # Its BLEU is above 100.


def test_completions_as_arrays_and_messages(torch: Any) -> None:
    rows = [[5, 6, 7], [5, 6, 8], [9, 9, 9], [9, 9, 9]]
    expected = ConsensusReward()(rows, groups=2)
    for ids in (np.array(rows), torch.tensor(rows), np.array(rows, dtype=np.int32)):
        rewards = ConsensusReward()(ids, groups=2)
        assert type(rewards) is type(ids)
        assert rewards.tolist() == expected
    shaped = ConsensusReward()(torch.tensor(rows).view(2, 2, 3))
    assert shaped.shape == (2, 2)
    assert shaped.flatten().tolist() == expected
    alone = ConsensusReward()(np.array([[[5, 6]], [[5, 7]]]))  # one sample of each prompt
    assert alone.shape == (2, 1)
    assert np.isnan(alone).all()
    chats = [[{"role": "assistant", "content": text}] for text in TEXTS]
    assert combined()(chats, REFERENCES, groups=GROUPS)[1:] != []
    parts = combined().components(chats, REFERENCES, groups=GROUPS)
    plain = combined().components(TEXTS, REFERENCES, groups=GROUPS)
    assert {**parts, "own": None, "total": None} == {**plain, "own": None, "total": None}
    assert like_completions([1.0, None], ("a", "b")) == [1.0, None]
    assert np.isnan(like_completions([None], np.ones((1, 2))))


@pytest.mark.parametrize("component", [*COMPONENTS[:5], *COMPONENTS[6:], combined()], ids=repr)
def test_no_completions(component: Any) -> None:
    assert component([], [], groups=[]) == []


def test_broken_completions_count_as_empty() -> None:
    reward = CombinedReward({"length": (1, LengthReward(3)), "bleu": (1, BLEUReward())}, errors="empty")
    assert reward.components(["a b c", None, 5], ["a b c", "a", "b"]) == {
        "length": [1.0, 0.0, 0.0],
        "bleu": [1.0, 0.0, 0.0],
        "total": [2.0, 0.0, 0.0],
    }
    assert reward.counts["total"].errors == 2
    assert reward.counts["total"].empty == 2
    strict = CombinedReward({"length": (1, LengthReward(3))})
    with pytest.raises(TypeError) as caught:
        strict(["a b c", None])
    assert str(caught.value) == "completions[1] must be a str or a list of messages, not NoneType: None"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (None, "completions[1] must be a sequence of token ids, not NoneType: None"),
        ("a", "completions[1] must be an array of integers, not str: 'a'"),
        ([5, 1.5], "completions[1][1] must be an int, not float: 1.5"),
        ([-7], "completions[1][0] is -7, and a token id must not be negative"),
    ],
)
def test_broken_rows_of_ids_count_as_empty(row: Any, message: str) -> None:
    components = {"repetition": (1, RepetitionPenalty(n=1)), "bleu": (1, BLEUReward())}
    reward = CombinedReward(components, errors="empty")
    rows = [[5, 5], row, [6]]
    assert reward.components(rows, [[5, 5], [5], [6]])["repetition"] == [-0.5, 0.0, 0.0]
    assert (reward.counts["total"].errors, reward.counts["total"].empty) == (1, 1)
    with pytest.raises(ArgumentError) as caught:
        CombinedReward({"repetition": (1, RepetitionPenalty(n=1))})(rows)
    assert str(caught.value).startswith(message)


def test_broken_references_count_as_empty() -> None:
    reward = CombinedReward({"length": (1, LengthReward())}, errors="empty")
    assert reward(["a b", "a b", "", "a"], ["a", 5, [{"x": 1}], None]) == [0.5, 0.0, 1.0, None]


def test_unknown_ids_repeat_nothing() -> None:
    ids = TokenIds([[5, 3, 5, 3], [5, 6, 5, 6]], unk_id=3)
    assert RepetitionPenalty(n=2)(ids).tolist() == [0.0, pytest.approx(-1 / 3)]


def test_padding_is_excluded_from_all_components() -> None:
    components: dict[str, Any] = {
        "bleu": (1, BLEUReward()),
        "repetition": (1, RepetitionPenalty(n=1)),
        "agreement": (1, ConsensusReward()),
        "diversity": (1, DiversityReward()),
        "length": (1, LengthReward(unit="ids")),
    }
    plain = [[5, 6, 7], [5, 6], [8, 9, 8], []]
    ids = np.array([[5, 6, 7, 2], [5, 6, 2, 0], [0, 8, 9, 8], [2, 0, 0, 0]])
    references = [[5, 6, 7, 2, 0], [[5, 6, 2], [5, 7, 2]], [8, 9, 0], [5, 2]]
    unpadded = [[5, 6, 7], [[5, 6], [5, 7]], [8, 9], [5]]
    expected = CombinedReward(components).components(plain, unpadded, groups=2)
    for errors in ("raise", "empty"):
        reward = CombinedReward(components, pad_id=0, eos_id=2, errors=errors)
        for given in (ids, ids.tolist()):
            parts = reward.components(given, references, groups=2)
            assert {name: [*map(float, rewards)] for name, rewards in parts.items()} == expected
    assert reward.counts["total"].clipped == 2


@pytest.mark.parametrize("array", [np.array, lambda values: tuple(map(np.float32, values)), "torch"])
def test_a_function_may_return_arrays_and_scalars(array: Any) -> None:
    if array == "torch":
        array = pytest.importorskip("torch", exc_type=ImportError).tensor
    reward = CombinedReward({"own": (2, lambda *_, **__: array([0.5, 0.25]))})
    assert reward(["a", "b"]) == [1.0, 0.5]


def test_a_function_that_fails_breaks_one_completion(caplog: pytest.LogCaptureFixture) -> None:
    def extract(text: str) -> str:
        return {"x": "the cat sat"}[text]

    components = {"bleu": (1.0, BLEUReward())}
    with pytest.raises(KeyError):
        CombinedReward(components, extract=extract)(["x", "y"], ["the cat sat"] * 2)
    reward = CombinedReward(components, extract=extract, errors="empty")
    assert reward(["x", "y"], ["the cat sat"] * 2) == [1.0, 0.0]
    assert (reward.counts["total"].errors, reward.counts["total"].empty) == (1, 1)
    (message,) = caplog.messages
    assert message.endswith("KeyError: 'y'")


def test_a_combination_keeps_its_components() -> None:
    components: dict[str, Any] = {"bleu": (1.0, BLEUReward())}
    reward = CombinedReward(components)
    components["repetition"] = (1.0, RepetitionPenalty(1))
    assert [*pickle.loads(pickle.dumps(reward)).components(["a a"], ["a"])] == ["bleu", "total"]
    assert {*(reward.check(["a a"], ["a"])[0].components or ())} == {"bleu"}


def test_a_column_of_arrow_gives_an_array() -> None:
    pa = pytest.importorskip("pyarrow")
    texts = pa.array(["the cat sat", "a dog"])
    reward = CombinedReward({"bleu": (1.0, BLEUReward()), "agreement": (1.0, ConsensusReward())})
    assert reward(texts, texts, groups=pa.array([1, 2])).tolist() == [1.0, 1.0]
    assert BLEUReward()(texts, texts).tolist() == [1.0, 1.0]


def test_references_of_ids_are_shown_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    CombinedReward({"bleu": (1.0, BLEUReward())}).check([[5, 6]], [[5, 6]])
    assert capsys.readouterr().out == (
        "sample 0: reward 1.0000\n"
        "  bleu        1.0000\n"
        "  completion  [5, 6]\n"
        "  scored      [5, 6]\n"
        "  reference   [5, 6]\n"
    )


@pytest.mark.parametrize("kind", ["self-bleu", "pairwise"])
def test_empty_and_equal_samples_are_not_diverse(kind: Any) -> None:
    assert DiversityReward(kind)(["a b", "c d", " "], groups=3) == [1.0, 1.0, 0.0]
    assert DiversityReward(kind)([[5], []], groups=2) == [1.0, 0.0]
    texts = ["a b c d"] * 3  # Their BLEU is 100.00000000000004.
    rewards = DiversityReward(kind)(texts, groups=3)
    assert rewards == [0.0, 0.0, 0.0]
    assert diversity_adjusted(rewards, texts, 3) == [0.0, 0.0, 0.0]


def test_a_weight_that_rewards_repetition_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    components: dict[str, Any] = {"n": (-0.5, RepetitionPenalty()), "share": (1, RepetitionShare())}
    CombinedReward(components)
    assert caplog.messages == [
        "components['n'] rewards repetition, because its weight is -0.5; use a positive weight.",
        "components['share'] rewards repetition, because its weight is 1; use a negative weight.",
    ]


def test_lengths_of_several_references() -> None:
    reward = LengthReward(unit="ids")
    assert reward([[5, 6], [5], []], [[[], []], [[], [5, 6]], []]) == [0.0, 0.5, 1.0]
    assert reward([[5, 6]], TokenIds([[5, 6, 7, 0]], pad_id=0)) == [2 / 3]
    assert LengthReward()(["a " * 10], [["a " * 5, "a " * 16]]) == [10 / 16]
    assert RepetitionPenalty((1 << 31) - 1)(["a a"]) == [0.0]


def test_counts() -> None:
    reward = CombinedReward({"bleu": (1, BLEUReward()), "length": (1, LengthReward())}, extract="answer")
    reward(["<answer>a cat</answer>", "<answer>a", "<answer>x</answer>"], ["a cat", "a", None])
    counts = reward.counts
    assert repr(counts["bleu"]) == (
        "ComponentCounts(samples=3, none=1, zero=1, empty=0, clipped=0, cut=0, errors=0)"
    )
    total = counts["total"]
    assert (total.samples, total.none, total.empty, total.clipped, total.mean) == (3, 1, 1, 1, 1.0)
    assert total.shares() == pytest.approx(
        {"none": 1 / 3, "zero": 1 / 3, "empty": 1 / 3, "clipped": 1 / 3, "cut": 0, "errors": 0}
    )
    total.reset()
    assert total.samples == total.mean == 0


def test_check_prints_each_component_and_counts_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    reward = CombinedReward({"bleu": (1, BLEUReward()), "length": (0.5, LengthReward())})
    (checked,) = reward.check(["a cat"], [None])
    assert (checked.reward, checked.components) == (None, {"bleu": None, "length": None})
    assert capsys.readouterr().out.startswith(
        "sample 0: reward none\n  bleu        none\n  length      none\n"
    )
    assert reward.counts["bleu"].samples == 0


def test_check_tells_of_problems_of_a_combination(capsys: pytest.CaptureFixture[str]) -> None:
    parts: dict[str, Any] = {"bleu": (1, BLEUReward()), "own": (1, length)}
    chat = [{"role": "assistant", "content": "a cat<|im_end|>"}]
    samples = [chat, "", "a " * 60 + "end"], ["the cat sat down again", "a", "a"]
    mark, too_long = "'<|im_end|>' of a chat template is scored as text", "more than 2 times as long"
    remarks = [sample.remarks for sample in CombinedReward(parts).check(*samples)]
    assert remarks[:2] == [(mark,), ("nothing is left to score",)]
    assert remarks[2][0].startswith(too_long)
    printed = capsys.readouterr().out
    assert f"\n  completion  {chat!r}\n" in printed
    assert printed.count("a a end\n") == 2
    alone = CombinedReward({"length": (1, LengthReward(3))}, extract="x").check(["<x> </x>", "a", "<x>a</x>"])
    empty = "nothing is left to score in the last <x>...</x>"
    assert [sample.remarks for sample in alone] == [(empty,), (empty,), ()]
    ids = CombinedReward({"length": (1, LengthReward(3, unit="ids"))}, eos_id=2).check(
        np.array([[5, 6], [2, 0]])
    )
    assert [len(sample.remarks) for sample in ids] == [1, 1]


def test_a_template_is_warned_of_only_where_it_changes_the_scored_text(
    caplog: pytest.LogCaptureFixture,
) -> None:
    text = "<|im_start|>assistant\n<answer>a cat</answer><|im_end|>"
    with caplog.at_level(logging.WARNING, "fastbleu"):
        CombinedReward({"bleu": (1, BLEUReward())}, extract="answer")([text], ["a cat"])
        assert not caplog.records
        reward = CombinedReward({"bleu": (1, BLEUReward())})
        reward([text, text], ["a cat", "a cat"])
        reward([text], ["a cat"])
    assert len(caplog.records) == 1


def test_threads_share_a_reward() -> None:
    reward = combined()
    expected = reward.components(TEXTS, REFERENCES, groups=GROUPS)
    with ThreadPoolExecutor(4) as pool:
        calls = [pool.submit(reward.components, TEXTS, REFERENCES, groups=GROUPS) for _ in range(40)]
        assert all(call.result() == expected for call in calls)
    assert reward.counts["bleu"].samples == 41 * len(TEXTS)


NOT_A_PAIR: Any = length
IDS = LengthReward(unit="ids", of="completion")
COUNTS_IDS = "references[0] must be token ids, since unit='ids' counts ids"


def returns(value: Any) -> CombinedReward:
    return CombinedReward({"own": (1, lambda *_, **__: value)})


CALLS: list[tuple[Any, str]] = [
    (
        lambda: CombinedReward([1]),
        "components must be a dict from names to pairs of a weight and a reward, not list: [1]",
    ),
    (lambda: CombinedReward({}), "components must have at least one component"),
    (lambda: CombinedReward({"a": (1, BLEUReward())}, name=""), "name must not be empty"),
    (
        lambda: CombinedReward({"total": (1, length)}),
        "components must be a dict whose names are str other than ('total', 'score'), got 'total'",
    ),
    (
        lambda: CombinedReward({"a": NOT_A_PAIR}),
        "components['a'] must be a weight and a reward, such as (0.5, BLEUReward()), not function",
    ),
    (lambda: CombinedReward({"a": (np.nan, length)}), "components['a'][0] must be finite, got nan"),
    (lambda: CombinedReward({"a": (np.inf, length)}), "components['a'][0] must be finite, got inf"),
    (lambda: CombinedReward({"a": (WRONG, length)}), "components['a'][0] must be a"),
    (lambda: CombinedReward({"a": (1, 5)}), "components['a'][1] must be a reward or a function, not int: 5"),
    (
        lambda: CombinedReward({"a": (1, returns(1))}),
        "components['a'][1] must be a single reward, not a CombinedReward, not CombinedReward",
    ),
    (
        lambda: CombinedReward({"agreement": (1.0, ConsensusReward)}),
        "components['agreement'][1] must be a reward or a function, not type",
    ),
    (
        lambda: CombinedReward({"a": (1, BLEUReward(extract="x"))}),
        "components['a'] must not set extract='x'; pass this option to CombinedReward instead",
    ),
    (
        lambda: CombinedReward({"a": (1, BLEUReward(pad_id=0))}, pad_id=0),
        "components['a'] must not set pad_id=0; pass this option to CombinedReward instead",
    ),
    (lambda: returns([1.0])(["a", "b"]), "components['own'] returned 1 reward for 2 completions"),
    (lambda: returns(None)(["a"]), "components['own'] must be a function that returns a list of rewards"),
    (lambda: returns(1.0)(["a"]), "components['own'] must be a function that returns a list of rewards"),
    (lambda: returns(np.float64(1))(["a"]), "components['own'] must be a function that returns a list"),
    (
        lambda: returns(["x"])(["a"]),
        "components['own'] returned 'x' for completions[0], which is neither a number nor None",
    ),
    (
        lambda: CombinedReward({"own": (1, len)}),
        "components['own'][1] must accept a call function(completions, references, prompts=..., groups=...), but ",
    ),
    (lambda: returns([0.5, np.nan])(["a", "b"]), "components['own'] returned nan for completions[1]"),
    (
        lambda: returns([np.zeros(2)])(["a"]),
        "components['own'] returned array([0., 0.]) for completions[0], which is neither a number nor None",
    ),
    (lambda: returns([10**400])(["a"]), "components['own'] returned 1000"),
    (lambda: returns([1])(["a"], ["a", "b"]), "references has 2 items, but there is 1 completion"),
    (lambda: returns([1])(["a"], prompts=[]), "prompts has 0 items, but there is 1 completion"),
    (lambda: returns([1])("a"), "completions must be a sequence of completions, not a bare str: 'a'"),
    (
        lambda: ConsensusReward()(["a"]),
        "groups must be given, since ConsensusReward compares the samples of a group",
    ),
    (
        lambda: diversity_adjusted([1.0], ["a"], None),
        "groups must be given, since diversity_adjusted compares the samples of a group",
    ),
    (lambda: ConsensusReward()(["a", "b", "c"], groups=2), "groups is 2, but there are 3 completions"),
    (lambda: ConsensusReward()(["a", "b"], groups=["x"]), "groups has 1 label"),
    (lambda: ConsensusReward()(["a"], groups=[np.nan]), "groups[0] must"),
    (lambda: ConsensusReward("bleu"), "metric must be"),
    (lambda: ConsensusReward(exclude_self="no"), "exclude_self must be"),
    (lambda: DiversityReward("other"), "kind must be"),
    (lambda: DiversityReward("self-bleu", CHRF()), "metric must be a fastbleu.BLEU"),
    (lambda: RepetitionPenalty(0), "n must be at least 1, got 0"),
    (lambda: RepetitionPenalty(3, 0.5), "max_penalty must be finite and at most 0, got 0.5"),
    (lambda: RepetitionPenalty(of="all"), "of must be"),
    (
        lambda: RepetitionPenalty()(["a"], completion_ids=[[5, -100]]),
        "completion_ids[0][1] is -100, and a token id must not be negative",
    ),
    (lambda: RepetitionPenalty()([[5, -100]]), "completions[0][1] is -100, and a token id must not"),
    (lambda: RepetitionShare(-1), "threshold must be at least 0, got -1"),
    (lambda: LengthReward(0), "target must be at least 1, got 0"),
    (lambda: LengthReward(unit="bytes"), "unit must be"),
    (lambda: LengthReward.soft_overlong(5, 6), "soft_punish_cache must be at most 5, the max_completion_len"),
    (lambda: LengthReward.dapo(5, 6), "overlong_buffer_len must be at most 5, the max_resp_len, got 6"),
    (lambda: LengthReward.dapo(5, 2, -1), "penalty_factor must be finite and at least 0, got -1"),
    (
        lambda: LengthReward.dapo(5, 2)(["a"]),
        "completion_ids must be given, since LengthReward(target=Overlong",
    ),
    (
        lambda: LengthReward(3, unit="ids", of="scored")(["a"], completion_ids=[[5]]),
        "completions are text, whose scored part has no ids for LengthReward(target=3, unit='ids'",
    ),
    (lambda: LengthReward()([[5, 6]], [[5]]), "completions are token ids, but LengthReward("),
    (lambda: diversity_adjusted([1.0], ["a", "b"], 2), "rewards has 1 item"),
    (lambda: diversity_adjusted([-1.0], ["a"], 1), "rewards[0] must be finite and at least 0, got -1.0"),
    (lambda: diversity_adjusted([np.nan], ["a"], 1), "rewards[0] must be finite and at least 0, got nan"),
    (lambda: diversity_adjusted([WRONG], ["a"], 1), "rewards[0] must be a number, not str: 'x'"),
    (
        lambda: LengthReward()(["a"], BLEU().prepare([["a"]])),
        "references must not be prepared, since prepared references have no lengths",
    ),
    (lambda: LengthReward()(["a"], [[]]), "references[0] must hold at least one reference"),
    (lambda: IDS([[5, 6]], [[None]]), "references[0] must hold at least one reference, or be None"),
    *(
        (lambda each=each: IDS(["a b"], [each], completion_ids=[[5, 6]]), f"{COUNTS_IDS}, not {shown}")
        for each, shown in (
            ("a b c", "str: 'a b c'"),
            (["a b c", "a"], "list: ['a b c', 'a']"),
            ([{"role": "assistant", "content": "a"}], "list: [{'role': 'assistant', 'content': 'a'}]"),
        )
    ),
    (
        lambda: IDS(["a b"], [[5]], completion_ids=[[5, -5]]),
        "completion_ids[0][1] is -5, and a token id must not",
    ),
    (lambda: LengthReward(lambda _: WRONG)(["a b"]), "target(2) must be a number, not str: 'x'"),
    (lambda: BLEUReward()(np.array([5, 6]), [[5, 6]]), "completions must have the shape [n, T], not [2]"),
    (lambda: RepetitionPenalty(1 << 31), "n must be at most 2147483647, got 2147483648"),
]


@pytest.mark.parametrize(("call", "message"), CALLS, ids=[message for _, message in CALLS])
def test_errors(call: Any, message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        call()
    assert str(caught.value).startswith(message)
