"""Batches of completions to rewards: together, each alone where one is broken, by language, token by token."""

from __future__ import annotations

from math import prod

from ...errors import ArgumentError, ArgumentValueError, Place, wrong_type, wrong_value
from ...inputs.id_arrays import is_number_array
from ...inputs.reading import as_list
from ..counts import TOO_LONG, RewardCounts
from .batches import COMPLETIONS, REFERENCES, are_ids, check_number, has_text, one_by_one
from .id_batches import read_ids
from .text_batches import read_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy import float64, int64
    from numpy.typing import NDArray

    from ...metric import BLEU
    from .batches import Batch
    from .extraction import Normalization, Step
    from .scores import Scorer


#: Stands where the rewards of a broken completion's tokens would be.
_BROKEN = "broken"

#: Stands where there is no reward.
_NO_REWARD = float("nan")


class Rewards:
    """Rewards of n completions, or of n times K.

    Args:
        flat: All of them, NaN where there is none.
        absent: The numbers of the completions without.
        shape: (n,) or (n, K).
    """

    __slots__ = ("absent", "flat", "shape")

    def __init__(self, flat: list[float], absent: list[int], shape: tuple[int, ...]) -> None:
        self.flat = flat
        self.absent = absent
        self.shape = shape

    def array(self) -> NDArray[float64]:
        """The rewards, float64 [n] or [n, K]."""
        import numpy as np

        return np.array(self.flat).reshape(self.shape)


class BatchScores:
    """Scores batches, and counts what it sees.

    Args:
        scorer: Makes what scores a language, "" for that of the reward, or None: token ids.
        step: What is done to a completion of text, or None.
        form: The form of Unicode normalization, or None.
        ids: How token ids are read, as `id_rule` has it.
        scale: What a perfect match is worth.
        empty: The reward of what has no token.
        tolerant: Whether broken samples get `empty` instead of raising.
        counts: Counts samples.
    """

    def __init__(
        self,
        scorer: Callable[[str | None], Scorer],
        step: Step | None,
        form: Normalization | None,
        ids: dict[str, Any],
        scale: float,
        empty: float,
        tolerant: bool,
        counts: RewardCounts,
    ) -> None:
        self._scorer = scorer
        self._step = step
        self._form = form
        self._ids = ids
        self._scale = scale
        self._empty = empty
        self._tolerant = tolerant
        self._counts = counts

    def score(self, completions: Any, references: Any, prompts: Any, languages: Any = None) -> Rewards:
        """Score n completions.

        Raises:
            TypeError, ValueError: As `BLEUReward.__call__`.
        """
        if languages is not None:
            return self._score_languages(completions, references, prompts, languages)
        self._check_kind(completions, references)
        try:
            return self._score_together(completions, references, prompts)
        except Exception:
            if not self._tolerant:
                raise
        found = Rewards([], [], ())
        i = -1
        for i, samples in enumerate(one_by_one(self._score_together, completions, references, prompts)):
            for sample in samples:
                if isinstance(sample, Exception):
                    self._counts.add_broken(sample)
                    found.flat.append(self._empty)
                else:
                    found.flat += sample.flat
                    found.absent += [i] * len(sample.absent)
        found.shape = tuple(completions.shape[:2]) if getattr(completions, "ndim", 1) == 3 else (i + 1,)
        return found

    def _score_languages(
        self, completions: Any, references: Any, prompts: Any, languages: Sequence[str | None]
    ) -> Rewards:
        """Score the completions of each language together."""
        if are_ids(completions, references):
            raise ArgumentValueError("languages", "must be None beside token ids, which have no language")
        sources = [
            as_list(completions, "completions", COMPLETIONS),
            as_list(references, "references", REFERENCES),
        ]
        if prompts is not None:
            sources.append(as_list(prompts, "prompts", "a sequence with the prompt of each completion"))
        named = as_list(languages, "languages", "a sequence with the language of each completion")
        number = len(sources[0])
        for name, values in zip(("references", "prompts"), sources[1:], strict=False):
            check_number(values, name, number)
        check_number(named, "languages", number)
        of_language: dict[str, list[int]] = {}
        for i, language in enumerate(named):
            if not isinstance(language, (str, type(None))):
                raise wrong_type(Place("languages")[i], "a str or None", language)
            if language == "":
                raise wrong_value(Place("languages")[i], "the code of a language, or None", language)
            of_language.setdefault(language or "", []).append(i)
        rewards = Rewards([_NO_REWARD] * number, [], (number,))
        for language, numbers in of_language.items():
            self._check_language(language, numbers[0])  # what it lacks is no fault of a sample
        for language, numbers in of_language.items():
            parts = [[values[i] for i in numbers] for values in sources]
            found = self._in_language(language).score(
                parts[0], parts[1], parts[2] if prompts is not None else None
            )
            for i, reward in zip(numbers, found.flat, strict=True):
                rewards.flat[i] = reward
            rewards.absent += [numbers[k] for k in found.absent]
        rewards.absent.sort()
        return rewards

    def _check_language(self, language: str, i: int) -> None:
        """Check that completions in a language can be scored, the i-th of them first.

        Raises:
            ValueError: It is unknown.
        """
        try:
            self._scorer(language)
        except ArgumentError as error:
            raise error.at(Place("languages")[i]) from None

    def _in_language(self, language: str) -> BatchScores:
        """The same for text in one language."""

        def scorer(_: str | None) -> Scorer:
            return self._scorer(language)

        return BatchScores(
            scorer,
            self._step,
            self._form,
            self._ids,
            self._scale,
            self._empty,
            self._tolerant,
            self._counts,
        )

    def _check_kind(self, completions: Any, references: Any) -> None:
        """Check that the options fit the kind of the completions, which is no fault of a sample.

        Raises:
            ValueError: They do not.
        """
        if not are_ids(completions, references) or (self._tolerant and has_text(completions)):
            return
        if self._step is not None:
            raise ArgumentValueError(
                "completions",
                "are token ids, from which no answer or reasoning can be cut and which cannot be normalized; decode "
                "them first",
            )
        self._scorer(None)

    def _read(self, completions: Any, references: Any, prompts: Any) -> tuple[Scorer, Batch]:
        """Completions that are ready to be scored, and what scores them."""
        if not are_ids(completions, references):
            return self._scorer(""), read_texts(completions, references, prompts, self._step, self._form)
        self._check_kind(completions, references)
        return self._scorer(None), read_ids(completions, references, prompts, self._ids)

    def _score_together(self, completions: Any, references: Any, prompts: Any) -> Rewards:
        """Score n completions, of which none is broken."""
        scorer, batch = self._read(completions, references, prompts)
        if not len(batch.hypotheses):
            nothing = batch.number, *getattr(batch.hypotheses, "shape", ())[1:-1]
            return Rewards([_NO_REWARD] * prod(nothing), batch.absent, nothing)
        rows = _count(scorer.metric, batch)
        shape: tuple[int, ...] = rows.shape[:-1]
        if len(shape) > 1:
            rows = rows.reshape(-1, rows.shape[-1])
        if not len(rows):  # no samples of any prompt
            return Rewards([], batch.absent, (batch.number, *shape[1:]))
        flat = scorer.score_rows(rows)
        lengths = rows[:, 0].tolist()
        empty = lengths.count(0)
        if empty:
            flat = [reward if length else self._empty for reward, length in zip(flat, lengths, strict=True)]
        self._counts.add(len(flat), empty, batch.clipped, _count_too_long(lengths, rows))
        if batch.absent:
            samples = shape[1] if len(shape) > 1 else 1
            for i in batch.absent:
                flat[i * samples : i * samples] = [_NO_REWARD] * samples
        return Rewards(flat, batch.absent, (batch.number, *shape[1:]))

    # Token by token

    def steps(self, completions: Any, references: Any, prompts: Any) -> Any:
        """Split the reward of each completion into one for each of its tokens.

        Returns:
            Of a matrix of ids float64 of its shape behind the prompts, NaN where there is no reward. Otherwise a list
            of lists of float, and of None.

        Raises:
            TypeError, ValueError: As `BLEUReward.__call__`.
        """
        import numpy as np

        self._check_kind(completions, references)
        try:
            return self._steps_together(completions, references, prompts)
        except Exception:
            if not self._tolerant:
                raise
        parts: list[Any] = []
        shape: Any = getattr(completions, "shape", ())
        for samples in one_by_one(self._steps_together, completions, references, prompts):
            for found in samples:
                if isinstance(found, Exception):
                    self._counts.add_broken(found)
                    parts.append(_BROKEN)
                elif isinstance(found, np.ndarray) and found.ndim > 2:
                    parts.extend(found[0])
                elif isinstance(found, list) and len(shape) > 2:
                    parts += [None] * (shape[1] // len(samples))
                else:
                    parts.append(found[0])
        width = next((part.shape[-1] for part in parts if isinstance(part, np.ndarray)), None)
        if width is None:
            width = _width(completions, prompts)
        if width is None:
            return [[self._empty] if part is _BROKEN else part for part in parts]
        steps = np.zeros((len(parts), width))
        for row, part in zip(steps, parts, strict=True):
            if part is not _BROKEN:
                row[:] = np.nan if part is None else part
            elif width:
                row[0] = self._empty
        return (
            steps.reshape(*completions.shape[:-1], width) if getattr(completions, "ndim", 1) == 3 else steps
        )

    def _steps_together(self, completions: Any, references: Any, prompts: Any) -> Any:
        import numpy as np

        from ..stepwise import stepwise_rewards

        scorer, batch = self._read(completions, references, prompts)
        if not len(batch.hypotheses):
            shape = getattr(batch.hypotheses, "shape", ())[1:]
            return np.full((batch.number, *shape), np.nan) if shape else [None] * batch.number
        rows = _count(scorer.metric, batch)
        found = stepwise_rewards(scorer.metric, batch.hypotheses, batch.references, self._scale)
        rows = rows.reshape(-1, rows.shape[-1])
        lengths = rows[:, 0].tolist()
        self._counts.add(len(rows), lengths.count(0), batch.clipped, _count_too_long(lengths, rows))
        if isinstance(found, np.ndarray):
            if found.shape[-1]:
                found.reshape(-1, found.shape[-1])[rows[:, 0] == 0, 0] = self._empty
            if not batch.absent:
                return found
            steps = np.full((batch.number, *found.shape[1:]), np.nan)
            steps[batch.scored] = found
            return steps
        lists: list[Any] = [each.tolist() or [self._empty] for each in found]
        for i in batch.absent:
            lists.insert(i, None)
        return lists


def _width(completions: Any, prompts: Any) -> int | None:
    """How many columns a matrix of completions has behind its prompts; None if these differ, or for lists.

    Example:
        >>> import numpy as np
        >>> ids = np.zeros((2, 5), dtype=int)
        >>> _width(ids, None), _width(ids, 2), _width(ids, [1, 2]), _width([[5]], None)
        (5, 3, None, None)
    """
    if not is_number_array(completions, (2, 3)):
        return None
    if prompts is None:
        length = 0
    elif is_number_array(prompts, (2,)):
        length = prompts.shape[1]
    elif hasattr(prompts, "__index__") and not getattr(prompts, "ndim", 0):
        length = int(prompts)
    else:
        return None
    return max(0, int(completions.shape[-1]) - length)


def _count(metric: BLEU, batch: Batch) -> NDArray[int64]:
    """Count a batch: rows [n, 2 + 2N] or [n, K, 2 + 2N].

    Raises:
        TypeError, ValueError: A completion or reference is not what it must be; the error names its place in the call.
    """
    try:
        return metric.statistics(batch.hypotheses, batch.references)
    except ArgumentError as error:
        place = batch.place(error.place)
        if place is None:
            raise
        raise error.at(place) from None


def _count_too_long(lengths: list[int], rows: NDArray[Any]) -> int:
    """How many hypotheses have more than `TOO_LONG` times the tokens of their closest reference."""
    closest = rows[:, 1].tolist()
    if max(lengths, default=0) <= TOO_LONG * min(closest, default=0):
        return 0
    return sum(
        [length > TOO_LONG * of_reference for length, of_reference in zip(lengths, closest, strict=True)]
    )
