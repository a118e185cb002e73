"""NLTK's BLEU and GLEU: `nltk.translate.bleu_score` and `nltk.translate.gleu_score` of NLTK 3.10.4.

The names, arguments, scores (0..1), return types (the integers 0 and 1 included), exceptions and warnings are NLTK's,
and each float is the same to the last bit. Its peculiarities are kept: among them, each hypothesis that is too short
for an order adds 1 to the candidates of a corpus; `corpus_bleu` shows smoothing functions only the last segment;
5-grams stand above whichever order is the last in methods 5 and 7; method 6 tests the trigrams, where its message says
bigrams; weights need not sum to 1.

Segments are sequences of hashable tokens: lists, tuples, arrays, or str, which are sequences of characters.

It differs on purpose in this:

- What NLTK fails on by accident has a clear error: a segment without any reference is a ValueError, an iterator of
  references a TypeError (both most often a KeyError in NLTK). Iterators of tokens, of hypotheses and of lists of
  references are a TypeError as in NLTK; GLEU takes iterators of tokens and of references, as NLTK's does.
- A bare str, or bytes, in the place of a list of references or of hypotheses is a TypeError, and so are sets and
  dictionaries as segments: NLTK would score letters, or keys in the order in which it finds them.
- Weights that are NaN or infinite are a ValueError (NLTK gives NaN, 0 or an error), and those that are no numbers a
  TypeError even where nothing matches.
- Orders of 0 and less are a ValueError.
- Numbers in arrays and tensors are tokens by their value; NLTK takes each item of a tensor for another token.
- `corpus_gleu` takes `max_len=-1`, n-grams of all lengths, for segments of any length; NLTK's limit is 256.
"""

from __future__ import annotations

from operator import add

from ..checks import check_integer
from ..gleu import corpus_gleu as _gleu_of_corpus
from ..nltk_counts import (
    aligned,
    as_references,
    as_tokens,
    closest_ref_length,
    count_corpus,
    count_pair,
    modified_precision,
    token_matcher,
)
from ..nltk_score import UNIFORM, brevity_penalty, no_match, score_precisions, weightings_of
from ..nltk_smoothing import NEED_FIVE_GRAMS, SmoothingFunction, smoother

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "SmoothingFunction",
    "bleu",
    "brevity_penalty",
    "closest_ref_length",
    "corpus_bleu",
    "corpus_gleu",
    "gleu",
    "modified_precision",
    "sentence_bleu",
    "sentence_gleu",
]


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
        weights: As for `corpus_bleu`.
        smoothing_function: As for `corpus_bleu`.
        auto_reweigh: As for `corpus_bleu`.

    Returns:
        As `corpus_bleu`.

    Raises:
        Exception: As `corpus_bleu`.

    Example:
        >>> references = ["the cat is on the mat".split(), "there is a cat on the mat".split()]
        >>> sentence_bleu(references, "the cat the cat on the mat".split())
        0.4671379777282001
        >>> method1 = SmoothingFunction().method1
        >>> sentence_bleu(references, ["the"] * 8, smoothing_function=method1)
        0.03303164318013808
    """
    weightings, order = weightings_of(weights)
    smooth = smoother(smoothing_function)
    counted = 5 if order < 5 and smooth in NEED_FIVE_GRAMS else order or 1
    row = count_pair(references, hypothesis, counted)
    if not order or not row[2]:
        return no_match(weightings)
    matches, candidates = row[2 : 2 + order], row[2 + counted : 2 + counted + order]
    if 0 in candidates:
        candidates = [count or 1 for count in candidates]
    five_grams = (row[6], row[6 + counted] or 1) if counted > 4 else None
    precisions = smooth(smoothing_function, matches, candidates, row[0], references, hypothesis, five_grams)
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
        weights: One weight per order, any number of them; or several such weightings.
        smoothing_function: A method of a `SmoothingFunction`, NLTK's too, or a callable of one's own; None is method 0.
            It is called as `f(p_n, references=, hypothesis=, hyp_len=)`: precisions that are fractions, not reduced,
            the last segment's references, the last segment, and the tokens in all hypotheses. It returns numbers.
        auto_reweigh: If the hypotheses have fewer than 4 tokens and `weights` is (0.25,) * 4, spread them over as many
            orders as there are tokens.

    Returns:
        The score, 0..1 (under methods 5 and 7 it may be higher), a list of them for several weightings; the integer 0
        where not even a unigram matches.

    Raises:
        AssertionError: There are more or fewer hypotheses than lists of references; no trigram matches under method 6.
        ZeroDivisionError: There are no hypotheses.
        IndexError: Method 6 with fewer than three orders.
        TypeError: Something is no sequence of hashable tokens, or no list of them; weights are no numbers.
        ValueError: A segment has no reference, or a weight is NaN or infinite.

    Example:
        >>> references = [["the cat is here now".split(), "here is a cat".split()], ["it rains".split()]]
        >>> hypotheses = ["the cat is here too".split(), "it rains".split()]
        >>> corpus_bleu(references, hypotheses)
        0.5814307369682193
        >>> corpus_bleu(references, hypotheses, weights=[(1,), (0.5, 0.5)])
        [0.8571428571428571, 0.828078671210825]
    """
    weightings, order = weightings_of(weights)
    lists, segments = aligned(list_of_references, hypotheses)
    row, shorter = count_corpus(lists, segments, order or 1)
    if not len(segments) and order:
        raise ZeroDivisionError("there are no hypotheses, so that there is no precision: Fraction(0, 0)")
    if not order or not row[2]:
        return no_match(weightings)
    matches, candidates = row[2 : 2 + order], list(map(add, row[2 + order :], shorter))
    smooth = smoother(smoothing_function)
    precisions = smooth(smoothing_function, matches, candidates, row[0], lists[-1], segments[-1], None)
    return score_precisions(precisions, row[0], row[1], weightings, auto_reweigh)


def sentence_gleu(references: Any, hypothesis: Any, min_len: int = 1, max_len: int = 4) -> float:
    """Score one segment by GLEU: `corpus_gleu` of it alone.

    Args:
        references: Its references, any number.
        hypothesis: The segment.
        min_len: As for `corpus_gleu`.
        max_len: As for `corpus_gleu`.

    Returns:
        As `corpus_gleu`.

    Raises:
        Exception: As `corpus_gleu`.

    Example:
        >>> sentence_gleu(["the cat is on the mat".split()], "the the the the the the the".split())
        0.09090909090909091
    """
    return corpus_gleu([references], [hypothesis], min_len, max_len)


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
        TypeError: Something is no sequence of hashable tokens, or an order no integer.
        ValueError: An order is below 1.

    Example:
        >>> corpus_gleu([["the cat is here".split()], ["it rains".split()]], ["the cat sat".split(), ["it"]])
        0.3076923076923077
    """
    lists, segments = aligned(list_of_references, hypotheses)
    segments = [as_tokens(segment, f"hypotheses[{i}]", iterators=True) for i, segment in enumerate(segments)]
    lists = [as_references(each, f"list_of_references[{i}]", iterators=True) for i, each in enumerate(lists)]
    min_len = check_integer("min_len", min_len, 1)
    if max_len == -1:
        max_len = max([1, *map(len, segments), *(len(each) for some in lists for each in some)])
    max_len = check_integer("max_len", max_len, 1)
    return _gleu_of_corpus(token_matcher(max_len), lists, segments, min_len)


#: What `nltk.translate` calls the two.
bleu, gleu = sentence_bleu, sentence_gleu
