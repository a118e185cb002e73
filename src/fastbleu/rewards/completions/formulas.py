"""Convert rows of sufficient statistics to rewards, by a formula and on a scale."""

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
    #: Function from a text and its references to a tuple that begins with its row.
    CountOne: TypeAlias = Callable[[str, list[str | None]], Any]
    #: Function from the row of a sample to its reward.
    ScoreOne: TypeAlias = Callable[[list[int]], float]
    #: Function from rows [n, 2 + 2N] to rewards [n].
    ScoreRows: TypeAlias = Callable[[NDArray[Any]], NDArray[float64]]

#: The implementations whose floating-point operations can be reproduced.
REWARD_FORMULAS = ("sacrebleu", "nmt")

#: The highest score of sacreBLEU. With this scale, a reward is the same float as the score.
_PERCENT = 100.0


class Scorers:
    """The scorers of a reward: for text, for text in other languages, and for token ids.

    Args:
        language: The language that determines the tokenizer; None for "13a".
        metric: The metric to score with; None for the default metric of the language.
        formula: The implementation whose operations are reproduced.
        scale: The reward of a perfect match.
        threads: The number of threads that may count at the same time.

    Raises:
        TypeError, ValueError: As `BLEUReward`.

    Attributes:
        metric: As given.
        usual: The scorer of text in the language.
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
            raise ArgumentValueError("metric", "must be None beside language, which chooses a metric")
        check_choice("formula", formula, REWARD_FORMULAS)
        self.metric = metric
        self._language = language
        self._formula: RewardFormula = formula
        self._scale = check_number("scale", scale, lambda reward: 0 < reward < inf, "finite and above 0")
        self._threads = check_threads(threads)
        self._scorers: dict[str | None, Scorer] = {}
        self.usual = self.of("")

    def of(self, language: str | None) -> Scorer:
        """Return the scorer of text in a language ("": the language of the reward), or for None that of token ids.

        Raises:
            ValueError: The language is unknown; or the metric of the reward does not take token ids.
        """
        scorer = self._scorers.get(language)
        if scorer is None:
            metric = self.metric
            if metric is None:
                metric = self._usual_metric(language)
            elif language is None and metric.matcher.counter_for_segment([]) is None:
                raise ArgumentValueError(
                    "metric",
                    f"must be a BLEU with tokenize='none' and no lowercase to score token ids, got {metric!r}",
                )
            # If several threads call this at the same time, all get the scorer of one of them.
            scorer = self._scorers.setdefault(language, Scorer(metric, self._formula, self._scale))
        return scorer

    def _usual_metric(self, language: str | None) -> BLEU:
        options: dict[str, Any] = {"threads": self._threads}
        if self._formula == "nmt":
            options.update(smooth_method="add-one", reference_length="shortest")
        else:
            options.update(effective_order=True)
        if language is None:
            return BLEU(tokenize="none", **options)
        chosen = language or self._language
        if chosen is None:
            return BLEU(**options)
        try:
            return BLEU.for_language(chosen, **options)
        except ArgumentError as error:
            raise error.renamed(code="language") from None


class Scorer:
    """A metric, and the conversion of its counts to rewards.

    Args:
        metric: The metric, whose matcher counts and whose formula scores.
        formula: The implementation whose operations are reproduced: "sacrebleu" or "nmt".
        scale: The reward of a perfect match.

    Raises:
        ValueError: The metric has options that the formula does not have.

    Attributes:
        metric: As given.
        scale: As given.
        count_one: A function from a text and its references to a tuple that begins with the row.
        score_one: A function from the row of a sample, a list, to its reward.
        score_rows: A function from rows [n, 2 + 2N] to n rewards.

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
        # A counter omits the checks of `Matcher.count_one`, which `text_of` has made.
        self.count_one: CountOne = matcher.count_one if counter is None else counter.count_one
        if counter is not None and matcher.lowercase:
            self.count_one = partial(counter.count_one, lowercase=True)
        choose = _score_by_nmt if formula == "nmt" else _score_by_metric
        self.score_one, self.score_rows = choose(metric, scale)


def _score_by_metric(metric: Any, scale: float) -> tuple[ScoreOne, ScoreRows]:
    """Score as the metric does: on the scale 100 with the same floats, on any other scale at most `scale`."""
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
    """Score as tensorflow/nmt and Hugging Face `evaluate` do, to the last digit; see `fastbleu.scoring.nmt_formula`.

    Raises:
        ValueError: The metric has options that the formula does not have.
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
            f"weights beside formula='nmt', got {metric!r}",
        )
    smooth = metric.smooth_method == "add-one"

    def score_one(row: list[int]) -> float:
        # The original divides by 0 if one side has no tokens.
        return nmt_score(row, smooth)[0] * scale if row[0] and row[1] else 0.0

    def score_rows(rows: NDArray[Any]) -> NDArray[float64]:
        from numpy import array

        return array([*map(score_one, rows.tolist())])

    return score_one, score_rows
