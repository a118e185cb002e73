"""Convert completions to rewards: for one sample, for a batch in one or several languages, and for each token."""

from __future__ import annotations

from ...counting.references import References
from ...errors import ArgumentError, ArgumentValueError, Location, wrong_type, wrong_value
from ..counts import TOO_LONG, RewardCounts
from .ids import read_ids
from .kinds import Batch, aligned, are_ids, halves, has_text, samples_of_each
from .marks import LOOKED_AT, MarkWarning
from .text import from_field, from_fields, read_texts, references_of, text_of
from .token_rewards import empty_rewards, rewards_of_ids, rewards_of_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

    from numpy import int64
    from numpy.typing import NDArray

    from .extraction import Step
    from .formulas import Scorer, Scorers
    from .kinds import Columns

    #: One sample: its reward, None without a reference; 1 if it is perfect, zero and so on, in the order of
    #: `COUNTED[1:]`, else 0; and the text or the ids (a batch of one row) that were scored, None if it is malformed.
    Scored: TypeAlias = tuple[Any, tuple[int, ...], Any]

#: Arguments whose first index is that of a sample.
_SAMPLE_ARGUMENTS = ("completions", "references", "offsets")

#: The counts of a malformed sample, which also counts as empty.
_BROKEN = (0, 1, 1, 0, 0, 0, 1)


class Scoring:
    """Score completions, and count their properties for the log.

    Args:
        scorers: The scorers, which convert counts to rewards.
        step: A function from a text to its scored part; None: the whole text is scored.
        rule: The token-id options.
        empty: The reward of a completion without text, or of a malformed sample.
        tolerant: Whether malformed samples are counted instead of raising errors.
        warns: Whether to log a warning about special tokens in scored text.
        reference_field: The key of the references in mappings, or None.
    """

    def __init__(
        self,
        scorers: Scorers,
        step: Step | None,
        rule: dict[str, Any],
        *,
        empty: float,
        tolerant: bool,
        warns: bool,
        reference_field: str | None,
    ) -> None:
        self.scorers = scorers
        self.counts = RewardCounts()
        self._step = step
        self._rule = rule
        self._empty = empty
        self._tolerant = tolerant
        self._warns = MarkWarning(step, is_over=not warns)
        self._field = reference_field

    # One completion

    def one(self, completion: Any, references: Any, language: str | None = None) -> Scored:
        """Score one completion, without the overhead of a batch; None is the language of the reward.

        Raises:
            TypeError, ValueError: As `BLEUReward.score_one`.
        """
        if self._field is not None:
            references = from_field(references, self._field)
        if references is None:
            return None, (), None
        of_ids = type(completion) is not str and are_ids([completion], [references])
        if of_ids:
            self._check_ids()
        try:
            if of_ids:
                return self._one_of_ids(completion, references)
            scorer = self.scorers.of(language) if language else self.scorers.usual
            text = completion if type(completion) is str else text_of(completion, "completion")
            scored, clipped, cut = text, False, False
            if self._step is not None:
                scored, clipped, cut = self._step(text)
            if not self._warns.is_over and self.counts.samples < LOOKED_AT:
                self._warns.look([text], [scored])
            given: Any = [references] if type(references) is str else references_of(references, "references")
            row = scorer.count_one(scored, given)[0]
        except Exception as error:
            if not self._tolerant:
                raise
            return self.broken(error)
        empty = not row[0]
        reward = 0.0 if empty else scorer.score_one(row)
        perfect, zero, too_long = reward >= scorer.scale, not reward, row[0] > TOO_LONG * row[1]
        self.counts.add(1, perfect, zero, empty, clipped, cut, too_long)
        marks = perfect, zero, empty, clipped, cut, too_long, 0
        return self._empty if empty else reward, marks, scored

    def _one_of_ids(self, completion: Any, references: Any) -> Scored:
        """Score one completion of ids as a batch."""
        try:
            (reward,), (samples, *marks), scored = self._together(([completion], [references], None))
        except ArgumentError as error:
            # In the batch the sample has the index 0.
            one = error.renamed(completions="completion")
            raise one.at(Location(one.argument, one.indices[1:])) from None
        self.counts.add(samples, *marks)
        return reward, (*marks, 0), scored

    def broken(self, error: Exception) -> Scored:
        """Count a malformed sample."""
        self.counts.add_broken(error)
        return self._empty, _BROKEN, None

    # A batch

    def many(
        self,
        completions: Any,
        references: Any,
        languages: Any = None,
    ) -> list[Any]:
        """Score n completions.

        Returns:
            n rewards, or n times K. None where the reference is None.

        Raises:
            TypeError, ValueError: As `BLEUReward.__call__`.
        """
        if (
            type(completions) is type(references) is list
            and len(completions) == len(references) == 1
            and type(completions[0]) is str
            and languages is None
            and references[0] is not None
        ):
            try:  # A single sample takes a sixth of the time of a batch.
                return [self.one(completions[0], references[0])[0]]
            except ArgumentError:  # Raised again below, with its position in the call.
                pass
        references = self.from_fields(completions, references)
        languages = self.check_call(completions, references, languages)
        return self._parts((completions, references, languages))

    def by_token(self, completions: Any, references: Any, offsets: Any = None) -> list[Any]:
        """Score n completions token by token.

        Args:
            completions: As for `many`.
            references: As for `many`.
            offsets: For each completion, the starts and ends of the policy's tokens in it; None: return rewards of the
                metric's tokens, or of ids.

        Returns:
            n arrays of float64, or n times K. None where the reference is None.

        Raises:
            TypeError, ValueError: As `BLEUReward.token_rewards`.
        """
        references = self.from_fields(completions, references)
        self.check_call(completions, references, None)
        if offsets is not None:
            if are_ids(completions, references):
                raise ArgumentValueError(
                    "offsets", "must be None for token ids, each of which has its own reward"
                )
            _, offsets = aligned(completions=completions, offsets=offsets)
        return self._parts((completions, references, offsets), by_token=True)

    def from_fields(self, completions: Any, references: Any) -> Any:
        """Return the references of a call, each mapping among them replaced by the value of `reference_field`."""
        if self._field is None:
            return references
        _, references = aligned(completions=completions, references=references)
        return from_fields(references, self._field)

    def check_call(self, completions: Any, references: Any, languages: Any) -> Any:
        """Check that the options of the reward and the languages fit a call, whatever its samples are.

        Returns:
            The languages as a sequence that can be sliced; None if they are not given.

        Raises:
            TypeError, ValueError: An option does not fit, or a language is neither None nor a language code.
        """
        if languages is not None:
            if self.scorers.metric is not None:
                raise ArgumentValueError(
                    "languages", "must be None beside metric=, which has its own tokenizer"
                )
            _, languages = aligned(completions=completions, languages=languages)
            for i, language in enumerate(languages):
                location = Location("languages")[i]
                if not isinstance(language, (str, type(None))):
                    raise wrong_type(location, "a str or None", language)
                if language == "":
                    raise wrong_value(location, "the code of a language, or None", language)
                try:
                    self.scorers.of(language or "")
                except ArgumentError as error:
                    raise error.at(location) from None
            if isinstance(references, References):
                text = "were prepared with one tokenizer; with languages they must be text"
                raise ArgumentValueError("references", text)
        # A tolerant reward counts ids as malformed if other completions are text.
        if are_ids(completions, references) and not (self._tolerant and has_text(completions)):
            if languages is not None:
                raise ArgumentValueError("languages", "must be None beside token ids, which have no language")
            self._check_ids()
        return languages

    def _check_ids(self) -> None:
        """Check that the options fit token ids, which does not depend on the sample.

        Raises:
            ValueError: An option does not fit.
        """
        if self._step is not None:
            raise ArgumentValueError(
                "completions",
                "are token ids, from which no answer, reasoning or special tokens can be cut; decode them first",
            )
        self.scorers.of(None)

    def _parts(self, columns: Columns, by_token: bool = False, first: int = 0) -> list[Any]:
        """Score completions together; if one is malformed, score halves recursively, which finds it in a few batches.

        Args:
            columns: The columns of these completions.
            by_token: Whether each token gets a reward.
            first: The index of their first row in the call.
        """
        try:
            rewards, counted, _ = self._together(columns, by_token)
        except Exception as error:
            if not self._tolerant:
                raise
            number, parts = halves(*columns)
            if parts:
                # The halves of a single row are its samples.
                middle = len(parts[0][1]) if len(columns[1]) > 1 else 0
                starts = first, first + middle
                return [
                    reward
                    for half, start in zip(parts, starts, strict=True)
                    for reward in self._parts(half, by_token, start)
                ]
            if isinstance(error, ArgumentError) and error.argument in _SAMPLE_ARGUMENTS and error.indices:
                i, *rest = error.indices
                error = error.at(Location(error.argument, (first + i, *rest)))
            broken = [self.broken(error)[0] for _ in range(number)]
            return (
                [empty_rewards(columns[0], columns[2], self._empty) for _ in broken] if by_token else broken
            )
        self.counts.add(*counted)
        return rewards

    def _together(self, columns: Columns, by_token: bool = False) -> tuple[list[Any], tuple[int, ...], Any]:
        """Score completions of which none is malformed.

        Returns:
            The rewards, as `many` returns them; the numbers of samples, of perfect samples, of zero scores and so on,
            in the order of `COUNTED` without errors; and the scored texts or ids.
        """
        completions, references, beside = columns
        languages = None if by_token else beside
        texts: Any = None
        if are_ids(completions, references):
            self._check_ids()
            scorer = self.scorers.of(None)
            batch = read_ids(completions, references, self._rule)
        else:
            scorer = self.scorers.usual
            texts = read_texts(completions, references)
            batch = self._extracted(texts)
        width = samples_of_each(batch.hypotheses)
        rewards: list[Any] = []
        counted: tuple[int, ...] = (0,) * 7
        if len(batch.hypotheses) and width:
            rows = _count(scorer, batch) if languages is None else self._count_by_language(batch, languages)
            rewards, counted = self._rewards(scorer, batch, rows.reshape(-1, rows.shape[-1]))
            if by_token:
                lengths = rows[..., 0].ravel().tolist()
                if texts is None:
                    rewards = rewards_of_ids(scorer, batch, lengths, self._empty)
                else:
                    of_step = texts.hypotheses, self._step, beside
                    rewards = rewards_of_texts(scorer, batch, lengths, self._empty, *of_step)
        if len(batch.scored) < batch.number:
            of_all: list[Any] = [None] * (batch.number * width)
            for k, i in enumerate(batch.scored):
                of_all[i * width : (i + 1) * width] = rewards[k * width : (k + 1) * width]
            rewards = of_all
        return rewards, counted, batch.hypotheses

    def _extracted(self, batch: Batch) -> Batch:
        """Replace each text by its scored part."""
        texts = batch.hypotheses
        if self._step is not None:
            extracted = list(map(self._step, texts))
            parts, clipped, cut = map(list, zip(*extracted, strict=True)) if extracted else ([], [], [])
            batch = batch._replace(hypotheses=parts, clipped=sum(clipped), cut=sum(cut))
        if not self._warns.is_over and self.counts.samples < LOOKED_AT:
            self._warns.look(texts, batch.hypotheses)
        return batch

    def _rewards(
        self, scorer: Scorer, batch: Batch, rows: NDArray[int64]
    ) -> tuple[list[float], tuple[int, ...]]:
        """Score the rows of a batch [n, 2 + 2N]; return rewards and counts as `_together` does."""
        from numpy import count_nonzero

        lengths = rows[:, 0]
        empty = int(count_nonzero(lengths == 0))
        too_long = int(count_nonzero(lengths > TOO_LONG * rows[:, 1]))
        scores = scorer.score_rows(rows)
        perfect = int(count_nonzero(scores >= scorer.scale))
        zero = len(scores) - int(count_nonzero(scores))
        rewards: list[float] = scores.tolist()
        if empty:
            pairs = zip(rewards, lengths.tolist(), strict=True)
            rewards = [reward if length else self._empty for reward, length in pairs]
        return rewards, (len(rewards), perfect, zero, empty, batch.clipped, batch.cut, too_long)

    def _count_by_language(self, batch: Batch, languages: Sequence[str | None]) -> NDArray[int64]:
        """Count a batch of text, each completion by the metric of its language."""
        import numpy as np

        positions: dict[str, list[int]] = {}
        for k, i in enumerate(batch.scored):
            positions.setdefault(languages[i] or "", []).append(k)
        rows = [
            self.scorers.of(language).metric.statistics(
                [batch.hypotheses[k] for k in chosen],
                [[stream[k] for k in chosen] for stream in batch.references],
            )
            for language, chosen in positions.items()
        ]
        return np.concatenate(rows)[np.argsort(np.concatenate([*positions.values()]))]


def _count(scorer: Scorer, batch: Batch) -> NDArray[int64]:
    """Count a batch: rows [n, 2 + 2N] or [n, K, 2 + 2N].

    Raises:
        TypeError, ValueError: A completion or reference is malformed; the error names its position in the call.
    """
    try:
        return scorer.metric.statistics(batch.hypotheses, batch.references)
    except ArgumentError as error:
        raise error.at(batch.locate(error.location)) from None
