"""Counts to score: the brevity penalty, the geometric mean of the n-gram precisions, and how a score is printed.

BLEU (Papineni et al. 2002, https://aclanthology.org/P02-1040) of a row of statistics is

    score = BP * exp(mean of log p_n over the orders n)      BP = min(1, exp(1 - ref_len / sys_len))

with the precisions p_n in percent, smoothed as `smoothing` says, and the mean weighted if weights are given. Without
them the scalar formula gives the same float as sacreBLEU 2.6.0 under the same interpreter: same operations, same order,
the built-in `sum` (which is compensated from Python 3.12 on). `batch_scores` is its compiled twin over rows, equal to
1e-12 relative.
"""

from __future__ import annotations

from math import exp, fsum, isfinite, log

from ..options import check_integer
from .signature import sign
from .smoothing import check_smoothing, smoothed_precisions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy import float64
    from numpy.typing import NDArray

    from .signature import Signature
    from .smoothing import Counts, Weights

#: Beyond it, sums of weights would be no number.
_LARGEST_WEIGHT = 1e300


class BLEUScore:
    """A BLEU score and the counts that it comes from, with sacreBLEU's attributes.

    The strings (`prec_str`, `format()`, `str()`) are made only when asked for.

    Args:
        score: The score, 0..100.
        counts: Matched n-grams per order, smoothed counts under add-k.
        totals: Candidate n-grams per order, likewise.
        precisions: The smoothed n-gram precisions, 0..100.
        bp: The brevity penalty, 0..1.
        sys_len: Tokens in the hypotheses.
        ref_len: Tokens in the references, of the closest length.

    Attributes:
        name: "BLEU".
        signature: How the score was computed (a `Signature`), or None if only counts were known.

    Example:
        >>> score = compute_bleu([4, 2, 1, 0], [5, 4, 3, 2], sys_len=5, ref_len=5, smooth_method="exp")
        >>> score
        BLEU = 42.73 80.0/50.0/33.3/25.0 (BP = 1.000 ratio = 1.000 hyp_len = 5 ref_len = 5)
        >>> score.format(width=1, score_only=True)
        '42.7'
    """

    name = "BLEU"

    #: The arguments of `sign` until the signature is asked for; the signature from then on.
    _sign: tuple[Any, ...] | Signature | None

    def __init__(
        self,
        score: float,
        counts: Counts,
        totals: Counts,
        precisions: list[float],
        bp: float,
        sys_len: int,
        ref_len: int,
    ) -> None:
        self.score = score
        self.counts = counts
        self.totals = totals
        self.precisions = precisions
        self.bp = bp
        self.sys_len = sys_len
        self.ref_len = ref_len
        self._sign = None
        # Mean and half width of the bootstrap interval; as in sacreBLEU, a mean that is not above 0 says "none".
        self._mean = -1.0
        self._ci = -1.0

    @property
    def signature(self) -> Signature | None:
        """How the score was computed, or None if only counts were known."""
        if isinstance(self._sign, tuple):
            self._sign = sign(*self._sign)
        return self._sign

    @signature.setter
    def signature(self, signature: Signature | None) -> None:
        self._sign = signature

    @property
    def ratio(self) -> float:
        """Hypothesis length over reference length; 0 if the latter is 0."""
        return self.sys_len / self.ref_len if self.ref_len else 0

    @property
    def prec_str(self) -> str:
        """The precisions as printed: one decimal each, joined by slashes."""
        return "/".join([f"{precision:.1f}" for precision in self.precisions])

    @property
    def _verbose(self) -> str:
        """What sacreBLEU prints after the score, under its name for it."""
        return (
            f"{self.prec_str} (BP = {self.bp:.3f} ratio = {self.ratio:.3f} "
            f"hyp_len = {self.sys_len:d} ref_len = {self.ref_len:d})"
        )

    def format(
        self, width: int = 2, score_only: bool = False, signature: str | Signature = "", is_json: bool = False
    ) -> str:
        """Write the score out as sacreBLEU does.

        Args:
            width: Decimals of the score and of its interval.
            score_only: Only the number (and its interval, if there is one); wins over `is_json`.
            signature: Printed after the name, and field by field in JSON.
            is_json: A JSON object instead of a line.

        Returns:
            One line, or a JSON object over several lines.

        Example:
            >>> score = compute_bleu([2], [4], sys_len=4, ref_len=4, max_ngram_order=1)
            >>> score.format(signature="nrefs:1|case:mixed")
            'BLEU|nrefs:1|case:mixed = 50.00 50.0 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)'
        """
        signature = str(signature)
        number = f"{self.score:.{width}f}"
        mean, half_width = f"{self._mean:.{width}f}", f"{self._ci:.{width}f}"
        interval = f"μ = {mean} ± {half_width}" if self._mean > 0 else ""
        text = f"{number} ({interval})" if interval else number
        if score_only:
            return text
        if not is_json:
            heading = f"{self.name}|{signature}" if signature else self.name
            return f"{heading} = {text} {self._verbose}"
        from json import dumps

        fields: dict[str, str | float] = {"name": self.name, "score": float(number), "signature": signature}
        if interval:
            fields["confidence_mean"] = float(mean)
            fields["confidence_var"] = float(half_width)
            fields["confidence"] = interval
        fields["verbose_score"] = self._verbose
        for field in signature.split("|") if signature else ():
            key, _, value = field.partition(":")
            fields[key] = value
        return dumps(fields, indent=1, ensure_ascii=False)

    def __repr__(self) -> str:
        return self.format()


def compute_bleu(
    correct: Sequence[float],
    total: Sequence[float],
    sys_len: int,
    ref_len: int,
    smooth_method: str = "none",
    smooth_value: float | None = None,
    effective_order: bool = False,
    max_ngram_order: int = 4,
    *,
    weights: Sequence[float] | None = None,
) -> BLEUScore:
    """Compute BLEU from counts that were added up elsewhere.

    Args:
        correct: Matched n-grams for the orders 1..max_ngram_order, not negative. A list, tuple or array.
        total: Candidate n-grams, likewise.
        sys_len: Tokens in the hypotheses.
        ref_len: Tokens in the references, of the closest length.
        smooth_method: "none", "floor", "add-k", "exp", "add-one" or "add-one-above-first" (see `smoothing`).
        smooth_value: The value for "floor" (default 0.1) and "add-k" (default 1); the other methods ignore it.
        effective_order: Leave out the orders for which the hypothesis is too short.
        max_ngram_order: The longest n-grams counted, at least 1.
        weights: What each order counts in the mean, `max_ngram_order` numbers >= 0, not all of them 0, renormalised
            over the orders that are used; if none of these has a weight, the score is 0. None: all the same.

    Returns:
        The score, 0..100, with the counts in new lists; under add-k, with what was added to them.

    Raises:
        TypeError: An argument or a count is of the wrong type.
        ValueError: An unknown method, a count that is negative or not finite, more matches than candidates, or lists
            of another length than `max_ngram_order`.

    Example:
        >>> compute_bleu([5, 4, 3, 2], [5, 4, 3, 2], sys_len=5, ref_len=5).score
        100.00000000000004
        >>> compute_bleu([2, 1, 0, 0], [2, 1, 0, 0], 2, 2, effective_order=True).precisions
        [100.0, 100.0, 0.0, 0.0]

    Equal to `sacrebleu.metrics.BLEU.compute_bleu` (2.6.0), which under add-k changes the caller's lists, too.
    """
    max_ngram_order = check_integer("max_ngram_order", max_ngram_order, 1)
    matches = _checked_counts("correct", correct, max_ngram_order)
    candidates = _checked_counts("total", total, max_ngram_order)
    for index, (count, among) in enumerate(zip(matches, candidates, strict=True)):
        if count > among:
            raise ValueError(f"correct[{index}] must not exceed total[{index}], got {count!r} and {among!r}")
    return _score(
        matches,
        candidates,
        check_integer("sys_len", sys_len, 0),
        check_integer("ref_len", ref_len, 0),
        smooth_method,
        check_smoothing(smooth_method, smooth_value),
        effective_order,
        max_ngram_order,
        check_weights(weights, max_ngram_order),
    )


def _score(
    correct: Counts,
    total: Counts,
    sys_len: int,
    ref_len: int,
    smooth_method: str,
    smooth_value: float | None,
    effective_order: bool,
    max_ngram_order: int,
    weights: Weights | None = None,
) -> BLEUScore:
    """Compute BLEU from counts known to be good, with `smooth_value` resolved; the score keeps the two lists."""
    bp = brevity_penalty(sys_len, ref_len)
    # Nothing in common is 0 before any smoothing but add-one, and add-k leaves the counts alone.
    if not any(correct) and (smooth_method != "add-one" or not total[0]):
        return BLEUScore(0.0, correct, total, [0.0] * max_ngram_order, bp, sys_len, ref_len)
    correct, total, precisions, orders = smoothed_precisions(correct, total, smooth_method, smooth_value)
    used = precisions[:orders] if effective_order and orders else precisions
    if weights is not None:
        return BLEUScore(bp * _weighted_mean(used, weights), correct, total, precisions, bp, sys_len, ref_len)
    # sacreBLEU floors the log of 0 so low that its exponential is 0, too.
    score = 0.0 if 0.0 in used else bp * exp(sum(map(log, used)) / len(used))
    return BLEUScore(score, correct, total, precisions, bp, sys_len, ref_len)


def brevity_penalty(sys_len: int, ref_len: int) -> float:
    """Compute the brevity penalty.

    Args:
        sys_len: Tokens in the hypotheses.
        ref_len: Tokens in the references.

    Returns:
        1 unless the hypotheses are shorter, 0..1.

    Example:
        >>> brevity_penalty(5, 4), round(brevity_penalty(4, 5), 4), brevity_penalty(0, 4), brevity_penalty(0, 0)
        (1.0, 0.7788, 0.0, 1.0)
    """
    if sys_len >= ref_len:
        return 1.0
    return exp(1 - ref_len / sys_len) if sys_len else 0.0


def _weighted_mean(precisions: list[float], weights: Weights) -> float:
    """The weighted geometric mean of the precisions that have a weight; 0 where none has."""
    weighted = [(weight, p) for weight, p in zip(weights, precisions, strict=False) if weight]
    if not weighted or not all(precision for _, precision in weighted):
        return 0.0
    largest = max(weight for weight, _ in weighted)
    shares = [weight / largest for weight, _ in weighted]
    return exp(fsum([share * log(p) for share, (_, p) in zip(shares, weighted, strict=True)]) / fsum(shares))


def check_weights(weights: Sequence[float] | None, max_ngram_order: int) -> Weights | None:
    """Check the weights of the orders.

    Args:
        weights: One number for each order, 0..1e300, not all of them 0; or None.
        max_ngram_order: How many there must be.

    Returns:
        The weights as a tuple, or None.

    Raises:
        TypeError: They are no sequence of numbers.
        ValueError: They are too few or too many, one is negative, NaN or infinite, or all are 0.
    """
    if weights is None:
        return None
    if isinstance(weights, (str, bytes, dict, set)) or not hasattr(weights, "__iter__"):
        raise TypeError(f"weights must be a sequence of numbers, not {type(weights).__name__}: {weights!r}")
    checked = tuple(weights.tolist() if hasattr(weights, "tolist") else weights)
    if len(checked) != max_ngram_order:
        raise ValueError(
            f"weights must hold max_ngram_order={max_ngram_order} numbers, got {len(checked)}: {weights!r}"
        )
    for index, weight in enumerate(checked):
        if isinstance(weight, (bool, str)) or not hasattr(weight, "__float__"):
            raise TypeError(f"weights[{index}] must be a number, not {type(weight).__name__}: {weight!r}")
        if not 0 <= weight <= _LARGEST_WEIGHT:  # false for NaN too
            raise ValueError(f"weights[{index}] must be finite and not negative, got {weight!r}")
    if not any(checked):
        raise ValueError(f"weights must not all be 0, got {weights!r}")
    return tuple(map(float, checked))


def batch_scores(
    rows: NDArray[Any],
    smooth_method: str,
    smooth_value: float | None,
    effective_order: bool,
    max_ngram_order: int,
    weights: Weights | None = None,
    exactly: bool = False,
) -> NDArray[float64]:
    """Compute the BLEU of every row of statistics.

    Args:
        rows: [rows, 2 + 2N] of any integer type or float64: sys_len, ref_len, correct_1..N, total_1..N. Never changed;
            copied unless they are C-contiguous int64 or float64.
        smooth_method: A name in `SMOOTH_DEFAULTS`.
        smooth_value: The method's value as `check_smoothing` returns it.
        effective_order: Leave out the orders for which the hypothesis is too short.
        max_ngram_order: N.
        weights: As `check_weights` returns them.
        exactly: Whether to take the operations of `compute_bleu`, one by one, in twice the time.

    Returns:
        The scores, float64 [rows], 0..100; equal to those of `compute_bleu` to 1e-12 relative, or if that is asked for
        and there are no weights to the last digit.

    Example:
        >>> import numpy as np
        >>> rows = np.array([[5, 5, 4, 2, 1, 0, 5, 4, 3, 2], [3, 5, 0, 0, 0, 0, 3, 2, 1, 0]])
        >>> batch_scores(rows, "exp", None, False, 4).round(4).tolist()
        [42.7287, 0.0]
    """
    import numpy as np

    from ._formula import FormulaHolder, score_rows

    dtype = np.int64 if np.can_cast(rows.dtype, np.int64) else np.float64
    scores = np.empty(len(rows))
    formula = FormulaHolder(smooth_method, smooth_value, effective_order, max_ngram_order, weights)
    score_rows(np.require(rows, dtype, ("C", "A")), scores, formula, exactly)
    return scores


def _checked_counts(name: str, values: Sequence[float], length: int) -> Counts:
    """Return the counts of one kind as a new list, or say what is wrong with them."""
    counts: list[float] = values.tolist() if hasattr(values, "tolist") else list(values)
    if len(counts) != length:
        raise ValueError(f"{name} must hold max_ngram_order={length} counts, got {len(counts)}: {counts!r}")
    for index, given in enumerate(counts):
        count = given
        if hasattr(given, "__index__") and not isinstance(given, bool):
            count = counts[index] = given.__index__()  # NumPy's integers become Python's
        if isinstance(count, bool) or not isinstance(count, (int, float)):
            raise TypeError(f"{name}[{index}] must be a number, not {type(count).__name__}: {count!r}")
        if count < 0 or not isfinite(count):
            raise ValueError(f"{name}[{index}] must be finite and not negative, got {count!r}")
    return counts
