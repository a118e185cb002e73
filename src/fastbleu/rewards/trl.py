"""BLEU and the other rewards of this package for TRL's trainers: GRPO, RLOO and online DPO.

    from fastbleu.rewards.trl import bleu_reward

    trainer = GRPOTrainer(model, reward_funcs=bleu_reward("reference"), train_dataset=dataset, args=config)

The dataset's column `reference` holds the references of each prompt. This module does not import TRL;
`pip install "fastbleu-metric[trl]"` installs it. Tested with its release 1.16.0, whose documentation describes the
arguments and the result of a reward function:
https://github.com/huggingface/trl/blob/f2cd57710ae345ea6428ae95363267fcf38a3dc8/docs/source/grpo_trainer.md
"""

from __future__ import annotations

from math import fsum
from operator import sub

from ..errors import ArgumentTypeError, ArgumentValueError, Location
from ..inputs.reading import as_list
from ..options import check_integer, check_name
from .completions.kinds import WANTED, are_ids
from .completions.text import from_fields
from .hosts import HostReward, Samples, check_language, column_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

__all__ = ["TRLReward", "bleu", "bleu_reward"]

#: Arguments of the trainer that are no columns of the data set.
_OF_TRAINER = ("trainer_state", "log_extra", "environments")


class TRLReward(HostReward):
    """Sentence BLEU as a reward function of TRL: a function of prompts, completions and the dataset's columns.

    It gives one reward for each completion, 0..`scale`. It can be pickled, as asynchronous GRPO needs.

    Args:
        reference_column: The column of the dataset that holds the references: for each sample a str, a list of
            messages, token ids, a list of several of these, or None if BLEU does not apply to it. If it holds ids, the
            trainer's `completion_ids` are scored without decoding.
        language_column: The column with the language of each sample, if they differ.
        group_size: The trainer's `num_generations`, which TRL does not pass; needed for rewards that compare the
            samples of a prompt, such as `ConsensusReward`.
        options: The options of `BLEUReward`. `name` is the name of the reward in the trainer's logs
            ("rewards/bleu_reward/mean"; by default "chrf_reward" for a `CHRF`). Or only `reward`: a `BLEUReward`, a
            `CombinedReward`, or one of its components. A column of references is needed if the reward
            scores against references.

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

    HOST = "TRL"
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
                "must be the trainer's num_generations, since the reward compares samples of a prompt",
            )
        self.group_size = group_size
        self.reference_column = reference_column
        self.language_column = language_column
        # Without errors="empty", a malformed sample raises an error, so the share of malformed samples is always 0.
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
            prompts: n prompts, needed with `group_size`.
            completions: n texts, each a str or a list of messages.
            completion_ids: Their n lists of ids, which are scored instead if the references are ids.
            log_metric: The trainer's function to log a number: receives the shares of completions that are empty,
                clipped, too long and, with `errors="empty"`, malformed ("rewards/bleu_reward/empty"); for a
                `CombinedReward` the shares of its "total" and the mean of each component
                ("rewards/combined_reward/chrf").
            columns: The dataset's columns, of n values each, and all other arguments of the trainer. All but the
                references and the languages are ignored.

        Returns:
            n rewards; None where the reference is None, which tells TRL that this reward does not apply.

        Raises:
            TypeError: A completion or reference has the wrong type.
            ValueError: A column is missing or of another length, or a sample has a list without any reference, or a
                list of messages without any of the assistant.
        """
        samples = self._samples(prompts, completions, completion_ids, **columns)
        if self.is_combined:
            return self._logged_total(samples, log_metric)
        before = self.counts.numbers()
        rewards: list[float | None] = self._rewards(samples)
        if log_metric is not None:
            self._log_shares(before, log_metric)
        return rewards

    def _log_shares(self, before: list[int], log_metric: Callable[[str, float], None]) -> None:
        """Log the shares of the samples that were counted since the counts were `before`."""
        number, *marks = map(sub, self.counts.numbers(), before)
        for name, marked in zip(self._logged, marks, strict=False) if number else ():
            log_metric(f"rewards/{self.__name__}/{name}", marked / number)

    def _logged_total(
        self, samples: Samples, log_metric: Callable[[str, float], None] | None
    ) -> list[float | None]:
        """Return the sums of a combination; log their shares, and the mean of each component where it applies."""
        before = self.counts.numbers()
        parts = self._components(samples)
        totals = parts.pop("total")
        if log_metric is None or len(parts) == 1:  # TRL logs the mean of a function itself.
            return totals
        self._log_shares(before, log_metric)
        for name, rewards in parts.items():
            numbers = [reward for reward in rewards if reward is not None]
            if numbers:
                log_metric(f"rewards/{self.__name__}/{name}", fsum(numbers) / len(numbers))
        return totals

    def _samples(
        self, prompts: Any = None, completions: Any = (), completion_ids: Any = None, **columns: Any
    ) -> Samples:
        columns = {name: column for name, column in columns.items() if name not in _OF_TRAINER}
        references = self._references(columns, self.reference_column)
        name, scored, what = "completions", completions, "a sequence of texts"
        field = self.reward.options["reference_field"]
        if references and are_ids(references if field is None else from_fields(references, field), None):
            if completion_ids is None:
                raise ArgumentTypeError(
                    "completion_ids", f"must be given, since {self.reference_column} holds token ids"
                )
            name, scored, what = "completion_ids", completion_ids, "a sequence of ids"
        languages = None
        if self.language_column is not None:
            languages = column_of(columns, self.language_column, WANTED["languages"])
        if self.group_size is not None:
            _check_groups(prompts, self.group_size)
        return Samples(
            as_list(scored, name, what),
            references,
            (name, self.reference_column),
            languages,
            prompts=prompts,
            groups=self.group_size,
            completion_ids=None if scored is completion_ids else completion_ids,
        )


def _check_groups(prompts: Any, size: int) -> None:
    """Check that rows come in groups of a size, each of one prompt.

    Raises:
        TypeError: The prompts are missing.
        ValueError: A group has another size.
    """
    listed = as_list(prompts, "prompts", "a sequence of prompts")
    for i, prompt in enumerate(listed):
        if prompt != listed[i - i % size]:
            raise ArgumentValueError(
                Location("prompts")[i], f"differs from prompts[{i - i % size}], but {_CUT.format(size=size)}"
            )
    if len(listed) % size:
        raise ArgumentValueError("prompts", f"has {len(listed)} items, but {_CUT.format(size=size)}")


#: The end of errors about rows that are not whole groups.
_CUT = (
    "group_size={size} consecutive rows must have one prompt. TRL passes the rows of one process: make "
    "per_device_train_batch_size * steps_per_generation a multiple of num_generations, or it cuts groups in two, and "
    "group_size equal to num_generations and num_generations_eval"
)


bleu_reward = TRLReward

#: The reward with its default options, for configurations that name a function, such as axolotl's `trl.reward_funcs`.
bleu = bleu_reward()
