"""BLEU as a reward of a task of verifiers (0.4).

A reward of a task can be plugged into any taskset by its configuration, also by that of prime-rl:

    [env.taskset.task.rewards.bleu]
    fn = "fastbleu.rewards.verifiers:bleu"

`bleu` takes the reference from the field `answer` of the task. For other options, write a module of your own:

    bleu = bleu_reward("de", extract="answer", reference="target")

`bleu_metrics`, plugged in under `metrics`, logs the shares of empty, clipped and too long samples. Tested with
verifiers 0.4.0. This module does not import verifiers.
"""

from __future__ import annotations

from ..errors import ArgumentValueError
from ..options import check_name
from .hosts import HostReward, Samples

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class TaskReward(HostReward):
    """Sentence BLEU as a reward of a task of `verifiers.v1`: an asynchronous function of a task's data and a trace.

    Args:
        language: The language of the replies; see `BLEUReward`.
        reference: The field of the task's data that holds its references: a str, a list of messages, a list of
            several references, or None where BLEU does not apply.
        options: The other options of `BLEUReward`. Or only `reward`: a `BLEUReward`, a `CombinedReward`, or one of its
            components; it may not compare samples, since verifiers scores one trace at a time.

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

    HOST = "verifiers"
    SKIPS = True

    def __init__(self, language: str | None = None, *, reference: str = "answer", **options: Any) -> None:
        check_name("reference", reference)
        super().__init__({"language": language, **options})
        self.reference = reference

    async def __call__(self, task: Any, trace: Any) -> float | dict[str, float]:
        """Reward the last reply of a trace.

        Args:
            task: The task's data, with the field of references.
            trace: The trace, whose `last_reply` is scored.

        Returns:
            The reward, 0..`scale`; {} where the references are None, so that the trace has no such reward. For a
            `CombinedReward` the weighted reward of each component that applies by name, which verifiers adds up.

        Raises:
            TypeError: The references have the wrong type.
            ValueError: The task's data does not have the field, or the field contains no reference.
        """
        if self.is_combined:
            parts = self._components(self._samples(task, trace))
            weighted = {name: (weight, parts[name][0]) for name, weight in self.reward.weights.items()}
            return {name: weight * part for name, (weight, part) in weighted.items() if part is not None}
        reward: float | None = self._rewards(self._samples(task, trace))[0]
        return {} if reward is None else reward

    def _samples(self, task: Any, trace: Any) -> Samples:
        try:
            references = [getattr(task, self.reference)]
        except AttributeError:
            if not self.is_combined or self.reward.needs_references:
                missing = f"{type(task).__name__} has no {self.reference!r}"
                raise ArgumentValueError(
                    "reference", f"must be a field of the task's data; {missing}"
                ) from None
            references = [None]
        return Samples([trace.last_reply], references, ("last_reply", self.reference), is_one=True)

    async def metrics(self) -> dict[str, float]:
        """Return the shares of `counts.shares()` so far, as a metric of a task returns numbers by name."""
        return self.shares()


bleu_reward = TaskReward

#: The reward with its default options: `fn = "fastbleu.rewards.verifiers:bleu"`.
bleu = bleu_reward()
#: The shares of its samples that are empty, clipped or too long.
bleu_metrics = bleu.metrics
