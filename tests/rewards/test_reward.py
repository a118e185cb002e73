"""`BLEUReward`: values, options, counts, one sample as in a batch, pickles and threads."""

import pickle
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu import BLEU, CHRF, TokenIds
from fastbleu.errors import ArgumentError
from fastbleu.rewards import BLEUReward, RewardCounts
from fastbleu.rewards.counts import COUNTED
from tests.support.reward_hosts import counted, expected

METRIC = BLEU(effective_order=True)

COMPLETIONS = ["the cat sat on a mat", "a dog lay there", "", "it rained all day"]
REFERENCES = ["the cat sat on the mat", ["a dog lay here", "the dog"], "the cat", "it rained all day"]


def test_values() -> None:
    reward = BLEUReward()
    rewards = reward(COMPLETIONS, REFERENCES)
    assert [type(each) for each in rewards] == [float] * 4
    assert rewards == [expected(c, r) for c, r in zip(COMPLETIONS, REFERENCES, strict=True)]
    assert rewards[2:] == [0.0, 1.0]
    assert counted(reward) == [4, 1, 0, 0, 0]
    twice = BLEUReward(scale=2)
    assert twice.score_one([{"role": "assistant", "content": "a b"}], [[{"content": "a b"}]]) == 2.0
    assert twice.score_one([5, 6], [[5, 6], [7]]) == twice.score_one([5, 6], [5, 6]) == 2.0


WORDS = st.sampled_from(
    ["the", "cat", "sat", "<a>", "</a>", "<think>", "</think>", ".", "\u00e9", "e\u0301", "\n"]
)
TEXTS = st.lists(WORDS, max_size=12).map(" ".join)
OPTIONS: list[dict[str, Any]] = [
    {},
    {"extract": "a"},
    {"extract": re.compile("cat (.*)")},
    {"strip_reasoning": True, "extract": "a", "empty": -1},
    {"strip_reasoning": True, "scale": 100},
    {"formula": "nmt"},
    {"metric": BLEU(max_ngram_order=2, tokenize="char")},
]


@pytest.mark.parametrize("options", OPTIONS)
@given(st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=5))
def test_one_is_as_in_a_batch(options: dict[str, Any], samples: list[tuple[str, list[str]]]) -> None:
    one, batch = BLEUReward(**options), BLEUReward(**options)
    completions, references = map(list, zip(*samples, strict=True))
    assert [one.score_one(c, r) for c, r in samples] == batch(completions, references)
    assert counted(one) == counted(batch)


def test_answers() -> None:
    reward = BLEUReward(extract="answer", strip_reasoning=True, empty=-0.1)
    completions = [
        "<think>Cats <answer>x</answer>.</think>\n<answer>the cat sat</answer>",
        "Cats.</think><answer>the cat sat</answer>",
        "the cat sat",
        "<answer>the cat sat",
        "<think>the cat sat",
        "<answer> </answer>",
    ]
    good = expected("the cat sat", "the cat sat down")
    rewards = reward(completions, ["the cat sat down"] * 6)
    assert rewards == [good, good, -0.1, -0.1, -0.1, -0.1]
    assert counted(reward) == [6, 4, 2, 0, 0]


@pytest.mark.parametrize("chrf", [CHRF(), CHRF(word_order=2, lowercase=True, threads=2)])
@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_chrf(chrf: CHRF, scale: float) -> None:
    reward = BLEUReward(metric=chrf, scale=scale, extract="a", empty=-0.5)
    texts, references = (
        ["The cat sat.", "the cat", "the cats", "a dog"],
        ["The cat sits.", "The cat", ["a", "cat"], None],
    )
    completions = [f"<a>{text}</a>" for text in texts]
    wanted = [
        None
        if of_one is None
        else chrf.sentence_score(text, [of_one] if isinstance(of_one, str) else of_one).score
        for text, of_one in zip(texts, references, strict=True)
    ]
    wanted = [None if score is None else score / (100 / scale) for score in wanted]
    assert reward(completions, references) == wanted
    assert [reward.score_one(*pair) for pair in zip(completions[:3], references, strict=False)] == wanted[:3]
    assert reward(["x", "<a>a</a>"], ["x", "ab"])[0] == -0.5
    assert counted(reward) == [8, 1, 0, 2, 0]
    assert f"|nw:{chrf.word_order}|" in reward.signature
    assert pickle.loads(pickle.dumps(reward)).signature == reward.signature


@pytest.mark.parametrize("options", [{"formula": "nmt"}, {"pad_id": 0}, {"eos_id": [2, 3]}])
def test_what_chrf_cannot_score(options: dict[str, Any]) -> None:
    (option,) = options
    with pytest.raises(ValueError, match=rf"^{option} needs a BLEU as the metric, not CHRF\("):
        BLEUReward(metric=CHRF(), **options)
    for call in (BLEUReward(metric=CHRF()).score_one, BLEUReward(metric=CHRF(), errors="empty")):
        with pytest.raises(ValueError, match=r"^metric must be a BLEU with tokenize='none' .* to score"):
            call([[5, 6]], [[5, 6]])


SAMPLES = np.array([[5, 6, 7, 2, 0], [5, 6, 7, 8, 9], [2, 0, 0, 0, 0]])
TARGETS = np.array([[5, 6, 7, 2], [5, 6, 8, 2], [5, 6, 7, 2]])
ID_METRIC = BLEU(tokenize="none", effective_order=True)
RULE: dict[str, Any] = {"pad_id": 0, "eos_id": 2}


def id_rewards() -> list[float]:
    rows, targets = [[5, 6, 7], [5, 6, 7, 8, 9], []], [[5, 6, 7], [5, 6, 8], [5, 6, 7]]
    return [expected(r, [t], ID_METRIC) for r, t in zip(rows, targets, strict=True)]


def test_ids() -> None:
    reward = BLEUReward(**RULE)
    for references in (TARGETS, TARGETS.tolist(), TARGETS[:, np.newaxis], TokenIds(TARGETS, **RULE)):
        found = reward(SAMPLES, references)
        assert isinstance(found, np.ndarray)
        assert (found.dtype, found.tolist()) == (np.float64, id_rewards())
    assert reward(SAMPLES.tolist(), TARGETS) == id_rewards()
    assert counted(reward) == [15, 5, 5, 0, 0]
    assert reward(TokenIds(SAMPLES, **RULE), TARGETS).tolist() == id_rewards()
    # A reward does not depend on whether another completion has a reference.
    own_rule = TokenIds(np.array([[5, 6, 3, 7], [5, 6, 2, 0]]), eos_id=3)
    assert reward(own_rule, [[5, 6], None])[0] == reward(own_rule, [[5, 6], [5]])[0] == 1.0
    ended = BLEUReward(pad_id=[0, 1], eos_id=[2, 3])
    assert ended(np.array([[5, 6, 3, 9], [5, 6, 2, 1]]), [[5, 6], [5, 6]]).tolist() == [1.0, 1.0]
    assert counted(ended)[2] == 0
    of_text = BLEUReward()(np.array(["a b", "c"], dtype=object), ["a b", None])
    assert (of_text[0], np.isnan(of_text[1])) == (1.0, True)
    found = reward(SAMPLES, [[5, 6, 7], None, [5]])
    assert found[0] == id_rewards()[0]
    assert np.isnan(found[1])
    assert reward(SAMPLES.tolist(), [[5, 6, 7], None, [5]]) == [1.0, None, 0.0]


def test_tensors(torch: Any) -> None:
    reward = BLEUReward(**RULE)
    found = reward(torch.tensor(SAMPLES), torch.tensor(TARGETS))
    assert found.dtype == torch.float64
    assert found.tolist() == id_rewards()
    by_token = BLEUReward(**RULE).token_rewards(torch.tensor(SAMPLES), TARGETS.tolist())
    assert (by_token.dtype, by_token.shape) == (torch.float64, (3, 5))
    # Tensors that hold no ids for NumPy.
    for tensor in (torch.ones((2, 3)).bfloat16(), torch.ones((2, 3)).long().to_sparse()):
        with pytest.raises(TypeError, match=r"^completions must be an array of integers, not"):
            BLEUReward()(tensor, [[5], [5]])
        assert BLEUReward(errors="empty", empty=-1)(tensor, [[5], [5]]).tolist() == [-1.0, -1.0]


def test_signature() -> None:
    assert re.fullmatch(
        r"nrefs:var\|case:mixed\|eff:yes\|tok:13a\|smooth:exp\|scale:1\|version:2.6.0\|fastbleu:.*",
        BLEUReward().signature,
    )
    reward = BLEUReward("zh", extract="answer", strip_reasoning=True, scale=0.5, empty=-1)
    fields = "|tok:zh|smooth:exp|scale:0.5|extract:answer|reasoning:stripped|empty:-1|"
    assert fields in reward.signature
    assert "|tok:none|" in BLEUReward(eos_id=2).signature
    nmt = BLEUReward(formula="nmt").signature
    assert "|smooth:add-one|reflen:shortest|formula:nmt|" in nmt
    assert "version" not in nmt
    assert repr(BLEUReward(name="bleu")) == f"<BLEUReward 'bleu' {BLEUReward().signature}>"


def test_pickles() -> None:
    reward = BLEUReward("zh", extract=re.compile("A: (.*)"), empty=-1, errors="empty", name="b")
    reward.score_one("A: 猫坐", "猫坐")
    copy = pickle.loads(pickle.dumps(reward))
    assert (copy.__name__, copy.signature) == ("b", reward.signature)
    assert counted(copy) == [0] * 5
    assert copy(["A: 猫坐", "x", None], ["猫坐", "猫", "猫"]) == [1.0, -1.0, -1.0]
    assert counted(reward)[0] == 1
    ids = pickle.loads(pickle.dumps(BLEUReward(metric=ID_METRIC, **RULE)))
    assert ids([[5, 6, 2]], [[5, 6]]) == [1.0]


def test_threads() -> None:
    """tests/free_threads/test_rewards.py shares one reward between threads."""
    completions = [f"the cat sat on {'the ' * (i % 7)}mat" for i in range(400)]
    references = ["the cat sat on the mat"] * 400
    whole = BLEUReward()(completions, references)
    assert BLEUReward(threads=2)(completions * 10, references * 10) == whole * 10


def test_nothing_and_much() -> None:
    reward = BLEUReward(extract="answer", strip_reasoning=True)
    assert reward([], []) == []
    assert reward([None], [None]) == [None]
    assert BLEUReward(**RULE)(np.zeros((0, 4), int), np.zeros((0, 4), int)).tolist() == []
    long = "<answer>" * 125_000
    assert reward([long, f"{long}a b</answer>"], ["a b", "a b"]) == [0.0, 1.0]
    assert counted(reward) == [2, 1, 2, 0, 0] or counted(reward) == [2, 1, 1, 0, 0]
    assert BLEUReward()(["a " * 500_000], ["a " * 500_000]) == [1.0]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"language": 3}, TypeError, "language must be a str, not int: 3"),
        ({"language": "nolanguage"}, ValueError, "language is 'nolanguage', which"),
        ({"metric": "13a"}, TypeError, "metric must be a BLEU or a CHRF, not str: '13a'"),
        ({"language": "de", "metric": METRIC}, ValueError, "metric must be None if language is given"),
        ({"formula": "bleu"}, ValueError, "formula must be one of sacrebleu, nmt, got 'bleu'"),
        (
            {"formula": "nmt", "metric": METRIC},
            ValueError,
            "metric must have smooth_method='none' or 'add-one'",
        ),
        ({"extract": 3}, TypeError, "extract must be"),
        ({"strip_reasoning": "yes"}, TypeError, "strip_reasoning must be True or False"),
        ({"scale": 0}, ValueError, "scale must be finite and above 0, got 0"),
        ({"scale": float("nan")}, ValueError, "scale must be finite and above 0, got nan"),
        ({"scale": "1"}, TypeError, "scale must be a number"),
        ({"empty": float("nan")}, ValueError, "empty must be finite, got nan"),
        ({"empty": None}, TypeError, "empty must be a number"),
        ({"errors": "ignore"}, ValueError, "errors must be one of raise, empty, got 'ignore'"),
        ({"pad_id": "0"}, TypeError, "pad_id must be"),
        ({"threads": 0}, ValueError, "threads must be at least 1"),
        ({"name": ""}, ValueError, "name must not be empty"),
        ({"name": None}, TypeError, "name must be a str"),
    ],
)
def test_errors_in_options(options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        BLEUReward(**options)


CALLS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (
        {"metric": METRIC},
        {"languages": ["de", "de"]},
        "languages must be None, since the metric of the reward",
    ),
    ({}, {"languages": ["de", ["de"]]}, r"languages\[1\] must be a str or None, not list: \['de'\]"),
    ({}, {"languages": ["de", ""]}, r"languages\[1\] must be a language code or None, got ''"),
    ({}, {"languages": ["de", "xx"]}, r"languages\[1\] is 'xx', which is not a known language code"),
    ({}, {"languages": ["de"]}, r"languages has 1 item, but there are 2 completions"),
]


@pytest.mark.parametrize(("options", "arguments", "message"), CALLS)
def test_errors_of_a_call(options: Any, arguments: Any, message: str) -> None:
    reward = BLEUReward(**options)
    for call in (reward, reward.check):
        with pytest.raises((TypeError, ValueError), match=f"^{message}"):
            call(["a", "b"], ["a", "b"], **arguments)


def nested(item: Any, depth: int = 100_000) -> Any:
    for _ in range(depth):
        item = [item]
    return item


def endless() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


@pytest.mark.parametrize("sample", [nested("a"), nested(1), endless(), str, np.array("a"), np.array(5)])
def test_what_is_no_text_and_no_ids(sample: Any) -> None:
    with pytest.raises(TypeError, match=r"completions\[0\](\[0\])? must be a"):
        BLEUReward()([sample, "a b"], ["a b", "a b"])
    with pytest.raises(TypeError, match=r"completion(\[0\])? must be a"):
        BLEUReward().score_one(sample, "a b")
    with pytest.raises(TypeError, match=r"references\[0\](\[0\])* must be a"):
        BLEUReward()(["a b"], [sample])
    tolerant = BLEUReward(errors="empty", empty=-1)
    assert tolerant([sample, "a b"], ["a b", "a b"]) == [-1.0, 1.0]
    assert tolerant(["a b", "a b"], [sample, "a b"]) == [-1.0, 1.0]
    assert tolerant.score_one(sample, "a b") == -1.0
    assert counted(tolerant) == [5, 3, 0, 0, 3]


@pytest.mark.parametrize(
    ("completion", "references", "message"),
    [
        ([5, float("nan")], [5, 6], r"completion\[1\] must be an int, not float: nan"),
        ([5, -6], [5, 6], r"completion\[1\] is -6"),
        ([5, 6], [[5], [6, "a"]], r"references\[1\]\[1\] must be an int, not str: 'a'"),
        ([5, 6], "a b", r"references must be token ids, since completions are token ids, not str: 'a b'"),
        ("a", 3, "references must be a str, a list of messages, or a list of several references, not int: 3"),
        (3, "a", "completion must be a str or a list of messages, not int: 3"),
    ],
)
def test_errors_of_one(completion: Any, references: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=f"^{message}"):
        BLEUReward().score_one(completion, references)
    tolerant = BLEUReward(errors="empty", empty=-1)
    assert tolerant.score_one(completion, references) == -1.0
    assert counted(tolerant) == [1, 1, 0, 0, 1]


def test_no_ids() -> None:
    reward = BLEUReward(eos_id=2, empty=-1)
    assert reward.score_one([], [5, 6]) == -1.0
    assert reward([[], [5, 6]], [[5, 6], [5, 6]]) == [-1.0, 1.0]
    assert reward([], []) == []
    assert counted(reward) == [3, 2, 3, 0, 0]
    with pytest.raises(TypeError, match=r"^completions\[0\] must be a sequence of token ids, not NoneType"):
        reward([None, [5, 6]], [[5, 6], [5, 6]])


def test_a_matrix_of_broken_rows_gives_a_matrix_of_token_rewards() -> None:
    reward = BLEUReward(errors="empty", empty=-1)
    ids = np.array([[5, 6, -7, 7], [-8, 7, -1, 8]])
    assert reward.token_rewards(ids, [[5, 6], [5, 6]]).tolist() == [[-1.0, 0.0, 0.0, 0.0]] * 2
    assert reward.token_rewards(np.stack([ids, ids], axis=1), [[5, 6], [5, 6]]).shape == (2, 2, 4)


@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        ([(9, 12), (12, 17)], "offsets[0][0] ends at 12, but completions[0] has 7 characters"),
        ([(0, 0), (4, 7), (0, 3)], "offsets[0][2] ends at 3, before an earlier token, which ends at 7"),
    ],
)
def test_offsets_of_another_text(offsets: Any, message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        BLEUReward().token_rewards(["the cat"], ["the cat"], [offsets])
    assert str(caught.value).startswith(message)


def test_what_a_reward_makes_of_samples(capsys: pytest.CaptureFixture[str]) -> None:
    reward = BLEUReward(extract="answer", errors="empty", empty=-1.0)
    completions: list[Any] = [
        "<answer>the cat sat</answer>",
        {"role": "assistant", "content": "<answer>dogs</answer>"},
        "<answer>the cat sat</s>",
        "<answer>a a a</answer>",
        3.5,
        "a",
    ]
    references: list[Any] = [
        "the cat sat",
        ["the cat", {"content": "cats"}],
        "the cat sat</s>",
        "a",
        "a",
        None,
    ]
    found = reward.check(completions, references)
    assert [sample.reward for sample in found] == [1.0, 0.0, -1.0, expected("a a a", "a"), None, None]
    assert [sample.scored for sample in found] == ["the cat sat", "dogs", "", "a a a", None, None]
    assert found[1].references == ["the cat", "cats"]
    assert [sample.remarks for sample in found[:4]] == [
        (),
        ("the score is 0",),
        (
            "nothing is left to score in the last <answer>...</answer>",
            "truncated: the end token is missing, or a tag or reasoning is never closed",
            "'</s>' of a chat template is in a reference",
        ),
        ("more than 2 times as long as the closest reference",),
    ]
    assert found[4].remarks == (
        "ArgumentTypeError: completion must be a str or a list of messages, not float: 3.5",
    )
    assert found[5].remarks == ("there is no reference",)
    printed = capsys.readouterr().out.splitlines()
    assert printed[:4] == [
        "sample 0: reward 1.0000",
        "  completion  <answer>the cat sat</answer>",
        "  scored      the cat sat",
        "  reference   the cat sat",
    ]
    assert printed.count("sample 5: reward none") == 1
    assert reward.counts.samples == 0


def test_ids_are_checked(capsys: pytest.CaptureFixture[str]) -> None:
    reward = BLEUReward(**RULE)
    for completions in (SAMPLES, SAMPLES.tolist()):
        found = reward.check(completions, TARGETS.tolist())
        assert [[*sample.scored] for sample in found] == [[5, 6, 7], [5, 6, 7, 8, 9], []]
        assert [sample.reward for sample in found] == id_rewards()
    (checked,) = BLEUReward().check(["a b"], ["a b"], languages=["de"])
    assert (checked.reward, checked.scored) == (1.0, "a b")
    assert "  reference   [5, 6, 7, 2]" in capsys.readouterr().out
    with pytest.raises(TypeError, match=r"^references must not be prepared, since their text is printed"):
        BLEUReward().check(["a"], BLEU().prepare([["a"]]))
    with pytest.raises(ValueError, match=r"^references has 1 item, but there are 2 completions"):
        BLEUReward().check(["a", "b"], ["a"])
    assert BLEUReward().check([], []) == []


def test_a_broken_sample_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    (checked,) = BLEUReward(**RULE).check([[-5, 6]], [[5, 6]])
    assert (checked.reward, checked.references) == (None, [[5, 6]])
    assert "\n  reference   [5, 6]\n" in capsys.readouterr().out

    def clears(_: str) -> str:
        raise RuntimeError("\x1b[2J\nsample 1: reward 1.0000")

    (checked,) = BLEUReward(extract=clears).check(["a"], ["a"])
    assert checked.remarks == ("RuntimeError: \x1b[2J\nsample 1: reward 1.0000",)
    (*_, remark) = capsys.readouterr().out.splitlines()
    assert remark == "  look here:  RuntimeError: \\x1b[2J\\nsample 1: reward 1.0000"


def test_a_check_extracts_each_sample_once() -> None:
    texts: list[str] = []

    def extract(text: str) -> str:
        texts.append(text)
        return text[1:]

    (checked,) = BLEUReward(extract=extract).check([">a"], ["a"])
    assert (checked.reward, checked.scored, texts) == (1.0, "a", [">a"])


def test_what_is_said_of_characters_and_of_ids() -> None:
    (long,) = BLEUReward(metric=CHRF()).check(["abcdefgh"], ["abc"])
    assert long.remarks == ("more than 2 times as long as the closest reference",)
    (equal,) = BLEUReward(metric=BLEU(lowercase=True)).check(["ja"], ["ja"])
    assert equal.remarks == (
        "the score is 0 although the texts are equal: pass effective_order=True to the metric",
    )
    (empty,) = BLEUReward(**RULE).check([[2, 5]], [[5, 6]])
    assert empty.remarks == ("nothing is left to score",)


def test_samples_of_a_prompt_are_checked_one_by_one() -> None:
    for completions in (SAMPLES[:2].reshape(1, 2, 5), TokenIds(SAMPLES[:2].reshape(1, 2, 5), **RULE)):
        found = BLEUReward(**RULE).check(completions, TARGETS[:1].tolist())
        assert [[*sample.scored] for sample in found] == [[5, 6, 7], [5, 6, 7, 8, 9]]
        assert [sample.references for sample in found] == [[TARGETS[0].tolist()]] * 2
    for of_one in ["a b"], [[5, 6]]:
        assert BLEUReward().check(of_one, of_one)[0].reward == 1.0


def test_perfect_and_zero_scores_are_counted() -> None:
    reward = BLEUReward(scale=100, empty=5.0)
    reward(["a b c d e", "a", "x", ""], ["a b c d e", "a", "a", "a"])
    reward.score_one("a b", "a b")
    reward.score_one("x", "a b")
    counts = reward.counts
    assert (counts.samples, counts.perfect, counts.zero, counts.empty) == (6, 3, 3, 1)
    by_token = BLEUReward()
    by_token.token_rewards(["a b c", "x"], ["a b c", "a"])
    assert (by_token.counts.perfect, by_token.counts.zero) == (1, 1)


def test_counts_add_up() -> None:
    counts = RewardCounts()
    assert counts.shares() == dict.fromkeys(COUNTED[1:], 0.0)
    counts.add(perfect=1)
    counts.add(3, 1, 2, 2, 1, 1, 1, 1)
    assert counts.numbers() == [4, 2, 2, 2, 1, 1, 1, 1]
    assert [*counts.shares().values()] == [0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25]
    assert repr(counts) == (
        "RewardCounts(samples=4, perfect=2, zero=2, empty=2, clipped=1, cut=1, too_long=1, errors=1)"
    )
    counts.reset()
    assert counts.numbers() == [0] * 8


def test_a_sample_without_a_reference_has_no_reward() -> None:
    for reward in (BLEUReward(), BLEUReward(errors="empty")):
        for completion in ("a", None, [5, 6]):
            assert reward.score_one(completion, None) is None
            assert reward([completion], [None]) == [None]
        assert reward.counts.samples == 0


def test_references_in_a_field() -> None:
    reward = BLEUReward(reference_field="target")
    assert reward([[5, 6], [7]], [{"target": [5, 6]}, {"target": None}]) == [1.0, None]
    assert reward.score_one([5, 6], {"target": [[7], [5, 6]]}) == 1.0
    checked = reward.check(["a b", "a b"], [{"target": "a b"}, {"answer": "a b"}])
    assert [sample.reward for sample in checked] == [1.0, None]
    assert checked[0].references == ["a b"]
    assert "not dict with the keys ['answer']; pass reference_field=" in checked[1].remarks[0]
    with pytest.raises(TypeError, match=r"^reference_field must be a str, not int: 3$"):
        BLEUReward(reference_field=3)
