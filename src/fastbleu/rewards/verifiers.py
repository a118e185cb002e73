"""BLEU as a reward of verifiers' environments: of its tasks (0.4), and of its rubrics (up to 0.3).

A reward of a task can be plugged into any taskset by its configuration, which prime-rl's has as well:

    [env.taskset.task.rewards.bleu]
    fn = "fastbleu.rewards.verifiers:bleu"

`bleu` takes the reference from the field `answer` of the task. With other options it is a line in a module of your
own, as is a reward of a rubric:

    bleu = bleu_reward("de", extract="answer", reference="target")
    rubric = vf.Rubric(funcs=[rubric_reward("de", extract="answer")])

`bleu_metrics`, plugged in under `metrics`, logs the shares of empty, clipped and too long samples. Rewards are
asynchronous; rollouts that are scored at the same time are gathered and counted in one pass. Tested with verifiers
0.4.0 and 0.3.1. This module imports no verifiers.
"""

from __future__ import annotations

from ..errors import ArgumentValueError
from ..options import check_name
from .hosts import HostReward
from .stacks import STACKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Any


class TaskReward(HostReward):
    """Sentence BLEU as a reward of a task of `verifiers.v1`: an asynchronous function of a task's data and a trace.

    Args:
        language: The language of the replies; see `BLEUReward`.
        reference: The field of the task's data that holds its references: a str, a list of messages, a list of
            several references, or None where BLEU does not apply.
        options: The other options of `BLEUReward`, without `baseline` and `stepwise`.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument has a bad value.

    Example:
        >>> import asyncio
        >>> from types import SimpleNamespace
        >>> reward = bleu_reward(extract="answer")
        >>> trace = SimpleNamespace(last_reply="<answer>It rained today.</answer>")
        >>> asyncio.run(reward(task=SimpleNamespace(answer="It rained today ."), trace=trace))
        1.0
    """

    HOST = STACKS["verifiers.task"]

    def __init__(self, language: str | None = None, *, reference: str = "answer", **options: Any) -> None:
        check_name("reference", reference)
        super().__init__({"language": language, **options}, references=reference)

    def __call__(self, task: Any, trace: Any) -> Coroutine[Any, Any, float | dict[str, float]]:
        """Reward the last reply of a trace.

        Args:
            task: The task's data, with the field of references.
            trace: The trace, of which `last_reply` is scored.

        Returns:
            The reward, 0..`scale`; {} where the references are None, so that the trace has no such reward.

        Raises:
            TypeError: The references have the wrong type.
            ValueError: The task's data lacks the field, or it holds no reference.
        """
        try:
            references = getattr(task, self.references)
        except AttributeError:
            found = f"{type(task).__name__} has no {self.references!r}"
            raise ArgumentValueError("reference", f"must be a field of the task's data; {found}") from None
        return self._awaited(self.HOST, trace.last_reply, references)

    async def metrics(self) -> dict[str, float]:
        """The shares of `counts.shares()` so far, as a metric of a task gives numbers by name."""
        return self.shares()


class RubricReward(HostReward):
    """Sentence BLEU as a reward function of a `Rubric`, which verifiers has up to 0.3.

    It is asynchronous, and has the arguments that a rubric passes by name.

    Args:
        language: The language of the completions; see `BLEUReward`.
        reference: The item of `info` that holds the references; None for `answer`.
        options: The other options of `BLEUReward`, without `baseline` and `stepwise`. Without `extract` it is the
            rubric's parser that finds the answer.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument has a bad value.

    Example:
        >>> import asyncio
        >>> reward = rubric_reward(reference="references")
        >>> completion = [{"role": "assistant", "content": "It rained today."}]
        >>> asyncio.run(reward(completion, info={"references": ["It rained today .", "Rain ."]}))
        1.0
    """

    HOST = STACKS["verifiers.rubric"]

    def __init__(self, language: str | None = None, *, reference: str | None = None, **options: Any) -> None:
        check_name("reference", reference, is_optional=True)
        place = "answer" if reference is None else f"info[{reference!r}]"
        super().__init__({"language": language, **options}, references=place)
        self.reference = reference
        self.extracts = options.get("extract") is not None

    def __call__(
        self, completion: Any, answer: Any = "", info: Any = None, parser: Any = None, **others: Any
    ) -> Coroutine[Any, Any, float]:
        """Reward a completion.

        Args:
            completion: A str or a list of messages.
            answer: The reference.
            info: The dict that holds the references, if they are not the answer.
            parser: The rubric's parser: its `parse_answer` finds what is scored, if the reward extracts nothing.
            others: Ignored.

        Returns:
            The reward, 0..`scale`.

        Raises:
            TypeError: A completion or reference has the wrong type.
            ValueError: There is no reference. (A rubric logs errors, and goes on with a reward of 0.)
        """
        del others
        if self.reference is not None:
            answer = info.get(self.reference) if isinstance(info, dict) else None
        if parser is not None and not self.extracts:
            completion = parser.parse_answer(completion) or ""
        elif isinstance(completion, list):
            completion = [
                message.model_dump() if hasattr(message, "model_dump") else message for message in completion
            ]
        return self._awaited(self.HOST, completion, answer)


bleu_reward = TaskReward
rubric_reward = RubricReward

#: The reward of a task with its default options: `fn = "fastbleu.rewards.verifiers:bleu"`.
bleu = bleu_reward()
#: The metrics that tell how many of its samples were empty, clipped, too long.
bleu_metrics = bleu.metrics
