"""Completions to rewards: one completion, a batch, a batch in several languages; for each completion or token."""

from __future__ import annotations

from math import inf, isfinite

from ...counting.references import References
from ...errors import ArgumentError, ArgumentValueError, Place, wrong_type, wrong_value
from ...metric import BLEU
from ...metric.warning import Once
from ...options import check_choice, check_flag, check_name, check_number, check_threads
from ..baselines import BASELINES
from ..counts import TOO_LONG, RewardCounts
from .extraction import extraction
from .formulas import REWARD_FORMULAS, Scorer, usual_metric
from .ids import id_rule, read_ids
from .kinds import aligned, are_ids, halves, has_text, samples_of_each
from .marks import SPECIAL_TOKENS, first_mark, log_mark
from .text import normalized_all, read_texts, references_of, text_of, without_prompt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal, TypeAlias

    from numpy import int64
    from numpy.typing import NDArray

    from ...inputs.id_rules import Ids
    from ...metric.chrf import CHRF
    from ..baselines import Baseline
    from .extraction import Extract, Normalization
    from .formulas import RewardFormula
    from .kinds import Batch, Columns
    from .marks import SpecialTokens

    #: A sample's reward; what is true of it (1) or not (0), in the order of `COUNTED`; and what of it is scored: a
    #: text, a batch of one row of ids, or None if it is broken.
    Sample: TypeAlias = tuple[float, int, int, int, int, int, int, int, Any]
    Errors: TypeAlias = Literal["raise", "empty"]

ERRORS = ("raise", "empty")

#: How many completions are looked at: special tokens come with all of them or with none.
_LOOKED_AT = 1000


class Scoring:
    """Scores completions, and counts what it sees: the options of `BLEUReward`, held and checked here."""

    def __init__(
        self,
        language: str | None = None,
        metric: BLEU | CHRF | None = None,
        *,
        formula: RewardFormula = "sacrebleu",
        extract: Extract | None = None,
        strip_reasoning: bool = False,
        special_tokens: SpecialTokens = "warn",
        normalize: Normalization | None = None,
        scale: float = 1.0,
        empty: float = 0.0,
        baseline: Baseline | None = None,
        stepwise: bool = False,
        errors: Errors = "raise",
        pad_id: Ids = None,
        eos_id: Ids = None,
        vocabulary_size: int | None = None,
        threads: int = 1,
        name: str = "bleu_reward",
    ) -> None:
        if not isinstance(language, (str, type(None))):
            raise wrong_type("language", "a str", language)
        if not (metric is None or (hasattr(metric, "matcher") and hasattr(metric, "formula"))):
            raise wrong_type("metric", "a BLEU or a CHRF", metric)
        if language is not None and metric is not None:
            raise ArgumentValueError("metric", "must be None beside language, which chooses a metric")
        check_name("name", name)
        check_choice("formula", formula, REWARD_FORMULAS)
        needs: dict[str, Any] = {"pad_id": pad_id, "eos_id": eos_id, "vocabulary_size": vocabulary_size}
        needs.update(stepwise=stepwise or None, formula=None if formula == REWARD_FORMULAS[0] else formula)
        for option, value in needs.items():
            if value is not None and not isinstance(metric, (BLEU, type(None))):
                raise ArgumentValueError(option, f"needs a BLEU as the metric, not {metric!r}", value=value)
        if baseline is not None:
            check_choice("baseline", baseline, BASELINES)
        check_choice("errors", errors, ERRORS)
        check_choice("special_tokens", special_tokens, SPECIAL_TOKENS)
        if check_flag("stepwise", stepwise) and baseline is not None:
            raise ArgumentValueError("stepwise", "must be False beside a baseline, which is of whole rewards")
        self._language = language
        self._metric = metric
        self._formula: RewardFormula = formula
        self._extract = extract
        self._strips = check_flag("strip_reasoning", strip_reasoning)
        self._special_tokens: SpecialTokens = special_tokens
        self._form = normalize
        self._scale = check_number("scale", scale, lambda worth: 0 < worth < inf, "finite and above 0")
        self._empty = check_number("empty", empty, isfinite, "finite")
        self._baseline = baseline
        self._stepwise = stepwise
        self._tolerant = errors == "empty"
        self._rule = id_rule(pad_id, eos_id, vocabulary_size)
        self._threads = check_threads(threads)
        self.__name__ = name
        self._set_up()

    def _set_up(self) -> None:
        """Make what follows from the options; it is not pickled."""
        self._counts = RewardCounts()
        self._step = extraction(self._extract, self._strips, self._form, self._special_tokens == "strip")
        self._warns = Once(is_over=self._special_tokens != "warn")
        self._scorers: dict[str | None, Scorer] = {}
        self._of_text = self.scorer("")  # at once, so that bad options are found before the first sample

    def scorer(self, language: str | None) -> Scorer:
        """The scorer of text in a language, "" for that of the reward, or None: of token ids.

        Raises:
            ValueError: The language is unknown; or the metric of the reward does not take token ids.
        """
        found = self._scorers.get(language)
        if found is None:
            metric, of_ids = self._metric, language is None
            if metric is None:
                metric = usual_metric(language or self._language, self._formula, self._threads, of_ids)
            elif of_ids and metric.matcher.counter_of_one([]) is None:
                raise ArgumentValueError(
                    "metric",
                    f"must be a BLEU with tokenize='none' and no lowercase to score token ids, got {metric!r}",
                )
            # If several threads come first, all get the scorer that the first of them has made.
            found = self._scorers.setdefault(language, Scorer(metric, self._formula, self._scale))
        return found

    def _check_ids(self) -> None:
        """Check that the options fit token ids, which is not a fault of a sample.

        Raises:
            ValueError: They do not.
        """
        if self._step is not None:
            raise ArgumentValueError(
                "completions",
                "are token ids, from which no answer, reasoning or special tokens can be cut and which cannot be "
                "normalized; decode them first",
            )
        self.scorer(None)

    # One completion

    def one(
        self, completion: Any, references: Any, prompt: Any = None, language: str | None = None
    ) -> Sample:
        """Score one completion, in the shortest way; None is the language of the reward.

        Raises:
            TypeError, ValueError: As `BLEUReward.score_one`.
        """
        of_ids = type(completion) is not str and are_ids([completion], [references])
        if of_ids and references is not None:
            self._check_ids()
        try:
            if of_ids:
                reward, perfect, zero, empty, clipped, cut, too_long, scored = self._one_of_ids(
                    completion, references, prompt
                )
            else:
                scorer = self.scorer(language) if language else self._of_text
                scored = completion if type(completion) is str else text_of(completion, "completion")
                if prompt is not None:
                    scored = without_prompt(scored, completion, prompt, Place("prompt"))
                clipped = cut = False
                if self._step is not None:
                    scored, clipped, cut = self._step(scored)
                if not self._warns.is_over and self._counts.samples < _LOOKED_AT:
                    self._look([scored])
                given: Any = [references]
                if type(references) is not str:
                    given = references_of(references, "references")
                if self._form is not None:
                    given = normalized_all(given, self._form)
                row = scorer.count_one(scored, given)[0]
                empty, too_long = not row[0], row[0] > TOO_LONG * row[1]
                reward = 0.0 if empty else scorer.score_one(row)
                perfect, zero = reward >= self._scale, not reward
                if empty:
                    reward = self._empty
        except Exception as error:
            if not self._tolerant:
                raise
            return self._broken(error)
        self._counts.add(1, perfect, zero, empty, clipped, cut, too_long)
        return reward, perfect, zero, empty, clipped, cut, too_long, 0, scored

    def _look(self, texts: Sequence[str]) -> None:
        """Warn, once, of what a chat template wrote."""
        mark = first_mark(texts)
        if mark and self._warns():
            log_mark(mark)

    def _one_of_ids(self, completion: Any, references: Any, prompt: Any) -> tuple[Any, ...]:
        """Score one completion of ids as a batch: a sample without errors."""
        if references is None:
            raise wrong_type("references", "token ids, or a list of several references", references)
        try:
            prompts = None if prompt is None else [prompt]
            call = [completion], [references], prompts, None
            (reward,), (_, *counted), scored = self._together(call, False)
        except ArgumentError as error:
            # In the batch it has the index 0.
            one = error.renamed(completions="completion", prompts="prompt")
            raise one.at(Place(one.argument, one.indices[1:])) from None
        return (reward, *counted, scored)

    def _broken(self, error: Exception) -> Sample:
        """Count a broken sample."""
        self._counts.add_broken(error)
        return self._empty, 0, 1, 1, 0, 0, 0, 1, None

    # A batch

    def many(
        self,
        completions: Any,
        references: Any,
        prompts: Any = None,
        languages: Any = None,
        stepwise: bool = False,
    ) -> list[Any]:
        """Score n completions.

        Returns:
            n rewards, or n times K; if they are to be `stepwise`, of each a list or array of rewards. None where the
            reference is None.

        Raises:
            TypeError, ValueError: As `BLEUReward.__call__`.
        """
        if (
            type(completions) is type(references) is list
            and len(completions) == len(references) == 1
            and type(completions[0]) is str
            and prompts is languages is None
            and not stepwise
            and references[0] is not None
        ):
            try:  # the way of one sample takes a sixth of the time
                return [self.one(completions[0], references[0])[0]]
            except ArgumentError:  # raised again below, with its place in the call
                pass
        languages = self._checked_languages(completions, references, languages)
        return self._parts((completions, references, prompts, languages), stepwise)

    def _checked_languages(self, completions: Any, references: Any, languages: Any) -> Any:
        """Check what is not a fault of a sample: that the options of the reward and the languages fit a call.

        Returns:
            The languages as a sequence that has slices; None if there are none.

        Raises:
            TypeError, ValueError: They do not, or a language is neither None nor the code of a language.
        """
        if languages is not None:
            if self._metric is not None:
                raise ArgumentValueError(
                    "languages", "must be None beside metric=, which has its own tokenizer"
                )
            if self._stepwise:
                raise ArgumentValueError("languages", "must be None with stepwise=True")
            _, languages = aligned(completions=completions, languages=languages)
            for i, language in enumerate(languages):
                where = Place("languages")[i]
                if not isinstance(language, (str, type(None))):
                    raise wrong_type(where, "a str or None", language)
                if language == "":
                    raise wrong_value(where, "the code of a language, or None", language)
                try:
                    self.scorer(language or "")
                except ArgumentError as error:
                    raise error.at(where) from None
            if isinstance(references, References):
                text = "were prepared with one tokenizer; with languages they must be text"
                raise ArgumentValueError("references", text)
        # Text among ids makes these broken, if broken samples may pass.
        if are_ids(completions, references) and not (self._tolerant and has_text(completions)):
            if languages is not None:
                raise ArgumentValueError("languages", "must be None beside token ids, which have no language")
            self._check_ids()
        return languages

    def _parts(self, columns: Columns, stepwise: bool) -> list[Any]:
        """Score completions together, or in halves where one is broken: halves of halves find it in a few batches."""
        try:
            rewards, counted, _ = self._together(columns, stepwise)
        except Exception as error:
            if not self._tolerant:
                raise
            number, parts = halves(*columns)
            if parts:
                return [reward for half in parts for reward in self._parts(half, stepwise)]
            broken = [self._broken(error)[0] for _ in range(number)]
            return [[empty] for empty in broken] if stepwise else broken
        self._counts.add(*counted)
        return rewards

    def _together(self, columns: Columns, stepwise: bool) -> tuple[list[Any], tuple[int, ...], Any]:
        """Score completions, none of which is broken.

        Returns:
            The rewards as `many` gives them, and how many samples there were, and how many were perfect and so on, in
            the order of `COUNTED`, without errors; and what of them is scored.
        """
        from numpy import count_nonzero

        completions, references, prompts, languages = columns
        if are_ids(completions, references):
            self._check_ids()
            scorer = self.scorer(None)
            batch = read_ids(completions, references, prompts, self._rule)
        else:
            scorer = self._of_text
            batch = read_texts(completions, references, prompts, self._step, self._form)
            if not self._warns.is_over and self._counts.samples < _LOOKED_AT:
                self._look(batch.hypotheses)
        width = samples_of_each(batch.hypotheses)
        rewards: list[Any] = []
        counted: tuple[int, ...] = (0,) * 7
        if len(batch.hypotheses) and width:
            rows = _count(scorer.metric, batch) if languages is None else self._by_language(batch, languages)
            rows = rows.reshape(-1, rows.shape[-1])
            lengths, closest = rows[:, 0], rows[:, 1]
            empty = int(count_nonzero(lengths == 0))
            too_long = int(count_nonzero(lengths > TOO_LONG * closest))
            scores = scorer.score_rows(rows)
            perfect = int(count_nonzero(scores >= self._scale))
            zero = len(scores) - int(count_nonzero(scores))
            rewards = scores.tolist()
            if stepwise:
                rewards = self._steps(scorer.metric, batch, lengths.tolist())
            elif empty:
                pairs = zip(rewards, lengths.tolist(), strict=True)
                rewards = [reward if length else self._empty for reward, length in pairs]
            counted = len(rewards), perfect, zero, empty, batch.clipped, batch.cut, too_long
        if len(batch.scored) < batch.number:
            found: list[Any] = [None] * (batch.number * width)
            for k, i in enumerate(batch.scored):
                found[i * width : (i + 1) * width] = rewards[k * width : (k + 1) * width]
            rewards = found
        return rewards, counted, batch.hypotheses

    def _by_language(self, batch: Batch, languages: Sequence[str | None]) -> NDArray[int64]:
        """Count a batch of text, each completion by the metric of its language."""
        import numpy as np

        places: dict[str, list[int]] = {}
        for k, i in enumerate(batch.scored):
            places.setdefault(languages[i] or "", []).append(k)
        rows = [
            self.scorer(language).metric.statistics(
                [batch.hypotheses[k] for k in chosen],
                [[stream[k] for k in chosen] for stream in batch.references],
            )
            for language, chosen in places.items()
        ]
        return np.concatenate(rows)[np.argsort(np.concatenate([*places.values()]))]

    def _steps(self, metric: Any, batch: Batch, lengths: list[int]) -> list[Any]:
        """The reward of each hypothesis split into one for each of its tokens.

        The number at token t is the score of the first t tokens less that of the first t - 1; no tokens score 0. They
        add up to the reward: a potential-based shaping of it (Ng et al. 1999), which gives credit where it is due and
        leaves the best completion the best.

        Returns:
            For each hypothesis a list; for a row of a matrix of ids an array of its width: a number at each id that
            counts, and 0 elsewhere.
        """
        import numpy as np

        scores = metric.prefix_scores(batch.hypotheses, batch.references, scale=1)
        differences = np.diff(scores * self._scale, axis=-1, prepend=0)
        rows = differences.reshape(len(lengths), differences.shape[-1])
        empty = self._empty
        if len(getattr(batch.hypotheses, "shape", ())) < 2:
            return [row[:length].tolist() or [empty] for row, length in zip(rows, lengths, strict=True)]
        rows[[not length for length in lengths], :1] = empty
        return [*rows]


def _count(metric: BLEU | CHRF, batch: Batch) -> NDArray[int64]:
    """Count a batch: rows [n, 2 + 2N] or [n, K, 2 + 2N].

    Raises:
        TypeError, ValueError: A completion or reference is not as it must be; the error names its place in the call.
    """
    try:
        return metric.statistics(batch.hypotheses, batch.references)
    except ArgumentError as error:
        raise error.at(batch.place(error.place)) from None
