"""Compute BLEU from rows of statistics: the brevity penalty times the geometric mean of the n-gram precisions.

BLEU (Papineni et al. 2002, https://aclanthology.org/P02-1040) of a row of statistics is

    score = BP * exp(mean of log p_n over the orders n)      BP = min(1, exp(1 - ref_len / sys_len))

with the precisions p_n in percent, smoothed as described in `smoothing`, and the mean weighted if weights are given.
Without weights, the score is the same float as in sacreBLEU 2.6.0 under the same version of Python, because the
operations are the same, in the same order. They include the built-in `sum`, which compensates for rounding errors
since Python 3.12.

The compiled module `_formula` scores many rows with the same operations, so a row has the same score by itself and
among others.
"""

from __future__ import annotations

from math import exp, isfinite, log

from ..counting.rows import check_matches, check_rows, column_name, row_width
from ..errors import ArgumentValueError, Location, show, wrong_type, wrong_value
from ..options import check_flag, check_integer, check_order, check_smoothing, check_weights
from .score import BLEUScore
from .smoothing import EVERY_ORDER, smoothed_precisions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, Protocol, TypeVar

    from numpy import float64
    from numpy.typing import ArrayLike, NDArray

    from ..options import SmoothMethod
    from ._formula import CompiledFormula
    from .score import Score
    from .smoothing import Counts, Weights

    OfScore_co = TypeVar("OfScore_co", bound=Score, covariant=True)

    class RowFormula(Protocol[OfScore_co]):
        """The interface of `Formula` and `CHRFFormula`, which check and score rows of statistics."""

        @property
        def name(self) -> str:
            """Return the name of the scores."""

        @property
        def width(self) -> int:
            """Return the number of columns of a row."""

        def check_rows(self, statistics: ArrayLike, name: str | Location, fewest: int = 0) -> NDArray[Any]:
            """Check a user's statistics, and return them as [n, width]: n >= `fewest`, or n = 1 for a single row."""

        def column_name(self, k: int) -> str:
            """Return the name of the count in column k of a row."""

        def check_sums(self, row: list[int], where: Location) -> None:
            """Check that a sum of rows is consistent: matches must not exceed candidates. Errors name it `where`."""

        @property
        def named_options(self) -> dict[str, Any]:
            """Return the options of the formula by name, as JSON-compatible values."""

        def score(self, row: list[int]) -> OfScore_co:
            """Score one row of `width` counts."""

        def score_rows(self, rows: NDArray[Any]) -> NDArray[float64]:
            """Score each row of [n, width], with the same floats as `score`: float64 [n], 0..100."""

        def score_float32_rows(self, rows: NDArray[Any]) -> NDArray[Any]:
            """Round rows, [n, width], to float32 like sacreBLEU's resamples, and score each row: [n], 0..100."""

        def score_resamples(self, rows: NDArray[Any]) -> NDArray[Any]:
            """Score sums of resamples, [n, width], for an interval: [n], 0..100. chrF rounds the sums to float32."""

    class HasFormula(Protocol):
        """A metric, such as `BLEU` or `CHRF`, with the formula that scores its statistics."""

        @property
        def formula(self) -> RowFormula[Score]:
            """Return the formula."""


#: sacreBLEU's value for log(0): the exponential of a mean that includes it is 0.
_LOG_OF_ZERO = -9999999999.0


class Formula:
    """The formula of BLEU, with its options, which never change.

    Args:
        max_ngram_order: The largest order of n-grams, N >= 1.
        smooth_method: A name in `options.SMOOTH_DEFAULTS`.
        smooth_value: The value for "floor", "add-k" and "add-k-all", >= 0, or None for the default; other methods
            ignore it.
        effective_order: Exclude the orders for which the hypothesis is too short.
        weights: The weight of each order in the mean: N numbers >= 0, not all of them 0; None: equal weights.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: The method is unknown, or a value is out of range.

    Example:
        >>> formula = Formula(2, "exp", effective_order=True)
        >>> formula.score([3, 4, 2, 1, 3, 2]).score
        41.36895450425725
        >>> import numpy as np
        >>> formula.score_rows(np.array([[3, 4, 2, 1, 3, 2], [3, 3, 3, 2, 3, 2]])).tolist()
        [41.36895450425725, 100.00000000000004]
    """

    __slots__ = (
        "_compiled",
        "effective_order",
        "max_ngram_order",
        "smooth_method",
        "smooth_value",
        "weights",
    )

    def __init__(
        self,
        max_ngram_order: int = 4,
        smooth_method: SmoothMethod = "exp",
        smooth_value: float | None = None,
        effective_order: bool = False,
        weights: Sequence[float] | None = None,
    ) -> None:
        self.max_ngram_order = check_order("max_ngram_order", max_ngram_order)
        self.smooth_method = smooth_method
        self.smooth_value = check_smoothing(smooth_method, smooth_value)
        self.effective_order = check_flag("effective_order", effective_order)
        self.weights = check_weights(weights, max_ngram_order)
        self._compiled: CompiledFormula | None = None

    #: The name of the scores.
    name = BLEUScore.name

    def __reduce__(self) -> tuple[Any, ...]:
        return Formula, self.options

    @property
    def options(self) -> tuple[int, SmoothMethod, float | None, bool, Weights | None]:
        """Return the arguments of the constructor that create an equal formula."""
        return self.max_ngram_order, self.smooth_method, self.smooth_value, self.effective_order, self.weights

    @property
    def width(self) -> int:
        """Return the number of columns of a row, 2 + 2N."""
        return row_width(self.max_ngram_order)

    @property
    def compiled(self) -> CompiledFormula:
        """Return the compiled formula for kernels, which is created on first use."""
        if self._compiled is None:
            from ._formula import CompiledFormula

            self._compiled = CompiledFormula(*self.options)
        return self._compiled

    def check_rows(self, statistics: ArrayLike, name: str | Location, fewest: int = 0) -> NDArray[Any]:
        """Check a user's statistics by `counting.rows.check_rows`, and return them as [n, 2 + 2N]."""
        return check_rows(statistics, self.max_ngram_order, name, fewest)

    def column_name(self, k: int) -> str:
        """Return the name of the count in column k of a row."""
        return column_name(k, self.max_ngram_order)

    def check_sums(self, row: list[int], where: Location) -> None:
        """Check that no order has more matches than candidates, or more candidates than there are tokens.

        Args:
            row: The sum of the rows of whole segments, [2 + 2N].
            where: The name of the row in errors.

        Raises:
            ValueError: An order has too many matches or candidates.
        """
        order = self.max_ngram_order
        check_matches(row, order, where)
        if max(row[2 + order :]) > row[0]:
            excess = f"has more n-grams of an order than its {row[0]} tokens"
            raise ArgumentValueError(where, excess, value=row)

    @property
    def named_options(self) -> dict[str, Any]:
        """Return the options of the formula by name, as JSON-compatible values."""
        return {
            "smooth_method": self.smooth_method,
            "smooth_value": self.smooth_value,
            "effective_order": self.effective_order,
            "weights": None if self.weights is None else list(self.weights),
        }

    def score(self, row: list[int]) -> BLEUScore:
        """Score one valid row: sys_len, ref_len, correct_1..N, total_1..N."""
        # Reading the attribute is faster than calling the property.
        compiled = self._compiled or self.compiled
        score: BLEUScore | None = compiled.score(BLEUScore, row)
        if score is not None:
            return score
        order = self.max_ngram_order
        return self.score_counts(row[2 : 2 + order], row[2 + order :], row[0], row[1])

    def score_counts(self, correct: Counts, total: Counts, sys_len: int, ref_len: int) -> BLEUScore:
        """Score valid counts: the matches and the candidates of each order, and the lengths in tokens.

        The score refers to the lists of counts, not to copies of them.
        """
        bp = brevity_penalty(sys_len, ref_len)
        # As in sacreBLEU, a row without any match scores 0, unless the smoothing method adds to every order.
        if not any(correct) and (self.smooth_method not in EVERY_ORDER or not total[0]):
            return BLEUScore(0.0, correct, total, [0.0] * self.max_ngram_order, bp, sys_len, ref_len)
        correct, total, precisions, orders = smoothed_precisions(
            correct, total, self.smooth_method, self.smooth_value
        )
        used = precisions[:orders] if self.effective_order and orders else precisions
        if self.weights is not None:
            score = bp * _weighted_mean(used, self.weights)
        else:
            logs = map(log, used) if 0.0 not in used else [log(p) if p else _LOG_OF_ZERO for p in used]
            score = bp * exp(sum(logs) / len(used))
        return BLEUScore(score, correct, total, precisions, bp, sys_len, ref_len)

    def score_rows(self, rows: NDArray[Any]) -> NDArray[float64]:
        """Score every row of statistics, each as `score` does.

        Args:
            rows: [n, 2 + 2N] of any integer type or float64, below 2^53: sys_len, ref_len, correct_1..N, total_1..N.
                The array is never changed, and not copied if it is C-contiguous int64 or float64.

        Returns:
            The scores, float64 [n], 0..100, the same floats as from `score`.
        """
        import numpy as np

        dtype, flags = rows.dtype, rows.flags
        if not (
            dtype.kind == "i"
            and dtype.itemsize == 8
            and dtype.isnative
            and flags.c_contiguous
            and flags.aligned
        ):
            rows = np.require(rows, np.int64 if np.can_cast(dtype, np.int64) else np.float64, ("C", "A"))
        scores = np.empty(len(rows))
        self.compiled.score_rows(rows, scores)
        return scores

    score_resamples = score_rows

    def score_float32_rows(self, rows: NDArray[Any]) -> NDArray[float64]:
        """Score rows as sacreBLEU scores resamples, whose counts are float32.

        Since NumPy 2, the product of a Python float and a float32 is a float32, and so are precisions. With earlier
        versions, both are float64. The counts to which "add-k" has added are float32 with all versions.

        Args:
            rows: [n, 2 + 2N] of whole numbers of any dtype, which are rounded to float32.

        Returns:
            The scores, float64 [n], 0..100.
        """
        import numpy as np

        from ._formula import CompiledFormula

        single = 2 if (100.0 * np.float32(1)).dtype == np.float32 else 1
        scores = np.empty(len(rows))
        rounded = rows.astype(np.float32).astype(np.float64, order="C")
        CompiledFormula(*self.options, single=single).score_rows(rounded, scores)
        return scores


def compute_bleu(
    correct: Sequence[float],
    total: Sequence[float],
    sys_len: int,
    ref_len: int,
    smooth_method: SmoothMethod = "none",
    smooth_value: float | None = None,
    effective_order: bool = False,
    max_ngram_order: int = 4,
    *,
    weights: Sequence[float] | None = None,
) -> BLEUScore:
    """Compute BLEU from summed counts.

    Args:
        correct: The matched n-grams of the orders 1..max_ngram_order, >= 0: a list, tuple or array.
        total: The candidate n-grams of the same orders, >= 0: a list, tuple or array.
        sys_len: The number of tokens in the hypotheses.
        ref_len: The number of tokens in the closest references.
        smooth_method: "none", "floor", "add-k", "exp", "add-k-all", "add-one" or "add-one-above-first" (see
            `smoothing`).
        smooth_value: The value for "floor" (default 0.1), "add-k" and "add-k-all" (default 1); other methods ignore it.
        effective_order: Exclude the orders for which the hypothesis is too short.
        max_ngram_order: The largest order of n-grams, >= 1.
        weights: The weight of each order in the mean: `max_ngram_order` numbers >= 0, not all of them 0. They are
            divided by the sum over the included orders; if this sum is 0, so is the score. None: equal weights.

    Returns:
        The score, 0..100, with new lists of counts, to which "add-k" has added its value.

    Raises:
        TypeError: An argument or a count has the wrong type.
        ValueError: The method is unknown, a count is negative or not finite, there are more matches than candidates, or
            the length of a list is not `max_ngram_order`.

    Example:
        >>> compute_bleu([5, 4, 3, 2], [5, 4, 3, 2], sys_len=5, ref_len=5).score
        100.00000000000004
        >>> compute_bleu([2, 1, 0, 0], [2, 1, 0, 0], 2, 2, effective_order=True).precisions
        [100.0, 100.0, 0.0, 0.0]

    The score equals that of `sacrebleu.metrics.BLEU.compute_bleu` (2.6.0), which under "add-k" also changes the lists
    that are passed to it.
    """
    formula = Formula(max_ngram_order, smooth_method, smooth_value, effective_order, weights)
    matches = _checked_counts("correct", correct, formula.max_ngram_order)
    candidates = _checked_counts("total", total, formula.max_ngram_order)
    for index, (count, limit) in enumerate(zip(matches, candidates, strict=True)):
        if count > limit:
            excess = f"must not exceed total[{index}], got {count!r} and {limit!r}"
            raise ArgumentValueError(Location("correct")[index], excess, value=count)
    lengths = check_integer("sys_len", sys_len, 0), check_integer("ref_len", ref_len, 0)
    return formula.score_counts(matches, candidates, *lengths)


def scaled(scores: NDArray[float64], divisor: float) -> NDArray[float64]:
    """Rescale scores of 0..100 in place.

    Args:
        scores: Scores of any shape.
        divisor: The result of `options.check_scale`: 1 or 100.

    Returns:
        The same array. On the scale 0..1, scores are clipped at 1, which a perfect match would exceed in the last
        digit.
    """
    if divisor != 1:
        scores /= divisor
        scores.clip(max=1, out=scores)
    return scores


def brevity_penalty(sys_len: int, ref_len: int) -> float:
    """Compute the brevity penalty.

    Args:
        sys_len: The number of tokens in the hypotheses.
        ref_len: The number of tokens in the references.

    Returns:
        1 if the hypotheses are not shorter than the references, else exp(1 - ref_len / sys_len), 0..1.

    Example:
        >>> brevity_penalty(5, 4), round(brevity_penalty(4, 5), 4), brevity_penalty(0, 4), brevity_penalty(0, 0)
        (1.0, 0.7788, 0.0, 1.0)
    """
    if sys_len >= ref_len:
        return 1.0
    return exp(1 - ref_len / sys_len) if sys_len else 0.0


def _weighted_mean(precisions: list[float], weights: Weights) -> float:
    """Return the weighted geometric mean of the precisions with a weight above 0; 0 if there are none, or one is 0."""
    weighted = [(weight, p) for weight, p in zip(weights, precisions, strict=False) if weight]
    if not weighted or not all(precision for _, precision in weighted):
        return 0.0
    largest = max(weight for weight, _ in weighted)
    shares = [weight / largest for weight, _ in weighted]
    logs = _compensated_sum(share * log(p) for share, (_, p) in zip(shares, weighted, strict=True))
    return exp(logs / _compensated_sum(shares))


def _compensated_sum(terms: Iterable[float]) -> float:
    """Sum floats by Neumaier's algorithm (1974), which the built-in `sum` uses only since Python 3.12."""
    total = lost = 0.0
    for term in terms:
        larger = total + term
        lost += (total - larger) + term if abs(total) >= abs(term) else (term - larger) + total
        total = larger
    return total + lost if isfinite(lost) else total


def _checked_counts(name: str, values: Sequence[float], length: int) -> Counts:
    """Return a user's counts as a new list of Python numbers.

    Raises:
        TypeError: A count is not a number.
        ValueError: The number of counts is not `length`, or a count is negative or not finite.
    """
    if not hasattr(values, "__iter__"):
        raise wrong_type(name, "a sequence of counts", values)
    counts: list[float] = values.tolist() if hasattr(values, "tolist") else list(values)
    if len(counts) != length:
        needed = f"must hold max_ngram_order={length} counts, got {len(counts)}: {show(counts)}"
        raise ArgumentValueError(name, needed, value=values)
    for index, given in enumerate(counts):
        count = given
        if hasattr(given, "__index__") and not isinstance(given, bool):
            count = counts[index] = given.__index__()  # Convert NumPy's integers to Python's.
        if isinstance(count, bool) or not isinstance(count, (int, float)):
            raise wrong_type(Location(name)[index], "a number", count)
        if count < 0 or not isfinite(count):
            raise wrong_value(Location(name)[index], "finite and not negative", count)
    return counts
