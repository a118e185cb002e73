"""Reward the length of a completion: penalize overlong answers, or favor the reference's length or a target."""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

from ..counting.references import References
from ..errors import (
    ArgumentError,
    ArgumentTypeError,
    ArgumentValueError,
    Location,
    suggests_options,
    wrong_type,
    wrong_value,
)
from ..inputs.ids import TokenIds
from ..options import check_choice, check_integer, check_number
from .completions.ids import reference_rows
from .completions.kinds import has_text
from .completions.text import plain_texts, references_of
from .components import Component
from .repetition_penalty import PARTS_OF_COMPLETIONS, count_tokens_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Literal, TypeAlias

    from .components import Rollouts
    from .repetition_penalty import Of

    Unit: TypeAlias = Literal["ids", "words", "characters"]

UNITS: tuple[Unit, ...] = ("ids", "words", "characters")


class Overlong(NamedTuple):
    """The penalty of overlong completions, with the operations of TRL's and verl's functions, for the same floats.

    Attributes:
        longest: The length at which the reward is -factor.
        buffer: The length of the range before it in which the penalty grows.
        factor: The penalty at `longest`.
        is_clipped: Whether the penalty does not grow beyond `longest`.
    """

    longest: int
    buffer: int
    factor: float = 1.0
    is_clipped: bool = False

    def __call__(self, length: int) -> float:
        """Reward a length."""
        longest, buffer, factor, is_clipped = self
        if length <= longest - buffer:
            return 0.0
        if is_clipped and length > longest:
            return -factor
        return (longest - buffer - length) / buffer * factor


class LengthReward(Component):
    """A reward of the length of a completion.

    Without arguments, the ratio of the shorter to the longer of completion and reference, the highest ratio of several
    references: 1.0 for the same length, None without a reference. With `target`, the same ratio for a fixed length.
    `LengthReward.soft_overlong` and `LengthReward.dapo` are the penalties of TRL and verl for overlong answers.

    Args:
        target: A length, >= 1; or a function from a length to a reward; None: the length of the reference.
        unit: The unit of length: "ids", the policy's token ids (a call has ids or `completion_ids`); "words", separated
            by white space; or "characters".
        of: "completion": the whole completion. "scored": the scored text, after extraction, or the ids.
            None: "scored" for the ratio to a reference, "completion" otherwise.
        name: The name of the reward in logs.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `target` is below 1, `unit` or `of` is unknown, or the unit "ids" is combined with "scored" text,
            which has no ids.

    Example:
        >>> LengthReward()(["a cat sat", "a cat"], ["the cat sat down", None])
        [0.75, None]
        >>> LengthReward(target=4)(["a cat"])
        [0.5]
        >>> LengthReward.soft_overlong(max_completion_len=6, soft_punish_cache=2)([[1] * 4, [1] * 5, [1] * 7])
        [0.0, -0.5, -1.0]
    """

    @suggests_options
    def __init__(
        self,
        target: int | Callable[[int], float] | None = None,
        *,
        unit: Unit = "words",
        of: Of | None = None,
        name: str = "length_reward",
    ) -> None:
        if target is not None and not callable(target):
            check_integer("target", target, 1)
        if of is None:
            of = "scored" if target is None else "completion"
        check_choice("of", of, PARTS_OF_COMPLETIONS)
        self._of = of
        check_choice("unit", unit, UNITS)
        self._unit = unit
        self._target = target
        self.needs_references = target is None
        super().__init__(target=target, unit=unit, of=of, name=name)

    @classmethod
    @suggests_options
    def soft_overlong(
        cls,
        max_completion_len: int,
        soft_punish_cache: int,
        *,
        unit: Unit = "ids",
        name: str = "soft_overlong",
    ) -> LengthReward:
        """Punish overlong completions as TRL's `get_soft_overlong_punishment` (1.16; DAPO, equation 13).

        0 up to `max_completion_len - soft_punish_cache`, then decreasing linearly to -1 at `max_completion_len`, and -1
        beyond.

        Args:
            max_completion_len: The length from which the reward is -1, >= 1.
            soft_punish_cache: The length of the linear part, 0..max_completion_len; 0: no linear part.
            unit: As for the class.
            name: The name of the reward in logs.

        Source: https://arxiv.org/abs/2503.14476
        """
        lengths = _checked_range(
            0, max_completion_len=max_completion_len, soft_punish_cache=soft_punish_cache
        )
        target: Any = Overlong(*lengths, is_clipped=True)
        return cls(target, unit=unit, name=name)

    @classmethod
    @suggests_options
    def dapo(
        cls,
        max_resp_len: int,
        overlong_buffer_len: int,
        penalty_factor: float = 1.0,
        *,
        unit: Unit = "ids",
        name: str = "overlong",
    ) -> LengthReward:
        """Punish overlong completions as verl's DAPO reward manager (0.9), which does not clip the penalty.

        `min(-(length - (max_resp_len - overlong_buffer_len)) / overlong_buffer_len * penalty_factor, 0)`.

        Args:
            max_resp_len: The length at which the reward is -penalty_factor, >= 1.
            overlong_buffer_len: The length of the range before it in which the penalty grows, 1..max_resp_len.
            penalty_factor: The penalty at `max_resp_len`, finite and >= 0.
            unit: As for the class.
            name: The name of the reward in logs.

        Source: `verl/workers/reward_manager/dapo.py`
        """
        lengths = _checked_range(1, max_resp_len=max_resp_len, overlong_buffer_len=overlong_buffer_len)
        factor = check_number(
            "penalty_factor",
            penalty_factor,
            lambda penalty: isfinite(penalty) and penalty >= 0,
            "finite and at least 0",
        )
        target: Any = Overlong(*lengths, factor)
        return cls(target, unit=unit, name=name)

    def rewards_of(self, rollouts: Rollouts) -> list[float | None]:
        """Reward each of n rollouts; None where the length of a missing reference is needed."""
        lengths = self._lengths(rollouts)
        target: Any = self._target
        if isinstance(target, Overlong):
            return [target(length) for length in lengths]
        if callable(target):
            return [check_number(f"target({each})", target(each), isfinite, "finite") for each in lengths]
        if target is not None:
            return [_ratio(target, length) for length in lengths]
        if rollouts.references is None or not lengths:
            return [None] * len(lengths)
        if self._unit != "ids" and isinstance(rollouts.references, list):
            texts = plain_texts(rollouts.references)
            if texts is not None:  # One reference each.
                return [*map(_ratio, self._measure(texts), lengths)]
        others = self._reference_lengths(rollouts)
        samples = len(lengths) // len(others)
        return [
            max([_ratio(other, length) for other in others[i // samples]], default=None)
            for i, length in enumerate(lengths)
        ]

    def _lengths(self, rollouts: Rollouts) -> list[int]:
        """Return the length of each completion."""
        if self._unit == "ids":
            ids = rollouts.ids if self._of == "completion" or rollouts.are_ids else None
            if ids is None:
                raise ArgumentValueError(
                    "completion_ids",
                    f"must be given, since {self!r} counts token ids and completions are text",
                )
            return count_tokens_of(ids, rollouts.name_of_ids)
        if rollouts.are_ids:
            raise ArgumentValueError("completions", f"are token ids, but {self!r} counts {self._unit}")
        return self._measure(rollouts.whole if self._of == "completion" else rollouts.scored)

    def _measure(self, segments: Any) -> list[int]:
        """Return the length of each text, or of each row of ids."""
        return count_tokens_of(segments) if self._unit == "words" else [*map(len, segments)]

    def _reference_lengths(self, rollouts: Rollouts) -> list[list[int]]:
        """Return the lengths of the references of each entry: none if it is None."""
        if isinstance(rollouts.references, References):
            raise ArgumentTypeError(
                "references", "must not be prepared, since prepared references have no lengths"
            )
        lists = [*self._lists(rollouts)]
        references: Any = [one for several in lists for one in several]
        if rollouts.rule and self._unit == "ids":
            references = TokenIds(references, **rollouts.rule)
            lengths = iter(count_tokens_of(references, "references"))
        else:
            lengths = iter(self._measure(references))
        return [[next(lengths) for _ in several] for several in lists]

    def _lists(self, rollouts: Rollouts) -> Iterator[list[Any]]:
        """Yield the references of each entry; for a malformed one that is tolerated, an empty reference."""
        for i, each in enumerate(rollouts.references):
            several: Any = []
            try:
                if each is not None:
                    several = _rows(each, i) if self._unit == "ids" else references_of(each, "references", i)
            except ArgumentError:
                if not rollouts.tolerant:
                    raise
                several = [""]
            yield [one for one in several if one is not None]


def _checked_range(shortest_buffer: int, **lengths: int) -> tuple[int, int]:
    """Check the longest length and the length of the buffer before it, which are given by name in this order."""
    (name_of_longest, longest), (name, buffer) = lengths.items()
    longest = check_integer(name_of_longest, longest, 1)
    buffer = check_integer(name, buffer, shortest_buffer)
    if buffer > longest:
        raise wrong_value(name, f"at most {longest}, the {name_of_longest}", buffer)
    return longest, buffer


def _rows(references: Any, i: int) -> Any:
    """Return the rows of ids of the references of one completion."""
    if has_text([references]):
        raise wrong_type(Location("references")[i], "token ids, which are counted", references)
    return reference_rows(references, i)


def _ratio(target: int, length: int) -> float:
    """Return the shorter of two lengths divided by the longer one; 1.0 if both are 0."""
    if target == length:
        return 1.0
    return target / length if target < length else length / target
