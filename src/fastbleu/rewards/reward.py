"""Sentence BLEU as a reward: of completions as a training loop holds them, in one call."""

from __future__ import annotations

from copy import copy

from ..errors import ArgumentError
from ..inputs.devices import as_like
from ..inputs.id_arrays import is_number_array
from ..metric.warning import Once
from .baselines import advantages
from .completions.extraction import described
from .completions.formulas import REWARD_FORMULAS
from .completions.kinds import aligned, is_one_number
from .completions.scoring import Scoring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence
    from typing import Any

    from numpy import float64
    from numpy.typing import NDArray

    from ..metric import BLEU
    from ..metric.chrf import CHRF
    from .checking import CheckedSample
    from .counts import RewardCounts
    from .gathering import Gatherer

#: The attributes that follow from the options; they are not pickled.
_DERIVED = ("_counts", "_step", "_warns", "_scorers", "_of_text", "_gatherer")


class BLEUReward(Scoring):
    """Sentence BLEU of completions, as a reward function.

    A completion is a str, a list of messages (the assistant's last one counts), or token ids. A reward may be pickled,
    has the same value in every process, and may be used from several threads.

    Args:
        language: The language of the references, which chooses the tokenizer; None for "13a".
        metric: The `BLEU` to score with; None for one of `language` with `effective_order=True`, and for token ids one
            with `tokenize="none"`. Or a `CHRF`, which takes text alone: then a completion counts as empty where it or
            its reference has no characters, and as too long by its characters. `formula="nmt"`, `stepwise` and what
            is for token ids need a BLEU.
        formula: Whose operations make a score of counts: "sacrebleu", or "nmt" as Hugging Face `evaluate` has it, which
            without a metric counts as `evaluate` does and smooths (add-one, the shortest reference's length).
        extract: What of a completion is scored: a tag's name ("answer": the last complete `<answer>...</answer>`), a
            compiled regular expression (its last match: group 1 if it has one, else all of it), or a function from str
            to str or None. What has no match gets `empty`. None: all of it. References are taken as they are.
        strip_reasoning: Whether `<think>...</think>` and its kin are removed before; see
            `fastbleu.rewards.completions.reasoning`.
        special_tokens: What is done with special tokens of chat templates in text, and a prompt before them:
            "strip" cuts them off first, "warn" scores them as text and logs a warning once, "keep" scores them. Which
            ones are known says `fastbleu.rewards.completions.marks`.
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
        {'perfect': 0.0, 'zero': 0.5, 'empty': 0.5, 'clipped': 0.0, 'cut': 0.0, 'too_long': 0.0, 'errors': 0.0}
    """

    #: Gathers the calls of `aio`; made when it is first needed.
    _gatherer: Gatherer | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _DERIVED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._set_up()

    def __repr__(self) -> str:
        return f"<BLEUReward {self.__name__!r} {self.signature}>"

    @property
    def metric(self) -> BLEU | CHRF:
        """The metric that scores: token ids if `pad_id`, `eos_id` or `vocabulary_size` is given, else text."""
        return self.scorer(None if self._rule else "").metric

    @property
    def signature(self) -> str:
        """The signature of the rewards in one line: the metric's, and what the reward adds to it."""
        signature = self.metric.signature_for(-1)
        is_usual = self._formula == REWARD_FORMULAS[0]
        fields = {
            "formula": None if is_usual else self._formula,
            "scale": f"{self._scale:g}",
            "extract": None if self._extract is None else described(self._extract),
            "special": "stripped" if self._special_tokens == "strip" else None,
            "reasoning": "stripped" if self._strips else None,
            "normalize": self._form,
            "empty": f"{self._empty:g}" if self._empty else None,
            "baseline": self._baseline,
            "stepwise": "yes" if self._stepwise else None,
        }
        for field, value in fields.items():
            if value is not None:
                signature.update(field, value)
        if not is_usual:
            # No release of sacreBLEU gives this score.
            signature.update("version", None)
        return str(signature)

    @property
    def counts(self) -> RewardCounts:
        """The counts of all calls so far, in this process."""
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
        rewards = self.many(completions, references, prompts, languages, self._stepwise)
        if self._stepwise:
            width = _width(completions, prompts)
            return rewards if width is None else _as_matrix(rewards, completions, width)
        shape: Any = getattr(completions, "shape", ())
        shape = tuple(shape[:2]) if len(shape) == 3 else (len(rewards),)
        if self._baseline is not None:
            scores = None
            if greedy is not None:
                (greedy,) = aligned(shape[0], greedy=greedy)
                uncounted = copy(self)  # greedy completions are not samples: a copy has counts of its own
                uncounted._warns = self._warns
                try:
                    scores = _as_array(uncounted.many(greedy, references, prompts, languages))
                except ArgumentError as error:
                    raise error.renamed(completions="greedy") from None
                # One greedy completion stands beside the K samples of its prompt.
                scores = scores.repeat(len(rewards) // max(1, len(scores)))
            if groups is None and len(shape) > 1:
                groups = shape[1]
            less = advantages(_as_array(rewards), groups, self._baseline, scores).tolist()
            rewards = [None if old is None else new for old, new in zip(rewards, less, strict=True)]
        if isinstance(completions, (list, tuple)):
            return rewards
        return as_like(_as_array(rewards).reshape(shape), completions)

    def check(
        self,
        completions: Any,
        references: Any,
        *,
        prompts: Any = None,
        languages: Sequence[str | None] | None = None,
    ) -> list[CheckedSample]:
        """Print what the reward makes of a few samples, to be read before a training.

        Args:
            completions: As in a call.
            references: As in a call; not prepared ones.
            prompts: As in a call.
            languages: As in a call.

        Returns:
            What was printed, for each sample: its reward before a baseline, the completion, what of it is scored, the
            references, and what may be wrong: a score of 0, special tokens, the error of a broken sample. Nothing is
            added to `counts`.

        Raises:
            TypeError, ValueError: The call is wrong, not a sample.

        Example:
            >>> checked = BLEUReward(extract="answer").check(["the cat sat<|im_end|>"], ["the cat sat"])
            sample 0: reward 0.0000
              completion  the cat sat<|im_end|>
              scored
              reference   the cat sat
              look here:  nothing is left to score
            >>> checked[0].remarks
            ('nothing is left to score',)
        """
        from .checking import as_text, checked_samples

        languages = self._checked_languages(completions, references, languages)
        strict = copy(self)  # with counts of its own; broken samples raise errors, and nothing is logged
        vars(strict).update(_tolerant=False, _warns=Once(is_over=True))
        found = checked_samples(strict, completions, references, prompts, languages)
        print(as_text(found))  # noqa: T201  # which is what it is for
        return found

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
        return self.many(completions, references, prompts)

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
        return self.one(completion, references, prompt)[0]

    def aio(self, completion: Any, references: Any, prompt: Any = None) -> Coroutine[Any, Any, float]:
        """Reward one completion, gathered with other calls that wait at the same time into one batch.

        Args:
            completion: As for `score_one`.
            references: As for `score_one`.
            prompt: As for `score_one`.

        Returns:
            A coroutine of what `score_one` returns, at most 2 ms later.
        """
        return self.gathered(completion, references, prompt)

    def gathered(
        self, completion: Any, references: Any, prompt: Any = None, language: str | None = None
    ) -> Coroutine[Any, Any, float]:
        """Reward one completion as `aio` does, in a language, None for that of the reward."""
        gatherer = self._gatherer
        if gatherer is None:
            from .gathering import Gatherer

            gatherer = vars(self).setdefault("_gatherer", Gatherer(self._score_gathered, self._score_alone))
        return gatherer.aio(completion, references, prompt, language)

    def _score_gathered(self, *columns: Any) -> list[Any]:
        completions, references, *others = columns
        prompts, languages = (None if {*map(type, column)} == {type(None)} else column for column in others)
        return self.many(completions, references, prompts, languages)

    def _score_alone(self, *call: Any) -> float:
        return self.one(*call)[0]


def _as_array(rewards: list[Any]) -> NDArray[float64]:
    """Rewards as float64, NaN where there is none."""
    import numpy as np

    return np.array(rewards, dtype=np.float64)


def _width(completions: Any, prompts: Any) -> int | None:
    """Return how many columns a matrix of completions has after its prompts; None if these differ, or for lists.

    Example:
        >>> import numpy as np
        >>> ids = np.zeros((2, 5), dtype=int)
        >>> _width(ids, None), _width(ids, 2), _width(ids, [1, 2]), _width([[5]], None)
        (5, 3, None, None)
    """
    shape: Any = getattr(completions, "shape", ())
    if len(shape) < 2:
        return None
    if prompts is None:
        length = 0
    elif is_one_number(prompts):
        length = int(prompts)
    elif is_number_array(prompts, (2,)):
        length = prompts.shape[1]
    else:
        return None
    return max(0, int(shape[-1]) - length)


def _as_matrix(steps: list[Any], completions: Any, width: int) -> Any:
    """The rewards of tokens as an array like the completions: NaN where there is none."""
    import numpy as np

    found = np.zeros((len(steps), width))
    for row, of_one in zip(found, steps, strict=True):
        if of_one is None:
            row[:] = np.nan
        else:
            row[: len(of_one)] = of_one
    return as_like(found.reshape(*completions.shape[:-1], width), completions)
