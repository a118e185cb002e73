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
`BLEUORM` needs no base class of it.
"""

from __future__ import annotations

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
        options: Options of `BLEUReward`.
        reference_column: The column of the dataset that holds the references: for each completion a str, a list of
            messages, a list of several references, or None where BLEU does not apply.

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
    SKIPS = True

    options: ClassVar[Mapping[str, Any]] = {}
    reference_column: ClassVar[str] = "solution"

    def __init__(self, args: Any = None, **others: Any) -> None:
        self.args = args
        del others
        super().__init__({"name": type(self).__name__, **self.options})

    def __call__(self, completions: Sequence[Any], **columns: Any) -> list[float | None]:
        """Reward completions.

        Args:
            completions: n completions: each the content of a message of the assistant, a str or a list of parts.
            columns: The columns of the dataset, of n values each, and `trainer_state`. All but the references are
                ignored.

        Returns:
            n rewards, 0..`scale`; None where the reference is None, which tells ms-swift that there is no reward.

        Raises:
            TypeError: A completion or reference has the wrong type.
            ValueError: The column of references is missing or of another length, or holds a list without any.
        """
        rewards: list[float | None] = self._rewards(self._samples(completions, **columns))
        return rewards

    def _samples(self, completions: Sequence[Any], **columns: Any) -> Samples:
        texts = [
            [{"content": each}] if isinstance(each, (list, type(None))) else each for each in completions
        ]
        names = "completions", self.reference_column
        return Samples(texts, column_of(columns, self.reference_column), names, is_batch=True)
