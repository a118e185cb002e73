"""The table of hosts, and what their rewards share."""

from __future__ import annotations

import asyncio
import pickle
import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace as Item
from typing import Any, NamedTuple

import pytest

from fastbleu.errors import Place
from fastbleu.options import check_name
from fastbleu.rewards import BLEUReward, nemo_gym, openrlhf, slime, swift, trl, verifiers, verl
from fastbleu.rewards.hosts import HostReward, Stack, column_of
from fastbleu.rewards.stacks import STACKS
from tests.support.reward_hosts import REFERENCES, RESPONSES, REWARDS, counted

PROMPT = "Say: "


class Way(NamedTuple):
    """A host's way to call its reward.

    Args:
        make: Makes a reward of its options.
        call: Gives the rewards of several responses and their references.
        names: What errors call a response and its references; "" where the host lets no other thing than text pass.
    """

    make: Callable[..., Any]
    call: Callable[[Any, list[Any], list[Any]], list[Any]]
    names: tuple[str, str]


def one_by_one(call: Callable[[Any, Any, Any], Any]) -> Callable[[Any, list[Any], list[Any]], list[Any]]:
    """Calls that await one sample each, all at the same time."""

    async def gathered(reward: Any, responses: list[Any], references: list[Any]) -> list[Any]:
        calls = zip(responses, references, strict=True)
        return await asyncio.gather(*(call(reward, *sample) for sample in calls))

    return lambda *arguments: asyncio.run(gathered(*arguments))


def remote(reward: Any, responses: list[Any], references: list[Any]) -> list[Any]:
    queries = [PROMPT + each if isinstance(each, str) else each for each in responses]
    request = {"query": queries, "prompts": [PROMPT] * len(queries), "labels": references}
    found: list[Any] = reward.answer(request)["rewards"]
    return found


def samples(responses: list[Any], references: list[Any]) -> list[Item]:
    pairs = zip(responses, references, strict=True)
    return [Item(response=f"{text}</s>" if text == "the cat" else text, label=each) for text, each in pairs]


def said(response: Any) -> Item:
    part = Item(type="output_text", text=response)
    return Item(output=[Item(type="reasoning"), Item(type="message", role="assistant", content=[part])])


WAYS = {
    "trl": Way(
        trl.bleu_reward,
        lambda reward, *call: reward(completions=call[0], reference=call[1]),
        ("completions", "reference"),
    ),
    "verl": Way(
        verl.bleu_reward,
        lambda reward, *call: reward.batch([""] * len(call[0]), *call),
        ("solution_strs", "ground_truths"),
    ),
    "openrlhf": Way(openrlhf.bleu_reward, remote, ("queries", "labels")),
    "slime": Way(
        slime.bleu_reward,
        one_by_one(lambda reward, *call: reward(None, *samples(*([each] for each in call)))),
        ("response", "label"),
    ),
    "slime, a group": Way(
        slime.bleu_reward,
        lambda reward, *call: asyncio.run(reward(None, samples(*call))),
        ("response", "label"),
    ),
    "swift": Way(
        lambda **options: type("bleu_reward", (swift.BLEUORM,), {"options": options})(args=None),
        lambda reward, *call: reward(call[0], solution=call[1], trainer_state=None),
        ("completions", "solution"),
    ),
    "nemo_gym": Way(
        nemo_gym.GymReward,
        one_by_one(lambda reward, *call: reward(Item(response=said(call[0]), reference=call[1]))),
        ("", "reference"),
    ),
    "verifiers.task": Way(
        verifiers.bleu_reward,
        one_by_one(lambda reward, *call: reward(Item(answer=call[1]), Item(last_reply=call[0]))),
        ("last_reply", "answer"),
    ),
    "verifiers.rubric": Way(
        verifiers.rubric_reward,
        one_by_one(lambda reward, *call: reward(*call, info={}, state={}, task=None)),
        ("completion", "answer"),
    ),
}


def test_every_host_is_a_row() -> None:
    rows = {way.make().HOST for way in WAYS.values()}
    assert rows <= {row for row in STACKS.values() if row.module}
    assert {row.module for row in rows} == {row.module for row in STACKS.values() if row.module}


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


@pytest.mark.parametrize("name", [name for name in WAYS if name != "trl"])
def test_hosts_subtract_their_own_baselines(name: str) -> None:
    host = WAYS[name].make().HOST.name
    with pytest.raises(ValueError, match=rf"^baseline must be None: {host} subtracts its own"):
        WAYS[name].make(baseline="mean")
    message = rf"^stepwise must be False: {host} takes one reward for a completion"
    with pytest.raises(ValueError, match=message):
        WAYS[name].make(stepwise=True)


MESSAGES = [{"role": "assistant", "content": "a b"}]


class Reward(HostReward):
    """The reward of a host that calls references labels."""

    HOST = Stack("a host", (), "response", "labels")

    label = HostReward._label


def test_what_the_log_needs_is_that_of_the_reward() -> None:
    options = {"extract": "answer", "scale": 2, "name": "translation"}
    host = Reward(options)
    assert host.__name__ == "translation"
    assert host.signature == BLEUReward(**options).signature
    assert host.counts is host.reward.counts
    assert repr(host) == f"<Reward 'translation' {host.signature}>"


@pytest.mark.parametrize(
    "made",
    [
        openrlhf.bleu_reward(extract="answer", labels_as="json"),
        slime.bleu_reward(metadata_key="references"),
        verifiers.bleu_reward(reference="target"),
        verifiers.rubric_reward(reference="target"),
        nemo_gym.GymReward(scale=2),
        swift.BLEUORM(),
        openrlhf.reward_func,
        slime.bleu,
        verifiers.bleu,
    ],
)
def test_rewards_can_be_pickled(made: Any) -> None:
    copy = pickle.loads(pickle.dumps(made))
    assert type(copy) is type(made)
    options = {name: value for name, value in vars(made).items() if name != "reward"}
    assert {name: value for name, value in vars(copy).items() if name != "reward"} == options
    assert copy.signature == made.signature


@pytest.mark.parametrize(
    ("label", "labels_as", "references"),
    [
        *((label, "text", label) for label in ("", "a b", '["a b"]', ["a b", "c"], ("a b", None), 3)),
        ('"a b"', "json", "a b"),
        ('["a b", "c"]', "json", ["a b", "c"]),
        ('[{"role": "assistant", "content": "a b"}]', "json", MESSAGES),
        (["a b"], "json", ["a b"]),  # only a str is parsed
    ],
)
def test_labels(label: Any, labels_as: Any, references: Any) -> None:
    for errors in ("raise", "empty"):
        assert Reward({"errors": errors}, labels_as=labels_as).label(label, Place("labels")[0]) == references


@pytest.mark.parametrize("label", ["a b", "", "3", "null", '{"a": 1}', "[", "[" * 100_000, '"\\ud800'])
def test_labels_that_are_not_json_of_references(label: str) -> None:
    with pytest.raises(
        ValueError, match=r"^labels\[2\] must be JSON of a string, or of a list of references, got "
    ):
        Reward({}, labels_as="json").label(label, Place("labels")[2])
    assert Reward({"errors": "empty"}, labels_as="json").label(label, Place("labels")[2]) == []


@pytest.mark.parametrize("labels_as", ["text", "json"])
def test_no_label(labels_as: Any) -> None:
    with pytest.raises(ValueError, match=r"^label must have a reference, got None$"):
        Reward({}, labels_as=labels_as).label(None, Place("label"))
    assert Reward({"errors": "empty"}, labels_as=labels_as).label(None, Place("label")) == []


def test_columns_and_names() -> None:
    assert column_of({"a": ("x",)}, "a") == ("x",)
    with pytest.raises(ValueError, match=r"^there is no column 'b'; there are \['a'\]$"):
        column_of({"a": ["x"]}, "b")
    check_name("key", None, is_optional=True)
    check_name("key", "k")
    with pytest.raises(TypeError, match=r"^key must be a str, not NoneType: None"):
        check_name("key", None)
    with pytest.raises(ValueError, match=r"^key must not be empty"):
        check_name("key", "", is_optional=True)
    with pytest.raises(ValueError, match=r"^labels_as must be one of text, json, got 'yaml'"):
        Reward({}, labels_as="yaml")


@pytest.mark.slow
def test_no_host_is_imported() -> None:
    program = (
        "import sys\n"
        "from fastbleu.rewards import nemo_gym, openrlhf, slime, swift, trl, verifiers, verl\n"
        "assert verl.compute_score('news', 'a b', 'a b', {}) == 1.0\n"
        "hosts = {'openrlhf', 'verl', 'trl', 'ray', 'slime', 'swift', 'verifiers', 'nemo_gym'}\n"
        "hosts |= {'torch', 'pydantic', 'fastapi', 'numpy'}\n"
        "print([host for host in hosts if host in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
