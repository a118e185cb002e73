"""Sentence BLEU as a reward: of completions as a training loop holds them, in one call."""

from __future__ import annotations

from ..errors import ArgumentValueError, wrong_type
from ..metric import BLEU
from ..options import check_choice, check_flag, check_number, check_threads
from .batches import are_ids, read_ids, read_texts, same_number, without_prompt
from .counts import TOO_LONG, RewardCounts
from .extraction import described, extraction
from .texts import references_of, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal, TypeAlias

    from numpy import float64
    from numpy.typing import NDArray

    from .batches import Batch
    from .extraction import Extract, Normalization

    Baseline: TypeAlias = Literal["mean", "leave-one-out", "zscore", "greedy"]
    Errors: TypeAlias = Literal["raise", "empty"]

BASELINES = ("mean", "leave-one-out", "zscore", "greedy")
ERRORS = ("raise", "empty")


class BLEUReward:
    """Sentence BLEU of completions, as a reward function.

    A completion is a str, a list of messages (the assistant's last one counts), or token ids. A reward may be pickled,
    has the same value in every process, and may be used from several threads.

    Args:
        language: The language of the references, which chooses the tokenizer; None for "13a".
        metric: The BLEU to score with; None for one of `language` with `effective_order=True`, and for token ids one
            with `tokenize="none"`.
        extract: What of a completion is scored: a tag's name ("answer": the last complete `<answer>...</answer>`), a
            compiled regular expression (its last match: group 1 if it has one, else all of it), or a function from str
            to str or None. What has no match gets `empty`. None: all of it. References are taken as they are.
        strip_reasoning: Whether `<think>...</think>` and its kin are removed before; see `strip_reasoning` in
            `fastbleu.rewards.extraction`.
        normalize: The form of Unicode normalization of completions and references; None: none.
        scale: What a perfect match is worth, above 0.
        empty: The reward of a completion without text or without a match, and with `errors="empty"` of a broken one.
        baseline: What is subtracted from each reward: the "mean" of its group, the mean of the others in its group
            ("leave-one-out"), the score of the "greedy" completion; "zscore" also divides by the standard deviation.
        stepwise: Give a reward for each token, the differences of prefix scores, which sum to the reward.
        errors: What a broken completion or reference does: "raise" an error, or count as "empty".
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

    def __init__(
        self,
        language: str | None = None,
        metric: BLEU | None = None,
        *,
        extract: Extract | None = None,
        strip_reasoning: bool = False,
        normalize: Normalization | None = None,
        scale: float = 1.0,
        empty: float = 0.0,
        baseline: Baseline | None = None,
        stepwise: bool = False,
        errors: Errors = "raise",
        pad_id: Any = None,
        eos_id: Any = None,
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
        if baseline is not None:
            check_choice("baseline", baseline, BASELINES)
        check_choice("errors", errors, ERRORS)
        self.scale = check_number("scale", scale)
        if not 0 < self.scale < float("inf"):
            raise ArgumentValueError("scale", f"must be finite and above 0, got {scale!r}", value=scale)
        self.empty = check_number("empty", empty)
        self.language = language
        self.threads = check_threads(threads)
        self.metric = (
            BLEU(trg_lang=language, effective_order=True, threads=self.threads) if metric is None else metric
        )
        self._has_metric = metric is not None
        self.extract = extract
        self.strip_reasoning = check_flag("strip_reasoning", strip_reasoning)
        self.normalize = normalize
        self.baseline = baseline
        self.stepwise = check_flag("stepwise", stepwise)
        if stepwise and baseline is not None:
            raise ArgumentValueError("stepwise", "must be False beside a baseline, which is of whole rewards")
        self.errors = errors
        self.pad_id = pad_id
        self.eos_id = eos_id
        self.vocabulary_size = vocabulary_size
        self.__name__ = name
        self._set_up()

    def _set_up(self) -> None:
        """Makes what follows from the options and is not pickled."""
        self._counts = RewardCounts()
        self._step = extraction(self.extract, self.strip_reasoning, self.normalize)
        self._divisor = 100 / self.scale
        self._tolerant = self.errors == "empty"
        self._id_metric: BLEU | None = self.metric if self._has_metric else None
        self._gatherer: Any = None

    def __getstate__(self) -> dict[str, Any]:
        derived = ("_counts", "_step", "_divisor", "_tolerant", "_id_metric", "_gatherer")
        return {name: value for name, value in self.__dict__.items() if name not in derived}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._set_up()

    def __repr__(self) -> str:
        return f"<BLEUReward {self.__name__!r} {self.signature}>"

    @property
    def signature(self) -> str:
        """How rewards are computed, in one line: the metric's signature, and what the reward adds to it."""
        signature = self.metric.signature_for(-1)
        fields = {
            "scale": f"{self.scale:g}",
            "extract": None if self.extract is None else described(self.extract),
            "reasoning": "stripped" if self.strip_reasoning else None,
            "normalize": self.normalize,
            "empty": f"{self.empty:g}" if self.empty else None,
            "baseline": self.baseline,
            "stepwise": True if self.stepwise else None,
        }
        for field, value in fields.items():
            if value is not None:
                signature.update(field, value)
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
        languages: Sequence[str] | None = None,
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
        rewards, absent = self._score(completions, references, prompts, languages)
        if self.baseline is not None:
            from .baselines import advantages

            scores = None
            if greedy is not None:
                same_number(len(completions), greedy, "greedy")
                scores, _ = self._score(greedy, references, prompts, languages)
            rewards = advantages(rewards, groups, self.baseline, scores)
        if isinstance(completions, (list, tuple)):
            given: list[float | None] = rewards.tolist()
            for i in absent:
                given[i] = None
            return given
        return rewards

    def _score(
        self, completions: Any, references: Any, prompts: Any, languages: Any = None
    ) -> tuple[NDArray[float64], list[int]]:
        """The rewards of completions, before a baseline, and the numbers of those without."""
        if languages is not None:
            raise NotImplementedError
        if are_ids(completions, references):
            metric = self._metric_of_ids()
            batch = read_ids(completions, references, prompts, {"pad_id": self.pad_id, "eos_id": self.eos_id})
        else:
            metric = self.metric
            batch = read_texts(completions, references, prompts, self._step, self.normalize, self._tolerant)
        return self._rewards(metric, batch), batch.absent

    def score_many(
        self, completions: list[Any], references: list[Any], prompts: list[Any] | None = None
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
        """
        if prompts is not None and all(prompt is None for prompt in prompts):
            prompts = None
        rewards, _ = self._score(completions, references, prompts)
        found: list[float] = rewards.tolist()
        return found

    def _metric_of_ids(self) -> BLEU:
        """The metric that scores ids."""
        if self._id_metric is None:
            self._id_metric = BLEU(tokenize="none", effective_order=True, threads=self.threads)
        return self._id_metric

    def _rewards(self, metric: BLEU, batch: Batch) -> NDArray[float64]:
        """The rewards of a batch, float64 [n], NaN where there is none; counts what is in it."""
        import numpy as np

        rewards = np.full(batch.number, self.empty)
        rewards[batch.absent] = np.nan
        too_long = 0
        if len(batch.hypotheses):
            rows = metric.statistics(batch.hypotheses, batch.references)
            scores = metric.formula.score_rows(rows)
            scores /= self._divisor
            scores.clip(max=self.scale, out=scores)
            without = rows[:, 0] == 0
            if without.any():
                scores[without] = self.empty
                batch.empty += int(without.sum())
            too_long = int((rows[:, 0] > TOO_LONG * rows[:, 1]).sum())
            rewards[slice(None) if batch.scored is None else batch.scored] = scores
        self._counts.add(batch.number - len(batch.absent), batch.empty, batch.clipped, too_long, batch.errors)
        return rewards

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
        if type(completion) is not str and are_ids([completion], None):
            return self.score_many([completion], [references], None if prompt is None else [prompt])[0]
        try:
            text = completion if type(completion) is str else text_of(completion, "completion")
            if prompt is not None:
                text = without_prompt(text, completion, prompt, 0)
            clipped = False
            if self._step is not None:
                found, clipped = self._step(text)
                text = found or ""
            given = [references] if type(references) is str else references_of(references, "references")
            row, _ = self.metric.matcher.count_one(text, given)
        except Exception:
            if not self._tolerant:
                raise
            self._counts.add(1, 1, 0, 0, 1)
            return self.empty
        if not row[0]:
            self._counts.add(1, 1, clipped)
            return self.empty
        self._counts.add(1, 0, clipped, row[0] > TOO_LONG * row[1])
        return min(self.metric.formula.score(row).score / self._divisor, self.scale)

    async def aio(self, completion: Any, references: Any, prompt: Any = None) -> float:
        """Reward one completion, gathered with other calls that wait at the same time into one batch.

        Args:
            completion: As for `score_one`.
            references: As for `score_one`.
            prompt: As for `score_one`.

        Returns:
            What `score_one` returns, at most 2 ms later.
        """
        if self._gatherer is None:
            from .gathering import Gatherer  # type: ignore[import-not-found]

            self._gatherer = Gatherer(self.score_many)
        reward: float = await self._gatherer.aio(completion, references, prompt)
        return reward
