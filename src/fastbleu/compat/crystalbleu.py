"""crystalbleu's functions: NLTK's BLEU in which n-grams that most texts share do not count.

The numbers are those of crystalbleu 0.2 (Eghbali and Pradel 2022, "CrystalBLEU: Precisely and Efficiently Measuring the
Similarity of Code", https://doi.org/10.1145/3551349.3556903), whose formula is NLTK's of the time. All n-grams are
counted as ever; those to ignore are then looked for in the segment and taken off.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from operator import add

from ..errors import ArgumentTypeError
from ..scoring.nltk.nltk_formula import UNIFORM, score_precisions, weightings_of
from ..scoring.nltk.nltk_smoothing import NEED_FIVE_GRAMS
from .arguments import aligned
from .nltk import smoothing
from .nltk.counts import NAMES, as_lists, count_pair
from .nltk.smoothing import method_of, smooth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Hashable, Iterator, Sequence
    from typing import Any

    #: n-grams, tuples of tokens, of any orders.
    NgramsToIgnore = Container[tuple[Hashable, ...]] | None

__all__ = ["SmoothingFunction", "corpus_bleu", "sentence_bleu"]


class SmoothingFunction(smoothing.SmoothingFunction):
    """The smoothing methods of crystalbleu 0.2, which are those of `fastbleu.compat.nltk.SmoothingFunction`.

    Args:
        epsilon: How many matches an order without a match counts under method 1.
        alpha: How much the prior weighs under method 6.
        k: The constant of method 4.

    Example:
        >>> method1 = SmoothingFunction().method1
        >>> sentence_bleu(["f ( x ) ;".split()], "f ( y ) ;".split(), smoothing_function=method1)
        0.16068568378893033
    """


def sentence_bleu(
    references: Any,
    hypothesis: Any,
    weights: Sequence[float] = UNIFORM,
    smoothing_function: Any = None,
    auto_reweigh: bool = False,
    ignoring: NgramsToIgnore = None,
) -> float:
    """Score one segment: `corpus_bleu` of it alone.

    Args:
        references: Its references, at least one; each a sequence of hashable tokens.
        hypothesis: The segment.
        weights: One weight per order.
        smoothing_function: As for `corpus_bleu`.
        auto_reweigh: As for `corpus_bleu`.
        ignoring: As for `corpus_bleu`.

    Returns:
        The score, 0..1; 0 if no unigram matches.

    Raises:
        Exception: As `corpus_bleu`.

    Example:
        >>> references, hypothesis = ["f ( x , y ) ;".split()], "f ( z , y ) ;".split()
        >>> sentence_bleu(references, hypothesis)
        0.488923022434901
        >>> sentence_bleu(references, hypothesis, (0.5, 0.5), ignoring={("(",), (",",), (")",), (";",), (")", ";")})
        0.6324555320336759
    """
    return corpus_bleu([references], [hypothesis], weights, smoothing_function, auto_reweigh, ignoring)


def corpus_bleu(
    list_of_references: Any,
    hypotheses: Any,
    weights: Sequence[float] = UNIFORM,
    smoothing_function: Any = None,
    auto_reweigh: bool = False,
    ignoring: NgramsToIgnore = None,
) -> float:
    """Score a corpus as a whole.

    Args:
        list_of_references: For each hypothesis a list of its references, at least one.
        hypotheses: As many segments, at least one.
        weights: One weight per order.
        smoothing_function: A method of a `SmoothingFunction`, or a callable of one's own, as for
            `fastbleu.compat.nltk.corpus_bleu`; None is method 0.
        auto_reweigh: If the hypotheses have fewer than 4 tokens and `weights` is (0.25,) * 4, spread them over as many
            orders as there are tokens.
        ignoring: The n-grams that do not count: a dictionary, a set or a list of tuples of tokens, such as the 500 most
            common ones of a large corpus, which most texts of a language share.

    Returns:
        The score, 0..1; 0 if no unigram matches.

    Raises:
        AssertionError: There are more or fewer hypotheses than lists of references; no trigram matches under method 6.
        TypeError: Something is not a sequence of hashable tokens; weights are not numbers, or `ignoring` is a str.
        ValueError: A segment has no reference, a weight is NaN or infinite, or a smoothed precision is 0.
    """
    weightings, order = weightings_of(weights)
    if len(weightings) != 1:
        raise TypeError("weights must be one weighting, a number for each order")
    segments, lists = as_lists(*aligned(hypotheses, list_of_references, NAMES, like_nltk=True))
    method = method_of(smoothing_function)
    counted = max(order, 5 if method in NEED_FIVE_GRAMS else 1)
    ignored = _as_set(ignoring)
    length = closest = 0
    matches, candidates = [0] * order, [0] * order
    for references, tokens in zip(lists, segments, strict=True):
        row = count_pair(references, tokens, counted)
        five_grams = (row[6], row[6 + counted] or 1) if counted > 4 else (0, 1)
        matched, among = row[2 : 2 + order], row[2 + counted : 2 + counted + order]
        if ignored:
            _ignore(tokens, references, ignored, matched, among)
        length, closest = length + row[0], closest + row[1]
        matches = list(map(add, matches, matched))
        candidates = [total + (count or 1) for total, count in zip(candidates, among, strict=True)]
    if auto_reweigh and length < 4 and weights == UNIFORM:
        # Before the precisions are made, other than in NLTK since.
        weightings = [(1 / length,) * length]
        matches, candidates = matches[:length], candidates[:length]
    if not matches[0]:
        return 0
    precisions = list(
        smooth(smoothing_function, method, matches, candidates, length, lists[-1], segments[-1], five_grams)
    )
    if not all(precisions[: len(weightings[0])]):
        raise ValueError(
            f"the smoothed precisions must be above 0, got {[float(each) for each in precisions]}"
        )
    score: float = score_precisions(precisions, length, closest, weightings)
    return score


def _as_set(ignoring: Any) -> Any:
    """Return n-grams that can be looked up quickly."""
    if isinstance(ignoring, (str, bytes)):
        raise ArgumentTypeError(
            "ignoring", f"must hold tuples of tokens, not be a str: {ignoring!r}", value=ignoring
        )
    return set(map(tuple, ignoring)) if isinstance(ignoring, (list, tuple)) else ignoring


def _ignore(
    tokens: Sequence[Any], references: Any, ignored: Any, matches: list[int], candidates: list[int]
) -> None:
    """Take the n-grams that are to be ignored off the counts of a segment, one for each order from 1 on."""
    order = len(matches)
    found = Counter(filter(ignored.__contains__, _ngrams_of(tokens, order)))
    if not found:
        return
    most = [Counter(filter(found.__contains__, _ngrams_of(reference, order))) for reference in references]
    for ngram, count in found.items():
        candidates[len(ngram) - 1] -= count
        matches[len(ngram) - 1] -= min(count, max(counts[ngram] for counts in most))


def _ngrams_of(tokens: Sequence[Any], order: int) -> Iterator[tuple[Any, ...]]:
    """Return the n-grams of the orders 1 to `order`, the shorter ones first."""
    later = [tokens[i:] for i in range(order)]
    return chain.from_iterable(zip(*later[:n], strict=False) for n in range(1, order + 1))
