"""NLTK's functions: scores of segments and of corpora, by BLEU and by GLEU."""

from __future__ import annotations

from itertools import chain

from ...errors import Place
from ...options import check_integer
from ...scoring import gleu as gleu_formula
from ...scoring.nltk.nltk_formula import UNIFORM, corpus_counts, no_match, score_precisions, weightings_of
from ...scoring.nltk.nltk_smoothing import NEED_FIVE_GRAMS
from ..arguments import aligned, are_plain, as_tokens, token_matcher
from .counts import NAMES, as_lists, as_references, count_corpus, count_pair, warn_of_text_beside_words
from .smoothing import method_of, smooth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def sentence_bleu(
    references: Any,
    hypothesis: Any,
    weights: Any = UNIFORM,
    smoothing_function: Any = None,
    auto_reweigh: bool = False,
) -> Any:
    """Score one segment: `corpus_bleu` of it alone.

    Args:
        references: Its references, at least one.
        hypothesis: The segment.
        weights: One weight per order, any number of them; or several weightings of this kind.
        smoothing_function: A method of a `SmoothingFunction`, NLTK's too, or a callable of one's own, as for
            `corpus_bleu`; None is method 0.
        auto_reweigh: If the hypothesis has fewer than 4 tokens and `weights` is (0.25,) * 4, spread them over as many
            orders as there are tokens.

    Returns:
        The score, 0..1 (under methods 5 to 7 it may be higher), a list of them for several weightings; the integer 0
        if no unigram matches.

    Raises:
        Exception: As `corpus_bleu`.

    Example:
        >>> references = ["the cat is on the mat".split(), "there is a cat on the mat".split()]
        >>> sentence_bleu(references, "the cat the cat on the mat".split())
        0.4671379777282001
        >>> from fastbleu.compat.nltk import SmoothingFunction
        >>> method1 = SmoothingFunction().method1
        >>> sentence_bleu(references, ["the"] * 8, smoothing_function=method1)
        0.03303164318013808
    """
    weightings, order = weightings_of(weights)
    method = method_of(smoothing_function) if smoothing_function else "method0"
    counted = 5 if order < 5 and method in NEED_FIVE_GRAMS else order or 1
    row = count_pair(references, hypothesis, counted)
    if not order or not row[2]:
        return no_match(weightings)
    matches, candidates = row[2 : 2 + order], row[2 + counted : 2 + counted + order]
    if 0 in candidates:
        candidates = [count or 1 for count in candidates]
    five_grams = (row[6], row[6 + counted] or 1) if counted > 4 else (0, 1)
    precisions = smooth(
        smoothing_function, method, matches, candidates, row[0], references, hypothesis, five_grams
    )
    return score_precisions(precisions, row[0], row[1], weightings, auto_reweigh)


def corpus_bleu(
    list_of_references: Any,
    hypotheses: Any,
    weights: Any = UNIFORM,
    smoothing_function: Any = None,
    auto_reweigh: bool = False,
) -> Any:
    """Score a corpus as a whole.

    Args:
        list_of_references: For each hypothesis a list of its references, at least one.
        hypotheses: As many segments, at least one.
        weights: One weight per order, any number of them; or several weightings of this kind.
        smoothing_function: A method of a `SmoothingFunction`, NLTK's too, or a callable of one's own; None is method 0.
            It is called as `f(p_n, references=, hypothesis=, hyp_len=)`: precisions that are fractions, not reduced,
            the last segment's references, the last segment, and the tokens in all hypotheses. It returns numbers.
        auto_reweigh: If the hypotheses have fewer than 4 tokens and `weights` is (0.25,) * 4, spread them over as many
            orders as there are tokens.

    Returns:
        The score, 0..1 (under methods 5 to 7 it may be higher), a list of them for several weightings; the integer 0
        if no unigram matches.

    Raises:
        AssertionError: There are more or fewer hypotheses than lists of references; no trigram matches under method 6.
        ZeroDivisionError: There are no hypotheses.
        IndexError: Method 6 with fewer than three orders.
        TypeError: Something is not a sequence of hashable tokens, or not a list of them; weights are not numbers.
        ValueError: A segment has no reference, or a weight is NaN or infinite; or under method 6 a precision is too
            small for a float (in NLTK a "math domain error").

    Example:
        >>> references = [["the cat is here now".split(), "here is a cat".split()], ["it rains".split()]]
        >>> hypotheses = ["the cat is here too".split(), "it rains".split()]
        >>> corpus_bleu(references, hypotheses)
        0.5814307369682193
        >>> corpus_bleu(references, hypotheses, weights=[(1,), (0.5, 0.5)])
        [0.8571428571428571, 0.828078671210825]
    """
    weightings, order = weightings_of(weights)
    segments, lists = aligned(hypotheses, list_of_references, NAMES, like_nltk=True)
    row = count_corpus(lists, segments, order or 1)
    if not len(segments) and order:
        raise ZeroDivisionError("there are no hypotheses, so that there is no precision: Fraction(0, 0)")
    if not order or not row[2]:
        return no_match(weightings)
    matches, candidates = corpus_counts(row, map(len, segments))
    method = method_of(smoothing_function)
    five_grams = (0, 1)
    if method in NEED_FIVE_GRAMS:
        last = count_pair(lists[-1], segments[-1], 5)
        five_grams = last[6], last[11] or 1
    precisions = smooth(
        smoothing_function, method, matches, candidates, row[0], lists[-1], segments[-1], five_grams
    )
    return score_precisions(precisions, row[0], row[1], weightings, auto_reweigh)


def sentence_gleu(references: Any, hypothesis: Any, min_len: int = 1, max_len: int = 4) -> float:
    """Score one segment by GLEU: `corpus_gleu` of it alone.

    Args:
        references: Its references, any number.
        hypothesis: The segment.
        min_len: The smallest order that counts, at least 1.
        max_len: The largest order that counts, at least 1; -1 for all.

    Returns:
        The score, 0..1; 0.0 if there are no n-grams.

    Raises:
        Exception: As `corpus_gleu`.

    Example:
        >>> sentence_gleu(["the cat is on the mat".split()], "the the the the the the the".split())
        0.09090909090909091
    """
    if isinstance(references, (list, tuple)) and are_plain([hypothesis, *references]):
        return _gleu([references], [hypothesis], min_len, max_len)
    tokens = as_tokens(hypothesis, "hypothesis")
    lists = as_references(references, Place("references"))
    warn_of_text_beside_words(hypothesis, references, "hypothesis", "references")
    return _gleu([lists], [tokens], min_len, max_len)


def corpus_gleu(list_of_references: Any, hypotheses: Any, min_len: int = 1, max_len: int = 4) -> float:
    """Score a corpus by GLEU (Wu et al. 2016, https://arxiv.org/abs/1609.08144).

    Args:
        list_of_references: For each hypothesis a list of its references; a segment without any adds nothing.
        hypotheses: As many segments, any number.
        min_len: The smallest order that counts, at least 1.
        max_len: The largest order that counts, at least 1; -1 for all.

    Returns:
        The score, 0..1; 0.0 if there are no n-grams.

    Raises:
        AssertionError: There are more hypotheses than lists of references, or fewer.
        TypeError: Something is not a sequence of hashable tokens, or an order is not an integer.
        ValueError: An order is below 1.

    Example:
        >>> corpus_gleu([["the cat is here".split()], ["it rains".split()]], ["the cat sat".split(), ["it"]])
        0.3076923076923077
    """
    segments, lists = as_lists(*aligned(hypotheses, list_of_references, NAMES, like_nltk=True))
    return _gleu(lists, segments, min_len, max_len)


def _gleu(lists: Any, segments: Any, min_len: int, max_len: int) -> float:
    """The GLEU of lists of tokens."""
    min_len = check_integer("min_len", min_len, 1)
    longest = max(map(len, chain(segments, *lists)), default=0)
    # No n-gram is longer than the longest segment.
    max_len = longest if max_len == -1 else min(longest, check_integer("max_len", max_len, 1))
    if not longest:
        return 0.0
    return gleu_formula.corpus_gleu(token_matcher(max_len), lists, segments, min_len)


#: What `nltk.translate` calls the two.
bleu, gleu = sentence_bleu, sentence_gleu
