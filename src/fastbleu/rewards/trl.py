"""Provide BLEU and the other rewards of this package for TRL's trainers: GRPO, RLOO and online DPO.

    from fastbleu.rewards.trl import bleu_reward

    trainer = GRPOTrainer(model, reward_funcs=bleu_reward("reference"), train_dataset=dataset, args=config)

The dataset's column `reference` has the references of each prompt. This module does not import TRL;
`pip install "fastbleu-metric[trl]"` installs TRL. Tested with TRL 1.16.0, whose documentation describes the arguments
and the result of a reward function:
https://github.com/huggingface/trl/blob/f2cd57710ae345ea6428ae95363267fcf38a3dc8/docs/source/grpo_trainer.md
"""

from __future__ import annotations

from math import fsum
from operator import sub

from ..errors import ArgumentTypeError, ArgumentValueError, Location
from ..inputs.reading import as_list
from ..options import check_integer, check_name
from .completions.call_arguments import WANTED, are_ids
from .completions.text import from_fields
from .training_stacks import Samples, StackReward, check_language, column_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

__all__ = ["TRLReward", "bleu", "bleu_reward"]

#: Keyword arguments of the trainer that are not columns of the data set.
_OF_TRAINER = ("trainer_state", "log_extra", "environments")


class TRLReward(StackReward):
    """Sentence BLEU as a reward function of TRL, which passes prompts, completions and the columns of the dataset.

    A call returns one reward for each completion, 0..`scale`. The object can be pickled, which asynchronous GRPO
    requires.

    Args:
        reference_column: The column of the dataset with the references of each sample. An entry is one reference (a
            str, a list of messages, or token ids), a list of several references, or None if BLEU does not apply to the
            sample. If the references are ids, the trainer's `completion_ids` are scored without decoding. The column
            may be missing if the reward needs no references.
        language_column: The column with the language of each sample, if languages differ.
        group_size: The trainer's `num_generations`, which TRL does not pass. It is required for rewards that compare
            the samples of a prompt, such as `ConsensusReward`.
        options: The options of `BLEUReward`; or only `reward`: a `BLEUReward`, a `CombinedReward`, or another reward
            of this package. The option `name` is part of the keys in the trainer's logs, such as
            "rewards/bleu_reward/mean"; its default is "chrf_reward" if the metric is a `CHRF`.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument has a bad value.

    Example:
        >>> reward = bleu_reward()
        >>> rewards = reward(
        ...     prompts=["Say it.", "Say it.", "Compute."],
        ...     completions=["the cat sat", "the mat sat", "42"],
        ...     reference=["the cat sat down", ["a mat sat", "the dog"], None],
        ... )
        >>> [reward if reward is None else round(reward, 4) for reward in rewards]
        [0.7165, 0.63, None]
    """

    STACK = "TRL"
    HAS_GROUPS = True
    SKIPS = True

    def __init__(
        self,
        reference_column: str = "reference",
        *,
        language_column: str | None = None,
        group_size: int | None = None,
        **options: Any,
    ) -> None:
        check_name("reference_column", reference_column)
        check_language("language_column", language_column, options)
        if group_size is not None:
            check_integer("group_size", group_size, 1)
        super().__init__(options)
        if group_size is None and self.is_combined and self.reward.needs_groups:
            raise ArgumentValueError(
                "group_size",
                "must be the trainer's num_generations, since the reward compares the samples of a prompt",
            )
        self.group_size = group_size
        self.reference_column = reference_column
        self.language_column = language_column
        # Without errors="empty", malformed samples raise errors, so their share is always 0 and is not logged.
        self._logged = self.counts.NAMES[1 : None if self.tolerant else -1]

    def __call__(
        self,
        prompts: Sequence[Any] | None = None,
        completions: Sequence[Any] = (),
        completion_ids: Sequence[Any] | None = None,
        *,
        log_metric: Callable[[str, float], None] | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """Reward completions.

        Args:
            prompts: n prompts, required if `group_size` is set.
            completions: n texts, each a str or a list of messages.
            completion_ids: The token ids of the completions, n lists. If the references are ids, these lists are
                scored instead of the texts.
            log_metric: The trainer's function that logs a number under a name. It is called with the shares of
                completions that are empty, truncated and so on, such as "rewards/bleu_reward/empty". For a
                `CombinedReward`, it is also called with the mean of each component, such as
                "rewards/combined_reward/chrf". With a single component, nothing is logged.
            columns: The columns of the dataset, of n values each, and other arguments of the trainer. Only the columns
                of references and languages are read.

        Returns:
            n rewards, with None where the references are None; TRL accepts None from a reward that does not apply.

        Raises:
            TypeError: A completion or reference has the wrong type.
            ValueError: A column is missing or does not have n values, a list of references is empty, or a list of
                messages has no message of the assistant.
        """
        samples = self._samples(prompts, completions, completion_ids, **columns)
        before = self.counts.numbers()
        components = self._components(samples)
        totals: list[float | None] = components.pop("total")
        # With a single component, log nothing, because TRL itself logs the mean of the returned rewards.
        if log_metric is None or len(components) == 1:
            return totals
        number, *counts = map(sub, self.counts.numbers(), before)
        for name, count in zip(self._logged, counts, strict=False) if number else ():
            log_metric(f"rewards/{self.__name__}/{name}", count / number)
        for name, rewards in components.items():
            numbers = [reward for reward in rewards if reward is not None]
            if numbers:
                log_metric(f"rewards/{self.__name__}/{name}", fsum(numbers) / len(numbers))
        return totals

    def _samples(
        self, prompts: Any = None, completions: Any = (), completion_ids: Any = None, **columns: Any
    ) -> Samples:
        columns = {name: column for name, column in columns.items() if name not in _OF_TRAINER}
        references = self._references(columns, self.reference_column)
        name, scored, expected = "completions", completions, "a sequence of texts"
        field = self.reward.options["reference_field"]
        if references and are_ids(references if field is None else from_fields(references, field), None):
            if completion_ids is None:
                raise ArgumentTypeError(
                    "completion_ids", f"must be given, since {self.reference_column} holds token ids"
                )
            name, scored, expected = "completion_ids", completion_ids, "a sequence of ids"
        languages = None
        if self.language_column is not None:
            languages = column_of(columns, self.language_column, WANTED["languages"])
        if self.group_size is not None:
            _check_groups(prompts, self.group_size)
        return Samples(
            as_list(scored, name, expected),
            references,
            (name, self.reference_column),
            languages,
            prompts=prompts,
            groups=self.group_size,
            completion_ids=None if scored is completion_ids else completion_ids,
        )


def _check_groups(prompts: Any, size: int) -> None:
    """Check that each group of `size` consecutive rows has the same prompt.

    Raises:
        TypeError: The prompts are missing.
        ValueError: The prompts of a group differ, or the last group is incomplete.
    """
    listed = as_list(prompts, "prompts", "a sequence of prompts")
    advice = (
        f"group_size={size} consecutive rows must have the same prompt. TRL passes the rows of one process: make "
        "per_device_train_batch_size * steps_per_generation a multiple of num_generations, so that no group is divided "
        "among processes, and make group_size equal to num_generations and num_generations_eval"
    )
    for i, prompt in enumerate(listed):
        if prompt != listed[i - i % size]:
            raise ArgumentValueError(
                Location("prompts")[i], f"differs from prompts[{i - i % size}], but {advice}"
            )
    if len(listed) % size:
        raise ArgumentValueError("prompts", f"has {len(listed)} items, but {advice}")


bleu_reward = TRLReward

#: A reward with the default options, for configurations that name a function, such as axolotl's `trl.reward_funcs`.
bleu = bleu_reward()
