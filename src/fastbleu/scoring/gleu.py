"""GLEU, the sentence-level score of Wu et al. (2016, https://arxiv.org/abs/1609.08144), over rows of counts.

Of a hypothesis and a reference, GLEU is the smaller of precision and recall over the n-grams of all orders together:
matches / max(n-grams of the hypothesis, n-grams of the reference). Of several references the one with the highest GLEU
counts, the first of equal ones; a corpus' GLEU divides the sum of their matches by the sum of their n-grams.
Equal to `nltk.translate.gleu_score` 3.10.4.
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


#: Up to this many pairs are counted one by one.
_FEW = 8


def corpus_gleu(
    matcher: Matcher,
    references: Sequence[Sequence[Any]],
    hypotheses: Sequence[Any],
    min_len: int = 1,
    names: Names = NAMES,
) -> float:
    """Compute the GLEU of a corpus.

    Args:
        matcher: Says what the tokens are, and up to which order n-grams count.
        references: For each hypothesis its references, any number. A segment without one adds nothing.
        hypotheses: As many segments.
        min_len: The smallest order that counts, at least 1.
        names: What errors call hypotheses and references.

    Returns:
        The score, 0..1; 0.0 if there is no n-gram at all.

    Raises:
        TypeError: A segment is not of the kind that the matcher takes.

    Example:
        >>> from fastbleu.counting.matcher import Matcher
        >>> from fastbleu.tokenizers.names import get_tokenizer
        >>> corpus_gleu(Matcher(get_tokenizer("13a")), [["the cat is on the mat"]], ["the the the the the the the"])
        0.09090909090909091
    """
    pairs = [
        (hypothesis, reference)
        for hypothesis, some in zip(hypotheses, references, strict=True)
        for reference in some
    ]
    order = matcher.max_ngram_order
    counted = _rows(matcher, pairs, names)
    all_matches = all_ngrams = 0
    for some in references:
        best, best_matches, best_ngrams = -1.0, 0, 0
        for row in islice(counted, len(some)):
            matches = sum(row[1 + min_len : 2 + order])
            ngrams = max(sum(row[1 + order + min_len :]), _ngrams(row[1], min_len, order))
            if ngrams and matches / ngrams > best:
                best, best_matches, best_ngrams = matches / ngrams, matches, ngrams
        all_matches += best_matches
        all_ngrams += best_ngrams
    return all_matches / all_ngrams if all_ngrams else 0.0


def _rows(matcher: Matcher, pairs: list[tuple[Any, Any]], names: Names) -> Iterator[list[int]]:
    """Return the row of each pair of a hypothesis and a reference."""
    if len(pairs) <= _FEW:
        try:
            return iter([matcher.count_one(hypothesis, (reference,))[0] for hypothesis, reference in pairs])
        except (TypeError, ValueError):
            pass  # counted below, which says what is wrong, and where
    hypotheses = column_of([hypothesis for hypothesis, _ in pairs], names[0])
    references = column_of([reference for _, reference in pairs], names[1], may_be_absent=True)
    return (row for row, _ in Corpus(matcher, hypotheses, [references]).rows())


def _ngrams(length: int, least: int, most: int) -> int:
    """Return how many n-grams of the orders `least` to `most` a segment of that length has."""
    orders = min(length, most) - least + 1
    first, last = length - least + 1, length - min(length, most) + 1
    return orders * (first + last) // 2 if orders > 0 else 0
