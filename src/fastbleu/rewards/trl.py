"""BLEU as the reward of TRL's trainers: GRPO, RLOO and online DPO.

    from fastbleu.rewards.trl import bleu_reward

    trainer = GRPOTrainer(model, reward_funcs=bleu_reward("reference"), train_dataset=dataset, args=config)

The dataset's column `reference` holds the references of each prompt. This module does not import TRL;
`pip install "fastbleu-metric[trl]"` installs it. Tested with its release 1.16.0, whose documentation says what a reward
function is given and what it returns:
https://github.com/huggingface/trl/blob/f2cd57710ae345ea6428ae95363267fcf38a3dc8/docs/source/grpo_trainer.md
"""

from __future__ import annotations

from operator import sub

from ..errors import ArgumentTypeError, ArgumentValueError
from ..inputs.reading import as_list
from ..options import check_name
from .completions.kinds import WANTED, are_ids
from .counts import COUNTED
from .hosts import HostReward, Samples, column_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

__all__ = ["TRLReward", "bleu", "bleu_reward"]


class TRLReward(HostReward):
    """Sentence BLEU as a reward function of TRL: a function of prompts, completions and the dataset's columns.

    It gives one reward for each completion, 0..`scale`. It can be pickled, as asynchronous GRPO needs.

    Args:
        reference_column: The column of the dataset that holds the references: for each sample a str, a list of
            messages, token ids, a list of several of these, or None if BLEU does not apply to it. If it holds ids, the
            trainer's `completion_ids` are scored without decoding.
        language_column: The column with the language of each sample, if they differ.
        options: Those of `BLEUReward`. `name` is the name of the reward in the trainer's logs
            ("rewards/bleu_reward/mean").

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
    SKIPS = True

    def __init__(
        self, reference_column: str = "reference", *, language_column: str | None = None, **options: Any
    ) -> None:
        check_name("reference_column", reference_column)
        check_name("language_column", language_column, is_optional=True)
        if language_column is not None and options.get("metric") is not None:
            raise ArgumentValueError(
                "language_column", "must be None beside metric, which has its own tokenizer"
            )
        super().__init__(options)
        self.reference_column = reference_column
        self.language_column = language_column
        # Without errors="empty" a broken sample raises, so the share of broken samples is always 0.
        self._logged = COUNTED[1:] if self.tolerant else COUNTED[1:-1]

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
            prompts: Ignored.
            completions: n texts, each a str or a list of messages.
            completion_ids: Their n lists of ids, which are scored instead if the references are ids.
            log_metric: The trainer's function to log a number: receives the share of completions that was empty,
                clipped, too long and, with `errors="empty"`, broken ("rewards/bleu_reward/empty").
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
        before = self.counts.numbers()
        rewards: list[float | None] = self._rewards(samples)
        if log_metric is not None:
            number, *marks = map(sub, self.counts.numbers(), before)
            for name, marked in zip(self._logged, marks, strict=False) if number else ():
                log_metric(f"rewards/{self.__name__}/{name}", marked / number)
        return rewards

    def _samples(
        self, prompts: Any = None, completions: Any = (), completion_ids: Any = None, **columns: Any
    ) -> Samples:
        del prompts
        references = column_of(columns, self.reference_column)
        name, scored, what = "completions", completions, "a sequence of texts"
        if are_ids(self.reward.scoring.from_fields(references, references), None):
            if completion_ids is None:
                raise ArgumentTypeError(
                    "completion_ids", f"must be given, since {self.reference_column} holds token ids"
                )
            name, scored, what = "completion_ids", completion_ids, "a sequence of ids"
        languages = None
        if self.language_column is not None:
            languages = column_of(columns, self.language_column, WANTED["languages"])
        names = name, self.reference_column
        return Samples(as_list(scored, name, what), references, names, languages, is_batch=True)


bleu_reward = TRLReward

#: The reward with its default options, for configurations that name a function, such as axolotl's `trl.reward_funcs`.
bleu = bleu_reward()
