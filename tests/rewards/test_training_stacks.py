"""The rewards of all training stacks: their values, broken samples, options, pickles; no stack is imported."""

import asyncio
import pickle
from collections.abc import Awaitable, Callable
from types import SimpleNamespace as Item
from typing import Any, NamedTuple

import pytest

from fastbleu.rewards import (
    BLEUReward,
    CombinedReward,
    ConsensusReward,
    LengthReward,
    RepetitionPenalty,
    nemo_gym,
    openrlhf,
    slime,
    swift,
    trl,
    verifiers,
    verl,
)
from fastbleu.rewards.training_stacks import Samples, StackReward, column_of
from tests.support.processes import printed_by
from tests.support.reward_hosts import REFERENCES, RESPONSES, REWARDS, counted

PROMPT = "Say: "


class Way(NamedTuple):
    """A host's way to call its reward.

    Args:
        make: Makes a reward from its options.
        call: Returns the rewards of several responses and their references.
        names: The host's names of a response and its references; "" where the host passes nothing but text.
        skips: The result for a sample without a reference; "" where that is an error.
    """

    make: Callable[..., Any]
    call: Callable[[Any, list[Any], list[Any]], list[Any]]
    names: tuple[str, str]
    skips: Any = ""


def one_by_one(call: Callable[[Any, Any, Any], Any]) -> Callable[[Any, list[Any], list[Any]], list[Any]]:
    """Calls with one sample each, which are awaited if the host awaits them."""

    async def result(found: Any) -> Any:
        return await found if isinstance(found, Awaitable) else found

    return lambda reward, *columns: [
        asyncio.run(result(call(reward, *sample))) for sample in zip(*columns, strict=True)
    ]


def after_prompts(reward: Any, responses: list[Any], references: list[Any]) -> list[Any]:
    pytest.importorskip("torch", reason="torch is not installed")
    queries = [PROMPT + each if isinstance(each, str) else each for each in responses]
    found = reward(queries, [PROMPT] * len(queries), references)
    assert found["scores"].tolist() == found["extra_logs"]["bleu_reward"].tolist()
    return [pytest.approx(each, abs=1e-7) for each in found["rewards"].tolist()]


def sample_of_slime(response: Any, reference: Any) -> Item:
    return Item(response=f"{response}</s>" if response == "the cat" else response, label=reference)


def said(response: Any) -> Item:
    part = Item(type="output_text", text=response)
    return Item(output=[Item(type="reasoning"), Item(type="message", role="assistant", content=[part])])


WAYS = {
    "trl": Way(
        trl.bleu_reward,
        lambda reward, *call: reward(completions=call[0], reference=call[1]),
        ("completions", "reference"),
        None,
    ),
    "verl": Way(
        verl.bleu_reward,
        one_by_one(lambda reward, *call: reward("news", *call, {})),
        ("solution_str", "ground_truth"),
    ),
    "openrlhf": Way(openrlhf.bleu_reward, after_prompts, ("queries", "labels")),
    "slime": Way(
        slime.bleu_reward,
        one_by_one(lambda reward, *call: reward(None, sample_of_slime(*call))),
        ("response", "label"),
    ),
    "slime, a group": Way(
        slime.bleu_reward,
        lambda reward, *call: asyncio.run(reward(None, [*map(sample_of_slime, *call)])),
        ("response", "label"),
    ),
    "swift": Way(
        lambda **options: type("bleu_reward", (swift.BLEUORM,), {"options": options})(args=None),
        lambda reward, *call: reward(call[0], solution=call[1], trainer_state=None),
        ("completions", "solution"),
        None,
    ),
    "nemo_gym": Way(
        nemo_gym.GymReward,
        one_by_one(lambda reward, *call: reward(Item(response=said(call[0]), reference=call[1]))),
        ("", "reference"),
    ),
    "verifiers": Way(
        verifiers.bleu_reward,
        one_by_one(lambda reward, *call: reward(task=Item(answer=call[1]), trace=Item(last_reply=call[0]))),
        ("last_reply", "answer"),
        {},
    ),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_values(way: Way) -> None:
    reward = way.make(extract="answer")
    assert reward.__name__ == "bleu_reward"
    assert way.call(reward, RESPONSES, REFERENCES) == REWARDS
    assert counted(reward) == [4, 1, 0, 0, 0]
    assert way.call(reward, [], []) == []


@pytest.mark.parametrize(("response", "reference"), [(3.5, "a"), ("a", 3.5), ("a", []), ("a", [None])])
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_broken_samples(way: Way, response: Any, reference: Any) -> None:
    name = way.names[isinstance(response, str)]
    if name:
        with pytest.raises((TypeError, ValueError), match=rf"^{name}(\[0\])* must (be a|hold at least one)"):
            way.call(way.make(), [response, "b"], [reference, "b"])
        tolerant = way.make(errors="empty", empty=-1)
        assert way.call(tolerant, [response, "b"], [reference, "b"]) == [-1.0, 1.0]
        assert tolerant.counts.errors == 1


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_references_in_mappings(way: Way) -> None:
    truths = [{"target": ["a dog", "a cat"]}, [{"target": "a cat"}, {"target": "rain"}], "a cat"]
    name = way.names[1]
    with pytest.raises(
        TypeError, match=rf"^{name}(\[0\])? must be .*keys \['target'\]; pass reference_field="
    ):
        way.call(way.make(), ["a cat"] * 3, truths)
    reward = way.make(reference_field="target")
    assert way.call(reward, ["a cat"] * 3, truths) == [1.0] * 3
    assert pickle.loads(pickle.dumps(reward.reward)).score_one("a cat", truths[0]) == 1.0
    tolerant = way.make(reference_field="answer", errors="empty", empty=-1)
    assert way.call(tolerant, ["a cat"] * 3, truths) == [-1.0, -1.0, 1.0]
    if way.skips != "":
        assert way.call(reward, ["a cat"], [{"target": None}]) == [way.skips]


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_no_reference(way: Way, caplog: pytest.LogCaptureFixture) -> None:
    if way.skips != "":
        assert way.call(way.make(), ["a", "b"], [None, "b"]) == [way.skips, 1.0]
        return
    message = rf"{way.names[1]}(\[0\])? must have a reference, got None"
    with pytest.raises(ValueError, match=f"^{message}$"):
        way.call(way.make(), ["a", "b"], [None, "b"])
    tolerant = way.make(errors="empty", empty=-1)
    assert way.call(tolerant, ["a", "b"], [None, "b"]) == [-1.0, 1.0]
    assert tolerant.counts.errors == 1
    assert "must have a reference, got None" in caplog.text


def combined(**options: Any) -> CombinedReward:
    parts = {
        "bleu": (0.5, BLEUReward()),
        "length": (0.25, LengthReward()),
        "loops": (1.0, RepetitionPenalty(1)),
    }
    return CombinedReward(parts, extract="answer", special_tokens="strip", **options)


def sums(way: Way, *call: Any) -> list[Any]:
    """Calls a host's reward that is a combination, and returns the sums."""
    rewards = way.call(*call)
    if way.make is verifiers.bleu_reward:  # It adds them up itself.
        return [sum(each.values()) if each else {} for each in rewards]
    return [each["score"] for each in rewards] if way.make is verl.bleu_reward else rewards


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_combination(way: Way) -> None:
    if way.make is openrlhf.bleu_reward:
        pytest.skip("its logs have other keys: tests/rewards/test_openrlhf.py")
    host = way.make(reward=combined())
    assert sums(way, host, RESPONSES, REFERENCES) == pytest.approx(
        combined()(RESPONSES, REFERENCES), abs=1e-15
    )
    assert (host.counts.samples, host.counts.none, host.counts.empty) == (4, 0, 1)
    assert host.signature == (
        f"bleu: 0.5 * {BLEUReward().signature}; length: 0.25 * {LengthReward()!r}; "
        f"loops: 1 * {RepetitionPenalty(1)!r}; extract: answer; special_tokens: strip"
    )
    assert host.shares()["combined_reward_empty"] == 0.25


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_reward_that_is_given(way: Way) -> None:
    host = way.make(reward=BLEUReward(extract="answer", scale=2, errors="empty"))
    assert (host.__name__, host.scale, host.tolerant) == ("bleu_reward", 2.0, True)
    if way.make is not openrlhf.bleu_reward:
        assert way.call(host, RESPONSES, REFERENCES) == [2 * reward for reward in REWARDS]
    with pytest.raises(TypeError) as caught:
        way.make(reward=len)
    message = "reward must be a BLEUReward, a CombinedReward or one of its components, not builtin_function_or_method"
    assert str(caught.value).startswith(message)
    message = "extract must not be combined with reward; pass this option to the BLEUReward or CombinedReward itself"
    with pytest.raises(ValueError, match=f"^{message}$"):
        way.make(reward=BLEUReward(), extract="answer")


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_samples_to_which_no_component_applies(way: Way) -> None:
    if way.make is openrlhf.bleu_reward:
        pytest.skip("its logs have other keys: tests/rewards/test_openrlhf.py")
    ratio = LengthReward()
    if way.skips != "":
        assert sums(way, way.make(reward=ratio), ["a b", "c"], [None, "c"]) == [way.skips, 1.0]
        return
    name = way.names[0] or "response"
    message = rf"^{name}(\[0\])? has no reward: no component applies to it$"
    with pytest.raises(ValueError, match=message):
        way.call(way.make(reward=ratio), ["a b", "c"], [None, "c"])
    tolerant = way.make(reward=CombinedReward({"length": (1, ratio)}, errors="empty"))
    assert sums(way, tolerant, ["a b", "c"], [None, "c"]) == [0.0, 1.0]
    assert tolerant.counts.none == 1


@pytest.mark.parametrize("reward", [ConsensusReward(), CombinedReward({"c": (1, ConsensusReward())})])
@pytest.mark.parametrize(
    ("make", "host"),
    [
        (verl.bleu_reward, "verl"),
        (openrlhf.bleu_reward, "OpenRLHF"),
        (nemo_gym.GymReward, "NeMo Gym"),
        (verifiers.bleu_reward, "verifiers"),
    ],
)
def test_hosts_without_groups(make: Any, host: str, reward: Any) -> None:
    message = (
        f"reward must not compare the samples of a group, since {host} passes one sample at a time; remove "
        "components that do, or train with TRL, ms-swift or slime, which pass groups"
    )
    with pytest.raises(ValueError, match=f"^{message}$"):
        make(reward=reward)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_broken_samples_of_a_combination(way: Way) -> None:
    if way.make is openrlhf.bleu_reward or not way.names[0]:
        return
    with pytest.raises(TypeError, match=rf"^{way.names[0]}(\[0\])? must be a str or a list of messages"):
        way.call(way.make(reward=combined()), [3.5, "b"], ["a", "b"])
    tolerant = way.make(reward=combined(errors="empty"))
    assert sums(way, tolerant, [3.5, "<answer>b</answer>"], ["a", "b"]) == [0.0, 0.75]
    assert tolerant.counts.errors == 1


def test_a_check_of_a_combination(capsys: pytest.CaptureFixture[str]) -> None:
    [checked] = verl.bleu_reward(reward=combined()).check("news", "<answer>the cat</answer>", "the cat", {})
    assert (checked.reward, checked.components) == (0.75, {"bleu": 1.0, "length": 1.0, "loops": 0.0})
    assert capsys.readouterr().out.startswith(
        "sample 0: reward 0.7500\n  bleu        1.0000\n  length      1.0000\n  loops       0.0000\n"
    )


def checked_calls() -> dict[str, Callable[[], Any]]:
    pairs = ["the cat", "a dog"], ["the cat", "dogs"]
    orm = WAYS["swift"].make()
    item = Item(response=said(pairs[0][0]), reference=pairs[1][0])
    trace = Item(last_reply=pairs[0][0])
    chinese = verl.bleu_reward(language_key="lang")
    return {
        "trl": lambda: trl.bleu.check(completions=pairs[0], reference=pairs[1]),
        "verl": lambda: chinese.check("news", "\u4eca\u5929", "\u4eca\u5929", {"lang": "zh"}),
        "openrlhf": lambda: openrlhf.reward_func.check(["Q: the cat", "Q: a dog"], ["Q: "] * 2, pairs[1]),
        "slime": lambda: slime.bleu.check(None, sample_of_slime(pairs[0][0], pairs[1][0])),
        "slime, a group": lambda: slime.bleu.check(None, [*map(sample_of_slime, *pairs)]),
        "swift": lambda: orm.check(pairs[0], solution=pairs[1]),
        "nemo_gym": lambda: nemo_gym.GymReward().check(item),
        "verifiers": lambda: verifiers.bleu.check(task=Item(answer=pairs[1][0]), trace=trace),
    }


@pytest.mark.parametrize("name", checked_calls())
def test_checked_before_a_training(name: str) -> None:
    checked = checked_calls()[name]()
    assert [sample.reward for sample in checked] == [1.0, 0.0][: len(checked)]


class Reward(StackReward):
    STACK = "a host"

    def _samples(self, *arguments: Any, **named: Any) -> Samples:
        response, label = arguments
        return Samples(response, label, ("response", "label"), **named)


def test_what_the_log_needs_is_that_of_the_reward() -> None:
    options = {"extract": "answer", "scale": 2, "name": "translation"}
    host = Reward(options)
    assert host.__name__ == "translation"
    assert host.signature == BLEUReward(**options).signature
    assert host.counts is host.reward.counts
    assert [host.share_of_scale(reward) for reward in (2.0, 0.5, -1.0)] == [1.0, 0.25, 0.0]
    assert repr(host) == f"<Reward 'translation' {host.signature}>"
    assert host.check(["a"], [None])[0].remarks == ("there is no reference",)


@pytest.mark.parametrize(
    "made",
    [
        slime.bleu_reward(metadata_key="references", special_tokens=["<e>"]),
        verifiers.bleu_reward(reference="target"),
        nemo_gym.GymReward(scale=2),
        swift.BLEUORM(),
        trl.bleu_reward(language_column="lang"),
        verl.bleu_reward(language_key="lang", details=True),
        openrlhf.reward_func,
        verl.bleu_reward(reward=combined()),
        trl.bleu_reward(reward=ConsensusReward(), group_size=4),
    ],
)
def test_rewards_can_be_pickled(made: Any) -> None:
    copy = pickle.loads(pickle.dumps(made))
    assert type(copy) is type(made)
    options = {name: value for name, value in vars(made).items() if name != "reward"}
    assert {name: value for name, value in vars(copy).items() if name != "reward"} == options
    assert copy.signature == made.signature


def test_contents_of_messages_that_swift_passes() -> None:
    parts = [{"type": "text", "text": "the cat "}, {"type": "image"}, {"type": "text", "text": "sat"}]
    assert swift.BLEUORM(args=object())([parts, None, []], solution=["the cat sat"] * 3) == [1.0, 0.0, 0.0]


def test_a_column_that_is_missing() -> None:
    assert column_of({"a": ("x",)}, "a") == ("x",)
    with pytest.raises(ValueError, match=r"^there is no column 'b'; the columns are \['a'\]$"):
        column_of({"a": ["x"]}, "b")


@pytest.mark.slow
def test_no_host_is_imported() -> None:
    program = (
        "import sys\n"
        "from fastbleu.rewards import nemo_gym, openrlhf, slime, swift, trl, verifiers, verl\n"
        "assert verl.compute_score('news', 'a b', 'a b', {}) == 1.0\n"
        "hosts = {'openrlhf', 'verl', 'trl', 'ray', 'slime', 'swift', 'verifiers', 'nemo_gym'}\n"
        "hosts |= {'torch', 'pydantic', 'fastapi', 'numpy', 'asyncio', 'scipy'}\n"
        "print([host for host in hosts if host in sys.modules])"
    )
    assert printed_by(program) == "[]\n"
