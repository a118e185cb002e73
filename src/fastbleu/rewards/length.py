"""Reward the length of completions: penalize overlong completions, or favor a fixed length or the reference's."""

from __future__ import annotations

from math import isfinite
from typing import Any, Literal, NamedTuple, TypeAlias

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
from .completions.call_arguments import has_text
from .completions.ids import reference_rows
from .completions.text import plain_texts, references_of
from .components import Component
from .repetition_penalty import PARTS_OF_COMPLETIONS, count_tokens_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .components import Rollouts
    from .repetition_penalty import Of

    Unit: TypeAlias = Literal["ids", "words", "characters"]

UNITS: tuple[Unit, ...] = ("ids", "words", "characters")


class Overlong(NamedTuple):
    """A penalty for overlong completions: 0 up to a length, then growing linearly.

    The floating-point operations are those of TRL and verl, so the rewards are the same floats.

    Attributes:
        longest: The length at which the reward is `-factor`.
        buffer: The width of the range of lengths, ending at `longest`, in which the penalty grows from 0 to `factor`.
        factor: The penalty at `longest`.
        is_clipped: Whether the penalty stays at `factor` for lengths above `longest`; otherwise it keeps growing.
    """

    longest: int
    buffer: int
    factor: float = 1.0
    is_clipped: bool = False

    def __call__(self, length: int) -> float:
        """Return the reward of a completion of this length, 0 or negative."""
        longest, buffer, factor, is_clipped = self
        if length <= longest - buffer:
            return 0.0
        if is_clipped and length > longest:
            return -factor
        return (longest - buffer - length) / buffer * factor


class LengthReward(Component):
    """A reward for the length of a completion.

    By default, the reward is the ratio of the shorter to the longer of two lengths: the completion's and the
    reference's. It is 1.0 if they are equal. With several references, it is the highest ratio; without a reference, it
    is None. With `target`, the completion's length is compared with a fixed length instead.
    `LengthReward.soft_overlong` and `LengthReward.dapo` are the penalties of TRL and verl for overlong completions.

    Args:
        target: A fixed length, >= 1, or a function that returns the reward for a length; None to compare with the
            references.
        unit: The unit of length. "ids": the policy's token ids, which a call passes as completions or as
            `completion_ids`; "words": words separated by white space; "characters".
        of: "completion" measures the whole completion; "scored" measures the extracted part of a text, or the ids.
            None means "scored" if the completion is compared with references, and "completion" otherwise. If
            completions are text, the unit "ids" works only with "completion".
        name: The name of the reward in logs.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `target` is below 1, or `unit` or `of` is unknown.

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
        """Make the penalty of TRL's `get_soft_overlong_punishment` (1.16), which is equation 13 of the DAPO paper.

        The reward is 0 for lengths up to `max_completion_len - soft_punish_cache`, decreases linearly to -1 at
        `max_completion_len`, and is -1 for greater lengths.

        Args:
            max_completion_len: The smallest length at which the reward is -1, >= 1.
            soft_punish_cache: The width of the range of lengths in which the reward decreases, 0..max_completion_len.
                With 0, the reward drops to -1 just above `max_completion_len`.
            unit: The unit of length: "ids", "words" or "characters".
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
        """Make the penalty of verl's DAPO reward manager (0.9), which keeps growing above the maximum length.

        The reward is
        `min(-(length - (max_resp_len - overlong_buffer_len)) / overlong_buffer_len * penalty_factor, 0)`.

        Args:
            max_resp_len: The length at which the reward is `-penalty_factor`, >= 1.
            overlong_buffer_len: The width of the range of lengths, ending at `max_resp_len`, in which the penalty grows
                from 0 to `penalty_factor`; 1..max_resp_len.
            penalty_factor: The penalty at `max_resp_len`, finite and >= 0.
            unit: The unit of length: "ids", "words" or "characters".
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
        """Return the reward of each of n rollouts, or None for a rollout that needs a reference and has none."""
        lengths = self._lengths(rollouts)
        target: Any = self._target
        if isinstance(target, Overlong):
            return [target(length) for length in lengths]
        if callable(target):
            return [
                check_number(f"target({length})", target(length), isfinite, "finite") for length in lengths
            ]
        if target is not None:
            return [_ratio(target, length) for length in lengths]
        if rollouts.references is None or not lengths:
            return [None] * len(lengths)
        if self._unit != "ids" and isinstance(rollouts.references, list):
            texts = plain_texts(rollouts.references)
            if texts is not None:  # Each completion has exactly one reference.
                return [*map(_ratio, self._measure(texts), lengths)]
        reference_lengths = self._reference_lengths(rollouts)
        samples = len(lengths) // len(reference_lengths)
        return [
            max([_ratio(reference, length) for reference in reference_lengths[i // samples]], default=None)
            for i, length in enumerate(lengths)
        ]

    def _lengths(self, rollouts: Rollouts) -> list[int]:
        """Return the length of each completion in the unit of this reward.

        Raises:
            ValueError: The unit is "ids" and the ids are unknown, or the unit is not "ids" and completions are ids.
        """
        if self._unit == "ids":
            if self._of == "scored" and not rollouts.are_ids:
                raise ArgumentValueError(
                    "completions", f"are text, whose scored part has no ids for {self!r}"
                )
            if rollouts.ids is None:
                needed = f"must be given, since {self!r} counts token ids and completions are text"
                raise ArgumentValueError("completion_ids", needed)
            return count_tokens_of(rollouts.ids, rollouts.name_of_ids)
        if rollouts.are_ids:
            raise ArgumentValueError("completions", f"are token ids, but {self!r} counts {self._unit}")
        return self._measure(rollouts.full if self._of == "completion" else rollouts.scored)

    def _measure(self, segments: Any) -> list[int]:
        """Return the number of words or characters of each text, or the number of ids in each row."""
        return count_tokens_of(segments) if self._unit == "words" else [*map(len, segments)]

    def _reference_lengths(self, rollouts: Rollouts) -> list[list[int]]:
        """Return the lengths of the references of each completion, one list per entry of `rollouts.references`.

        Raises:
            TypeError, ValueError: The references are prepared, or malformed and not tolerated.
        """
        if isinstance(rollouts.references, References):
            raise ArgumentTypeError(
                "references", "must not be prepared, since prepared references have no lengths"
            )
        lists = [*self._reference_lists(rollouts)]
        references: Any = [reference for entry in lists for reference in entry]
        if rollouts.id_options and self._unit == "ids":
            references = TokenIds(references, **rollouts.id_options)
            lengths = iter(count_tokens_of(references, "references"))
        else:
            lengths = iter(self._measure(references))
        return [[next(lengths) for _ in entry] for entry in lists]

    def _reference_lists(self, rollouts: Rollouts) -> Iterator[list[Any]]:
        """Yield the references of each entry of `rollouts.references`, without missing ones, as a list.

        An entry of None gives []. If malformed entries are tolerated, each of them gives [""].
        """
        for i, entry in enumerate(rollouts.references):
            references: Any = []
            try:
                if entry is not None:
                    references = (_rows if self._unit == "ids" else references_of)(entry, "references", i)
            except ArgumentError:
                if not rollouts.tolerant:
                    raise
                references = [""]
            yield [reference for reference in references if reference is not None]


def _checked_range(min_buffer: int, **lengths: int) -> tuple[int, int]:
    """Check the two lengths that define an `Overlong` penalty.

    Args:
        min_buffer: The smallest valid `buffer`.
        lengths: `longest` and `buffer`, in this order, under the names that errors use for them.

    Raises:
        TypeError: A length is not an integer.
        ValueError: A length is too small, or `buffer` is greater than `longest`.
    """
    (name_of_longest, longest), (name, buffer) = lengths.items()
    longest = check_integer(name_of_longest, longest, 1)
    buffer = check_integer(name, buffer, min_buffer)
    if buffer > longest:
        raise wrong_value(name, f"at most {longest}, the {name_of_longest}", buffer)
    return longest, buffer


def _rows(references: Any, name: str, i: int) -> Any:
    """Return the references of completion i as rows of ids.

    Raises:
        TypeError: The references are text.
        ValueError: There is no reference.
    """
    if has_text([references]):
        raise wrong_type(Location(name)[i], "token ids, since unit='ids' counts ids", references)
    return reference_rows(references, i)


def _ratio(target: int, length: int) -> float:
    """Return the shorter of two lengths divided by the longer one, or 1.0 if both are 0."""
    if target == length:
        return 1.0
    return target / length if target < length else length / target
