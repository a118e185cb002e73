"""Reward the length of a completion: penalize overlong answers, or favor the reference's length or a target."""

from __future__ import annotations

from functools import partial
from math import isfinite, isnan

from ..errors import ArgumentValueError, Place, suggests_options, wrong_type, wrong_value
from ..inputs._tokens import types_of
from ..options import check_choice, check_integer, check_number
from .completions.ids import reference_rows
from .completions.kinds import has_text
from .completions.text import references_of
from .components import Component
from .repetition_penalty import PARTS_OF_COMPLETIONS, count_ngrams_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal, TypeAlias

    from .components import Rollouts
    from .repetition_penalty import Of

    Unit: TypeAlias = Literal["ids", "words", "characters"]

UNITS: tuple[Unit, ...] = ("ids", "words", "characters")


class LengthReward(Component):
    """A reward of the length of a completion.

    Without arguments, the ratio of the shorter to the longer of completion and reference, the highest ratio of several
    references: 1.0 for the same length, None without a reference. With `target`, the same ratio for a fixed length.
    `LengthReward.soft_overlong` and `LengthReward.dapo` are the penalties of TRL and verl for overlong answers.

    Args:
        target: A length, >= 1; None: the length of the reference.
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
        target: int | None = None,
        *,
        unit: Unit = "words",
        of: Of | None = None,
        name: str = "length_reward",
    ) -> None:
        if target is not None:
            check_integer("target", target, 1)
        if of is None:
            of = "scored" if target is None else "completion"
        check_choice("of", of, PARTS_OF_COMPLETIONS)
        self._of = of
        check_choice("unit", unit, UNITS)
        self._unit = unit
        self._reward: Callable[[int], float] | None = None if target is None else partial(_ratio, target)
        self._made_by: tuple[str, tuple[Any, ...]] | None = None
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
        most = check_integer("max_completion_len", max_completion_len, 1)
        cache = check_integer("soft_punish_cache", soft_punish_cache, 0)
        if cache > most:
            raise wrong_value(
                "soft_punish_cache", f"at most {most}, the max_completion_len", soft_punish_cache
            )
        reward = partial(_soft_overlong, most, cache)
        return cls._made("soft_overlong", (max_completion_len, soft_punish_cache), reward, unit, name)

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
        most = check_integer("max_resp_len", max_resp_len, 1)
        buffer = check_integer("overlong_buffer_len", overlong_buffer_len, 1)
        if buffer > most:
            raise wrong_value("overlong_buffer_len", f"at most {most}, the max_resp_len", overlong_buffer_len)
        factor = check_number(
            "penalty_factor",
            penalty_factor,
            lambda worth: isfinite(worth) and worth >= 0,
            "finite and at least 0",
        )
        arguments = max_resp_len, overlong_buffer_len, penalty_factor
        return cls._made("dapo", arguments, partial(_dapo, most, buffer, factor), unit, name)

    @classmethod
    def _made(
        cls, by: str, arguments: tuple[Any, ...], reward: Callable[[int], float], unit: Unit, name: str
    ) -> LengthReward:
        made = cls(unit=unit, of="completion", name=name)
        made._reward = reward
        made._made_by = by, arguments
        made.needs_references = False
        return made

    def __reduce__(self) -> Any:
        if self._made_by is None:
            return super().__reduce__()
        by, arguments = self._made_by
        options = {"unit": self._unit, "name": self.__name__}
        return partial(getattr(type(self), by), *arguments, **options), ()

    def __repr__(self) -> str:
        if self._made_by is None:
            return super().__repr__()
        by, arguments = self._made_by
        shown = ", ".join(map(repr, arguments))
        return f"LengthReward.{by}({shown}, unit={self._unit!r}, name={self.__name__!r})"

    def rewards_of(self, rollouts: Rollouts) -> list[float | None]:
        """Reward each of n rollouts; None where the length of a missing reference is needed."""
        lengths = self._lengths(rollouts)
        if self._reward is not None:
            return list(map(self._reward, lengths))
        if rollouts.references is None or not lengths:
            return [None] * len(lengths)
        import numpy as np

        of_references, counts = self._reference_lengths(rollouts.references)
        owners = np.repeat(np.arange(len(counts)), counts)
        own = np.array(lengths, dtype=np.int64).reshape(len(counts), -1)[owners]
        others = np.array(of_references, dtype=np.int64)[:, None]
        longest = np.maximum(own, others)
        ratios = np.where(longest, np.minimum(own, others) / np.maximum(longest, 1), 1.0)
        best = np.full((len(counts), len(lengths) // max(1, len(counts))), np.nan)
        np.fmax.at(best, owners, ratios)
        return [None if isnan(ratio) else ratio for ratio in best.ravel().tolist()]

    def _lengths(self, rollouts: Rollouts) -> list[int]:
        """Return the length of each completion."""
        if self._unit == "ids":
            ids = rollouts.ids if self._of == "completion" or rollouts.are_ids else None
            if ids is None:
                raise ArgumentValueError(
                    "completion_ids",
                    f"must be given, since {self!r} counts token ids and completions are text",
                )
            name = Place(rollouts.name_of_ids)
            return [len(ids.tokens(i, name)) for i in range(len(ids))]
        texts: Any = rollouts.whole if self._of == "completion" else rollouts.scored
        if rollouts.are_ids:
            raise ArgumentValueError("completions", f"are token ids, but {self!r} counts {self._unit}")
        return _MEASURES[self._unit](texts)

    def _reference_lengths(self, references: Any) -> tuple[list[int], list[int]]:
        """Return the lengths of all references, and the number of references of each entry: 0 if it is None."""
        measure = _MEASURES[self._unit]
        if type(references) is list and types_of(references) == {str} and self._unit != "ids":
            return measure(references), [1] * len(references)
        lists: list[Any] = []
        for i, each in enumerate(references):
            several: Any = ()
            if each is not None:
                several = _rows(each, i) if self._unit == "ids" else references_of(each, "references", i)
            lists.append([one for one in several if one is not None])
        return measure([one for several in lists for one in several]), list(map(len, lists))


def _rows(references: Any, i: int) -> Any:
    """Return the rows of ids of the references of one completion."""
    if has_text([references]):
        raise wrong_type(Place("references")[i], "token ids, which are counted", references)
    return reference_rows(references, i)


def _words(texts: list[str]) -> list[int]:
    words: list[int] = count_ngrams_of(texts, 0, lowercase=False)[:, 0].tolist()
    return words


def _sizes(segments: Any) -> list[int]:
    return list(map(len, segments))


#: The function that computes the length of a text, by unit.
_MEASURES: dict[str, Callable[[Any], list[int]]] = {"words": _words, "characters": _sizes, "ids": _sizes}


def _ratio(target: int, length: int) -> float:
    """Return the shorter of two lengths divided by the longer one; 1.0 if both are 0."""
    longest = max(target, length)
    return min(target, length) / longest if longest else 1.0


def _soft_overlong(most: int, cache: int, length: int) -> float:
    # The operations of TRL's function, for the same floats.
    if length <= most - cache:
        return 0.0
    if most - cache < length <= most:
        return (most - cache - length) / cache
    return -1.0


def _dapo(most: int, buffer: int, factor: float, length: int) -> float:
    # The operations of verl's reward manager, for the same floats.
    return min(-(length - (most - buffer)) / buffer * factor, 0)
