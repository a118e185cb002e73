"""Reward completions by their sentence BLEU against references."""

from __future__ import annotations

from functools import partial
from math import isfinite
from typing import Any, Literal, TypeAlias, overload

from ..errors import ArgumentValueError, suggests_options
from ..inputs.devices import as_like
from ..metric import BLEU
from ..options import check_choice, check_flag, check_name, check_number
from .completions.chat_templates import checked_tokens
from .completions.extraction import described, make_extractor
from .completions.formulas import REWARD_FORMULAS, Scorers
from .completions.ids import checked_id_options
from .completions.scoring import Scoring
from .components import like_completions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy import float64
    from numpy.typing import NDArray

    from ..inputs.id_options import Ids
    from ..metric.chrf import CHRF
    from .checking import CheckedSample
    from .completions.chat_templates import SpecialTokens
    from .completions.extraction import Extract
    from .completions.formulas import RewardFormula
    from .counts import RewardCounts

    Errors: TypeAlias = Literal["raise", "empty"]
    #: The language of each completion; None for the language of the reward.
    Languages: TypeAlias = Sequence[str | None] | None

ERRORS = ("raise", "empty")


class BLEUReward:
    """A reward function that returns the sentence BLEU of completions.

    A completion is a str, a message, a list of messages, or token ids. In a list of messages, the last message of the
    assistant is scored. A message is a mapping with `role` and `content`, as in OpenAI's API, where the content is a
    str or a list of parts; or with `from` and `value`, as in ShareGPT's format. Other mappings raise errors. A
    completion whose content is None has no text.

    A `BLEUReward` can be pickled if the function given as `extract` can be. It computes the same rewards in every
    process, and several threads may call it.

    Args:
        language: The language of the references, which determines the tokenizer; None for the tokenizer "13a".
        metric: The metric that scores. None: a `BLEU` with `effective_order=True` and the tokenizer of `language`, or
            with `tokenize="none"` for token ids. A `CHRF` scores only text; a completion then counts as empty if it or
            its reference has no characters, and its length is its number of characters. With a `CHRF`,
            `formula="nmt"`, `pad_id` and `eos_id` are errors.
        formula: The implementation whose floating-point operations are reproduced: "sacrebleu", or "nmt" for the BLEU
            of Hugging Face `evaluate`. If "nmt" is chosen without a metric, counts and smoothing are also those of
            `evaluate`: add-one smoothing, and the length of the shortest reference.
        extract: The part of a completion that is scored. The name of a tag, such as "answer", selects the text of the
            last complete `<answer>...</answer>`. A compiled regular expression selects its last match: group 1 if the
            expression has groups, otherwise the whole match. A function receives the text and returns the part, or
            None. A completion without such a part gets the reward `empty`. None scores the whole completion. References
            are always used as a whole.
        strip_reasoning: Whether reasoning, such as `<think>...</think>`, is removed before `extract` is applied; see
            `fastbleu.rewards.completions.reasoning`.
        special_tokens: How special tokens of chat templates in text, and a prompt before them, are handled. "strip"
            removes them before anything else; "keep" scores them; "warn" also scores them, but logs a warning once.
            Special tokens are recognized by their general forms. A list of tokens, such as
            `tokenizer.all_special_tokens`, works like "strip" and removes these tokens as well.
        scale: The reward of a perfect match, above 0.
        empty: The reward of a completion without text to score; with `errors="empty"`, also of a malformed sample.
        errors: How malformed samples are handled: "raise" raises an error, "empty" counts them as empty and logs the
            first error, in case it shows a mistake in the function given as `extract`.
        reference_field: The key of the references if they are in mappings: with "target", the entry
            `{"target": ["Paris"]}` is read as `["Paris"]`. References that are not in mappings are read unchanged.
        pad_id: The padding id or ids, for token ids.
        eos_id: The end-of-sequence id or ids, for token ids.
        threads: The number of threads that count n-grams at the same time, >= 1. It has no effect on `metric`, which
            has its own number of threads.
        name: The name of the reward in logs.

    Attributes:
        options: All options by name.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument has an invalid value, or both `language` and `metric` are given.

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

    @suggests_options
    def __init__(
        self,
        language: str | None = None,
        metric: BLEU | CHRF | None = None,
        *,
        formula: RewardFormula = "sacrebleu",
        extract: Extract | None = None,
        strip_reasoning: bool = False,
        special_tokens: SpecialTokens = "warn",
        scale: float = 1.0,
        empty: float = 0.0,
        errors: Errors = "raise",
        reference_field: str | None = None,
        pad_id: Ids = None,
        eos_id: Ids = None,
        threads: int = 1,
        name: str = "bleu_reward",
    ) -> None:
        check_name("name", name)
        check_choice("errors", errors, ERRORS)
        check_name("reference_field", reference_field, is_optional=True)
        other = None if formula == REWARD_FORMULAS[0] else formula
        for option, value in ("formula", other), ("pad_id", pad_id), ("eos_id", eos_id):
            if value is not None and not isinstance(metric, (BLEU, type(None))):
                raise ArgumentValueError(option, f"needs a BLEU as the metric, not {metric!r}", value=value)
        special_tokens = checked_tokens(special_tokens)
        self.__name__ = name
        self.options: dict[str, Any] = {
            "language": language,
            "metric": metric,
            "formula": formula,
            "extract": extract,
            "strip_reasoning": check_flag("strip_reasoning", strip_reasoning),
            "special_tokens": special_tokens,
            "scale": scale,
            "empty": check_number("empty", empty, isfinite, "finite"),
            "errors": errors,
            "reference_field": reference_field,
            "pad_id": pad_id,
            "eos_id": eos_id,
            "threads": threads,
            "name": name,
        }
        self.scoring = Scoring(
            Scorers(language, metric, formula, scale, threads),
            make_extractor(extract, strip_reasoning, special_tokens),
            checked_id_options(pad_id, eos_id),
            empty=self.options["empty"],
            tolerant=errors == "empty",
            warns=special_tokens == "warn",
            reference_field=reference_field,
        )

    def __reduce__(self) -> tuple[Callable[[], BLEUReward], tuple[()]]:
        return partial(type(self), **self.options), ()

    def __repr__(self) -> str:
        return f"<BLEUReward {self.__name__!r} {self.signature}>"

    @property
    def metric(self) -> BLEU | CHRF:
        """The metric for token ids if `pad_id` or `eos_id` is given, otherwise the metric for text."""
        has_ids = self.options["pad_id"] is not None or self.options["eos_id"] is not None
        return self.scoring.scorers.of(None if has_ids else "").metric

    @property
    def signature(self) -> str:
        """The signature in one line: the fields of the metric's signature, and fields for the reward's options."""
        options = self.options
        signature = self.metric.signature_for(-1)
        is_default = options["formula"] == REWARD_FORMULAS[0]
        fields = {
            "formula": None if is_default else options["formula"],
            "scale": f"{options['scale']:g}",
            "extract": None if options["extract"] is None else described(options["extract"]),
            "special": None if options["special_tokens"] in ("warn", "keep") else "stripped",
            "reasoning": "stripped" if options["strip_reasoning"] else None,
            "empty": f"{options['empty']:g}" if options["empty"] else None,
        }
        for field, value in fields.items():
            if value is not None:
                signature.update(field, value)
        if not is_default:
            # Remove sacreBLEU's version, since sacreBLEU does not compute this score.
            signature.update("version", None)
        return str(signature)

    @property
    def counts(self) -> RewardCounts:
        """The counts of all calls in this process since the last reset."""
        return self.scoring.counts

    @overload
    def __call__(
        self, completions: list[Any] | tuple[Any, ...], references: Any, *, languages: Languages = None
    ) -> list[float | None]: ...

    @overload
    def __call__(
        self, completions: NDArray[Any], references: Any, *, languages: Languages = None
    ) -> NDArray[float64]: ...

    @overload
    def __call__(self, completions: Any, references: Any, *, languages: Languages = None) -> Any: ...

    def __call__(self, completions: Any, references: Any, *, languages: Languages = None) -> Any:
        """Reward completions.

        Args:
            completions: n completions, each a str, a list of messages, or token ids; or ids as a matrix [n, T], or
                [n, K, T] for K samples of each prompt.
            references: n entries. Each is one reference (a str, a message, a list of messages, or ids), a list of
                several references, or None if this reward does not apply to the completion. The references of ids may
                also be a matrix [n, T] or [n, R, T], or `TokenIds`. Prepared `References` of length n also work.
            languages: The language of each completion, if languages differ; None for the language of the reward.

        Returns:
            n rewards, 0..scale. For a list, a list of float, with None where the references are None. For an array, an
            array of the same library on the same device, with NaN instead of None.

        Raises:
            TypeError: An argument has the wrong type; or, with `errors="raise"`, a sample has the wrong type.
            ValueError: The numbers of completions and references differ; or, with `errors="raise"`, a sample has a bad
                value.

        Example:
            >>> BLEUReward()(["the cat sat", "a dog"], ["the cat sat down", None])
            [0.7165313105737896, None]
        """
        return like_completions(self.scoring.many(completions, references, languages), completions)

    def token_rewards(self, completions: Any, references: Any, offsets: Any = None) -> Any:
        """Divide the reward of each completion among its tokens.

        The gain of one of the metric's tokens is the score of the text up to the end of the token minus the score of
        the text before the token. It is added to the reward of the policy's token that contains the last character of
        the metric's token. For chrF, each character has a gain.

        Args:
            completions: n completions, as for a call.
            references: n entries, as for a call; with a `CHRF`, they must not be prepared.
            offsets: For completions that are text, the policy's tokens of each completion, [T, 2]: the (start, end) of
                each token in characters of the completion, and (0, 0) for special tokens. This is the
                `offset_mapping` of a Hugging Face tokenizer. The tokens of the metric must be substrings of the text,
                as with "none", "13a", "intl", "zh" and "char", but not with MeCab or SentencePiece. (The
                replacements of "13a", such as "&" for "&amp;", are taken into account.) None: return the gains of the
                metric's tokens, or of ids.

        Returns:
            One float64 array per completion, or None if its references are None. For text, it has one reward for each
            of the T tokens, which is 0 outside the scored part. The rewards add up to the reward that a call returns,
            within 1e-12. If a call returns `empty`, the last token has this reward. For ids, the array has one reward
            per id, which is 0 for padding; if a call returns `empty`, the first id has this reward. If completions
            are a matrix, the result is a single array of the same shape, library and device, with NaN where the
            references are None.

        Raises:
            TypeError, ValueError: The arguments are wrong, as for a call; offsets are not pairs; or the scored part is
                not a contiguous substring of the completion.

        Example:
            >>> reward = BLEUReward(extract="answer")
            >>> text = "<answer>the cat sat</answer>"
            >>> offsets = [[(0, 8), (8, 11), (11, 15), (15, 19), (19, 28)]]
            >>> reward.token_rewards([text], ["the cat sat down"], offsets)[0].round(3).tolist()
            [0.0, 0.05, 0.318, 0.349, 0.0]
        """
        rewards = self.scoring.by_token(completions, references, offsets)
        return _as_matrix(rewards, completions) if len(getattr(completions, "shape", ())) > 1 else rewards

    def score_one(self, completion: Any, references: Any) -> Any:
        """Reward one completion, without the overhead of a batch.

        Args:
            completion: A str, a message, a list of messages, or token ids.
            references: One reference, a list of several references, or None.

        Returns:
            The reward, 0..scale, the same float as in a batch; None if the references are None.

        Raises:
            TypeError, ValueError: The arguments are wrong, as for a call.

        Example:
            >>> BLEUReward(extract="answer").score_one("<answer>the cat sat</answer>", "the cat sat down")
            0.7165313105737896
        """
        return self.scoring.one(completion, references)[0]

    def check(self, completions: Any, references: Any, *, languages: Languages = None) -> list[CheckedSample]:
        """Print how a few samples are read and scored, for inspection before training.

        Nothing is added to `counts`.

        Args:
            completions: n completions, as for a call.
            references: n entries, as for a call, but not prepared `References`.
            languages: The language of each completion, if languages differ; None for the language of the reward.

        Returns:
            The printed samples. Each has its reward, the completion, the scored part, the references, and remarks on
            likely problems, such as a score of 0, special tokens, or the error of a malformed sample.

        Raises:
            TypeError, ValueError: An argument is wrong as a whole. The error of a single sample becomes a remark.

        Example:
            >>> checked = BLEUReward(extract="answer").check(["the cat sat<|im_end|>"], ["the cat sat"])
            sample 0: reward 0.0000
              completion  the cat sat<|im_end|>
              scored
              reference   the cat sat
              look here:  nothing is left to score in the last <answer>...</answer>
            >>> checked[0].remarks
            ('nothing is left to score in the last <answer>...</answer>',)
        """
        from .checking import as_text, checked_samples

        languages = self.scoring.check_call(completions, references, languages)
        # Check with a copy of the reward, which has its own counts and logs no warnings. Its errors become remarks.
        quiet = {"warn": "keep"}.get(self.options["special_tokens"], self.options["special_tokens"])
        strict = type(self)(**{**self.options, "errors": "raise", "special_tokens": quiet})
        checked = checked_samples(strict, completions, references, languages)
        print(as_text(checked))  # noqa: T201  # printing is the method's purpose
        return checked


def _as_matrix(rewards: list[Any], completions: Any) -> Any:
    """Return rewards of tokens as an array with the shape, library and device of the completions.

    Args:
        rewards: For each row of the completions an array of at most T rewards, or None, which becomes NaN.
        completions: Ids [n, T] or [n, K, T].
    """
    import numpy as np

    matrix = np.zeros((len(rewards), int(completions.shape[-1])))
    for row, row_rewards in zip(matrix, rewards, strict=True):
        if row_rewards is None:
            row[:] = np.nan
        else:
            row[: len(row_rewards)] = row_rewards
    return as_like(matrix.reshape(completions.shape), completions)
