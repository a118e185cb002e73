"""Sentence BLEU as a reward: of completions as a training loop holds them, in one call."""

from __future__ import annotations

from ..errors import ArgumentError, ArgumentValueError, Place, wrong_type
from ..inputs.devices import as_like
from ..metric import BLEU
from ..options import check_choice, check_flag, check_number, check_threads
from .baselines import BASELINES
from .completions.batch_scores import BatchScores
from .completions.batches import COMPLETIONS, are_ids, sliceable
from .completions.batches import check_number as check_length
from .completions.extraction import described, extraction
from .completions.id_batches import id_rule
from .completions.scores import FORMULAS, Scorer, usual_metric
from .completions.text_batches import normalized_all, without_prompt
from .completions.texts import references_of, text_of
from .counts import TOO_LONG, RewardCounts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal, TypeAlias

    from ..inputs.id_rules import Ids
    from .baselines import Baseline
    from .completions.extraction import Extract, Normalization
    from .completions.scores import RewardFormula
    from .gathering import Gatherer

    Errors: TypeAlias = Literal["raise", "empty"]

ERRORS = ("raise", "empty")

#: What follows from the options, and is not pickled.
_DERIVED = ("_counts", "_step", "_scorers", "_of_text", "_batches", "_gatherer")


class BLEUReward:
    """Sentence BLEU of completions, as a reward function.

    A completion is a str, a list of messages (the assistant's last one counts), or token ids. A reward may be pickled,
    has the same value in every process, and may be used from several threads.

    Args:
        language: The language of the references, which chooses the tokenizer; None for "13a".
        metric: The BLEU to score with; None for one of `language` with `effective_order=True`, and for token ids one
            with `tokenize="none"`.
        formula: Whose operations make a score of counts: "sacrebleu", or "nmt" as Hugging Face `evaluate` has it, which
            without a metric counts as `evaluate` does and smooths (add-one, the shortest reference's length).
        extract: What of a completion is scored: a tag's name ("answer": the last complete `<answer>...</answer>`), a
            compiled regular expression (its last match: group 1 if it has one, else all of it), or a function from str
            to str or None. What has no match gets `empty`. None: all of it. References are taken as they are.
        strip_reasoning: Whether `<think>...</think>` and its kin are removed before; see
            `fastbleu.rewards.completions.reasoning`.
        normalize: The form of Unicode normalization of completions and references; None: none.
        scale: What a perfect match is worth, above 0.
        empty: The reward of a completion without text or without a match, and with `errors="empty"` of a broken one.
        baseline: What is subtracted from each reward: the "mean" of its group, the mean of the others in its group
            ("leave-one-out"), the score of the "greedy" completion; "zscore" also divides by the standard deviation.
        stepwise: Give a reward for each token, the differences of prefix scores, which sum to the reward.
        errors: What a broken completion or reference does: "raise" an error, or count as "empty". Then the error of
            the first one is logged, since it may be that of a mistake in a function given as `extract`.
        pad_id: For token ids: what fills rows up; an int or several.
        eos_id: For token ids: what ends a row; an int or several.
        vocabulary_size: For token ids: this id and those beyond it are an error.
        threads: How many threads may count at the same time, >= 1; a metric that is given has its own number.
        name: The name of the reward in logs.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument has a bad value, or both `language` and `metric` are given.

    Example:
        >>> reward = BLEUReward(extract="answer", strip_reasoning=True)
        >>> reward(
        ...     ["<think>Cats sit.</think><answer>the cat sat</answer>", "the cat sat"],
        ...     ["the cat sat down", ["a cat sat", "the cat"]],
        ... )
        [0.7165313105737896, 0.0]
        >>> reward.counts.shares()
        {'empty': 0.5, 'clipped': 0.0, 'too_long': 0.0, 'errors': 0.0}
    """

    #: Gathers the calls of `aio`; made when it is first needed.
    _gatherer: Gatherer | None = None

    def __init__(
        self,
        language: str | None = None,
        metric: BLEU | None = None,
        *,
        formula: RewardFormula = "sacrebleu",
        extract: Extract | None = None,
        strip_reasoning: bool = False,
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
        if not isinstance(metric, (BLEU, type(None))):
            raise wrong_type("metric", "a BLEU", metric)
        if language is not None and metric is not None:
            raise ArgumentValueError("metric", "must be None beside language, which chooses a metric")
        if not isinstance(name, str):
            raise wrong_type("name", "a str", name)
        if not name:
            raise ArgumentValueError("name", "must not be empty")
        check_choice("formula", formula, FORMULAS)
        if baseline is not None:
            check_choice("baseline", baseline, BASELINES)
        check_choice("errors", errors, ERRORS)
        self._scale = check_number("scale", scale)
        if not 0 < self._scale < float("inf"):
            raise ArgumentValueError("scale", f"must be finite and above 0, got {scale!r}", value=scale)
        self._empty = check_number("empty", empty)
        if not abs(self._empty) < float("inf"):  # false for NaN, too
            raise ArgumentValueError("empty", f"must be finite, got {empty!r}", value=empty)
        self._threads = check_threads(threads)
        self._stepwise = check_flag("stepwise", stepwise)
        if stepwise and baseline is not None:
            raise ArgumentValueError("stepwise", "must be False beside a baseline, which is of whole rewards")
        self._language = language
        self._metric = metric
        self._formula: RewardFormula = formula
        self._extract = extract
        self._strips = check_flag("strip_reasoning", strip_reasoning)
        self._form = normalize
        self._baseline = baseline
        self._tolerant = errors == "empty"
        self._ids = id_rule(pad_id, eos_id, vocabulary_size)
        self.__name__ = name
        self._set_up()

    def _set_up(self) -> None:
        """Makes what follows from the options and is not pickled."""
        self._counts = RewardCounts()
        self._step = extraction(self._extract, self._strips, self._form)
        self._scorers: dict[str | None, Scorer] = {}
        self._of_text = self._scorer("")
        self._batches = self._scores(self._counts)

    def _scores(self, counts: RewardCounts) -> BatchScores:
        """What scores batches, counted there."""
        return BatchScores(
            self._scorer,
            self._step,
            self._form,
            self._ids,
            self._scale,
            self._empty,
            self._tolerant,
            counts,
        )

    def _scorer(self, language: str | None) -> Scorer:
        """What scores text in a language, "" for that of the reward; or None: ids. Made when it is first needed."""
        found = self._scorers.get(language)
        if found is None:
            metric, of_ids = self._metric, language is None
            if metric is None:
                metric = usual_metric(language or self._language, self._formula, self._threads, of_ids)
            elif of_ids and metric.matcher.counter_of_one([]) is None:
                raise ArgumentValueError(
                    "metric", f"must have tokenize='none' and no lowercase to score token ids, got {metric!r}"
                )
            # Of several threads that come first, all get what the first of them has made.
            found = self._scorers.setdefault(language, Scorer(metric, self._formula, self._scale))
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _DERIVED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._set_up()

    def __repr__(self) -> str:
        return f"<BLEUReward {self.__name__!r} {self.signature}>"

    @property
    def metric(self) -> BLEU:
        """What scores: token ids if `pad_id`, `eos_id` or `vocabulary_size` is given, else text."""
        of_ids = any(self._ids[name] is not None for name in ("pad_id", "eos_id", "vocabulary_size"))
        return (self._scorer(None) if of_ids else self._of_text).metric

    @property
    def signature(self) -> str:
        """How rewards are computed, in one line: the metric's signature, and what the reward adds to it."""
        signature = self.metric.signature_for(-1)
        fields = {
            "formula": self._formula if self._formula != FORMULAS[0] else None,
            "scale": f"{self._scale:g}",
            "extract": None if self._extract is None else described(self._extract),
            "reasoning": "stripped" if self._strips else None,
            "normalize": self._form,
            "empty": f"{self._empty:g}" if self._empty else None,
            "baseline": self._baseline,
            "stepwise": "yes" if self._stepwise else None,
        }
        for field, value in fields.items():
            if value is not None:
                signature.update(field, value)
        if self._formula != FORMULAS[0]:
            # No release of sacreBLEU gives this score.
            signature.update("version", None)
        return str(signature)

    @property
    def counts(self) -> RewardCounts:
        """What this reward has seen so far in this process."""
        return self._counts

    def __call__(
        self,
        completions: Any,
        references: Any,
        *,
        prompts: Any = None,
        groups: Sequence[Any] | int | None = None,
        greedy: Any = None,
        languages: Sequence[str | None] | None = None,
    ) -> Any:
        """Reward completions.

        Args:
            completions: n completions, each a str, a list of messages, or token ids; or ids as a matrix [n, T].
            references: For each completion a str, a list of messages or ids, or a list of several of these; None where
                this reward does not apply. Beside ids also a matrix [n, T] or [n, R, T], or `TokenIds`. Or prepared
                `References` of length n.
            prompts: What completions begin with, and is cut off: of each a str; for ids the number of the prompt's ids
                or its ids, or one number for all.
            groups: For a baseline: n labels, equal for completions of one prompt, or a number of consecutive
                completions that have one prompt.
            greedy: For the baseline "greedy": of each completion the greedy one for its prompt, in the form of the
                completions.
            languages: The language of each completion, if they differ.

        Returns:
            n rewards, 0..scale before a baseline: a list of float (None where the reference is None); for an array an
            array of the same kind on the same device (NaN there). With `stepwise` of each completion the rewards of its
            tokens: lists, or for a matrix of ids a matrix of that shape, with 0 at padding.

        Raises:
            TypeError: An argument, or with `errors="raise"` a sample, has the wrong type.
            ValueError: Numbers of completions and references differ, or a sample has a bad value.

        Example:
            >>> BLEUReward()(["the cat sat", "a dog"], ["the cat sat down", None])
            [0.7165313105737896, None]
        """
        if languages is not None and self._metric is not None:
            raise ArgumentValueError("languages", "must be None beside metric=, which has its own tokenizer")
        if self._stepwise:
            if languages is not None:
                raise ArgumentValueError("languages", "must be None with stepwise=True")
            steps = self._batches.steps(completions, references, prompts)
            return steps if isinstance(steps, list) else as_like(steps, completions)
        found = self._batches.score(completions, references, prompts, languages)
        if self._baseline is not None:
            from .baselines import advantages

            scores = None
            if greedy is not None:
                greedy = sliceable(greedy, "greedy", COMPLETIONS)
                check_length(greedy, "greedy", found.shape[0])
                # Greedy completions are no samples, and are not counted.
                scorer = self._scores(RewardCounts())
                try:
                    scores = scorer.score(greedy, references, prompts, languages).array()
                except ArgumentError as error:
                    raise error.renamed(completions="greedy") from None
                # One greedy completion stands beside the K samples of its prompt.
                scores = scores.repeat(len(found.flat) // max(1, len(scores)))
            if groups is None and len(found.shape) > 1:
                groups = found.shape[1]
            found.flat = advantages(found.array().ravel(), groups, self._baseline, scores).tolist()
        if not isinstance(completions, (list, tuple)):
            return as_like(found.array(), completions)
        rewards: list[float | None] = list(found.flat) if found.absent else found.flat  # type: ignore[assignment]
        for i in found.absent:
            rewards[i] = None
        return rewards

    def score_many(
        self, completions: Sequence[Any], references: Sequence[Any], prompts: Sequence[Any] | None = None
    ) -> list[float]:
        """Reward completions that were gathered from several callers, each as `score_one` does.

        Args:
            completions: n completions.
            references: The references of each.
            prompts: What each begins with (None: nothing), or None.

        Returns:
            n rewards, 0..scale, before a baseline.

        Raises:
            TypeError, ValueError: As a call; so one broken sample fails them all.

        Example:
            >>> BLEUReward().score_many(["the cat sat", "a dog"], ["the cat sat down", "a dog"])
            [0.7165313105737896, 1.0]
        """
        if prompts is not None and all(prompt is None for prompt in prompts):
            prompts = None
        return self._batches.score(completions, references, prompts).flat

    def score_one(self, completion: Any, references: Any, prompt: Any = None) -> float:
        """Reward one completion, in the shortest way.

        Args:
            completion: A str, a list of messages, or token ids.
            references: Its references, as an item of `references` in a call; not None.
            prompt: What it begins with, or None.

        Returns:
            The reward, 0..scale, the same float as in a batch. No baseline is subtracted.

        Raises:
            TypeError, ValueError: As a call.

        Example:
            >>> BLEUReward(extract="answer").score_one("<answer>the cat sat</answer>", "the cat sat down")
            0.7165313105737896
        """
        if type(completion) is not str and are_ids([completion], [references]):
            return self._score_ids(completion, references, prompt)
        clipped = False
        try:
            text = completion if type(completion) is str else text_of(completion, "completion")
            if prompt is not None:
                text = without_prompt(text, completion, prompt, Place("prompt"))
            if self._step is not None:
                found, clipped = self._step(text)
                text = found or ""
            given: Any = [references] if type(references) is str else references_of(references, "references")
            if self._form is not None:
                given = normalized_all(given, self._form)
            scorer = self._of_text
            row = scorer.count_one(text, given)
            reward = scorer.score_one(row) if row[0] else self._empty
        except Exception as error:
            if not self._tolerant:
                raise
            self._counts.add_broken(error)
            return self._empty
        self._counts.add(1, not row[0], clipped, row[0] > TOO_LONG * row[1])
        return reward

    def _score_ids(self, completion: Any, references: Any, prompt: Any) -> float:
        """Reward one completion that is token ids."""
        try:
            if references is None:
                raise wrong_type("references", "token ids, or a list of several references", references)
            return self.score_many([completion], [references], None if prompt is None else [prompt])[0]
        except ArgumentError as error:
            if references is None and self._tolerant:
                self._counts.add(1, 1, 0, 0, 1)
                return self._empty
            # In the batch of one it has the number 0.
            if not error.indices:
                raise
            names = {"completions": "completion", "prompts": "prompt"}
            argument = names.get(error.argument, error.argument)
            raise error.at(Place(argument, error.indices[1:])) from None

    async def aio(self, completion: Any, references: Any, prompt: Any = None) -> float:
        """Reward one completion, gathered with other calls that wait at the same time into one batch.

        Args:
            completion: As for `score_one`.
            references: As for `score_one`.
            prompt: As for `score_one`.

        Returns:
            What `score_one` returns, at most 2 ms later.
        """
        gatherer = self._gatherer
        if gatherer is None:
            from .gathering import Gatherer

            gatherer = vars(self).setdefault("_gatherer", Gatherer(self.score_many, self.score_one))
        reward: float = await gatherer.aio(completion, references, prompt)
        return reward
