"""Training stacks that call a function, as rows of a table: which arguments come in, and what goes out.

    # reward.py
    from fastbleu.rewards.stacks import bleu_reward

    compute_score = bleu_reward("easyr1", extract="answer")

A row of `STACKS` says by which names a stack passes its arguments, how completions and references are read from them,
and in which form it takes the rewards. Stacks that need more than that have a module of their own in
`fastbleu.rewards`. No stack is imported before its own class is needed for a result. Each row was read in the source at
the commit that the documentation names ("Other stacks"), and is tested by calls as they stand there.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from ..errors import ArgumentTypeError, ArgumentValueError, Place, show, wrong_type
from ..inputs.reading import as_list
from .completions.kinds import WANTED
from .hosts import Host, HostReward, check_name, column_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    #: From the arguments of a call by name, and the name of the references, to completions and references.
    Read: TypeAlias = Callable[[Mapping[str, Any], str], tuple[Any, Any]]
    #: From a reward, the rewards of a call and its arguments to what the stack takes.
    Result: TypeAlias = Callable[["StackReward", Any, Mapping[str, Any]], Any]


class Stack(NamedTuple):
    """The way in which a training stack calls a reward.

    Args:
        name: The stack's name, for errors.
        parameters: The arguments in the order in which they come; others come by name.
        completion: The argument that holds a completion, for errors.
        references: The argument, column or field that holds the references, where the user names no other.
        read: Finds completions and references in the arguments: of a batch, or of one sample.
        result: Makes of the rewards what the stack takes.
        is_batch: Whether a call has several samples.
        strips: Whether the stack passes special tokens or the prompt along, so that they are cut off by default.
        hides: Whether the stack makes a reward of 0 of an error, so that errors are logged before they are raised.
    """

    name: str
    parameters: tuple[str, ...]
    completion: str
    references: str
    read: Read
    result: Result
    is_batch: bool = False
    strips: bool = False
    hides: bool = False


# What comes in


def _given(completion: str, references: str | None = None) -> Read:
    """Both are arguments; without a name the references are a column that the user named."""

    def read(call: Mapping[str, Any], name: str) -> tuple[Any, Any]:
        if references is None:
            return call[completion], column_of(call, name)
        return call[completion], call[references]

    return read


def _answer_of_one(call: Mapping[str, Any], name: str) -> tuple[Any, Any]:
    return call["completions"], _item(call, name, "the data of a sample")


def _action_of_a_task(call: Mapping[str, Any], name: str) -> tuple[Any, Any]:
    action = call["action"]
    return getattr(action, "action", action), _item(call["task"], name, "task")


def _dicts(call: Mapping[str, Any], name: str) -> tuple[Any, Any]:
    inputs = call["reward_inputs"]
    if isinstance(inputs, dict):
        return _item(inputs, "response", "reward_inputs"), _item(inputs, name, "reward_inputs")
    listed = as_list(inputs, "reward_inputs", "a dict or a list of dicts")
    places = [str(Place("reward_inputs")[i]) for i in range(len(listed))]
    return tuple(list(map(_item, listed, [key] * len(listed), places)) for key in ("response", name))  # type: ignore[return-value]


def _episode(call: Mapping[str, Any], name: str) -> tuple[Any, Any]:
    """The answer of an episode where rLLM's own evaluators find it: in its artifacts, or in its last trajectory."""
    task, episode = call["task"], call["episode"]
    if not (hasattr(episode, "trajectories") and hasattr(episode, "artifacts")):
        raise wrong_type("episode", "an episode with trajectories and artifacts", episode)
    data = getattr(task, "metadata", task)
    found: list[Any] = []
    if "answer" in episode.artifacts:
        found = [episode.artifacts["answer"]]
    elif episode.trajectories:
        trajectory = episode.trajectories[-1]
        found = [trajectory.output, *(step.output for step in trajectory.steps[-1:])]
        found.extend(step.model_response for step in reversed(trajectory.steps))
    return str(next(filter(None, found), "")), _item(data, name, "task")


def _messages(call: Mapping[str, Any], name: str) -> tuple[Any, Any]:
    """Texts, messages, or dicts with a message; the references may be one for all."""
    completions = [
        each["message"] if isinstance(each, dict) and "message" in each else each
        for each in as_list(call["completions"], "completions", "a sequence of completions")
    ]
    references = call.get(name)
    if isinstance(references, str):
        references = [references] * len(completions)
    return completions, references if references is not None else column_of(call, name)


def _hidden_in_prompts(call: Mapping[str, Any], name: str) -> tuple[Any, Any]:
    """References stand in the prompts, between marks that the model does not see."""
    # As axolotl's own: what goes on over several lines it would not hide from the model.
    marked = re.compile(rf"<\|{re.escape(name)}\|>(.*?)<\|/{re.escape(name)}\|>")
    references = []
    for i, prompt in enumerate(as_list(call["prompts"], "prompts", WANTED["prompts"])):
        if not isinstance(prompt, str):
            raise wrong_type(Place("prompts")[i], "a str", prompt)
        match = marked.search(prompt)
        if match is None:
            raise ArgumentValueError(
                Place("prompts")[i],
                f"must hold the reference on one line, <|{name}|>...<|/{name}|>",
                value=prompt,
            )
        references.append(match[1].strip())
    return call["completions"], references


def _decoded(call: Mapping[str, Any], name: str) -> tuple[Any, Any]:
    data = call["data"]
    texts = call["tokenizer"].batch_decode(data.batch["responses"], skip_special_tokens=False)
    return texts, _item(data.non_tensor_batch, name, "data.non_tensor_batch")


def _item(data: Any, name: str, what: str) -> Any:
    """An item of a dict."""
    if not hasattr(data, "keys"):
        raise wrong_type(what, f"a dict with {name!r}", data)
    if name not in data:
        raise ArgumentValueError(name, f"is not among {show(sorted(map(str, data)))} of {what}")
    return data[name]


# What goes out


def _own_class(module: str, name: str) -> Any:
    """A class of a stack's own, which is installed where the stack runs."""
    from importlib import import_module

    return getattr(import_module(module), name)


def _plain(reward: StackReward, rewards: Any, call: Mapping[str, Any]) -> Any:
    del reward, call
    return rewards


def _nan_for_none(reward: StackReward, rewards: Any, call: Mapping[str, Any]) -> list[float]:
    del reward, call
    return [float("nan") if each is None else each for each in rewards]


def _overall(reward: StackReward, rewards: Any, call: Mapping[str, Any]) -> Any:
    del call
    if isinstance(rewards, list):
        return [{"overall": each, reward.__name__: each} for each in rewards]
    return {"overall": rewards, reward.__name__: rewards}


def _with_success(reward: StackReward, rewards: Any, call: Mapping[str, Any]) -> tuple[float, bool]:
    del call
    return rewards, reward.is_perfect(rewards)


def _checked(reward: StackReward, rewards: Any, call: Mapping[str, Any]) -> dict[str, Any]:
    del call
    return {"is_correct": reward.is_perfect(rewards), "is_valid": True, "score": rewards}


def _output_of(module: str, name: str) -> Result:
    """An object of the stack's own, with the reward and what is known of it."""

    def result(reward: StackReward, rewards: Any, call: Mapping[str, Any]) -> Any:
        del call
        kind = _own_class(module, name)
        if name == "EvalOutput":
            return kind(reward=rewards, is_correct=reward.is_perfect(rewards))
        return kind(reward=rewards, metadata={"signature": reward.signature})

    return result


def _tensor(reward: StackReward, rewards: Any, call: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    del call
    import torch

    return torch.tensor(rewards), reward.shares()


def _torchtune(reward: StackReward, rewards: Any, call: Mapping[str, Any]) -> Any:
    import torch

    device = getattr(call["completion_ids"], "device", None)
    successes = [float(reward.is_perfect(each)) for each in rewards]
    return _own_class("torchtune.dev.rl.rewards", "RewardOutput")(
        reward_base_name=reward.__name__,
        total_reward=torch.tensor(rewards, device=device),
        successes=torch.tensor(successes, device=device),
    )


def _roll(reward: StackReward, rewards: Any, call: Mapping[str, Any]) -> Any:
    del reward
    import torch

    found = torch.tensor(rewards, dtype=torch.float16)
    return _own_class("roll.distributed.scheduler.protocol", "DataProto").from_dict(
        tensors={
            "token_level_rewards": torch.zeros_like(call["data"].batch["responses"], dtype=torch.float16),
            "response_level_rewards": found,
            "scores": found.clone(),
        }
    )


#: Training stacks by name.
STACKS = {
    "areal": Stack(
        "AReaL", ("prompt", "completions", "prompt_ids", "completion_ids"), "completions", "answer",
        _answer_of_one, _plain, strips=True,
    ),
    "atropos": Stack(
        "atropos", ("completions",), "completions", "solution", _messages, _plain, is_batch=True, hides=True
    ),
    "easyr1": Stack(
        "EasyR1", ("reward_inputs",), "response", "ground_truth", _dicts, _overall, is_batch=True
    ),
    "hatchery": Stack(
        "axolotl's hatchery", ("prompts", "completions"), "completions", "gold", _hidden_in_prompts, _plain,
        is_batch=True, strips=True,
    ),
    "logic_rl": Stack(
        "Logic-RL", ("solution_str", "ground_truth"), "solution_str", "ground_truth",
        _given("solution_str", "ground_truth"), _plain, strips=True,
    ),
    "nemo_rl": Stack(
        "NeMo RL", ("ground_truth", "response"), "response", "ground_truth", _given("response", "ground_truth"),
        _with_success,
    ),
    "oat": Stack(
        "oat", ("inputs", "responses", "references"), "responses", "references", _given("responses", "references"),
        _tensor, is_batch=True,
    ),
    "ragen": Stack(
        "RAGEN", ("prediction", "label"), "prediction", "label", _given("prediction", "label"), _checked
    ),
    "rllm": Stack(
        "rLLM", ("task", "episode"), "episode", "ground_truth", _episode,
        _output_of("rllm.eval.types", "EvalOutput"), hides=True,
    ),
    "rllm.action": Stack(
        "rLLM", ("task", "action"), "action", "ground_truth", _action_of_a_task,
        _output_of("rllm.rewards.reward_types", "RewardOutput"), hides=True,
    ),
    "roll": Stack(
        "ROLL", ("data", "tokenizer"), "responses", "ground_truth", _decoded, _roll, is_batch=True, strips=True
    ),
    "skyrl": Stack(
        "SkyRL", ("action", "ground_truth"), "action", "ground_truth", _given("action", "ground_truth"), _plain
    ),
    "tinyzero": Stack(
        "TinyZero", ("solution_str", "ground_truth"), "solution_str", "ground_truth",
        _given("solution_str", "ground_truth"), _plain, strips=True,
    ),
    "torchtune": Stack(
        "torchtune", ("completion_ids", "completions", "answers"), "completions", "answers",
        _given("completions", "answers"), _torchtune, is_batch=True, strips=True,
    ),
    "trlx": Stack(
        "trlx", ("samples", "prompts", "outputs"), "outputs", "reference", _given("outputs"), _plain,
        is_batch=True, strips=True,
    ),
    "tunix": Stack(
        "tunix", ("prompts", "completions"), "completions", "reference", _given("completions"), _nan_for_none,
        is_batch=True,
    ),
    "tunix.action": Stack(
        "tunix", ("task", "action"), "action", "answer", _action_of_a_task,
        _output_of("tunix.rl.agentic.rewards.reward_types", "RewardOutput"),
    ),
    "tunix.compute_score": Stack(
        "tunix", ("completion", "ground_truth"), "completion", "ground_truth", _given("completion", "ground_truth"),
        _plain,
    ),
}  # fmt: skip


def bleu_reward(stack: str, *, references: str | None = None, **options: Any) -> StackReward:
    r"""Make a reward that a training stack calls.

    Args:
        stack: The name of a row of `STACKS`: "areal", "atropos", "easyr1", "hatchery", "logic_rl", "nemo_rl", "oat",
            "ragen", "rllm", "rllm.action", "roll", "skyrl", "tinyzero", "torchtune", "trlx", "tunix", "tunix.action"
            or "tunix.compute_score".
        references: The column, field or item that holds the references, where it is not the one of the table; None
            where the stack has an argument for them, and for "hatchery", which hides no other mark from the model.
        options: Those of `BLEUReward`, without `baseline` and `stepwise`. For stacks that pass special tokens or the
            prompt along, `special_tokens` is "strip" unless it is given.

    Returns:
        A function with the stack's arguments; also by the name that the stack's own classes give it: `compute`
        (atropos), `get_reward` and `compare` (oat), `evaluate` (rLLM). It can be pickled.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument has a bad value.

    Example:
        >>> compute_score = bleu_reward("tinyzero", extract="answer")
        >>> text = "User: Say it.\nAssistant: I will.\n<answer>the cat sat</answer><|endoftext|>"
        >>> compute_score(solution_str=text, ground_truth="the cat sat")
        1.0
        >>> bleu_reward("easyr1")([{"response": "the cat sat", "response_length": 3, "ground_truth": "the cat sat"}])
        [{'overall': 1.0, 'bleu_reward': 1.0}]
    """
    if not isinstance(stack, str):
        raise wrong_type("stack", "the name of a training stack", stack)
    if stack not in STACKS:
        raise ArgumentValueError("stack", f"must be one of {', '.join(STACKS)}, got {stack!r}", value=stack)
    check_name("references", references, is_optional=True)
    row = STACKS[stack]
    if references is not None and (row.references in row.parameters or row.read is _hidden_in_prompts):
        raise ArgumentValueError("references", f"must be None: {row.name} always has {row.references!r}")
    return StackReward(stack, options, references)


class StackReward(HostReward):
    """Sentence BLEU as a reward in the shape of a row of `STACKS`; see `bleu_reward`."""

    def __init__(self, stack: str, options: Mapping[str, Any], references: str | None = None) -> None:
        row = STACKS[stack]
        self.HOST = Host(row.name, row.completion, row.references)
        if row.strips:
            options = {"special_tokens": "strip", **options}
        super().__init__(options, references=references)
        self.stack = stack

    def is_perfect(self, reward: float) -> bool:
        """Return whether a reward is that of a perfect match."""
        return reward >= self.scale

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Reward what a stack passes.

        Args:
            arguments: The arguments of the row's `parameters`, in this order.
            named: The others, by name; what the row does not name is the data of a sample, or ignored.

        Returns:
            What the stack takes.

        Raises:
            TypeError: An argument is missing, given twice, or of the wrong type.
            ValueError: A sample has no reference.
        """
        row = STACKS[self.stack]
        try:
            call = self._arguments(row.parameters, arguments, named)
            completions, references = row.read(call, self.names["references"])
            if row.is_batch and not isinstance(call[row.parameters[0]], dict):  # one of EasyR1's
                if row.result is not _nan_for_none:
                    name = self.names["references"]
                    listed = as_list(references, name, WANTED["references"])
                    references = [self._references(each, i) for i, each in enumerate(listed)]
                rewards: Any = self._many(completions, references)
            else:
                rewards = self._one(completions, references)[0]
        except Exception:
            if row.hides:
                from logging import getLogger

                getLogger("fastbleu").exception("%s makes a reward of 0 of this error", row.name)
            raise
        return row.result(self, rewards, call)

    # As the classes of stacks name it
    compute = get_reward = evaluate = __call__

    def compare(self, *arguments: Any, **named: Any) -> tuple[Any, dict[str, Any]]:
        """Reward what oat evaluates, where its own oracles compare responses with references, too.

        Args:
            arguments: Those of a call.
            named: Likewise, by name.

        Returns:
            What a call returns, with the rewards in a NumPy array.
        """
        rewards, shares = self(*arguments, **named)
        return rewards.numpy(), shares

    @staticmethod
    def _arguments(
        parameters: tuple[str, ...], arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> dict[str, Any]:
        """The arguments of a call by name."""
        if len(arguments) > len(parameters):
            raise ArgumentTypeError(
                "arguments", f"must be {len(parameters)}, {', '.join(parameters)}; got {len(arguments)}"
            )
        call = dict(zip(parameters, arguments, strict=False))
        twice = call.keys() & named.keys()
        if twice:
            raise ArgumentTypeError(min(twice), "is given twice")
        call.update(named)
        for name in parameters:
            if name not in call:
                raise ArgumentTypeError(name, f"is missing; there are {sorted(call)}")
        return call


@cache
def _usual(stack: str) -> StackReward:
    return bleu_reward(stack)


def __getattr__(name: str) -> StackReward:
    # `fastbleu.rewards.stacks.areal`: a reward with the default options, for configurations that name an object.
    stack = name.replace("_action", ".action").replace("_compute_score", ".compute_score")
    if stack not in STACKS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _usual(stack)
