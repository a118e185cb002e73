"""Convert completions to rewards: for one completion, for a batch, and for each token."""

from __future__ import annotations

from ...counting.references import References
from ...errors import ArgumentError, ArgumentValueError, Location, wrong_type, wrong_value
from ..counts import TOO_LONG, RewardCounts
from .call_arguments import Batch, aligned, are_ids, halves, has_text, samples_per_prompt
from .chat_templates import MAX_SEARCHED, TemplateWarning
from .ids import read_ids
from .text import from_field, from_fields, read_texts, references_of, text_of
from .token_rewards import empty_rewards, rewards_of_ids, rewards_of_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

    from numpy import int64
    from numpy.typing import NDArray

    from .call_arguments import Columns
    from .extraction import Extractor
    from .formulas import Scorer, Scorers

    #: A triple for one sample. First, the reward, or None without a reference. Second, a 1 or 0 for each count of
    #: `COUNTED[1:]`, such as "perfect". Third, the scored text, the scored ids as one row, or None for a malformed
    #: sample.
    Scored: TypeAlias = tuple[Any, tuple[int, ...], Any]

#: Arguments with one entry per sample. In errors about them, the first index is the index of a sample.
_SAMPLE_ARGUMENTS = ("completions", "references", "offsets")

#: The numbers that a malformed sample adds to the counts of `COUNTED[1:]`: it is also counted as zero and as empty.
_MALFORMED = (0, 1, 1, 0, 0, 0, 1)


class Scoring:
    """Score completions, and count how many are perfect, empty, truncated and so on.

    Args:
        scorers: The scorers for text in each language, and for token ids.
        extractor: A function that returns the scored part of a text; None if the whole text is scored.
        id_options: The token-id options, as `checked_id_options` returns them.
        empty: The reward of a completion without text to score, and of a malformed sample.
        tolerant: Whether malformed samples are counted as empty instead of raising errors.
        warns: Whether to log a warning if special tokens change the scored text.
        reference_field: The key of the references if they are in mappings, or None.
    """

    def __init__(
        self,
        scorers: Scorers,
        extractor: Extractor | None,
        id_options: dict[str, Any],
        *,
        empty: float,
        tolerant: bool,
        warns: bool,
        reference_field: str | None,
    ) -> None:
        self.scorers = scorers
        self.counts = RewardCounts()
        self._extractor = extractor
        self._id_options = id_options
        self._empty = empty
        self._tolerant = tolerant
        self._warns = TemplateWarning(extractor, is_over=not warns)
        self._field = reference_field

    def one(self, completion: Any, references: Any, language: str | None = None) -> Scored:
        """Score one completion, without the overhead of a batch.

        Args:
            completion: The completion: text, messages or token ids.
            references: The references of the completion, or None.
            language: The language of the completion; None for the language of the reward.

        Raises:
            TypeError, ValueError: The completion or its references are malformed, and `tolerant` is false.
        """
        if self._field is not None:
            references = from_field(references, self._field)
        if references is None:
            return None, (), None
        has_ids = type(completion) is not str and are_ids([completion], [references])
        if has_ids:
            self._check_ids()
        try:
            if has_ids:
                return self._one_of_ids(completion, references)
            scorer = self.scorers.of(language) if language else self.scorers.default
            text = completion if type(completion) is str else text_of(completion, "completion")
            scored, clipped, cut = text, False, False
            if self._extractor is not None:
                scored, clipped, cut = self._extractor(text)
            if not self._warns.is_over and self.counts.samples < MAX_SEARCHED:
                self._warns.search([text], [scored])
            texts: Any = [references] if type(references) is str else references_of(references, "references")
            row = scorer.count_one(scored, texts)[0]
        except Exception as error:
            if not self._tolerant:
                raise
            return self.count_malformed(error)
        empty = not row[0]
        reward = 0.0 if empty else scorer.score_one(row)
        perfect, zero, too_long = reward >= scorer.scale, not reward, row[0] > TOO_LONG * row[1]
        self.counts.add(1, perfect, zero, empty, clipped, cut, too_long)
        flags = perfect, zero, empty, clipped, cut, too_long, 0
        return self._empty if empty else reward, flags, scored

    def _one_of_ids(self, completion: Any, references: Any) -> Scored:
        """Score one completion that is token ids, as a batch of one."""
        try:
            (reward,), (samples, *flags), scored = self._together(([completion], [references], None))
        except ArgumentError as error:
            # Remove the index of the completion in the batch, 0, from the error.
            renamed = error.renamed(completions="completion")
            raise renamed.at(Location(renamed.argument, renamed.indices[1:])) from None
        self.counts.add(samples, *flags)
        return reward, (*flags, 0), scored

    def count_malformed(self, error: Exception) -> Scored:
        """Count a malformed sample, and return its result; the error is logged if it is the first one."""
        self.counts.add_malformed(error)
        return self._empty, _MALFORMED, None

    def many(self, completions: Any, references: Any, languages: Any = None) -> list[Any]:
        """Score n completions; the arguments are those of `BLEUReward.__call__`.

        Returns:
            n rewards, or n * K rewards for ids [n, K, T]. A reward is None if the references are None.

        Raises:
            TypeError, ValueError: The arguments are wrong as a whole; or a sample is malformed, and `tolerant` is
                false.
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
            except ArgumentError:  # Scoring a batch raises this error again, with the index of the sample.
                pass
        references = self.from_fields(completions, references)
        languages = self.check_call(completions, references, languages)
        return self._score((completions, references, languages))

    def by_token(self, completions: Any, references: Any, offsets: Any = None) -> list[Any]:
        """Divide the reward of each of n completions among its tokens.

        The arguments are those of `BLEUReward.token_rewards`.

        Returns:
            n arrays of float64, or n * K arrays for ids [n, K, T]: the reward of each token of a completion. An array
            is None if the references are None.

        Raises:
            TypeError, ValueError: The arguments are wrong as a whole; or a sample is malformed, and `tolerant` is
                false.
        """
        references = self.from_fields(completions, references)
        self.check_call(completions, references, None)
        if offsets is not None:
            if are_ids(completions, references):
                raise ArgumentValueError(
                    "offsets", "must be None for token ids, each of which has its own reward"
                )
            _, offsets = aligned(completions=completions, offsets=offsets)
        return self._score((completions, references, offsets), by_token=True)

    def from_fields(self, completions: Any, references: Any) -> Any:
        """Return the references of a call; if `reference_field` is set, take references out of their mappings."""
        if self._field is None:
            return references
        _, references = aligned(completions=completions, references=references)
        return from_fields(references, self._field)

    def check_call(self, completions: Any, references: Any, languages: Any) -> Any:
        """Check the arguments of a call as a whole; wrong arguments raise errors even if `tolerant` is true.

        Returns:
            The languages as a sequence that can be sliced; None if `languages` is None.

        Raises:
            TypeError: A language is neither a str nor None.
            ValueError: A language is unknown, or an option of the reward cannot be combined with the arguments.
        """
        if languages is not None:
            if self.scorers.metric is not None:
                raise ArgumentValueError(
                    "languages", "must be None, since the metric of the reward has its own tokenizer"
                )
            _, languages = aligned(completions=completions, languages=languages)
            for i, language in enumerate(languages):
                location = Location("languages")[i]
                if not isinstance(language, (str, type(None))):
                    raise wrong_type(location, "a str or None", language)
                if language == "":
                    raise wrong_value(location, "a language code or None", language)
                try:
                    self.scorers.of(language or "")
                except ArgumentError as error:
                    raise error.at(location) from None
            if isinstance(references, References):
                text = "must be text if languages are given, but were prepared with a tokenizer"
                raise ArgumentValueError("references", text)
        # If completions mix text and ids, a tolerant reward counts the ids as malformed instead of raising an error.
        if are_ids(completions, references) and not (self._tolerant and has_text(completions)):
            if languages is not None:
                raise ArgumentValueError("languages", "must be None for token ids, which have no language")
            self._check_ids()
        return languages

    def _check_ids(self) -> None:
        """Check that the reward can score token ids.

        Raises:
            ValueError: An option extracts a part of the text, or the metric cannot score token ids.
        """
        if self._extractor is not None:
            raise ArgumentValueError(
                "completions",
                "are token ids, from which no answer, reasoning or special tokens can be cut; decode them first",
            )
        self.scorers.of(None)

    def _score(self, columns: Columns, by_token: bool = False, first: int = 0) -> list[Any]:
        """Score completions as one batch. If that fails and `tolerant` is true, score each half of them recursively.

        A few malformed samples are thus found with a few batches.

        Args:
            columns: Completions, references, and either languages, offsets (with `by_token`) or None.
            by_token: Whether to return the rewards of tokens.
            first: The index of the first completion (or row of K samples) in the call, for errors.
        """
        try:
            rewards, counted, _ = self._together(columns, by_token)
        except Exception as error:
            if not self._tolerant:
                raise
            number, parts = halves(*columns)
            if parts:
                # If the K samples of one prompt are halved, both halves have the index of the prompt.
                middle = len(parts[0][1]) if len(columns[1]) > 1 else 0
                return [
                    reward
                    for half, start in zip(parts, (first, first + middle), strict=True)
                    for reward in self._score(half, by_token, start)
                ]
            if isinstance(error, ArgumentError) and error.argument in _SAMPLE_ARGUMENTS and error.indices:
                i, *rest = error.indices
                error = error.at(Location(error.argument, (first + i, *rest)))
            empty = [self.count_malformed(error)[0] for _ in range(number)]
            return [empty_rewards(columns[0], columns[2], self._empty) for _ in empty] if by_token else empty
        self.counts.add(*counted)
        return rewards

    def _together(self, columns: Columns, by_token: bool = False) -> tuple[list[Any], tuple[int, ...], Any]:
        """Score completions as one batch, without adding to `counts`.

        Args:
            columns: Completions, references, and either languages, offsets (with `by_token`) or None.
            by_token: Whether to return the rewards of tokens.

        Returns:
            The rewards, as `many` or `by_token` returns them; the counts of the batch in the order of `COUNTED`,
            without "errors"; and the scored texts or ids.

        Raises:
            TypeError, ValueError: A sample is malformed.
        """
        completions, references, third = columns
        languages = None if by_token else third
        texts: Any = None
        if are_ids(completions, references):
            self._check_ids()
            scorer = self.scorers.of(None)
            batch = read_ids(completions, references, self._id_options)
        else:
            scorer = self.scorers.default
            texts = read_texts(completions, references)
            batch = self._extracted(texts)
        width = samples_per_prompt(batch.hypotheses)
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
                    source = texts.hypotheses, self._extractor, third
                    rewards = rewards_of_texts(scorer, batch, lengths, self._empty, *source)
        if len(batch.scored) < batch.number:
            all_rewards: list[Any] = [None] * (batch.number * width)
            for k, i in enumerate(batch.scored):
                all_rewards[i * width : (i + 1) * width] = rewards[k * width : (k + 1) * width]
            rewards = all_rewards
        return rewards, counted, batch.hypotheses

    def _extracted(self, batch: Batch) -> Batch:
        """Replace each text by its scored part, and count truncated texts and texts with removed special tokens."""
        texts = batch.hypotheses
        if self._extractor is not None:
            extracted = list(map(self._extractor, texts))
            parts, clipped, cut = map(list, zip(*extracted, strict=True)) if extracted else ([], [], [])
            batch = batch._replace(hypotheses=parts, clipped=sum(clipped), cut=sum(cut))
        if not self._warns.is_over and self.counts.samples < MAX_SEARCHED:
            self._warns.search(texts, batch.hypotheses)
        return batch

    def _rewards(
        self, scorer: Scorer, batch: Batch, rows: NDArray[int64]
    ) -> tuple[list[float], tuple[int, ...]]:
        """Convert the sufficient statistics of a batch to rewards.

        Args:
            scorer: The scorer.
            batch: The batch, whose `clipped` and `cut` are returned among the counts.
            rows: Sufficient statistics [n, 2 + 2N]; for chrF, counts [n, 3 * orders].

        Returns:
            n rewards, and the counts of the batch in the order of `COUNTED`, without "errors".
        """
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
        """Return the sufficient statistics [n, 2 + 2N] of a batch, counting each text with its language's tokenizer."""
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
    """Return the sufficient statistics of a batch, [n, 2 + 2N] or [n, K, 2 + 2N].

    Raises:
        TypeError, ValueError: A completion or reference is malformed; the error names its location in the call.
    """
    try:
        return scorer.metric.statistics(batch.hypotheses, batch.references)
    except ArgumentError as error:
        raise error.at(batch.locate(error.location)) from None
