"""NLTK's functions for the BLEU and GLEU of segments and corpora."""

from __future__ import annotations

from itertools import chain
from sys import maxsize

from ...errors import Location
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
    """Compute the BLEU of a corpus that consists of one segment.

    Args:
        references: The references of the segment, at least one.
        hypothesis: The segment, a sequence of hashable tokens.
        weights: One weight per order, for any number of orders; or a list of such weightings.
        smoothing_function: A method of a `SmoothingFunction`, of this package or NLTK's, or another callable, as for
            `corpus_bleu`; None for method 0.
        auto_reweigh: If the hypothesis has fewer than 4 tokens and `weights` is (0.25,) * 4, use equal weights for as
            many orders as there are tokens.

    Returns:
        The score, 0..1 (methods 5 to 7 may exceed 1), or a list with one score per weighting; the integer 0 if no
        unigram matches.

    Raises:
        AssertionError, IndexError, TypeError, ValueError: In the same cases as `corpus_bleu`.

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
    max_order = 5 if order < 5 and method in NEED_FIVE_GRAMS else order or 1
    row = count_pair(references, hypothesis, max_order)
    if not order or not row[2]:
        return no_match(weightings)
    matches, candidates = row[2 : 2 + order], row[2 + max_order : 2 + max_order + order]
    if 0 in candidates:
        candidates = [count or 1 for count in candidates]
    five_grams = (row[6], row[6 + max_order] or 1) if max_order > 4 else (0, 1)
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
    """Compute the BLEU of a corpus.

    Args:
        list_of_references: The references of each hypothesis, at least one each.
        hypotheses: n >= 1 segments, sequences of hashable tokens.
        weights: One weight per order, for any number of orders; or a list of such weightings.
        smoothing_function: A method of a `SmoothingFunction`, of this package or NLTK's, or another callable; None for
            method 0. A callable is called as `f(p_n, references=, hypothesis=, hyp_len=)`, and returns the smoothed
            precisions as numbers. `p_n` are the precisions as unreduced fractions, `references` and `hypothesis` are
            those of the last segment, and `hyp_len` is the number of tokens in all hypotheses.
        auto_reweigh: If the hypotheses have fewer than 4 tokens and `weights` is (0.25,) * 4, use equal weights for as
            many orders as there are tokens.

    Returns:
        The score, 0..1 (methods 5 to 7 may exceed 1), or a list with one score per weighting; the integer 0 if no
        unigram matches.

    Raises:
        AssertionError: The numbers of hypotheses and of lists of references differ, or no trigram matches under
            method 6.
        ZeroDivisionError: There are no hypotheses.
        IndexError: There are fewer than three orders under method 6.
        TypeError: A segment is not a sequence of hashable tokens, an argument is not a list of segments, or a weight is
            not a number.
        ValueError: A segment has no reference, a weight is NaN or infinite, or a precision is too small for a float
            under method 6 (in NLTK a "math domain error").

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
        raise ZeroDivisionError("there are no hypotheses, so the precisions are undefined: Fraction(0, 0)")
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
    """Compute the GLEU of a corpus that consists of one segment.

    Args:
        references: The references of the segment, any number.
        hypothesis: The segment, a sequence of hashable tokens.
        min_len: The smallest order of n-grams, >= 1.
        max_len: The largest order of n-grams, >= 1; -1 for no limit.

    Returns:
        The score, 0..1; 0.0 if there are no n-grams.

    Raises:
        TypeError, ValueError: In the same cases as `corpus_gleu`.

    Example:
        >>> sentence_gleu(["the cat is on the mat".split()], "the the the the the the the".split())
        0.09090909090909091
    """
    if isinstance(references, (list, tuple)) and are_plain([hypothesis, *references]):
        return _gleu([references], [hypothesis], min_len, max_len)
    tokens = as_tokens(hypothesis, "hypothesis")
    lists = as_references(references, Location("references"))
    warn_of_text_beside_words(hypothesis, references, "hypothesis", "references")
    return _gleu([lists], [tokens], min_len, max_len)


def corpus_gleu(list_of_references: Any, hypotheses: Any, min_len: int = 1, max_len: int = 4) -> float:
    """Compute the GLEU of a corpus (Wu et al. 2016, https://arxiv.org/abs/1609.08144).

    Args:
        list_of_references: The references of each hypothesis, any number. A segment without references is skipped.
        hypotheses: n segments, sequences of hashable tokens.
        min_len: The smallest order of n-grams, >= 1.
        max_len: The largest order of n-grams, >= 1; -1 for no limit.

    Returns:
        The score, 0..1; 0.0 if there are no n-grams.

    Raises:
        AssertionError: The numbers of hypotheses and of lists of references differ.
        TypeError: A segment is not a sequence of hashable tokens, or an order is not an integer.
        ValueError: An order is below 1.

    Example:
        >>> corpus_gleu([["the cat is here".split()], ["it rains".split()]], ["the cat sat".split(), ["it"]])
        0.3076923076923077
    """
    segments, lists = as_lists(*aligned(hypotheses, list_of_references, NAMES, like_nltk=True))
    return _gleu(lists, segments, min_len, max_len)


def _gleu(lists: Any, segments: Any, min_len: int, max_len: int) -> float:
    """Compute the GLEU of hypotheses and their lists of references. A text must be a list or tuple of tokens.

    Args:
        lists: n lists of references.
        segments: n hypotheses.
        min_len: As for `corpus_gleu`.
        max_len: As for `corpus_gleu`.

    Raises:
        TypeError, ValueError: In the same cases as `corpus_gleu`.
    """
    min_len = check_integer("min_len", min_len, 1)
    max_len = maxsize if max_len == -1 else check_integer("max_len", max_len, 1)
    if max_len > 4:  # No n-gram is longer than the longest segment.
        max_len = max(1, min(max_len, max(map(len, chain(segments, *lists)), default=0)))
    return gleu_formula.corpus_gleu(token_matcher(max_len), lists, segments, min_len)


#: The names under which `nltk.translate` exports `sentence_bleu` and `sentence_gleu`.
bleu, gleu = sentence_bleu, sentence_gleu
