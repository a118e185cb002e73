"""Provide BLEU as a task reward for verifiers (0.4).

The configuration of a taskset, in verifiers or in prime-rl, can add the reward to its tasks:

    [env.taskset.task.rewards.bleu]
    fn = "fastbleu.rewards.verifiers:bleu"

`bleu` reads the reference from the field `answer` of the task. For other options, write a module of your own:

    bleu = bleu_reward("de", extract="answer", reference="target")

In the section `metrics` of the configuration, `bleu_metrics` logs the shares of empty, truncated and too long samples.
Tested with verifiers 0.4.0. This module does not import verifiers.
"""

from __future__ import annotations

from ..errors import ArgumentValueError
from ..options import check_name
from .training_stacks import Samples, StackReward

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class TaskReward(StackReward):
    """Sentence BLEU as a task reward of `verifiers.v1`: an asynchronous function of a task's data and a trace.

    Args:
        language: The language of the replies; see `BLEUReward`.
        reference: The field of the task's data with the references: a str, a list of messages, a list of several
            references, or None if BLEU does not apply to the task.
        options: The other options of `BLEUReward`; or only `reward`: a `BLEUReward`, a `CombinedReward`, or another
            reward of this package. The reward must not compare samples, since verifiers scores one trace at a time.

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

    STACK = "verifiers"
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
            The reward, 0..`scale`, or {} if the references are None, so that the trace has no BLEU reward. For a
            `CombinedReward`, a dict of the weighted rewards by name, which verifiers adds up; components that do not
            apply are missing from it.

        Raises:
            TypeError: The references have the wrong type.
            ValueError: The task's data does not have the field, or the field contains no reference.
        """
        if self.is_combined:
            components = self._components(self._samples(task, trace))
            weighted = {name: (weight, components[name][0]) for name, weight in self.reward.weights.items()}
            return {
                name: weight * reward for name, (weight, reward) in weighted.items() if reward is not None
            }
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
        """Return the shares of empty, truncated and other samples, for use as a metric of verifiers."""
        return self.shares()


bleu_reward = TaskReward

#: A reward with the default options, for configurations with `fn = "fastbleu.rewards.verifiers:bleu"`.
bleu = bleu_reward()
#: A metric of verifiers: the shares of `bleu`'s samples that are empty, truncated or too long.
bleu_metrics = bleu.metrics
