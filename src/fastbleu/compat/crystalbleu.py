"""crystalbleu's functions: NLTK's BLEU without the n-grams that most texts share.

The numbers equal those of crystalbleu 0.2 (Eghbali and Pradel 2022, "CrystalBLEU: Precisely and Efficiently Measuring
the Similarity of Code", https://doi.org/10.1145/3551349.3556903), whose formula is that of NLTK in 2022. First, all
n-grams are counted. Then the counts of the n-grams to ignore are subtracted in each segment.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from operator import add

from ..errors import ArgumentTypeError
from ..scoring.nltk.nltk_formula import UNIFORM, score_precisions, weightings_of
from ..scoring.nltk.nltk_smoothing import NEED_FIVE_GRAMS
from ..system.warning_origin import Origin
from .arguments import aligned
from .nltk import smoothing
from .nltk.counts import NAMES, as_lists, count_pair
from .nltk.smoothing import method_of, smooth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Hashable, Iterator, Sequence
    from typing import Any

    #: n-grams of any orders, as tuples of tokens.
    NgramsToIgnore = Container[tuple[Hashable, ...]] | None

__all__ = ["SmoothingFunction", "corpus_bleu", "sentence_bleu"]


class SmoothingFunction(smoothing.SmoothingFunction):
    """The smoothing methods of crystalbleu 0.2, which are those of `fastbleu.compat.nltk.SmoothingFunction`.

    Args:
        epsilon: The number of matches that method 1 counts for an order without a match.
        alpha: The weight of the prior in method 6.
        k: The constant K of method 4.

    Example:
        >>> method1 = SmoothingFunction().method1
        >>> sentence_bleu(["f ( x ) ;".split()], "f ( y ) ;".split(), smoothing_function=method1)
        0.16068568378893033
    """

    #: The statement of crystalbleu that warns of an order without a match. Warnings are issued as if from this line.
    _no_match = Origin("crystalbleu", "method0", 593, "warnings.warn(")


def sentence_bleu(
    references: Any,
    hypothesis: Any,
    weights: Sequence[float] = UNIFORM,
    smoothing_function: Any = None,
    auto_reweigh: bool = False,
    ignoring: NgramsToIgnore = None,
) -> float:
    """Compute the BLEU of a corpus that consists of one segment.

    Args:
        references: The references of the segment, at least one; each a sequence of hashable tokens.
        hypothesis: The segment.
        weights: One weight per order.
        smoothing_function: As for `corpus_bleu`.
        auto_reweigh: As for `corpus_bleu`.
        ignoring: As for `corpus_bleu`.

    Returns:
        The score, 0..1; the integer 0 if no unigram matches.

    Raises:
        AssertionError, TypeError, ValueError: In the same cases as `corpus_bleu`.

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
    """Compute the BLEU of a corpus.

    Args:
        list_of_references: The references of each hypothesis, at least one each.
        hypotheses: n >= 1 segments, sequences of hashable tokens.
        weights: One weight per order.
        smoothing_function: A method of a `SmoothingFunction`, or another callable, as for
            `fastbleu.compat.nltk.corpus_bleu`; None for method 0.
        auto_reweigh: If the hypotheses have fewer than 4 tokens and `weights` is (0.25,) * 4, use equal weights for as
            many orders as there are tokens.
        ignoring: The n-grams to exclude, for example the 500 most common n-grams of a large corpus: a dictionary, a set
            or a list of tuples of tokens.

    Returns:
        The score, 0..1; the integer 0 if no unigram matches.

    Raises:
        AssertionError: The numbers of hypotheses and of lists of references differ, or no trigram matches under
            method 6.
        TypeError: A segment is not a sequence of hashable tokens, a weight is not a number, or `ignoring` is a str.
        ValueError: A segment has no reference, a weight is NaN or infinite, or a smoothed precision is 0.
    """
    weightings, order = weightings_of(weights)
    if len(weightings) != 1:
        raise TypeError("weights must be one weighting, a number for each order")
    segments, lists = as_lists(*aligned(hypotheses, list_of_references, NAMES, like_nltk=True))
    smoothing_function = smoothing_function or SmoothingFunction().method0
    method = method_of(smoothing_function)
    max_order = max(order, 5 if method in NEED_FIVE_GRAMS else 1)
    ignored = _as_set(ignoring)
    length = closest = 0
    matches, candidates = [0] * order, [0] * order
    for references, tokens in zip(lists, segments, strict=True):
        row = count_pair(references, tokens, max_order)
        five_grams = (row[6], row[6 + max_order] or 1) if max_order > 4 else (0, 1)
        matched, total = row[2 : 2 + order], row[2 + max_order : 2 + max_order + order]
        if ignored:
            _subtract(tokens, references, ignored, matched, total)
        length, closest = length + row[0], closest + row[1]
        matches = list(map(add, matches, matched))
        candidates = [sum_before + (count or 1) for sum_before, count in zip(candidates, total, strict=True)]
    if auto_reweigh and length < 4 and weights == UNIFORM:
        # crystalbleu changes the weights before smoothing; later releases of NLTK change them after smoothing.
        weightings = [(1 / length,) * length]
        matches, candidates = matches[:length], candidates[:length]
    if not matches[0]:
        return 0
    precisions = list(
        smooth(smoothing_function, method, matches, candidates, length, lists[-1], segments[-1], five_grams)
    )
    if not all(precisions[: len(weightings[0])]):
        raise ValueError(
            f"the smoothed precisions must be above 0, got {[float(precision) for precision in precisions]}"
        )
    score: float = score_precisions(precisions, length, closest, weightings)
    return score


def _as_set(ignoring: Any) -> Any:
    """Return the n-grams to ignore, converted from a list or tuple to a set for fast lookup.

    Raises:
        TypeError: `ignoring` is a str.
    """
    if isinstance(ignoring, (str, bytes)):
        raise ArgumentTypeError(
            "ignoring", f"must hold tuples of tokens, not be a str: {ignoring!r}", value=ignoring
        )
    return set(map(tuple, ignoring)) if isinstance(ignoring, (list, tuple)) else ignoring


def _subtract(
    tokens: Sequence[Any], references: Any, ignored: Any, matches: list[int], candidates: list[int]
) -> None:
    """Subtract the ignored n-grams from the counts of a segment, in place.

    Args:
        tokens: The segment.
        references: Its references.
        ignored: The n-grams to ignore.
        matches: The number of matched n-grams of the segment for each order 1..N.
        candidates: The number of n-grams of the segment for each order 1..N.
    """
    order = len(matches)
    occurrences = Counter(filter(ignored.__contains__, _ngrams_of(tokens, order)))
    if not occurrences:
        return
    reference_counts = [
        Counter(filter(occurrences.__contains__, _ngrams_of(reference, order))) for reference in references
    ]
    for ngram, count in occurrences.items():
        candidates[len(ngram) - 1] -= count
        matches[len(ngram) - 1] -= min(count, max(counts[ngram] for counts in reference_counts))


def _ngrams_of(tokens: Sequence[Any], order: int) -> Iterator[tuple[Any, ...]]:
    """Iterate over the n-grams of the orders 1..`order`, the shortest first."""
    suffixes = [tokens[i:] for i in range(order)]
    return chain.from_iterable(zip(*suffixes[:n], strict=False) for n in range(1, order + 1))
