"""Compute sacreBLEU's chrF (2.6.0) from rows: the formula, the score object and the fields of its signature.

chrF is due to Popović (2015, "chrF: character n-gram F-score for automatic MT evaluation"), and chrF++ to Popović
(2017, "chrF++: words helping character n-grams").
"""

from __future__ import annotations

from ..counting.rows import check_table
from ..errors import ArgumentValueError, wrong_value
from ..options import check_flag, check_number, check_order
from ._formula import score_chrf_row, score_chrf_rows
from .score import Score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import float64
    from numpy.typing import ArrayLike, NDArray

    from ..errors import Location

#: The number that sacreBLEU uses as the precision or the recall of an order without n-grams.
_EPSILON = 1e-16


def chrf_fields(
    char_order: int, word_order: int, lowercase: bool, whitespace: bool, eps_smoothing: bool
) -> dict[str, Any]:
    """Return the signature fields for chrF's options, in sacreBLEU's order; arguments as for `fastbleu.CHRF`."""
    return {
        "case": "lc" if lowercase else "mixed",
        "eff": "no" if eps_smoothing else "yes",
        "nc": char_order,
        "nw": word_order,
        "space": "yes" if whitespace else "no",
    }


class CHRFScore(Score):
    """A chrF score, with sacreBLEU's attributes.

    Args:
        score: The score, 0..100.
        char_order: The largest order of character n-grams.
        word_order: The largest order of word n-grams.
        beta: The weight of recall relative to precision.

    Attributes:
        name: "chrF" with beta and a plus sign per order of words, such as "chrF2++".
        signature: The `Signature` of the score; None if the score was computed from counts alone.

    Example:
        >>> CHRFScore(52.5, 6, 2, 2)
        chrF2++ = 52.50
    """

    def __init__(self, score: float, char_order: int, word_order: int, beta: float) -> None:
        self.beta = beta
        self.char_order = char_order
        self.word_order = word_order
        self.name = f"chrF{beta}" + "+" * word_order
        self.score = score
        self._mean = -1.0
        self._ci = -1.0
        self._verbose = ""
        self.signer = None


class CHRFFormula:
    """The formula of chrF, with its options.

    Args:
        char_order: The largest order of character n-grams, >= 0.
        word_order: The largest order of word n-grams, >= 0. At least one of the two orders must be above 0.
        beta: The weight of recall relative to precision, >= 0.
        eps_smoothing: Whether an order without a match scores almost 0, as in chrF++.py. If not, the orders for which
            the hypothesis or the reference is too short are excluded.

    Raises:
        TypeError: An option has the wrong type.
        ValueError: An option is out of range.

    Example:
        >>> CHRFFormula(2, 0, 2, False).score([2, 3, 2, 1, 2, 1])
        chrF2 = 63.64
    """

    def __init__(self, char_order: int, word_order: int, beta: float, eps_smoothing: bool) -> None:
        self.char_order = check_order("char_order", char_order, 0)
        self.word_order = check_order("word_order", word_order, 0)
        if not self.char_order + self.word_order:
            raise wrong_value("char_order", "at least 1 if word_order is 0", char_order)
        number = check_number("beta", beta)
        if not 0 <= number < float("inf"):
            raise wrong_value("beta", "finite and at least 0", beta)
        if number * number == float("inf"):
            raise ArgumentValueError("beta", f"must have a finite square, got {beta!r}", value=beta)
        self.beta = beta
        self.eps_smoothing = check_flag("eps_smoothing", eps_smoothing)

    @property
    def name(self) -> str:
        """Return the name of the scores, such as "chrF2++"."""
        return CHRFScore(0.0, self.char_order, self.word_order, self.beta).name

    @property
    def width(self) -> int:
        """Return the number of columns of a row."""
        return 3 * (self.char_order + self.word_order)

    @property
    def compiled(self) -> tuple[int, int, float, bool]:
        """Return the options for the kernels that score pairs: char_order, word_order, beta squared, eps_smoothing."""
        return self.char_order, self.word_order, self.beta**2, self.eps_smoothing

    def check_rows(self, statistics: ArrayLike, name: str | Location, fewest: int = 0) -> NDArray[Any]:
        """Check a user's statistics by `counting.rows.check_table`, and return them as [n, 3 * orders]."""
        orders = f"char_order={self.char_order} and word_order={self.word_order}"
        return check_table(statistics, self.width, orders, name, fewest)

    def column_name(self, k: int) -> str:
        """Return the name of the count in column k of a row."""
        part, n = ("char", k // 3) if k < 3 * self.char_order else ("word", k // 3 - self.char_order)
        return f"{('hypothesis', 'reference', 'matches')[k % 3]}_{part}_{n + 1}"

    def check_sums(self, row: list[int], where: Location) -> None:
        """Check that no order has more matches than n-grams of the hypothesis or of the reference.

        Args:
            row: The sum of the rows of whole segments, [3 * orders].
            where: The name of the row in errors.

        Raises:
            ValueError: An order has more matches than n-grams.
        """
        for k in range(0, self.width, 3):
            if row[k + 2] > min(row[k : k + 2]):
                names = " and ".join(f"{row[j]} {self.column_name(j)}" for j in (k, k + 1))
                excess = f"has {row[k + 2]} {self.column_name(k + 2)} among {names}"
                raise ArgumentValueError(where, excess, value=row)

    @property
    def named_options(self) -> dict[str, Any]:
        """Return the options of the formula by name, as JSON-compatible values."""
        return {
            "char_order": self.char_order,
            "word_order": self.word_order,
            "beta": self.beta,
            "eps_smoothing": self.eps_smoothing,
        }

    def score(self, row: list[int]) -> CHRFScore:
        """Score one valid row of 3 * orders counts."""
        score = score_chrf_row(row, self.beta**2, self.eps_smoothing)
        return CHRFScore(score, self.char_order, self.word_order, self.beta)

    def score_rows(self, rows: NDArray[Any]) -> NDArray[float64]:
        """Score each row of [n, 3 * orders], with the same floats as `score`: float64 [n], 0..100."""
        import numpy as np

        scores = np.empty(len(rows))
        if len(rows):
            score_chrf_rows(
                np.ascontiguousarray(rows, dtype=np.float64), self.beta**2, self.eps_smoothing, scores
            )
        return scores

    def score_float32_rows(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Score rows as sacreBLEU scores resamples, whose counts are float32.

        Precisions and recalls are float32. Numbers computed from them are float32 since NumPy 2; with earlier versions
        they are float64.

        Args:
            rows: [n, 3 * orders] of whole numbers of any dtype, which are rounded to float32.

        Returns:
            The scores, [n], 0..100. Since NumPy 2 they are float32 if all rows have a match. Otherwise they are
            float64, because sacreBLEU's score of a row without a match is a Python float. The scores equal sacreBLEU's,
            except for rows without a match under `eps_smoothing`, whose scores of about 1e-14 agree to a relative 1e-7.
        """
        import numpy as np

        counts = rows.astype(np.float32).reshape(len(rows), -1, 3)
        hypothesis, reference, matches = np.moveaxis(counts, 2, 0)
        dtype = (100.0 * np.float32(1)).dtype  # float32 since NumPy 2.
        factor = self.beta**2
        # Quotients by 0 are replaced below.
        with np.errstate(divide="ignore", invalid="ignore"):
            precision, recall = (
                np.where(n > 0, (matches / n).astype(dtype), dtype.type(_EPSILON))
                for n in (hypothesis, reference)
            )
            if not self.eps_smoothing:
                used = (hypothesis > 0) & (reference > 0)
                number = used.sum(axis=1).astype(dtype)
                precision, recall = (_sum(np.where(used, ratio, 0)) / number for ratio in (precision, recall))
            below = factor * precision + recall
            means = (1 + factor) * precision * recall / below
        if self.eps_smoothing:
            scores = 100 * _sum(np.where(below > 0, means, dtype.type(_EPSILON))) / means.shape[1]
        else:
            scores = 100 * means
        has_match = matches.any(axis=1)
        return scores if has_match.all() else np.where(has_match, scores, self.score_rows(rows))

    score_resamples = score_float32_rows


def _sum(terms: NDArray[Any]) -> NDArray[Any]:
    """Add up the columns from left to right, as sacreBLEU does; `np.sum` adds in another order."""
    total: NDArray[Any] = sum(terms.T, start=terms.dtype.type(0))
    return total
