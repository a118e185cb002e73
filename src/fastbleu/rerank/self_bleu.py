"""BLEU of texts against many others: Self-BLEU within a pool, and BLEU against one set of references."""

from __future__ import annotations

from itertools import pairwise
from math import fsum
from typing import NamedTuple

from ..counting.matcher import Matcher
from ..counting.rows import empty_table, row_width
from ..errors import ArgumentError, ArgumentValueError, Location, suggests_options
from ..inputs.columns import TEXT, TOKENS, Ids
from ..inputs.reading import read
from ..metric.check_metric import as_bleu
from ..scoring.nltk.nltk_formula import NLTKFormula
from ..scoring.nltk.nltk_smoothing import warn_of_no_match
from ..system.threads import CHUNK_SEGMENTS, FEWEST_SEGMENTS, for_each_chunk
from ._self_bleu import count_each_against_others
from .pool_chunks import PoolColumns, as_threads, metric_and_formula
from .pool_sources import one_pool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import float64, int64
    from numpy.typing import NDArray

    from ..inputs._column import Column
    from ..inputs.columns import Column as Segments
    from ..inputs.columns import Vocabulary
    from ..metric import BLEU, AnySegments
    from ..options import FormulaName, NLTKSmoothing
    from ..scoring.formula import Formula
    from .pool_sources import CheckedPools


#: The number of texts in a chunk is at least this many times the number of references, which each chunk indexes.
_TEXTS_PER_REFERENCE = 8


class SelfBLEU(NamedTuple):
    """The similarity of each text of a pool to the others, and its mean: a lower mean is a more diverse pool."""

    #: float64 [n], 0..100: the BLEU of each text with all other texts as its references.
    scores: NDArray[float64]
    #: The mean of the scores.
    mean: float


@suggests_options
def self_bleu(
    pool: AnySegments,
    formula: FormulaName = "sacrebleu",
    *,
    smoothing: NLTKSmoothing | None = None,
    metric: BLEU | None = None,
) -> SelfBLEU:
    """Score each text of a pool with all other texts as its references (Zhu et al. 2018, Texygen).

    Time is linear in the pool: all texts are counted together, not pair by pair.

    Args:
        pool: n >= 2 texts: str, tokens, or token ids.
        formula: "sacrebleu": the metric's own formula. "nltk": the formula of
            `nltk.translate.bleu_score.sentence_bleu` (3.10.4), over the metric's tokens and orders, with the metric's
            weights divided by their sum, or uniform weights.
        smoothing: NLTK's "method0" to "method7", with its constants (see `scoring.nltk.nltk_smoothing`);
            None: "method1".
            Only with the formula "nltk"; otherwise the metric's own smoothing applies. Scores under methods 5 to 7 may
            exceed 100. Under "method0" an order without a match makes a score almost 0, with one warning for all texts,
            in NLTK's words.
        metric: The options; None: `BLEU(effective_order=True)`. Its own references are not used. With the formula
            "nltk" its smoothing and its effective order are not used either.

    Returns:
        The score of each text and their mean, 0..100.

    Raises:
        TypeError: `pool` is a bare str, or a text is not a segment.
        ValueError: There are fewer than two texts; the formula or smoothing is unknown; or under "method6" no trigram
            of a text is in the others (NLTK fails as well).

    Example:
        >>> texts = ["the cat is on the mat", "there is a cat on the mat", "a dog"]
        >>> scores, mean = self_bleu(texts)
        >>> scores.round(2).tolist(), round(mean, 2)
        ([29.06, 29.07, 6.77], 21.63)
        >>> self_bleu(texts, "nltk").scores.round(2).tolist()
        [19.43, 19.44, 2.02]
    """
    metric = as_bleu(metric, warn=False)
    scoring: Any = metric_and_formula(metric, formula, smoothing)[1]
    texts = one_pool(pool, "pool")
    number = int(texts.bounds[-1])
    if number < 2:
        raise ArgumentValueError(
            "pool", f"must hold at least 2 texts, so that each has a reference, got {number}", value=pool
        )
    scores = scores_against_others(metric.matcher, scoring, texts)
    return SelfBLEU(scores, fsum(scores.tolist()) / len(scores))


@suggests_options
def set_bleu(
    texts: AnySegments,
    references: AnySegments,
    formula: FormulaName = "sacrebleu",
    *,
    smoothing: NLTKSmoothing | None = None,
    metric: BLEU | None = None,
    threads: int | None = None,
) -> NDArray[float64]:
    """Score each text against one set of references, as text generation is evaluated (forward and backward BLEU).

    The references are indexed once for many texts, and time is linear in the texts.

    Args:
        texts: n >= 0 texts: str, tokens, or token ids.
        references: The set of references of every text, at least one; None is excluded, as in `metric.sentence_score`.
        formula: "sacrebleu": the metric's own formula, 0..100. "nltk": the formula of
            `nltk.translate.bleu_score.sentence_bleu` (3.10.4), 0..1, over the metric's tokens and orders, with the
            metric's weights unchanged, or uniform weights of sum 1.
        smoothing: NLTK's "method0" to "method7", with its constants (see `scoring.nltk.nltk_smoothing`);
            None: "method1".
            Only with the formula "nltk"; otherwise the metric's own smoothing applies. Under "method0" an order without
            a match makes a score almost 0, with one warning for all texts, in NLTK's words.
        metric: The options; None: `BLEU(effective_order=True)`. Its own references are not used. With the formula
            "nltk" its smoothing and its effective order are not used either.
        threads: The number of threads that may count at the same time; None for the metric's number.

    Returns:
        float64 [n]: `metric.sentence_score(texts[i], references).score`, or NLTK's
        `sentence_bleu(references, texts[i])` of their tokens.

    Raises:
        TypeError: A bare str is passed for a list, or a value is not a segment; the error names it.
        ValueError: There is no reference; the formula or smoothing is unknown; or under "method6" no trigram of a text
            is in the references, but a token is (NLTK fails as well).

    Example:
        >>> references = ["the cat is on the mat", "there is a cat on the mat"]
        >>> set_bleu(["a cat on the mat", "dogs"], references).round(2).tolist()
        [81.87, 0.0]
        >>> set_bleu(["a cat on the mat", "dogs"], references, "nltk").round(2).tolist()
        [0.82, 0.0]
    """
    metric = as_bleu(metric, warn=False)
    scoring: Any = metric_and_formula(metric, formula, smoothing)[1]
    order = scoring.counted if isinstance(scoring, NLTKFormula) else metric.max_ngram_order
    column, others = read(texts, "texts"), read(references, "references", may_be_missing=True)
    if isinstance(others, Ids):
        others.flat()
    if not len(others):
        raise ArgumentValueError(
            "references", "must hold at least one reference, but it is empty", value=references
        )
    matcher = Matcher(
        metric.tokenizer, metric.lowercase, order, metric.reference_length, as_threads(threads, metric)
    )
    try:
        column, others = matcher.as_one_kind([column, others])
        rows = rows_against_set(matcher, column, others)
    except ArgumentError as error:
        raise error.renamed(hypotheses="texts") from None
    if isinstance(scoring, NLTKFormula):
        return nltk_scores(scoring, rows.tolist(), Location("texts"), "the references")
    return scoring.score_rows(rows)


def rows_against_set(matcher: Matcher, texts: Segments, references: Segments) -> NDArray[int64]:
    """Count each text against all references, which are indexed once for each chunk of texts.

    Args:
        matcher: The options that decide tokens and lengths.
        texts: The hypotheses: text, tokens or ids.
        references: At least one reference of the same kind, for all hypotheses.

    Returns:
        int64 [texts, 2 + 2 * order]: sufficient statistics, one row per text.
    """
    import numpy as np

    kind = texts.kind or references.kind or TEXT
    are_tokens = kind == TOKENS or (kind == TEXT and matcher.tokenizer.to_tokens is not None)
    vocabulary: Vocabulary | None = {} if are_tokens else None
    read_references = matcher.reader([references], vocabulary, whole=True)(0, len(references))[0]
    counter = matcher.counter_for(kind)
    rows = empty_table(len(texts), counter.width)

    def count(columns: list[Column], start: int, stop: int) -> tuple[()]:
        starts = np.zeros(stop - start, dtype=np.int64)
        ranges = starts, np.full_like(starts, len(references))
        counter.count(columns[0], read_references, rows=rows[start:stop], ranges=ranges)
        return ()

    # Each chunk indexes the references once, so it has several times as many texts as there are references.
    step = max(CHUNK_SEGMENTS, _TEXTS_PER_REFERENCE * len(references))
    if matcher.threads > 1:
        step = min(step, max(FEWEST_SEGMENTS, -(-len(texts) // matcher.threads)))
    read = matcher.reader([texts], vocabulary, frozen=are_tokens, whole=True)
    for_each_chunk(read, count, lambda: None, 0, len(texts), step, matcher.threads)
    return rows


def scores_against_others(
    matcher: Matcher, scoring: Formula | NLTKFormula, pools: CheckedPools
) -> NDArray[float64]:
    """Score each text with all other texts of its pool as references.

    Args:
        matcher: The options that decide tokens and lengths.
        scoring: The formula. The weights of NLTK's formula are divided by their sum.
        pools: The texts, at least two in each pool.

    Returns:
        float64 [texts], 0..100, pool after pool.

    Raises:
        TypeError, ValueError: As `self_bleu`; the error names pools[i][j].
    """
    import numpy as np

    if isinstance(scoring, NLTKFormula):
        total = fsum(scoring.weights)
        scoring = NLTKFormula(scoring.smoothing, [weight / total for weight in scoring.weights])
    columns, bounds = PoolColumns(matcher, [pools]), pools.bounds

    def score(column: Column, ranges: NDArray[int64], first: int) -> NDArray[float64]:
        if not isinstance(scoring, NLTKFormula):
            return scoring.score_rows(_count(columns, column, ranges, scoring.max_ngram_order))
        rows = _count(columns, column, ranges, scoring.counted).tolist()
        return 100 * nltk_scores(scoring, rows, pools.location, "the others", first)

    if len(pools) == 1:  # Setting up chunks takes longer than scoring a few texts.
        return score(columns.read_apart(0, 1)[0], bounds, 0)
    scores = np.empty(int(bounds[-1]))

    def score_chunk(read: list[Any], start: int, stop: int) -> tuple[()]:
        first, last = int(bounds[start]), int(bounds[stop])
        scores[first:last] = score(read[0], bounds[start : stop + 1] - first, first)
        return ()

    columns.for_each_chunk(score_chunk, lambda: None, 1, 0, False)
    return scores


def nltk_scores(
    scoring: NLTKFormula, rows: list[list[int]], location: Location, references: str, first: int = 0
) -> NDArray[float64]:
    """Score rows by NLTK's formula, and warn once if a score is almost 0 under "method0".

    Args:
        scoring: The formula.
        rows: n rows of sufficient statistics, for `scoring.counted` orders.
        location: The name of the texts in errors.
        references: The name of their references in errors.
        first: The number of the first text.

    Returns:
        float64 [n], 0..1.

    Raises:
        ValueError: Under "method6", a text shares a token with its references, but no trigram.
    """
    import numpy as np

    for i, row in enumerate(rows):
        matches = row[2 : 2 + len(scoring.weights)]
        if not matches[0] or 0 not in matches:
            continue
        if scoring.smoothing == "method0":
            warn_of_no_match(matches.index(0) + 1)
            break
        if scoring.smoothing == "method6" and not matches[2]:
            problem = f"has no trigram in common with {references}, which smoothing='method6' needs"
            raise ArgumentValueError(location[first + i], problem)
    return np.array([scoring.score(row) for row in rows], dtype=np.float64)


def rows_against_others(matcher: Matcher, pools: CheckedPools, order: int) -> NDArray[int64]:
    """Count each text with all other texts of its pool as references, in time linear in the pools.

    Args:
        matcher: The options that decide tokens and lengths.
        pools: The texts, at least two in each pool.
        order: The length of the longest n-grams that are counted.

    Returns:
        int64 [texts, 2 + 2 * order]: sufficient statistics, one row per text, pool after pool.

    Raises:
        TypeError: A text is not a segment.
        ValueError: A pool has fewer than two texts.

    Example:
        >>> from fastbleu.counting.matcher import Matcher
        >>> from fastbleu.tokenizers.names import get_tokenizer
        >>> matcher = Matcher(get_tokenizer("none"))
        >>> rows_against_others(matcher, one_pool(["a b a", "b a", "c a a"], "pool"), 2).tolist()
        [[3, 3, 3, 1, 3, 2], [2, 3, 2, 1, 2, 1], [3, 3, 2, 0, 3, 2]]
    """
    columns = PoolColumns(matcher, [pools])
    return _count(columns, columns.read_apart(0, len(pools))[0], pools.bounds, order)


def _count(columns: PoolColumns, column: Column, bounds: NDArray[int64], order: int) -> NDArray[int64]:
    """Count the texts of a column against the other texts of their pools.

    Args:
        columns: The reader that read the column.
        column: The texts of n pools.
        bounds: int64 [n + 1]: pool i is the texts bounds[i]..bounds[i + 1] - 1 of the column.
        order: The length of the longest n-grams that are counted.

    Returns:
        int64 [texts, 2 + 2 * order].
    """
    rows = empty_table(len(column), row_width(order))
    for start, stop in pairwise(bounds.tolist()):
        part = column.slice(start, stop)
        count_each_against_others(
            part, columns.counter.tokenizer, order, columns.counter.rule, rows[start:stop]
        )
    return rows
