"""Batches of completions to rewards: together, each alone where one is broken, by language, token by token."""

from __future__ import annotations

from ..errors import ArgumentValueError
from ..inputs.segments import as_list
from .batches import COMPLETIONS, REFERENCES, are_ids, check_number, one_by_one
from .counts import TOO_LONG, RewardCounts
from .id_batches import read_ids
from .scores import Scorer
from .text_batches import read_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy import float64
    from numpy.typing import NDArray

    from .batches import Batch
    from .extraction import Normalization, Step
    from .id_batches import IdOptions


class BatchScores:
    """Scores batches, and counts what it sees.

    Args:
        scorer: Makes what scores a language, "" for that of the reward, or None: token ids.
        step: What is done to a completion of text, or None.
        form: The form of Unicode normalization, or None.
        ids: How token ids are read.
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
        ids: IdOptions,
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

    def score(
        self, completions: Any, references: Any, prompts: Any, languages: Any = None
    ) -> tuple[NDArray[float64], list[int]]:
        """Score n completions.

        Returns:
            Rewards, float64 [n] or [n, K], NaN where there is none; and the numbers of the completions without.

        Raises:
            TypeError, ValueError: As `BLEUReward.__call__`.
        """
        import numpy as np

        if languages is not None:
            return self._score_languages(completions, references, prompts, languages)
        try:
            return self._score_together(completions, references, prompts)
        except Exception:
            if not self._tolerant:
                raise
        absent: list[int] = []
        parts: list[Any] = []

        def score(*sample: Any) -> NDArray[float64]:
            return self._score_together(*sample)[0]

        for i, found in enumerate(one_by_one(score, completions, references, prompts)):
            samples = found if isinstance(found, list) else [found]
            parts.append([self._broken() if each is None else each.ravel() for each in samples])
            if any(np.isnan(each).any() for each in parts[-1]):
                absent.append(i)
        shape = completions.shape[:2] if getattr(completions, "ndim", 1) == 3 else (len(parts),)
        return np.concatenate([each for part in parts for each in part]).reshape(shape), absent

    def _broken(self) -> NDArray[float64]:
        """The reward of a broken sample, counted."""
        import numpy as np

        self._counts.add(1, 1, 0, 0, 1)
        return np.array([self._empty])

    def _score_languages(
        self, completions: Any, references: Any, prompts: Any, languages: Sequence[str | None]
    ) -> tuple[NDArray[float64], list[int]]:
        """Score the completions of each language together."""
        import numpy as np

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
            of_language.setdefault(language or "", []).append(i)
        rewards = np.empty(number)
        absent: list[int] = []
        for language, numbers in of_language.items():
            parts = [[values[i] for i in numbers] for values in sources]
            found, without = BatchScores.score(
                self._in_language(language), parts[0], parts[1], parts[2] if prompts is not None else None
            )
            rewards[numbers] = found
            absent += [numbers[k] for k in without]
        return rewards, sorted(absent)

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

    def _read(self, completions: Any, references: Any, prompts: Any) -> tuple[Scorer, Batch]:
        """Completions that are ready to be scored, and what scores them."""
        if not are_ids(completions, references):
            return self._scorer(""), read_texts(completions, references, prompts, self._step, self._form)
        if self._step is not None:
            raise ArgumentValueError(
                "completions",
                "are token ids, from which no answer or reasoning can be cut and which cannot be normalized; decode "
                "them first",
            )
        return self._scorer(None), read_ids(completions, references, prompts, self._ids)

    def _score_together(
        self, completions: Any, references: Any, prompts: Any
    ) -> tuple[NDArray[float64], list[int]]:
        """Score n completions, of which none is broken."""
        import numpy as np

        scorer, batch = self._read(completions, references, prompts)
        if not len(batch.hypotheses):
            return np.full(batch.number, np.nan), batch.absent
        rows = scorer.metric.statistics(batch.hypotheses, batch.references)
        shape = rows.shape[:-1]
        if len(shape) > 1:
            rows = rows.reshape(-1, rows.shape[-1])
        scores = scorer.score_rows(rows)
        lengths = rows[:, 0]
        empty = len(rows) - int(np.count_nonzero(lengths))
        if empty:
            scores[lengths == 0] = self._empty
        too_long = int(np.count_nonzero(lengths > TOO_LONG * rows[:, 1]))
        self._counts.add(len(rows), empty, batch.clipped, too_long)
        if len(shape) > 1:
            scores = scores.reshape(shape)
        if batch.absent:
            rewards = np.full((batch.number, *shape[1:]), np.nan)
            rewards[batch.scored] = scores
            return rewards, batch.absent
        return scores, batch.absent

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

        try:
            return self._steps_together(completions, references, prompts)
        except Exception:
            if not self._tolerant:
                raise
        parts = []
        for found in one_by_one(self._steps_together, completions, references, prompts):
            if found is None:
                self._broken()
            parts.append(found)
        matrix = next((part for part in parts if isinstance(part, np.ndarray)), None)
        if matrix is None:
            return [[self._empty] if part is None else part[0] for part in parts]
        steps = np.zeros((len(parts), matrix.shape[1]))
        for row, part in zip(steps, parts, strict=True):
            if part is not None:
                row[:] = part[0]
            elif len(row):
                row[0] = self._empty
        return steps

    def _steps_together(self, completions: Any, references: Any, prompts: Any) -> Any:
        import numpy as np

        from .stepwise import stepwise_rewards

        scorer, batch = self._read(completions, references, prompts)
        if not len(batch.hypotheses):
            return [None] * batch.number
        metric = scorer.metric
        found = stepwise_rewards(metric, batch.hypotheses, batch.references, self._scale)
        rows = metric.statistics(batch.hypotheses, batch.references)
        empty = np.flatnonzero(rows[:, 0] == 0)
        too_long = int(np.count_nonzero(rows[:, 0] > TOO_LONG * rows[:, 1]))
        self._counts.add(len(rows), len(empty), batch.clipped, too_long)
        if isinstance(found, np.ndarray):
            if found.shape[1]:
                found[empty, 0] = self._empty
            if not batch.absent:
                return found
            steps = np.full((batch.number, found.shape[1]), np.nan)
            steps[batch.scored] = found
            return steps
        lists: list[Any] = [each.tolist() or [self._empty] for each in found]
        for i in batch.absent:
            lists.insert(i, None)
        return lists
