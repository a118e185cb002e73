"""CodeBLEU's weighted n-gram match: NLTK's formula, smoothed by its method 1, over weighted recalls.

Same operations in the same order as `CodeBLEU/weighted_ngram_match.py` of
https://github.com/salesforce/CodeT5/tree/7de7f69. A recall is the n-grams of the references that the hypothesis has,
over all n-grams of the references, one reference after the other. Only single tokens are weighted.
"""

from __future__ import annotations

from collections import Counter

from .nltk.formula import score
from .nltk.smoothing import method1

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    #: Tokens, and the weight of each.
    Weighted = tuple[Iterable[Any], Mapping[Any, Any]]


def weighted_ngram_match(
    matches: list[int],
    reference_lengths: Iterable[int],
    pairs: Iterable[tuple[Sequence[Any], Sequence[Weighted]]],
    lengths: tuple[int, int],
    weights: Sequence[float],
    auto_reweigh: bool = False,
) -> float:
    """Compute the weighted n-gram match.

    Args:
        matches: Matches of each hypothesis with each of its references, added up by order.
        reference_lengths: The tokens of each of these references.
        pairs: Each hypothesis with its weighted references.
        lengths: sys_len and ref_len.
        weights: One number for each order.
        auto_reweigh: As in NLTK.

    Returns:
        The score, 0..1; the integer 0 if nothing matches.
    """
    counted = list(reference_lengths)
    recalled: list[Any] = [sum(max(1, length - n) for length in counted) for n in range(len(matches))]
    first, recalled[0] = _weigh(pairs)
    found: float = score([first, *matches[1:]], recalled, *lengths, [weights], method1, auto_reweigh)
    return found


def _weigh(pairs: Iterable[tuple[Sequence[Any], Sequence[Weighted]]]) -> tuple[Any, Any]:
    """Return the weight of all tokens that match, and that of all tokens of references.

    A token matches at most as often as the hypothesis has it. The weights of a reference count only if there are as
    many of them as different tokens; a token without one weighs 1. The sums are taken segment by segment, as there:
    their last digit depends on it.
    """
    all_matched: Any = 0
    all_weights: Any = 0
    for hypothesis, references in pairs:
        counts = Counter(hypothesis)
        matched: Any = 0
        total: Any = 0
        for reference, weights, *_ in references:
            own = Counter(reference)
            weigh = weights.get if len(weights) == len(own) else {}.get
            own_matched: Any = 0
            own_total: Any = 0
            for token, number in own.items():
                weight = weigh(token, 1)
                own_total += number * weight
                if token in counts:
                    own_matched += min(number, counts[token]) * weight
            matched += own_matched
            total += max(1, own_total)
        all_matched += matched
        all_weights += total
    return all_matched, all_weights
