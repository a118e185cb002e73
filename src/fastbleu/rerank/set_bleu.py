"""BLEU of many texts against one set of references: how close the texts of a generator are to a test set."""

from __future__ import annotations

from array import array

from ..counting.corpus import read_corpus, rows_of
from ..counting.matcher import Matcher
from ..counting.rows import empty_rows
from ..errors import ArgumentError, ArgumentValueError, Place
from ..inputs.columns import Ids
from ..inputs.reading import read
from ..scoring.nltk.formula import NLTKFormula
from .pool_chunks import as_threads, metric_and_formula
from .self_bleu import nltk_scores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    from ..metric import BLEU, AnySegments
    from ..options import FormulaName, NLTKSmoothing


def set_bleu(
    texts: AnySegments,
    references: AnySegments,
    formula: FormulaName = "sacrebleu",
    *,
    smoothing: NLTKSmoothing | None = None,
    metric: BLEU | None = None,
    threads: int | None = None,
) -> NDArray[float64]:
    """Score each text with all references of one set, as text generation is evaluated (forward and backward BLEU).

    The set is indexed once, and time is linear in the texts.

    Args:
        texts: n >= 0 texts: str, tokens, or token ids.
        references: The set, at least one text.
        formula: "sacrebleu": the metric's own, 0..100. "nltk": that of `nltk.translate.bleu_score.sentence_bleu`
            (3.10.4), 0..1, over the metric's tokens and orders, with its weights as they are, or uniform ones of sum 1.
        smoothing: NLTK's "method0" to "method7", with its constants (see `scoring.nltk.smoothing`); None: "method1".
            Only with the formula "nltk"; the other one smooths as the metric does. Under "method0" an order without a
            match makes a score almost 0, with one warning for all texts, in NLTK's words.
        metric: The options; None: `BLEU(effective_order=True)`. Its own references are not used, and with the formula
            "nltk" neither are its smoothing and its effective order.
        threads: How many threads may count at the same time; None: as many as the metric has.

    Returns:
        float64 [n]: `metric.sentence_score(texts[i], references).score`, or `sentence_bleu(references, texts[i])` of
        NLTK over their tokens.

    Raises:
        TypeError: A bare str where a list is expected, or something that is not a segment; says where.
        ValueError: There is no reference; there is no such formula or smoothing; "method6" where no trigram of a text
            is in the references, but a token is (NLTK fails there, too).

    Example:
        >>> references = ["the cat is on the mat", "there is a cat on the mat"]
        >>> set_bleu(["a cat on the mat", "dogs"], references).round(2).tolist()
        [81.87, 0.0]
        >>> set_bleu(["a cat on the mat", "dogs"], references, "nltk").round(2).tolist()
        [0.82, 0.0]
    """
    metric, scoring = metric_and_formula(metric, formula, smoothing)
    order = scoring.counted if isinstance(scoring, NLTKFormula) else metric.max_ngram_order
    column, others = read(texts, "texts"), read(references, "references")
    if isinstance(others, Ids):
        others.flat()
    if not len(others):
        raise ArgumentValueError("references", "must hold at least one reference, but it is empty")
    matcher = Matcher(
        metric.tokenizer, metric.lowercase, order, metric.reference_length, as_threads(threads, metric)
    )
    try:
        column, others = matcher.alike([column, others])
        prepared = matcher.index([others], array("q", [0, len(others)]))
        rows = empty_rows(len(column), order)
        read_corpus(matcher, column, prepared[[0] * len(column)]).count(rows_of(rows))
    except ArgumentError as error:
        raise error.renamed(hypotheses="texts") from None
    if isinstance(scoring, NLTKFormula):
        return nltk_scores(scoring, rows.tolist(), Place("texts"), "the references")
    return scoring.score_rows(rows)
