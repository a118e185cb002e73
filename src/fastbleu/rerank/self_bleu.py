"""Score texts against many references: all other texts of a pool (Self-BLEU), or one set of references."""

from __future__ import annotations

from itertools import pairwise
from math import fsum
from typing import Any, NamedTuple

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
    from numpy import float64, int64
    from numpy.typing import NDArray

    from ..inputs._column import Column
    from ..inputs.columns import Column as Segments
    from ..inputs.columns import Vocabulary
    from ..metric import BLEU, AnySegments
    from ..options import FormulaName, NLTKSmoothing
    from ..scoring.formula import Formula
    from .pool_sources import CheckedPools


#: A chunk has at least this many texts per reference. Each chunk indexes all references, so small chunks are slow.
_TEXTS_PER_REFERENCE = 8


class SelfBLEU(NamedTuple):
    """The Self-BLEU of each text of a pool, and the mean, which is lower if the pool is more diverse."""

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

    The time is linear in the size of the pool, because texts are not compared pair by pair.

    Args:
        pool: n >= 2 texts: str, tokens, or token ids.
        formula: "sacrebleu": the metric's own formula. "nltk": the formula of
            `nltk.translate.bleu_score.sentence_bleu` (3.10.4) times 100, over the metric's tokens and n-gram orders,
            with the metric's weights divided by their sum or, if it has none, with equal weights.
        smoothing: NLTK's "method0" to "method7", with its constants (see `scoring.nltk.nltk_smoothing`);
            None: "method1". It is allowed only with the formula "nltk"; otherwise the metric's own smoothing applies.
            Scores under methods 5 to 7 may exceed 100. Under "method0" an order without a match makes a score almost 0,
            and NLTK's warning about it is given once for all texts.
        metric: A `BLEU`; None: `BLEU(effective_order=True)`. References that it was created with are not used. With the
            formula "nltk" its smoothing and effective order are not used either.

    Returns:
        The score of each text and their mean, 0..100.

    Raises:
        TypeError: `pool` is a bare str, or a text is not a segment.
        ValueError: There are fewer than two texts; the formula or the smoothing is unknown; or under "method6" a text
            shares a token with the other texts, but no trigram, for which NLTK raises an error as well.

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
    """Score each text against the same set of references, as in the forward and backward BLEU of text generation.

    The references are indexed once for many texts, and the time is linear in the number of texts.

    Args:
        texts: n >= 0 texts: str, tokens, or token ids.
        references: The references of all texts, at least one; an entry None is ignored, as in `metric.sentence_score`.
        formula: "sacrebleu": the metric's own formula, 0..100. "nltk": the formula of
            `nltk.translate.bleu_score.sentence_bleu` (3.10.4), 0..1, over the metric's tokens and n-gram orders, with
            the metric's weights unchanged or, if it has none, with equal weights of sum 1.
        smoothing: NLTK's "method0" to "method7", with its constants (see `scoring.nltk.nltk_smoothing`);
            None: "method1". It is allowed only with the formula "nltk"; otherwise the metric's own smoothing applies.
            Under "method0" an order without a match makes a score almost 0, and NLTK's warning about it is given once
            for all texts.
        metric: A `BLEU`; None: `BLEU(effective_order=True)`. References that it was created with are not used. With the
            formula "nltk" its smoothing and effective order are not used either.
        threads: The number of threads that may count at the same time; None for the metric's number.

    Returns:
        float64 [n]: item i is `metric.sentence_score(texts[i], references).score`, or with the formula "nltk" NLTK's
        `sentence_bleu(references, texts[i])` of the tokens.

    Raises:
        TypeError: A bare str is passed for a list, or an item is not a segment; the error names the argument and the
            index.
        ValueError: There is no reference; the formula or the smoothing is unknown; or under "method6" a text shares a
            token with the references, but no trigram, for which NLTK raises an error as well.

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
    """Compute the sufficient statistics of each text against the same set of references.

    Args:
        matcher: The tokenizer and the other options of counting, including the rule for the reference length.
        texts: The hypotheses: str, tokens or token ids.
        references: At least one reference of all hypotheses, of the same kind as `texts`.

    Returns:
        int64 [texts, 2 + 2N]: the sufficient statistics, one row per text, for the matcher's n-gram orders 1..N.
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

    # Each chunk indexes all references, so it should have several times as many texts as there are references.
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
        matcher: The tokenizer and the other options of counting, including the rule for the reference length.
        scoring: The formula. If it is NLTK's, its weights are divided by their sum first.
        pools: The texts, at least two in each pool.

    Returns:
        float64 [texts]: the scores, 0..100, pool after pool.

    Raises:
        TypeError: A text is not a segment; the error names pools[i][j].
        ValueError: Under NLTK's "method6", a text shares a token with the other texts, but no trigram.
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

    if len(pools) == 1:  # Skip the code for chunks, which takes longer than scoring a few texts.
        return score(columns.read_with_distinct_unknowns(0, 1)[0], bounds, 0)
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
    """Score rows of sufficient statistics by NLTK's formula, and warn once if a score is almost 0 under "method0".

    Args:
        scoring: The formula.
        rows: n rows of sufficient statistics, for n-grams of the orders 1 to `scoring.counted`.
        location: The name of the texts in error messages, such as "pool".
        references: The name of the references in error messages, such as "the others".
        first: The index of the first row's text among the texts, for error messages.

    Returns:
        float64 [n]: the scores, 0..1.

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
    """Compute the statistics of each text with all other texts of its pool as references.

    The time is linear in the number of tokens.

    Args:
        matcher: The tokenizer and the other options of counting, including the rule for the reference length.
        pools: The texts, at least two in each pool.
        order: The length of the longest n-grams that are counted.

    Returns:
        int64 [texts, 2 + 2 * order]: the sufficient statistics, one row per text, pool after pool.

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
    return _count(columns, columns.read_with_distinct_unknowns(0, len(pools))[0], pools.bounds, order)


def _count(columns: PoolColumns, column: Column, bounds: NDArray[int64], order: int) -> NDArray[int64]:
    """Compute the statistics of each text of a column with all other texts of its pool as references.

    Args:
        columns: The `PoolColumns` that read the column.
        column: The texts of n pools.
        bounds: int64 [n + 1]: pool i has the texts bounds[i] to bounds[i + 1] - 1 of the column.
        order: The length of the longest n-grams that are counted.

    Returns:
        int64 [texts, 2 + 2 * order]: the sufficient statistics, one row per text.
    """
    rows = empty_table(len(column), row_width(order))
    for start, stop in pairwise(bounds.tolist()):
        part = column.slice(start, stop)
        count_each_against_others(
            part, columns.counter.tokenizer, order, columns.counter.rule, rows[start:stop]
        )
    return rows
