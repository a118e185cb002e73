"""Rows of counts to rewards: by which formula, and on which scale."""

from __future__ import annotations

from functools import partial

from ...errors import ArgumentError, ArgumentValueError
from ...metric import BLEU
from ...scoring.nmt import nmt_score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal, TypeAlias

    from numpy import float64
    from numpy.typing import NDArray

    from ...metric.chrf import CHRF

    RewardFormula: TypeAlias = Literal["sacrebleu", "nmt"]
    #: From a text and its references to its row, and what else a counter returns.
    CountOne: TypeAlias = Callable[[str, list[str | None]], Any]
    #: From the row of a sample to its reward.
    ScoreOne: TypeAlias = Callable[[list[int]], float]
    #: From rows [n, 2 + 2N] to rewards [n].
    ScoreRows: TypeAlias = Callable[[NDArray[Any]], NDArray[float64]]

#: Whose operations make a reward of counts.
REWARD_FORMULAS = ("sacrebleu", "nmt")

#: The scale of sacreBLEU's scores, on which a reward is the same float.
_PERCENT = 100.0


class Scorer:
    """A metric, and how its counts become rewards.

    Args:
        metric: Counts by its matcher, and scores by its formula.
        formula: Whose operations make a reward of counts: "sacrebleu" or "nmt".
        scale: What a perfect match is worth.

    Raises:
        ValueError: The metric has options that the formula lacks.

    Attributes:
        count_one: From a text and its references to a tuple that begins with the row.
        score_one: From the row of a sample, a list, to its reward.
        score_rows: From rows [n, 2 + 2N] to n rewards.

    Example:
        >>> Scorer(BLEU(max_ngram_order=2), "sacrebleu", 1).score_one([3, 4, 2, 1, 3, 2])
        0.41368954504257255
        >>> metric = BLEU(smooth_method="add-one", reference_length="shortest", max_ngram_order=2)
        >>> Scorer(metric, "nmt", 1).score_one([3, 4, 2, 1, 3, 2])
        0.5066641486392105
    """

    __slots__ = ("count_one", "metric", "score_one", "score_rows")

    def __init__(self, metric: BLEU | CHRF, formula: RewardFormula, scale: float) -> None:
        self.metric = metric
        matcher = metric.matcher
        counter = matcher.counter_of_one("")
        # A counter leaves out the checks of `Matcher.count_one`, which `text_of` has made.
        self.count_one: CountOne = matcher.count_one if counter is None else counter.count_one
        if counter is not None and matcher.lowercase:
            self.count_one = partial(counter.count_one, lowercase=True)
        choose = _score_by_nmt if formula == "nmt" else _score_by_metric
        self.score_one, self.score_rows = choose(metric, scale)


def usual_metric(language: str | None, formula: RewardFormula, threads: int, of_ids: bool = False) -> BLEU:
    """The metric of a reward to which none was given.

    Args:
        language: The language that chooses the tokenizer; None for "13a".
        formula: Whose operations make a reward of counts.
        threads: How many threads may count at the same time.
        of_ids: Whether it is for token ids, which have no tokenizer.

    Example:
        >>> usual_metric("zh", "sacrebleu", 1).tokenizer.name, usual_metric(None, "nmt", 1).smooth_method
        ('zh', 'add-one')
    """
    options: dict[str, Any] = {"threads": threads}
    if formula == "nmt":
        options.update(smooth_method="add-one", reference_length="shortest")
    else:
        options.update(effective_order=True)
    if of_ids:
        return BLEU(tokenize="none", **options)
    if language is None:
        return BLEU(**options)
    try:
        return BLEU.for_language(language, **options)
    except ArgumentError as error:
        raise error.renamed(code="language") from None


def _score_by_metric(metric: Any, scale: float) -> tuple[ScoreOne, ScoreRows]:
    """Score as a metric does: on the scale 100 by its own floats, on every other one at most `scale`."""
    formula = metric.formula
    divisor = _PERCENT / scale
    most = float("inf") if scale == _PERCENT else scale
    score_compiled = formula.compiled.score_one if isinstance(metric, BLEU) else lambda _: None

    def score_one(row: list[int]) -> float:
        found = score_compiled(row)
        reward: float = (formula.score(row).score if found is None else found[0]) / divisor
        return min(most, reward)  # not by `min`, which takes longer

    def score_rows(rows: NDArray[Any]) -> NDArray[float64]:
        from numpy import minimum

        rewards: NDArray[float64] = minimum(formula.score_rows(rows) / divisor, most)
        return rewards

    return score_one, score_rows


def _score_by_nmt(metric: Any, scale: float) -> tuple[ScoreOne, ScoreRows]:
    """Score as tensorflow/nmt and Hugging Face `evaluate` do, last digit included; see `fastbleu.scoring.nmt`.

    Raises:
        ValueError: The metric has options that the formula lacks.
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
        # Theirs divides by 0 where there is no token on one side.
        return nmt_score(row, smooth)[0] * scale if row[0] and row[1] else 0.0

    def score_rows(rows: NDArray[Any]) -> NDArray[float64]:
        from numpy import array

        return array([*map(score_one, rows.tolist())])

    return score_one, score_rows
