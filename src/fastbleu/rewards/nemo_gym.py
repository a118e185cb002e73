"""Provide BLEU as a resources server of NeMo Gym, which calls the server's `verify` for each rollout.

    # resources_servers/bleu/app.py
    from fastbleu.rewards.nemo_gym import bleu_server

    BLEUResourcesServer = bleu_server("de", extract="answer")

    if __name__ == "__main__":
        BLEUResourcesServer.run_webserver()

Each line of the data set has two fields: `responses_create_params`, and `reference`, which is a text or a list of
several texts. Calling `bleu_server` imports NeMo Gym. Tested with NeMo Gym 0.4.0.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import ArgumentValueError, Location, wrong_type, wrong_value
from ..options import check_name
from .completions.text import content_text
from .training_stacks import Samples, StackReward

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def bleu_server(language: str | None = None, *, reference: str = "reference", **options: Any) -> Any:
    """Make a class for a resources server that rewards responses.

    Args:
        language: The language of the responses; see `BLEUReward`.
        reference: The field of the data set that contains the references: a str, or a list of several references.
        options: The other options of `BLEUReward`; or only `reward`: a `BLEUReward`, a `CombinedReward`, or another
            reward of this package. The reward must not compare samples, since NeMo Gym verifies one response at a time.

    Returns:
        A subclass of NeMo Gym's `SimpleResourcesServer`. Its `verify` returns the fields of the request and `reward`,
        0..`scale`. It also returns `bleu`, the reward on the scale 0..1, which NeMo Gym averages for its metrics. For a
        `CombinedReward`, `reward` is the sum; instead of `bleu`, each component is returned under its name, and all
        components as the dict `reward_components`, with 0.0 for a component that does not apply. The attribute
        `bleu_reward` of the class is the `GymReward`.

    Raises:
        ImportError: NeMo Gym is not installed.
        TypeError: An argument has the wrong type.
        ValueError: An argument has a bad value, or `reference` or a component has the name of another field.
    """
    reward = GymReward(language, reference=reference, **options)
    from nemo_gym import base_resources_server as gym
    from pydantic import create_model

    base = gym.BaseVerifyResponse
    metrics: Any = {"bleu": (float, ...)}
    if reward.is_combined:
        base = getattr(gym, "BaseMultiRewardVerifyResponse", base)  # since 0.7
        metrics = dict.fromkeys(reward.reward.weights, (float, ...))
    # Refuse names that NeMo Gym's response already uses, because the new fields would replace NeMo Gym's.
    for argument, name in ("reference", reference), *(("reward", name) for name in metrics):
        if name in base.model_fields or name == "reward_components":
            problem = f"must not have the name of a field of NeMo Gym's response, got {name!r}"
            raise ArgumentValueError(argument, problem, value=name)
    if reference in metrics:
        problem = f"must not have the name of a score in the response, got {reference!r}"
        raise ArgumentValueError("reference", problem, value=reference)
    fields: Any = {reference: (object, None)}
    request = create_model("BLEUVerifyRequest", __base__=gym.BaseVerifyRequest, **fields)
    combined: Any = {"reward_components": (dict[str, float], ...)} if reward.is_combined else {}
    response = create_model("BLEUVerifyResponse", __base__=base, **metrics, **combined, **fields)

    async def verify(self: Any, body: Any) -> Any:
        del self
        if reward.is_combined:
            components = reward.components(body)
            total = components.pop("score")
            return response(**body.model_dump(), reward=total, reward_components=components, **components)
        value = reward(body)
        return response(**body.model_dump(), reward=value, bleu=reward.share_of_scale(value))

    # FastAPI reads the fields of requests and responses from the annotations of the method.
    verify.__annotations__ = {"body": request, "return": response}
    names = {
        "__module__": __name__,
        "__doc__": "Rewards responses with sentence BLEU.",
        "__annotations__": {},
        "verify": verify,
    }
    server = type(gym.SimpleResourcesServer)("BLEUResourcesServer", (gym.SimpleResourcesServer,), names)
    server.bleu_reward = reward
    return server


class GymReward(StackReward):
    """The reward function of a resources server, which scores the response in a verify request; see `bleu_server`."""

    STACK = "NeMo Gym"

    def __init__(self, language: str | None = None, *, reference: str = "reference", **options: Any) -> None:
        check_name("reference", reference)
        if not reference.isidentifier():
            raise wrong_value("reference", "the name of a field", reference)
        super().__init__({"language": language, **options})
        self.reference = reference

    def __call__(self, body: Any) -> float:
        """Reward the response in a verify request.

        Args:
            body: The request, with the field of references, and with `response.output`, a list of items as in OpenAI's
                Responses API.

        Returns:
            The reward, 0..`scale`.

        Raises:
            TypeError: The references have the wrong type.
            ValueError: There is no reference.

        Example:
            >>> from types import SimpleNamespace as Item
            >>> text = Item(type="output_text", text="It rained today.")
            >>> message = Item(type="message", role="assistant", content=[text])
            >>> GymReward()(Item(reference="It rained today .", response=Item(output=[message])))
            1.0
        """
        reward: float = self._rewards(self._samples(body))[0]
        return reward

    def components(self, body: Any) -> dict[str, float]:
        """Reward a response by a `CombinedReward`; return the sum as "score", and each component by name."""
        return self.by_sample(self._samples(body))[0]

    def _samples(self, body: Any) -> Samples:
        output = getattr(getattr(body, "response", None), "output", None)
        # If the output is not a list, pass None instead of a text, so that the response is counted as malformed.
        text = None if self.tolerant and not isinstance(output, (list, tuple)) else text_of_output(output)
        references = getattr(body, self.reference, None)
        return Samples([text], [references], ("response", self.reference), is_one=True)


def text_of_output(output: Any) -> str:
    """Return the text of the assistant's last message among the items of a response, or "" if there is no message.

    Reasoning and tool calls are separate items, which are skipped.

    Raises:
        TypeError: The items are not a list, an item has neither a type nor a role, or the content of the message is not
            valid for `BLEUReward`.
    """
    if not isinstance(output, (list, tuple)):
        raise wrong_type("response", "a response whose output is a list of items", output)
    for i in reversed(range(len(output))):
        item, location = _fields(output[i]), Location("response")["output"][i]
        if not isinstance(item, Mapping) or not ("type" in item or "role" in item):
            raise wrong_type(location, "an item with a type, such as a message", output[i])
        if item.get("type", "message") == "message" and item.get("role", "assistant") == "assistant":
            content = item.get("content")
            parts = [*map(_fields, content)] if isinstance(content, (list, tuple)) else content
            return content_text(parts, location)
    return ""


def _fields(item: Any) -> Any:
    """Return the attributes of an object as a dict; a value without attributes, such as a dict, is unchanged."""
    return getattr(item, "__dict__", item)
