"""Sentence BLEU as a reward: score a training loop's completions in one call."""

from __future__ import annotations

from functools import partial
from math import isfinite
from typing import overload

from ..errors import ArgumentValueError, suggests_options
from ..inputs.devices import as_like
from ..metric import BLEU
from ..options import check_choice, check_flag, check_name, check_number
from .completions.extraction import described, extraction
from .completions.formulas import REWARD_FORMULAS, Scorers
from .completions.ids import id_rule
from .completions.marks import checked_tokens
from .completions.scoring import Scoring
from .components import in_form_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Literal, TypeAlias

    from numpy import float64
    from numpy.typing import NDArray

    from ..inputs.id_options import Ids
    from ..metric.chrf import CHRF
    from .checking import CheckedSample
    from .completions.extraction import Extract
    from .completions.formulas import RewardFormula
    from .completions.marks import SpecialTokens
    from .counts import RewardCounts

    Errors: TypeAlias = Literal["raise", "empty"]
    #: The language of each completion; None: that of the reward.
    Languages: TypeAlias = Sequence[str | None] | None

ERRORS = ("raise", "empty")


class BLEUReward:
    """Sentence BLEU of completions, as a reward function.

    A completion is a str, a message or a list of messages (the assistant's last one counts), or token ids. A message
    has `role` and `content`, a str or parts as OpenAI's, or `from` and `value` as sharegpt's; any other mapping is
    an error. A completion whose content is None has no text. A reward may be pickled, has the same value in every
    process, and may be used from several threads.

    Args:
        language: The language of the references, which determines the tokenizer; None for "13a".
        metric: The `BLEU` to score with; None for one of `language` with `effective_order=True`, and for token ids one
            with `tokenize="none"`. Or a `CHRF`, which takes only text: then a completion counts as empty if it or its
            reference has no characters, and its length is measured in characters. `formula="nmt"` and the options for
            token ids need a BLEU.
        formula: The implementation whose floating-point operations are reproduced: "sacrebleu", or "nmt" as in Hugging
            Face `evaluate`, which without a metric also counts and smooths as `evaluate` does (add-one, the shortest
            reference's length).
        extract: The part of a completion that is scored: a tag's name ("answer": the last complete
            `<answer>...</answer>`), a compiled regular expression (its last match: group 1 if it has one, else all of
            it), or a function from str to str or None. A completion without a match gets `empty`. None: the whole
            completion. References are always scored as a whole.
        strip_reasoning: Whether `<think>...</think>` and similar reasoning is removed before; see
            `fastbleu.rewards.completions.reasoning`.
        special_tokens: How special tokens of chat templates in text, and a prompt before them, are handled: "strip"
            removes them first, "warn" scores the text as it is and logs a warning once, "keep" scores it. Templates are
            recognized by the general forms of their markers. A list of tokens, such as `tokenizer.all_special_tokens`,
            also removes these.
        scale: The reward of a perfect match, above 0.
        empty: The reward of a completion without text or without a match, and with `errors="empty"` of a malformed one.
        errors: How malformed samples are handled: "raise" an error, or count them as "empty" and log the error of the
            first one, which may be caused by a mistake in a function given as `extract`.
        reference_field: The key of the references if they are in mappings: with "target", the ground truth
            `{"target": ["Paris"]}` is read as `["Paris"]`. Other references are read unchanged.
        pad_id: For token ids: the padding id or ids.
        eos_id: For token ids: the end-of-sequence id or ids.
        threads: The number of threads that may count at the same time, >= 1; a given metric has its own number.
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
            extraction(extract, strip_reasoning, special_tokens),
            id_rule(pad_id, eos_id),
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
        """The metric that scores: token ids if `pad_id` or `eos_id` is given, otherwise text."""
        has_ids = self.options["pad_id"] is not None or self.options["eos_id"] is not None
        return self.scoring.scorers.of(None if has_ids else "").metric

    @property
    def signature(self) -> str:
        """The signature of the rewards in one line: the metric's, and the options that the reward adds to it."""
        options = self.options
        signature = self.metric.signature_for(-1)
        is_usual = options["formula"] == REWARD_FORMULAS[0]
        fields = {
            "formula": None if is_usual else options["formula"],
            "scale": f"{options['scale']:g}",
            "extract": None if options["extract"] is None else described(options["extract"]),
            "special": None if options["special_tokens"] in ("warn", "keep") else "stripped",
            "reasoning": "stripped" if options["strip_reasoning"] else None,
            "empty": f"{options['empty']:g}" if options["empty"] else None,
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
            references: For each completion a str, a message or a list of messages, ids, or a list of several of these;
                None where this reward does not apply. For ids also a matrix [n, T] or [n, R, T], or `TokenIds`. Or
                prepared `References` of length n.
            languages: The language of each completion, if they differ.

        Returns:
            n rewards, 0..scale: a list of float (None where the reference is None); for an array, an array of the same
            kind on the same device (with NaN instead of None).

        Raises:
            TypeError: An argument, or with `errors="raise"` a sample, has the wrong type.
            ValueError: Numbers of completions and references differ, or a sample has a bad value.

        Example:
            >>> BLEUReward()(["the cat sat", "a dog"], ["the cat sat down", None])
            [0.7165313105737896, None]
        """
        return in_form_of(self.scoring.many(completions, references, languages), completions)

    def token_rewards(self, completions: Any, references: Any, offsets: Any = None) -> Any:
        """Reward completions token by token: differences of the scores of prefixes, which add up to the reward.

        The gain of a token of the metric, or of a character for chrF, is the score of the text up to its end minus
        that of the text before it. It is assigned to the policy's token that contains the last character.

        Args:
            completions: As in a call.
            references: As in a call; for a CHRF not prepared ones.
            offsets: For each completion of text the pairs (start, end) of the policy's tokens, [T, 2], in characters of
                the completion: the `offset_mapping` of a Hugging Face tokenizer. Special tokens are (0, 0). A
                BLEU must have a tokenizer whose tokens are parts of the text: "none", "13a" (whose rewriting of
                entities is followed), "intl", "zh" or "char", but not MeCab or SentencePiece. None: the rewards are
                those of the metric's own tokens, or of ids.

        Returns:
            For each completion float64 [T]: a number for each token of the policy, 0 outside the scored part, which
            add up to the reward of the completion within 1e-12; the reward `empty` is given to the last token. For
            ids, a number for each id, 0 at padding, with `empty` at the first id of a row; for a matrix, an array of
            its shape and kind. None (in an array NaN) where the reference is None.

        Raises:
            TypeError, ValueError: As a call; or what is scored is not one piece of the completion, or
                offsets are no pairs.

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
            references: Its references, as an item of `references` in a call.

        Returns:
            The reward, 0..scale, the same float as in a batch; None where the references are None.

        Raises:
            TypeError, ValueError: As a call.

        Example:
            >>> BLEUReward(extract="answer").score_one("<answer>the cat sat</answer>", "the cat sat down")
            0.7165313105737896
        """
        return self.scoring.one(completion, references)[0]

    def check(self, completions: Any, references: Any, *, languages: Languages = None) -> list[CheckedSample]:
        """Print how a few samples are read and scored, to inspect before training.

        Args:
            completions: As in a call.
            references: As in a call; not prepared ones.
            languages: As in a call.

        Returns:
            The samples as printed: for each its reward, the completion, the part of it that is scored, the references,
            and likely problems: a score of 0, special tokens, the error of a malformed sample. Nothing is added to
            `counts`.

        Raises:
            TypeError, ValueError: The call is wrong, not a sample.

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
        # Malformed samples raise errors, and nothing is logged or counted.
        quiet = {"warn": "keep"}.get(self.options["special_tokens"], self.options["special_tokens"])
        strict = type(self)(**{**self.options, "errors": "raise", "special_tokens": quiet})
        checked = checked_samples(strict, completions, references, languages)
        print(as_text(checked))  # noqa: T201  # printing is its purpose
        return checked


def _as_matrix(rewards: list[Any], completions: Any) -> Any:
    """Return the rewards of tokens as an array like the completions, with NaN for missing rewards."""
    import numpy as np

    matrix = np.zeros((len(rewards), int(completions.shape[-1])))
    for row, of_one in zip(matrix, rewards, strict=True):
        if of_one is None:
            row[:] = np.nan
        else:
            row[: len(of_one)] = of_one
    return as_like(matrix.reshape(completions.shape), completions)
