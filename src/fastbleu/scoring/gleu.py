"""Compute GLEU (Wu et al. 2016, https://arxiv.org/abs/1609.08144) from rows, as NLTK 3.10.4 does.

The GLEU of a hypothesis and a reference is the smaller of precision and recall over the n-grams of all orders together:
matches / max(n-grams of the hypothesis, n-grams of the reference). If there are several references, the one with the
highest GLEU is used, and the first of those with equal GLEU. For a corpus, the matches and the maxima are summed before
the division.
"""

from __future__ import annotations

from itertools import islice

from ..counting.corpus import Corpus
from ..inputs.columns import column_of
from ..inputs.reading import NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from ..counting.corpus import Names
    from ..counting.matcher import Matcher


#: Up to this many pairs of a hypothesis and a reference are counted one by one, which is faster than reading them as a
#: corpus.
_FEW_PAIRS = 8


def corpus_gleu(
    matcher: Matcher,
    references: Sequence[Sequence[Any]],
    hypotheses: Sequence[Any],
    min_len: int = 1,
    names: Names = NAMES,
) -> float:
    """Compute the GLEU of a corpus.

    Args:
        matcher: The matcher that counts the n-grams; it also sets their largest order.
        references: Any number of references for each hypothesis. A hypothesis without references is skipped.
        hypotheses: The hypotheses, one for each item of `references`.
        min_len: The smallest order of n-grams, >= 1.
        names: The names of hypotheses and references in errors.

    Returns:
        The score, 0..1; 0.0 if there are no n-grams.

    Raises:
        TypeError: A segment is of a type that the matcher does not accept.

    Example:
        >>> from fastbleu.counting.matcher import Matcher
        >>> from fastbleu.tokenizers.names import get_tokenizer
        >>> corpus_gleu(Matcher(get_tokenizer("13a")), [["the cat is on the mat"]], ["the the the the the the the"])
        0.09090909090909091
    """
    pairs = [
        (hypothesis, reference)
        for hypothesis, segment_references in zip(hypotheses, references, strict=True)
        for reference in segment_references
    ]
    order = matcher.max_ngram_order
    rows = _rows(matcher, pairs, names)
    all_matches = all_ngrams = 0
    for segment_references in references:
        best, best_matches, best_ngrams = -1.0, 0, 0
        for row in islice(rows, len(segment_references)):
            matches = sum(row[1 + min_len : 2 + order])
            ngrams = max(sum(row[1 + order + min_len :]), _ngrams(row[1], min_len, order))
            if ngrams and matches / ngrams > best:
                best, best_matches, best_ngrams = matches / ngrams, matches, ngrams
        all_matches += best_matches
        all_ngrams += best_ngrams
    return all_matches / all_ngrams if all_ngrams else 0.0


def _rows(matcher: Matcher, pairs: list[tuple[Any, Any]], names: Names) -> Iterator[list[int]]:
    """Count each pair of a hypothesis and a reference, and return their rows.

    Raises:
        TypeError: A segment is of a type that the matcher does not accept.
    """
    if len(pairs) <= _FEW_PAIRS:
        try:
            return iter([matcher.count_one(hypothesis, [reference])[0] for hypothesis, reference in pairs])
        except (TypeError, ValueError):
            pass  # Counting all pairs below raises an error that names the segment.
    hypotheses = column_of([hypothesis for hypothesis, _ in pairs], names[0])
    references = column_of([reference for _, reference in pairs], names[1], may_be_missing=True)
    return (row for row, _ in Corpus(matcher, hypotheses, [references]).rows())


def _ngrams(length: int, min_order: int, max_order: int) -> int:
    """Return the number of n-grams of the orders `min_order` to `max_order` in a segment of `length` tokens."""
    orders = min(length, max_order) - min_order + 1
    first, last = length - min_order + 1, length - min(length, max_order) + 1
    return orders * (first + last) // 2 if orders > 0 else 0
