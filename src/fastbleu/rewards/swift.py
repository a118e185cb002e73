"""BLEU as an outcome reward model (ORM) of ms-swift's GRPO.

    # plugin.py
    from swift.rewards import orms
    from fastbleu.rewards.swift import BLEUORM

    class BLEU(BLEUORM):
        options = {"language": "de", "extract": "answer"}

    orms["bleu"] = BLEU

    swift rlhf --rlhf_type grpo --external_plugins plugin.py --reward_funcs bleu ...

The column `solution` of the dataset holds the references of each completion. ms-swift makes one object of the class
and calls it with all completions of a step (swift/rl_core/grpo_algorithm.py). The name of the class is the name of the
reward in the log: "rewards/BLEU/mean". Tested with ms-swift 4.6.0. This module does not import ms-swift, and a
`BLEUORM` does not need its base class.
"""

from __future__ import annotations

from collections import Counter

from ..errors import ArgumentValueError, Location
from .hosts import HostReward, Samples, column_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, ClassVar


class BLEUORM(HostReward):
    """Sentence BLEU as an ORM of ms-swift. Subclasses set the options that differ from the defaults.

    Args:
        args: ms-swift's arguments; ignored.

    Attributes:
        options: Options of `BLEUReward`. Or only `reward`: a `BLEUReward`, a `CombinedReward`, or one of its
            components. Groups are the completions with the same `prompt_id`.
        reference_column: The column of the dataset that holds the references: for each completion a str, a list of
            messages, a list of several references, or None where BLEU does not apply. It may be missing if no part
            of the reward scores against references.

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

    HOST = "ms-swift"
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
            completions: n completions: each the content of a message of the assistant, a str or a list of parts.
            columns: The columns of the dataset, of n values each, and `trainer_state`. All but the references and
                `prompt_id` are ignored.

        Returns:
            n rewards, 0..`scale`; None where the reference is None, which tells ms-swift that there is no reward.

        Raises:
            TypeError: A completion or reference has the wrong type.
            ValueError: The column of references is missing or of another length, or has an empty list of references; or
                the reward compares samples, and a group is incomplete.
        """
        rewards: list[float | None] = self._rewards(self._samples(completions, **columns))
        return rewards

    def _samples(self, completions: Sequence[Any], **columns: Any) -> Samples:
        texts = [
            [{"content": each}] if isinstance(each, (list, type(None))) else each for each in completions
        ]
        names = "completions", self.reference_column
        references = self._references(columns, self.reference_column)
        groups = None
        if self.is_combined and self.reward.needs_groups:
            groups = column_of(columns, "prompt_id", "a sequence of labels")
            self._check_groups(groups)
        return Samples(texts, references, names, groups=groups)

    def _check_groups(self, groups: Sequence[Any]) -> None:
        """Check that each group has as many completions as ms-swift generates, if its arguments say how many."""
        numbers = [getattr(self.args, name, None) for name in ("num_generations", "num_generations_eval")]
        fewest = min(filter(None, numbers), default=1)
        for label, number in Counter(groups).items():
            if number < fewest:
                raise ArgumentValueError(
                    Location("prompt_id")[list(groups).index(label)],
                    f"is that of {number} completions, not of num_generations={fewest}. ms-swift passes the rows of "
                    "one process: make per_device_train_batch_size * steps_per_generation a multiple of "
                    "num_generations, or it cuts groups in two",
                )
