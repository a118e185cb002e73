"""NeMo Gym's resources server: a request to verify as NeMo Gym parses it, a server beside restated classes, bad input.

The classes are restated from nemo_gym/base_resources_server.py of NVIDIA-NeMo/Gym at commit 07d6b0d
(`BaseVerifyRequest`, `BaseVerifyResponse`, `BaseMultiRewardVerifyResponse`). tests/parity/test_reward_nemo_gym.py runs
the real server.
"""

import asyncio
import sys
from types import ModuleType
from types import SimpleNamespace as Item
from typing import Any

import pytest

from fastbleu.rewards import BLEUReward, CombinedReward, RepetitionPenalty
from fastbleu.rewards.nemo_gym import GymReward, bleu_server, text_of_output


def message(*texts: Any, role: str = "assistant") -> Item:
    return Item(type="message", role=role, content=[Item(type="output_text", text=text) for text in texts])


#: The error about a field that would replace one of NeMo Gym's.
TAKEN = "must not have the name of a field of NeMo Gym's response"

CALL = Item(type="function_call", name="look_up", arguments="{}")


def body(output: Any, reference: Any) -> Item:
    return Item(responses_create_params=Item(), response=Item(output=output), reference=reference)


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ([], ""),
        ([Item(type="reasoning", summary=[]), CALL], ""),
        ([message("a"), CALL, message("b ", "c")], "b c"),
        ([message("a"), CALL], "a"),
        ([message("a"), message("b", role="user")], "a"),
        ([Item(type="message", role="assistant", content="a")], "a"),
        ([{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]}], "a"),
        ([{"role": "assistant", "content": "a"}], "a"),
        ([message("a", role="user"), {"role": "assistant", "content": None}], ""),
        ([Item(type="message", role="assistant", content=[Item(type="refusal", refusal="No.")])], ""),
    ],
)
def test_text_of_output(output: Any, text: str) -> None:
    assert text_of_output(output) == text


@pytest.mark.parametrize(
    ("output", "error"),
    [
        (
            [message("a", None)],
            r"\[0\]\['content'\] must be a list of parts whose 'text' is a str, not dict with",
        ),
        (
            [message("a"), {"text": "b"}],
            r"\[1\] must be an item with a type, such as a message, not dict with .*'text'",
        ),
        ([Item(type="message", content=[{"type": "markdown", "value": "a"}])], ".*the type 'markdown'"),
        ([3], r"\[0\] must be an item with a type, such as a message, not int: 3"),
    ],
)
def test_what_is_no_item(output: Any, error: str) -> None:
    with pytest.raises(TypeError, match=rf"^response\['output'\]{error}"):
        text_of_output(output)


@pytest.mark.parametrize("reference", ["a b", "a-b"])
def test_bad_names(reference: str) -> None:
    with pytest.raises(ValueError, match=r"^reference must be the name of a field"):
        GymReward(reference=reference)
    with pytest.raises(TypeError, match=r"^reference must be a str, not int"):
        GymReward(reference=3)


@pytest.mark.parametrize("output", [None, 3, "a b"])
def test_what_is_no_output(output: Any) -> None:
    with pytest.raises(TypeError, match=r"^response must be a response whose output is a list of items,"):
        GymReward()(body(output, "a b"))
    tolerant = GymReward(errors="empty", empty=-1)
    assert tolerant(body(output, "a b")) == -1.0
    assert tolerant(Item(reference="a b")) == -1.0
    assert tolerant.counts.errors == 2


@pytest.fixture(params=[True, False], ids=["since 0.7", "before"])
def gym(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """NeMo Gym's classes of requests and responses, restated."""
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")
    make = pydantic.create_model
    asked = make("BaseVerifyRequest", responses_create_params=(Any, None), response=(Any, ...))
    answer = make("BaseVerifyResponse", __base__=asked, reward=(float, ...))
    several = make("Several", __base__=answer, reward_components=(dict[str, float], ...))
    classes: dict[str, Any] = {
        "BaseVerifyRequest": asked,
        "BaseVerifyResponse": answer,
        "SimpleResourcesServer": object,
    }
    if request.param:
        classes["BaseMultiRewardVerifyResponse"] = several
    package: Any = ModuleType("nemo_gym")
    package.base_resources_server = Item(**classes)
    monkeypatch.setitem(sys.modules, "nemo_gym", package)


PARTS = {"bleu": (0.5, BLEUReward()), "loops": (1.0, RepetitionPenalty(n=1))}


@pytest.mark.usefixtures("gym")
def test_a_server_of_several_rewards() -> None:
    server = bleu_server(reward=CombinedReward(PARTS, extract="answer"))
    asked = server.verify.__annotations__["body"]
    for text, truth, bleu, loops in [
        ("<answer>a dog</answer>", "a dog", 1.0, 0.0),
        ("no no", None, 0.0, -0.5),
    ]:
        answered = asyncio.run(server().verify(asked(response=Item(output=[message(text)]), reference=truth)))
        assert answered.reward == 0.5 * bleu + loops
        assert answered.reward_components == {"bleu": bleu, "loops": loops}
        assert (answered.bleu, answered.loops, answered.reference) == (bleu, loops, truth)
    assert server.bleu_reward.reward.weights == {"bleu": 0.5, "loops": 1.0}
    of_one = bleu_server(reward=BLEUReward(scale=2))
    answered = asyncio.run(of_one().verify(asked(response=Item(output=[message("a")]), reference="a")))
    assert (answered.reward, answered.bleu) == (2.0, 1.0)


@pytest.mark.usefixtures("gym")
@pytest.mark.parametrize(
    ("names", "reference", "message"),
    [
        (["loops", "response"], "reference", f"reward {TAKEN}, got 'response'"),
        (["reward_components"], "reference", f"reward {TAKEN}, got 'reward_components'"),
        (["loops"], "reward", f"reference {TAKEN}, got 'reward'"),
        (["loops"], "loops", "reference must not have the name of a score in the response, got 'loops'"),
    ],
)
def test_names_that_are_taken(names: list[str], reference: str, message: str) -> None:
    combined = CombinedReward({name: (1.0, RepetitionPenalty()) for name in names})
    with pytest.raises(ValueError, match=f"^{message}$"):
        bleu_server(reference=reference, reward=combined)
