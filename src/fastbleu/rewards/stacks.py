"""Training stacks as rows of a table: which arguments come in, how they are read, and what goes out.

    # reward.py
    from fastbleu.rewards.stacks import bleu_reward

    compute_score = bleu_reward("easyr1", extract="answer")

A row of `STACKS` says by which names a stack passes its arguments, how completions and references are read from them,
and in which form it takes the rewards. Stacks that need more than that have a module of their own in
`fastbleu.rewards`, which makes of a call what the row reads. No stack is imported before its own class is needed for a
result. Each row was read in the source at the commit that the documentation names, and is tested by calls as they
stand there.
"""

from __future__ import annotations

import re
from functools import cache
from math import nan

from ..errors import ArgumentTypeError, ArgumentValueError, Place, wrong_type
from ..inputs.reading import as_list
from ..options import check_name
from .completions.kinds import WANTED
from .hosts import HostReward, Stack, column_of, item_of, made_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .hosts import Result

__all__ = ["Stack", "StackReward", "bleu_reward"]


# What comes in


def _answer_of_one(call: Mapping[str, Any], name: str) -> tuple[Any, Any]:
    return call["completions"], item_of(call, name, "the data of a sample")


def _action_of_a_task(call: Mapping[str, Any], name: str) -> tuple[Any, Any]:
    action = call["action"]
    return getattr(action, "action", action), item_of(call["task"], name, "task")


def _dicts(call: Mapping[str, Any], name: str) -> tuple[Any, Any]:
    inputs = call["reward_inputs"]
    if isinstance(inputs, dict):
        return item_of(inputs, "response", "reward_inputs"), item_of(inputs, name, "reward_inputs")
    listed = as_list(inputs, "reward_inputs", "a dict or a list of dicts")
    places = [str(Place("reward_inputs")[i]) for i in range(len(listed))]
    return tuple(list(map(item_of, listed, [key] * len(listed), places)) for key in ("response", name))  # type: ignore[return-value]


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
    return str(next(filter(None, found), "")), item_of(data, name, "task")


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
        where = Place("prompts")[i]
        if not isinstance(prompt, str):
            raise wrong_type(where, "a str", prompt)
        match = marked.search(prompt)
        if match is None:
            wanted = f"must hold the reference on one line, <|{name}|>...<|/{name}|>"
            raise ArgumentValueError(where, wanted, value=prompt)
        references.append(match[1].strip())
    return call["completions"], references


def _decoded(call: Mapping[str, Any], name: str) -> tuple[Any, Any]:
    data = call["data"]
    texts = call["tokenizer"].batch_decode(data.batch["responses"], skip_special_tokens=False)
    return texts, item_of(data.non_tensor_batch, name, "data.non_tensor_batch")


# What goes out


def _own_class(module: str, name: str) -> Any:
    """A class of a stack's own, which is installed where the stack runs."""
    from importlib import import_module

    return getattr(import_module(module), name)


def _overall(reward: StackReward, rewards: Any, _call: Any) -> Any:
    if isinstance(rewards, list):
        return [{"overall": each, reward.__name__: each} for each in rewards]
    return {"overall": rewards, reward.__name__: rewards}


def _with_scores(reward: HostReward, rewards: Any, _call: Any) -> dict[str, Any]:
    """OpenRLHF's dict: rewards, the same on the scale 0..1, and what it logs of each sample."""
    scores = [reward.share_of_scale(each) for each in rewards]
    logged = {name: [share] * len(scores) for name, share in reward.shares().items()}
    return {"rewards": rewards, "scores": scores, "extra_logs": {reward.__name__: scores, **logged}}


def _with_score_tensors(reward: HostReward, rewards: Any, _call: Any) -> dict[str, Any]:
    import torch

    scores = torch.tensor([reward.share_of_scale(each) for each in rewards])
    logged = {reward.__name__: scores, **reward.shares()}
    return {"rewards": torch.tensor(rewards), "scores": scores, "extra_logs": logged}


def _output_of(module: str, name: str) -> Result:
    """An object of the stack's own, with the reward and what is known of it."""

    def result(reward: StackReward, rewards: Any, _call: Any) -> Any:
        kind = _own_class(module, name)
        if name == "EvalOutput":
            return kind(reward=rewards, is_correct=reward.is_perfect(rewards))
        return kind(reward=rewards, metadata={"signature": reward.signature})

    return result


def _tensor(reward: HostReward, rewards: Any, _call: Any) -> tuple[Any, dict[str, Any]]:
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


def _roll(_reward: Any, rewards: Any, call: Mapping[str, Any]) -> Any:
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
        "AReaL", ("prompt", "completions", "prompt_ids", "completion_ids"), "completions", "answer", _answer_of_one,
        strips=True,
    ),
    "atropos": Stack(
        "atropos", ("completions",), "completions", "solution", _messages, is_batch=True, hides=True
    ),
    "easyr1": Stack(
        "EasyR1", ("reward_inputs",), "response", "ground_truth", _dicts, _overall, is_batch=True
    ),
    "hatchery": Stack(
        "axolotl's hatchery", ("prompts", "completions"), "completions", "gold", _hidden_in_prompts, is_batch=True,
        strips=True,
    ),
    "logic_rl": Stack("Logic-RL", ("solution_str", "ground_truth"), "solution_str", "ground_truth", strips=True),
    "nemo_gym": Stack("the trainer", ("body",), "response", "reference", module="nemo_gym"),
    "nemo_rl": Stack("NeMo RL", ("ground_truth", "response"), "response", "ground_truth",
        result=lambda reward, found, _: (found, reward.is_perfect(found)),
    ),
    "oat": Stack(
        "oat", ("inputs", "responses", "references"), "responses", "references", result=_tensor, is_batch=True
    ),
    "openrlhf": Stack(
        "OpenRLHF", ("queries", "prompts", "labels"), "queries", "labels", result=_with_score_tensors,
        is_batch=True, strips=True, module="openrlhf",
    ),
    "openrlhf.remote": Stack(
        "OpenRLHF", ("request",), "queries", "labels", result=_with_scores, is_batch=True, module="openrlhf"
    ),
    "ragen": Stack("RAGEN", ("prediction", "label"), "prediction", "label",
        result=lambda reward, found, _: {"is_correct": reward.is_perfect(found), "is_valid": True, "score": found},
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
    "skyrl": Stack("SkyRL", ("action", "ground_truth"), "action", "ground_truth"),
    "slime": Stack("slime", ("args", "sample"), "response", "label", strips=True, module="slime"),
    "slime.group": Stack("slime", ("args", "sample"), "response", "label", is_batch=True, module="slime"),
    "swift": Stack("ms-swift", ("completions",), "completions", "solution", is_batch=True, skips=True, module="swift"),
    "tinyzero": Stack("TinyZero", ("solution_str", "ground_truth"), "solution_str", "ground_truth", strips=True),
    "torchtune": Stack(
        "torchtune", ("completion_ids", "completions", "answers"), "completions", "answers", result=_torchtune,
        is_batch=True, strips=True,
    ),
    "trl": Stack(
        "TRL", ("prompts", "completions"), "completions", "reference", is_batch=True, skips=True, module="trl"
    ),
    "trl.ids": Stack(
        "TRL", ("completion_ids",), "completion_ids", "reference", is_batch=True, skips=True, module="trl"
    ),
    "trlx": Stack(
        "trlx", ("samples", "prompts", "outputs"), "outputs", "reference", is_batch=True, strips=True
    ),
    "tunix": Stack(
        "tunix", ("prompts", "completions"), "completions", "reference", is_batch=True, skips=True,
        result=lambda _, found, __: [nan if each is None else each for each in found],
    ),
    "tunix.action": Stack(
        "tunix", ("task", "action"), "action", "answer", _action_of_a_task,
        _output_of("tunix.rl.agentic.rewards.reward_types", "RewardOutput"),
    ),
    "tunix.compute_score": Stack("tunix", ("completion", "ground_truth"), "completion", "ground_truth"),
    "verifiers.rubric": Stack("the trainer", ("completion", "answer"), "completion", "answer", module="verifiers"),
    "verifiers.task": Stack(
        "the trainer", ("task", "trace"), "last_reply", "answer", skips=True, module="verifiers",
        result=lambda _, found, __: {} if found is None else found,
    ),
    "verl": Stack(
        "verl", ("data_source", "solution_str", "ground_truth", "extra_info"), "solution_str", "ground_truth",
        module="verl",
    ),
    "verl.batch": Stack(
        "verl", ("data_sources", "solution_strs", "ground_truths", "extra_infos"), "solution_strs", "ground_truths",
        is_batch=True, module="verl",
    ),
}  # fmt: skip


class StackReward(HostReward):
    r"""Sentence BLEU as a reward in the shape of a row of `STACKS`: a function with the stack's arguments.

    Also by the name that the stack's own classes give it: `compute` (atropos), `get_reward` and `compare` (oat),
    `evaluate` (rLLM). It can be pickled.

    Args:
        stack: The name of a row of `STACKS`: "areal", "atropos", "easyr1", "hatchery", "logic_rl", "nemo_rl", "oat",
            "ragen", "rllm", "rllm.action", "roll", "skyrl", "tinyzero", "torchtune", "trlx", "tunix", "tunix.action"
            or "tunix.compute_score".
        references: The column, field or item that holds the references, where it is not the one of the table; None
            where the stack has an argument for them, and for "hatchery", which hides no other mark from the model.
        options: Those of `BLEUReward`, without `baseline` and `stepwise`. For stacks that pass special tokens or the
            prompt along, `special_tokens` is "strip" unless it is given.

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

    def __init__(self, stack: str, *, references: str | None = None, **options: Any) -> None:
        if not isinstance(stack, str):
            raise wrong_type("stack", "the name of a training stack", stack)
        row = STACKS.get(stack)
        if row is None or row.module:
            known = ", ".join(name for name, each in STACKS.items() if not each.module)
            raise ArgumentValueError("stack", f"must be one of {known}, got {stack!r}", value=stack)
        check_name("references", references, is_optional=True)
        if references is not None and (row.references in row.parameters or row.read is _hidden_in_prompts):
            raise ArgumentValueError("references", f"must be None: {row.name} always has {row.references!r}")
        self.stack = stack
        self.options = options
        self.configured: list[Any] = []
        super().__init__(options, references=references)

    @property
    def HOST(self) -> Stack:  # type: ignore[override]  # noqa: N802  # of other hosts a constant
        """The row of `STACKS`."""
        return STACKS[self.stack]

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
            if row.read is _dicts and len(call) > 1:
                # The options that stand in EasyR1's configuration as `reward_function_kwargs` come with each call.
                inputs = call.pop("reward_inputs")
                options = {"stack": self.stack, **self.options, **call}
                return made_once(StackReward, options, self.configured)(inputs)
            if row.is_batch and isinstance(call[row.parameters[0]], dict):
                row = Stack(*row[:6])  # EasyR1 may pass one sample instead of a batch
            name = self.references or row.references
            if row.read:
                completions, references = row.read(call, name)
            else:
                completions = call[row.completion]
                references = call[name] if name in row.parameters else column_of(call, name)
            return self._rewarded(row, completions, references, call=call)
        except Exception:
            if row.hides:
                from logging import getLogger

                getLogger("fastbleu").exception("%s makes a reward of 0 of this error", row.name)
            raise

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
        for name in named:
            if name in call:
                raise ArgumentTypeError(name, "is given twice")
        call.update(named)
        for name in parameters:
            if name not in call:
                raise ArgumentTypeError(name, f"is missing; there are {sorted(call)}")
        return call


bleu_reward = StackReward
_usual = cache(bleu_reward)


def __getattr__(name: str) -> StackReward:
    # `fastbleu.rewards.stacks.areal`: a reward with the default options, for configurations that name an object.
    stack = name.replace("_action", ".action").replace("_compute_score", ".compute_score")
    if stack not in STACKS or STACKS[stack].module:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _usual(stack)
