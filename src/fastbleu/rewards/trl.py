"""BLEU as the reward of TRL's trainers: GRPO, RLOO and online DPO.

    from fastbleu.rewards.trl import bleu_reward

    trainer = GRPOTrainer(model, reward_funcs=bleu_reward("reference"), train_dataset=dataset, args=config)

The dataset's column `reference` holds the references of each prompt. A whole batch is counted in one pass. This module
imports no TRL; `pip install "fastbleu-metric[trl]"` brings it. Tested with its release 1.16.0, whose documentation says
what a reward function is given and what it returns:
https://github.com/huggingface/trl/blob/f2cd57710ae345ea6428ae95363267fcf38a3dc8/docs/source/grpo_trainer.md
"""

from __future__ import annotations

from ..errors import ArgumentError, ArgumentTypeError, ArgumentValueError, wrong_type
from ..inputs.reading import as_list
from .completions.batches import are_ids
from .counts import COUNTED
from .reward import BLEUReward

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

__all__ = ["TRLReward", "bleu_reward"]


def bleu_reward(
    reference_column: str = "reference", *, language_column: str | None = None, **options: Any
) -> TRLReward:
    """Make a reward function of sentence BLEU.

    Args:
        reference_column: The column of the dataset that holds the references. Of each sample a str, a list of messages,
            token ids, a list of several of these, or None if BLEU does not apply to it. Where it holds ids, the
            trainer's `completion_ids` are scored, and nothing is decoded.
        language_column: The column with the language of each sample, if they differ.
        options: Those of `BLEUReward`, without `stepwise`, since TRL takes one reward for each completion. `name` is
            what the trainer's logs call it ("rewards/bleu_reward/mean"). A `baseline` is that of equal prompts in one
            process's part of the batch; GRPO and RLOO subtract one of their own anyway.

    Returns:
        A `TRLReward`: a function of prompts, completions and the dataset's columns that gives one reward for each
        completion, 0..`scale` before a baseline. It can be pickled, which asynchronous GRPO needs.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument has a bad value.

    Example:
        >>> reward = bleu_reward()
        >>> reward.__name__
        'bleu_reward'
        >>> rewards = reward(
        ...     prompts=["Say it.", "Say it.", "Compute."],
        ...     completions=["the cat sat", "the mat sat", "42"],
        ...     reference=["the cat sat down", ["a mat sat", "the dog"], None],
        ... )
        >>> [reward if reward is None else round(reward, 4) for reward in rewards]
        [0.7165, 0.63, None]
    """
    return TRLReward(reference_column, language_column, options)


class TRLReward:
    """A `BLEUReward` with the arguments that TRL's trainers pass; see `bleu_reward`.

    Attributes:
        reward: The `BLEUReward` that scores, with its `signature` and its `counts` of all calls.
    """

    def __init__(
        self, reference_column: str, language_column: str | None, options: Mapping[str, Any]
    ) -> None:
        columns = {"reference_column": reference_column}
        if language_column is not None:
            columns["language_column"] = language_column
        for argument, value in columns.items():
            if not isinstance(value, str):
                raise wrong_type(argument, "a str", value)
            if not value:
                raise ArgumentValueError(argument, "must not be empty")
        if options.get("stepwise"):
            raise ArgumentValueError("stepwise", "must be False: TRL takes one reward for each completion")
        if options.get("baseline") == "greedy":
            raise ArgumentValueError("baseline", "must not be 'greedy': TRL samples no greedy completions")
        if language_column is not None and options.get("metric") is not None:
            raise ArgumentValueError(
                "language_column", "must be None beside metric, which has its own tokenizer"
            )
        self.reference_column = reference_column
        self.language_column = language_column
        self.reward = BLEUReward(**options)
        self.__name__ = self.reward.__name__
        self._has_groups = options.get("baseline") is not None
        # Without errors="empty" a broken sample raises, so there is nothing to log of them.
        self._logged = COUNTED[1:] if options.get("errors") == "empty" else COUNTED[1:-1]

    def __repr__(self) -> str:
        return (
            f"<TRLReward {self.__name__!r} of the column {self.reference_column!r}: {self.reward.signature}>"
        )

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
            prompts: n prompts. Only a baseline asks which of them are equal.
            completions: n texts, each a str or a list of messages.
            completion_ids: Their n lists of ids, which are scored instead if the references are ids.
            log_metric: What the trainer offers to log a number by: gets what share of the completions was empty,
                clipped, too long and, with `errors="empty"`, broken ("rewards/bleu_reward/empty").
            columns: The dataset's columns, of n values each, and everything else that the trainer passes. All but the
                references and the languages are ignored.

        Returns:
            n rewards; None where the reference is None, which tells TRL that this reward does not apply.

        Raises:
            TypeError: A completion or reference is of none of the kinds named.
            ValueError: A column is missing or of another length, or a sample has a list without any reference, or a
                list of messages without any of the assistant.
        """
        reward, name = self.reward, self.reference_column
        references = self._column(columns, name, "a sequence with the references of each completion")
        scored: Any = completions
        given = "completions"
        if are_ids(references, None):
            if completion_ids is None:
                raise ArgumentTypeError("completion_ids", f"must be given, since {name} holds token ids")
            scored, given = completion_ids, "completion_ids"
        scored = as_list(
            scored, given, "a sequence of texts" if given == "completions" else "a sequence of ids"
        )
        if len(references) != len(scored):
            raise ValueError(
                f"{name} holds references of {len(references)} samples, but {given} has {len(scored)}"
            )
        languages = None
        if self.language_column is not None:
            languages = self._column(
                columns, self.language_column, "a sequence with the language of each completion"
            )
        groups = None
        if self._has_groups:
            groups = group_numbers(
                as_list(prompts, "prompts", "a sequence of prompts, whose groups give the baseline")
            )
        before = self._counted()
        try:
            rewards: list[float | None] = reward(scored, references, groups=groups, languages=languages)
        except ArgumentError as error:
            raise error.renamed(references=name, completions=given) from None
        if log_metric is not None:
            self._log(log_metric, before)
        return rewards

    def _column(self, columns: dict[str, Any], name: str, what: str) -> Any:
        """A column of the dataset."""
        if name not in columns:
            raise ValueError(f"there is no column {name!r}; there are {sorted(columns)}")
        return as_list(columns[name], name, what)

    def _counted(self) -> dict[str, int]:
        """The counts of all calls so far."""
        return {name: getattr(self.reward.counts, name) for name in COUNTED}

    def _log(self, log_metric: Callable[[str, float], None], before: dict[str, int]) -> None:
        """Log the shares of one call, given the counts before it."""
        now = self._counted()
        samples = now["samples"] - before["samples"]
        if samples:
            for name in self._logged:
                log_metric(f"rewards/{self.__name__}/{name}", (now[name] - before[name]) / samples)


def group_numbers(prompts: Iterable[Any]) -> list[int]:
    """The same number for equal prompts, be they texts or lists of messages.

    Example:
        >>> group_numbers(["a", "a", [{"role": "user", "content": "b"}], "a"])
        [0, 0, 1, 0]
    """
    distinct = 0
    alike: dict[Any, list[tuple[Any, int]]] = {}
    numbers: list[int] = []
    for prompt in prompts:
        # Messages cannot be hashed; their texts can, so that few prompts are compared.
        known = alike.setdefault(prompt if isinstance(prompt, str) else _texts(prompt), [])
        number = next((number for other, number in known if other == prompt), distinct)
        if number == distinct:
            known.append((prompt, number))
            distinct += 1
        numbers.append(number)
    return numbers


def _texts(messages: Any) -> tuple[str, ...]:
    """What stands in messages as text: the same of equal ones."""
    if not isinstance(messages, (list, tuple)):
        return ()
    contents = [message.get("content") for message in messages if isinstance(message, dict)]
    return tuple(content for content in contents if isinstance(content, str))
