"""tensorflow/nmt's `compute_bleu`, on the compiled counting pass.

    from fastbleu.compat.nmt import compute_bleu        # from nmt.scripts.bleu import compute_bleu

Equal to the last digit to https://github.com/tensorflow/nmt/blob/0be8642/nmt/scripts/bleu.py, the commit that
nlg-metricverse pins and whose formula Hugging Face uses: same arguments, same six values. As there, the shortest
reference decides a segment's length, `smooth` adds 1 to both counts of every order, and without it a corpus that has no
match of some order scores 0.0. Where the translations or the shortest references have no token at all, there is a
ZeroDivisionError.

Deliberate differences:

- Corpora of unequal length raise a ValueError. The original silently truncates the longer one.
- A str instead of a list of tokens raises a TypeError. The original scores its characters; pass `list(text)` for that.
- An empty corpus, or a segment without references, is a ValueError that says so; a reference that is None and a token
  that is not hashable a TypeError.
- An iterator as the references of a segment raises a TypeError. In the original, the first pass exhausts it.
"""

from __future__ import annotations

from ..options import check_flag, check_order
from ..scoring.nmt_formula import nmt_score
from .arguments import aligned, count_corpus, token_lists, token_lists_per_segment, token_matcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence
    from typing import Any

_NAMES = ("translation_corpus", "reference_corpus")


def compute_bleu(
    reference_corpus: Iterable[Sequence[Sequence[Hashable]]],
    translation_corpus: Iterable[Sequence[Hashable]],
    max_order: int = 4,
    smooth: bool = False,
) -> tuple[float, list[float], float, float, int, int]:
    """Compute the BLEU of a corpus of tokens.

    Args:
        reference_corpus: The references of each segment, at least one each, which are sequences of hashable tokens.
            NumPy arrays and iterators over segments are accepted.
        translation_corpus: n >= 1 translations, each a sequence of tokens.
        max_order: The largest order of n-grams, >= 1.
        smooth: Add 1 to both counts of every order.

    Returns:
        The score (0..1), the n-gram precisions (0..1), the brevity penalty, translation length over reference length,
        the translations' length in tokens, and the shortest references'.

    Raises:
        TypeError: Something is not a sequence of the kind that is expected, or a token is not hashable.
        ValueError: No segments, corpora of unequal length, a segment without references, or `max_order` below 1.
        ZeroDivisionError: The translations, or the shortest references, have no token at all.

    Example:
        >>> references = [["the cat sat on the mat".split(), "a cat sat on a mat".split()], ["it rained".split()]]
        >>> translations = ["the cat sat on a mat".split(), "it rained hard".split()]
        >>> compute_bleu(references, translations)
        (0.8835836453663154, [0.8888888888888888, 0.8571428571428571, 0.8, 1.0], 1.0, 1.125, 9, 8)
    """
    matcher = token_matcher(check_order("max_order", max_order), "shortest")
    smooth = check_flag("smooth", smooth)
    translations, references = aligned(_listed(translation_corpus), _listed(reference_corpus), _NAMES)
    translations = token_lists(translations, _NAMES[0], "refuse")
    lists = token_lists_per_segment(references, _NAMES[1], "refuse")
    return nmt_score(count_corpus(matcher, translations, lists, _NAMES), smooth)


def _listed(corpus: Any) -> Any:
    """Return the list of an iterator or an array, and everything else as it is."""
    if isinstance(corpus, (list, tuple, str, bytes, dict, set)) or not hasattr(corpus, "__iter__"):
        return corpus
    return list(corpus)
