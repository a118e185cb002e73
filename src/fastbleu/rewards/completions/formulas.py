"""Convert sufficient statistics, the counts of n-grams that determine a score, to rewards."""

from __future__ import annotations

from functools import partial
from math import inf

from ...errors import ArgumentError, ArgumentValueError, wrong_type
from ...metric import BLEU
from ...options import check_choice, check_number, check_threads
from ...scoring.nmt_formula import nmt_score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal, TypeAlias

    from numpy import float64
    from numpy.typing import NDArray

    from ...metric.chrf import CHRF

    RewardFormula: TypeAlias = Literal["sacrebleu", "nmt"]
    #: A function from a text and its references to a tuple whose first item is the text's row of sufficient statistics.
    CountOne: TypeAlias = Callable[[str, list[str | None]], Any]
    #: A function from the row of sufficient statistics of a sample to its reward.
    ScoreOne: TypeAlias = Callable[[list[int]], float]
    #: A function from rows of sufficient statistics [n, 2 + 2N] to rewards [n].
    ScoreRows: TypeAlias = Callable[[NDArray[Any]], NDArray[float64]]

#: The implementations whose floating-point operations can be reproduced.
REWARD_FORMULAS = ("sacrebleu", "nmt")

#: The score of a perfect match in sacreBLEU. With `scale=100`, a reward is the same float as the score.
_PERCENT = 100.0


class Scorers:
    """The scorers of a reward: one for text in its language, one for text in each other language, one for token ids.

    Args:
        language: The language that determines the tokenizer; None for the tokenizer "13a".
        metric: The metric that scores; None for the default metric of the language.
        formula: The implementation whose floating-point operations are reproduced: "sacrebleu" or "nmt".
        scale: The reward of a perfect match.
        threads: The number of threads that count n-grams at the same time.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument has a bad value, or both `language` and `metric` are given.

    Attributes:
        metric: The argument `metric`.
        default: The scorer of text in the language of the reward.
    """

    def __init__(
        self,
        language: str | None,
        metric: BLEU | CHRF | None,
        formula: RewardFormula = "sacrebleu",
        scale: float = 1.0,
        threads: int = 1,
    ) -> None:
        if not isinstance(language, (str, type(None))):
            raise wrong_type("language", "a str", language)
        if not (metric is None or (hasattr(metric, "matcher") and hasattr(metric, "formula"))):
            raise wrong_type("metric", "a BLEU or a CHRF", metric)
        if language is not None and metric is not None:
            raise ArgumentValueError(
                "metric", "must be None if language is given, which determines the metric"
            )
        check_choice("formula", formula, REWARD_FORMULAS)
        self.metric = metric
        self._language = language
        self._formula: RewardFormula = formula
        self._scale = check_number("scale", scale, lambda reward: 0 < reward < inf, "finite and above 0")
        self._threads = check_threads(threads)
        self._scorers: dict[str | None, Scorer] = {}
        self.default = self.of("")

    def of(self, language: str | None) -> Scorer:
        """Return the scorer for texts in a language, or for token ids.

        Args:
            language: The language of texts; "" for the language of the reward; None for token ids.

        Raises:
            ValueError: The language is unknown, or the metric of the reward cannot score token ids.
        """
        scorer = self._scorers.get(language)
        if scorer is None:
            metric = self.metric
            if metric is None:
                metric = self._default_metric(language)
            elif language is None and metric.matcher.counter_for_segment([]) is None:
                raise ArgumentValueError(
                    "metric",
                    f"must be a BLEU with tokenize='none' and no lowercase to score token ids, got {metric!r}",
                )
            # `setdefault` is atomic: if several threads make a scorer, all return the first one that was stored.
            scorer = self._scorers.setdefault(language, Scorer(metric, self._formula, self._scale))
        return scorer

    def _default_metric(self, language: str | None) -> BLEU:
        options: dict[str, Any] = {"threads": self._threads}
        if self._formula == "nmt":
            options.update(smooth_method="add-one", reference_length="shortest")
        else:
            options.update(effective_order=True)
        if language is None:
            return BLEU(tokenize="none", **options)
        language = language or self._language
        if language is None:
            return BLEU(**options)
        try:
            return BLEU.for_language(language, **options)
        except ArgumentError as error:
            raise error.renamed(code="language") from None


class Scorer:
    """The functions that count the n-grams of a text, and that convert counts to rewards.

    Args:
        metric: The metric that counts and scores.
        formula: The implementation whose floating-point operations are reproduced: "sacrebleu" or "nmt".
        scale: The reward of a perfect match.

    Raises:
        ValueError: The metric has options that the formula does not support.

    Attributes:
        metric: The argument `metric`.
        scale: The argument `scale`.
        count_one: A function from a text and its references to a tuple; its first item is the row of sufficient
            statistics, a list of int.
        score_one: A function from a row of sufficient statistics to the reward.
        score_rows: A function from rows of sufficient statistics [n, 2 + 2N] to the rewards, float64 [n].

    Example:
        >>> Scorer(BLEU(max_ngram_order=2), "sacrebleu", 1).score_one([3, 4, 2, 1, 3, 2])
        0.41368954504257255
        >>> metric = BLEU(smooth_method="add-one", reference_length="shortest", max_ngram_order=2)
        >>> Scorer(metric, "nmt", 1).score_one([3, 4, 2, 1, 3, 2])
        0.5066641486392105
    """

    __slots__ = ("count_one", "metric", "scale", "score_one", "score_rows")

    def __init__(self, metric: BLEU | CHRF, formula: RewardFormula, scale: float) -> None:
        self.metric = metric
        self.scale = scale
        matcher = metric.matcher
        counter = matcher.counter_for_segment("")
        # Call the counter directly: `text_of` has already made the checks of `Matcher.count_one`.
        self.count_one: CountOne = matcher.count_one if counter is None else counter.count_one
        if counter is not None and matcher.lowercase:
            self.count_one = partial(counter.count_one, lowercase=True)
        choose = _score_by_nmt if formula == "nmt" else _score_by_metric
        self.score_one, self.score_rows = choose(metric, scale)


def _score_by_metric(metric: Any, scale: float) -> tuple[ScoreOne, ScoreRows]:
    """Return the functions that convert rows to rewards by the metric's own formula.

    With `scale=100`, rewards are the same floats as the metric's scores. With other scales, they are at most `scale`.
    """
    formula = metric.formula
    divisor = _PERCENT / scale
    highest = inf if scale == _PERCENT else scale
    score_compiled = formula.compiled.score_one if isinstance(metric, BLEU) else lambda _: None

    def score_one(row: list[int]) -> float:
        scored = score_compiled(row)
        reward: float = (formula.score(row).score if scored is None else scored[0]) / divisor
        return min(highest, reward)

    def score_rows(rows: NDArray[Any]) -> NDArray[float64]:
        from numpy import minimum

        rewards: NDArray[float64] = minimum(formula.score_rows(rows) / divisor, highest)
        return rewards

    return score_one, score_rows


def _score_by_nmt(metric: Any, scale: float) -> tuple[ScoreOne, ScoreRows]:
    """Return the functions that convert rows to rewards by the formula of tensorflow/nmt and Hugging Face `evaluate`.

    Rewards equal the scores of these implementations to the last digit; see `fastbleu.scoring.nmt_formula`.

    Raises:
        ValueError: The metric has options that the formula does not support.
    """
    if (
        metric.smooth_method not in ("none", "add-one")
        or metric.reference_length != "shortest"
        or metric.effective_order
        or metric.weights is not None
    ):
        raise ArgumentValueError(
            "metric",
            "must have smooth_method='none' or 'add-one', reference_length='shortest', effective_order=False and no "
            f"weights for formula='nmt', got {metric!r}",
        )
    smooth = metric.smooth_method == "add-one"

    def score_one(row: list[int]) -> float:
        # The original implementation divides by 0 if the completion or its reference has no tokens.
        return nmt_score(row, smooth)[0] * scale if row[0] and row[1] else 0.0

    def score_rows(rows: NDArray[Any]) -> NDArray[float64]:
        from numpy import array

        return array([*map(score_one, rows.tolist())])

    return score_one, score_rows
