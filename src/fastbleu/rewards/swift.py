"""Provide BLEU as an outcome reward model (ORM) for GRPO in ms-swift.

    # plugin.py
    from swift.rewards import orms
    from fastbleu.rewards.swift import BLEUORM

    class BLEU(BLEUORM):
        options = {"language": "de", "extract": "answer"}

    orms["bleu"] = BLEU

    swift rlhf --rlhf_type grpo --external_plugins plugin.py --reward_funcs bleu ...

The column `solution` of the dataset has the references of each completion. ms-swift makes one object of the class
and calls it with all completions of a training step (swift/rl_core/grpo_algorithm.py). The name of the class is the
name of the reward in the log, here "rewards/BLEU/mean". Tested with ms-swift 4.6.0. This module does not import
ms-swift, whose base class of ORMs is not needed.
"""

from __future__ import annotations

from collections import Counter

from ..errors import ArgumentValueError, Location, counted
from .training_stacks import Samples, StackReward, column_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, ClassVar


class BLEUORM(StackReward):
    """Sentence BLEU as an ORM of ms-swift. Subclasses set the options that differ from the defaults.

    Args:
        args: The training arguments of ms-swift. If the reward compares samples, `num_generations` is read from them.

    Attributes:
        options: Options of `BLEUReward`; or only `reward`: a `BLEUReward`, a `CombinedReward`, or another reward of
            this package. If the reward compares the samples of a group, completions with the same `prompt_id` are a
            group.
        reference_column: The column of the dataset with the references of each completion: a str, a list of messages,
            a list of several references, or None if BLEU does not apply to the completion. The column may be missing
            if the reward needs no references.

    Raises:
        TypeError: An option has the wrong type.
        ValueError: An option has a bad value.

    Example:
        >>> class Answer(BLEUORM):
        ...     options = {"extract": "answer"}
        ...     reference_column = "reference"
        >>> orm = Answer(args=None)
        >>> orm(["<answer>It rained.</answer>", "It rained."], reference=["It rained.", ["It rained.", "Rain."]])
        [1.0, 0.0]
    """

    STACK = "ms-swift"
    HAS_GROUPS = True
    SKIPS = True

    options: ClassVar[Mapping[str, Any]] = {}
    reference_column: ClassVar[str] = "solution"

    def __init__(self, args: Any = None, **others: Any) -> None:
        self.args = args
        del others
        named = {} if "reward" in self.options else {"name": type(self).__name__}
        super().__init__({**named, **self.options})

    def __call__(self, completions: Sequence[Any], **columns: Any) -> list[float | None]:
        """Reward completions.

        Args:
            completions: n completions, each the content of an assistant's message: a str or a list of parts.
            columns: The columns of the dataset, of n values each, and `trainer_state`. Only the column of references
                and `prompt_id` are read.

        Returns:
            n rewards, 0..`scale`, with None where the references are None; ms-swift accepts None as a missing reward.

        Raises:
            TypeError: A completion or reference has the wrong type.
            ValueError: The column of references is missing, does not have n values, or has an empty list of references;
                or the reward compares samples, and a group is incomplete.
        """
        rewards: list[float | None] = self._rewards(self._samples(completions, **columns))
        return rewards

    def _samples(self, completions: Sequence[Any], **columns: Any) -> Samples:
        texts = [
            [{"content": content}] if isinstance(content, (list, type(None))) else content
            for content in completions
        ]
        names = "completions", self.reference_column
        references = self._references(columns, self.reference_column)
        groups = None
        if self.is_combined and self.reward.needs_groups:
            groups = column_of(columns, "prompt_id", "a sequence of labels")
            self._check_groups(groups)
        return Samples(texts, references, names, groups=groups)

    def _check_groups(self, groups: Sequence[Any]) -> None:
        """Check that each group has as many completions as ms-swift generates for a prompt, if this number is known.

        Raises:
            ValueError: A group has too few completions, because ms-swift divided it among processes.
        """
        numbers = [getattr(self.args, name, None) for name in ("num_generations", "num_generations_eval")]
        min_size = min(filter(None, numbers), default=1)
        for label, number in Counter(groups).items():
            if number < min_size:
                raise ArgumentValueError(
                    Location("prompt_id")[list(groups).index(label)],
                    f"belongs to {counted(number, 'completion')}, but num_generations={min_size}. ms-swift passes the "
                    "rows of one process: make per_device_train_batch_size * steps_per_generation a multiple of "
                    "num_generations, so that no group is divided among processes",
                )
