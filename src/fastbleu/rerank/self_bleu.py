"""Self-BLEU: how much alike the texts of a pool are."""

from __future__ import annotations

from math import fsum
from sys import float_info
from typing import NamedTuple

from ..counting.rows import row_width
from ..errors import ArgumentError
from ..inputs.segments import Segments, as_list, common_kind
from ..options import NLTK_SMOOTHINGS, SELF_BLEU_FORMULAS, check_choice
from ..scoring import nltk as nltk_score
from ._self_bleu import count_each_against_others
from .pool_columns import PoolColumns, as_metric, one_pool, outside_pools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from numpy import float64, int64
    from numpy.typing import NDArray

    from ..counting.matcher import Matcher
    from ..metric import BLEU, AnySegments
    from ..options import NLTKSmoothing, SelfBLEUFormula

#: Methods that ask for the 5-grams, whatever the orders.
_NEED_FIVE_GRAMS = ("method5", "method7")


class SelfBLEU(NamedTuple):
    """How much each text of a pool is like the others, and their mean: the lower, the more diverse."""

    #: float64 [n], 0..100: BLEU of each text with all the others as its references.
    scores: NDArray[float64]
    #: Their mean.
    mean: float


def self_bleu(
    pool: AnySegments,
    formula: SelfBLEUFormula = "sacrebleu",
    *,
    smoothing: NLTKSmoothing | None = None,
    metric: BLEU | None = None,
) -> SelfBLEU:
    """Score each text of a pool with all the others as its references (Zhu et al. 2018, Texygen).

    No pair of texts is looked at: time is linear in the pool.

    Args:
        pool: n >= 2 texts: str, tokens, or token ids.
        formula: "sacrebleu": the metric's own. "nltk": that of `nltk.translate.bleu_score.sentence_bleu` (3.10.4),
            over the metric's tokens and orders, with its weights divided by their sum, or uniform ones.
        smoothing: NLTK's "method0" to "method7", with its constants (see `nltk_score`); None: "method1". Only with the
            formula "nltk"; the other has the metric's. Scores under methods 5 and 7 may exceed 100. Under "method0" an
            order without a match leaves next to nothing of a score, which is warned of once, in NLTK's words.
        metric: The options, `BLEU(effective_order=True)` if None; references that it was given are of no account, and
            with the formula "nltk" neither are its smoothing and its effective order.

    Returns:
        The score of each text and their mean, 0..100.

    Raises:
        TypeError: `pool` is a bare str, or a text is no segment.
        ValueError: There are fewer than two texts; another formula or smoothing; "method6" where no trigram of a text
            is in the others (NLTK fails there, too).

    Example:
        >>> texts = ["the cat is on the mat", "there is a cat on the mat", "a dog"]
        >>> scores, mean = self_bleu(texts)
        >>> scores.round(2).tolist(), round(mean, 2)
        ([29.06, 29.07, 6.77], 21.63)
        >>> self_bleu(texts, "nltk").scores.round(2).tolist()
        [19.43, 19.44, 2.02]
    """
    import numpy as np

    check_choice("formula", formula, SELF_BLEU_FORMULAS)
    if smoothing is not None and formula != "nltk":
        raise ValueError(
            f"smoothing is for formula='nltk', got {smoothing!r}; the metric has a smooth_method"
        )
    if smoothing is None:
        smoothing = "method1"
    check_choice("smoothing", smoothing, NLTK_SMOOTHINGS)
    metric = as_metric(metric, warn=formula == "sacrebleu")
    order = metric.max_ngram_order
    if formula == "sacrebleu":
        scores = metric.formula.score_rows(_count(metric, pool, order))
    else:
        if smoothing == "method6" and order < 3:
            raise ValueError(f"smoothing='method6' needs trigrams, but max_ngram_order is {order}")
        rows = _count(metric, pool, max(order, 5) if smoothing in _NEED_FIVE_GRAMS else order)
        weights = metric.weights or (1.0,) * order
        total = fsum(weights)
        smooth = _Smooth(smoothing, [weight / total for weight in weights])
        scores = np.array([100 * smooth.score(i, row) for i, row in enumerate(rows.tolist())])
    return SelfBLEU(scores, fsum(scores.tolist()) / len(scores))


def _count(metric: BLEU, pool: Any, order: int) -> NDArray[int64]:
    """Counts each text with all the others as its references: int64 [n, 2 + 2 * order]."""
    import numpy as np

    texts = one_pool(pool, "pool")
    columns = PoolColumns(metric.matcher, [(texts, "pool", False)])
    try:
        (column,) = columns.read_apart(0, 1)
    except ArgumentError as error:
        raise outside_pools(error) from None
    if len(column) < 2:
        raise ValueError(f"pool must hold at least 2 texts, so that each has a reference, got {len(column)}")
    rows = np.empty((len(column), row_width(order)), dtype=np.int64)
    count_each_against_others(column, columns.tokenizer, order, columns.counter.rule, rows)
    return rows


def rows_against_others(matcher: Matcher, segments: Any) -> Iterator[list[int]]:
    """Count each segment of a pool with all the others as its references, in time linear in the pool.

    Args:
        matcher: The options that decide tokens and lengths.
        segments: n >= 2 segments.

    Returns:
        The row of each segment, one after another.

    Raises:
        TypeError: `segments` is a bare str, or a segment is none.
        ValueError: There are fewer than two.

    Example:
        >>> from fastbleu.counting.matcher import Matcher
        >>> from fastbleu.tokenizers.names import get_tokenizer
        >>> matcher = Matcher(get_tokenizer("none"), max_ngram_order=2)
        >>> list(rows_against_others(matcher, ["a b a", "b a", "c a a"]))
        [[3, 3, 3, 1, 3, 2], [2, 3, 2, 1, 2, 1], [3, 3, 2, 0, 3, 2]]
    """
    from array import array

    pool = Segments(as_list(segments, "segments"), "segments")
    if len(pool) < 2:
        raise ValueError(f"segments must be at least 2, so that each has a reference, got {len(pool)}")
    kind = common_kind([pool])
    matcher.check_kind(kind, [pool])
    # Numbers of tokens must hold from one segment to the next.
    (column,), _ = matcher.reader(kind, [pool], {}, whole=True)(0, len(pool))
    counter = matcher.counter_for(kind)
    width = row_width(matcher.max_ngram_order)
    flat = memoryview(array("q", bytes(8 * width * len(pool))))
    rows = flat.cast("B").cast("q", (len(pool), width))
    count_each_against_others(column, counter.tokenizer, counter.order, counter.rule, rows)
    counts = flat.tolist()
    return (counts[start : start + width] for start in range(0, len(counts), width))


class _Smooth:
    """NLTK's formula over rows."""

    def __init__(self, smoothing: str, weights: list[float]) -> None:
        self.smoothing = smoothing
        self.weights = weights
        self.warned = False

    def score(self, i: int, row: list[int]) -> float:
        """The score of text i, 0..1."""
        order, counted = len(self.weights), len(row) // 2 - 1
        matches, candidates = row[2 : 2 + order], [count or 1 for count in row[2 + counted :]]
        if not matches[0]:
            return 0.0
        five_grams = (row[6], candidates[4]) if counted > 4 else (0, 1)
        precisions = self._precisions(i, matches, candidates[:order], row[0], five_grams)
        found: float = nltk_score.score_precisions(precisions, row[0], row[1], [self.weights])
        return found

    def _precisions(
        self, i: int, matches: list[int], candidates: list[int], sys_len: int, five_grams: tuple[int, int]
    ) -> list[float]:
        smoothing = self.smoothing
        if smoothing == "method0":
            return self._smallest(matches, candidates)
        if smoothing == "method4":
            return nltk_score.method4(matches, candidates, sys_len)
        if smoothing == "method5":
            return nltk_score.method5(matches, candidates, five_grams)
        if smoothing == "method6":
            if not matches[2]:
                raise ValueError(
                    f"pool[{i}] has no trigram in common with the others, which smoothing='method6' needs"
                )
            return nltk_score.method6(matches, candidates, sys_len)
        if smoothing == "method7":
            return nltk_score.method7(matches, candidates, sys_len, five_grams)
        simple = {"method1": nltk_score.method1, "method2": nltk_score.method2, "method3": nltk_score.method3}
        return simple[smoothing](matches, candidates)

    def _smallest(self, matches: list[int], candidates: list[int]) -> list[float]:
        """NLTK's method 0, which warns of each order without a match."""
        if 0 in matches and not self.warned:
            self.warned = True
            nltk_score.warn_of_no_match(matches.index(0) + 1)
        return [
            count / among if count else float_info.min
            for count, among in zip(matches, candidates, strict=True)
        ]
