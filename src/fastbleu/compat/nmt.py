"""tensorflow/nmt's `compute_bleu`.

    from fastbleu.compat.nmt import compute_bleu        # from nmt.scripts.bleu import compute_bleu

The six results equal, to the last digit, those of https://github.com/tensorflow/nmt/blob/0be8642/nmt/scripts/bleu.py.
nlg-metricverse pins this commit, and Hugging Face's `evaluate` uses its formula. The reference length of a
segment is the length of its shortest reference. `smooth` adds 1 to the matches and to the candidates of every order.
Without smoothing, a corpus scores 0.0 if some order has no match. If the translations or the shortest references have
no tokens at all, a ZeroDivisionError is raised.

Deliberate differences:

- Corpora of unequal length raise a ValueError. The original silently truncates the longer one.
- A str instead of a list of tokens raises a TypeError. The original scores its characters; pass `list(text)` for that.
- An empty corpus and a segment without references raise a ValueError; a reference that is None and a token that is not
  hashable raise a TypeError. The original fails with errors that do not name the cause.
- An iterator of references of a segment raises a TypeError. The original reads only their lengths from it, so that no
  n-gram matches.
"""

from __future__ import annotations

from itertools import chain

from ..errors import ArgumentTypeError, Location, describe
from ..inputs.reading import as_list
from ..options import check_flag, check_order
from ..scoring.nmt_formula import nmt_score
from .arguments import aligned, are_plain, as_tokens, count_corpus, token_matcher

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
        reference_corpus: n lists of references, at least one reference each. A reference is a sequence of hashable
            tokens. The corpus may also be a NumPy array or an iterator.
        translation_corpus: n >= 1 translations, each a sequence of hashable tokens. The corpus may also be a NumPy
            array or an iterator.
        max_order: The largest order of n-grams, >= 1.
        smooth: Add 1 to the matches and to the candidates of every order.

    Returns:
        The score (0..1), the n-gram precisions (0..1), the brevity penalty (0..1), the translation length divided by
        the reference length, the translation length, and the reference length. Lengths are in tokens; the reference
        length is that of the shortest references.

    Raises:
        TypeError: An argument, the references of a segment, or a text is not a sequence, or a token is not hashable.
        ValueError: There are no segments, the corpora differ in length, a segment has no reference, or `max_order` is
            below 1.
        ZeroDivisionError: The translations, or the shortest references, have no tokens at all.

    Example:
        >>> references = [["the cat sat on the mat".split(), "a cat sat on a mat".split()], ["it rained".split()]]
        >>> translations = ["the cat sat on a mat".split(), "it rained hard".split()]
        >>> compute_bleu(references, translations)
        (0.8835836453663154, [0.8888888888888888, 0.8571428571428571, 0.8, 1.0], 1.0, 1.125, 9, 8)
    """
    matcher = token_matcher(check_order("max_order", max_order), "shortest")
    smooth = check_flag("smooth", smooth)
    translations, references = aligned(_listed(translation_corpus), _listed(reference_corpus), _NAMES)
    translations = _token_lists(translations, Location(_NAMES[0]))
    if not (are_plain(references) and are_plain(chain.from_iterable(references))):
        where = Location(_NAMES[1])
        references = [_token_lists(as_list(texts, where[i]), where[i]) for i, texts in enumerate(references)]
    return nmt_score(count_corpus(matcher, translations, references, _NAMES), smooth)


def _listed(corpus: Any) -> Any:
    """Return an iterator or an array as a list, and everything else unchanged."""
    if isinstance(corpus, (list, tuple, str, bytes, dict, set)) or not hasattr(corpus, "__iter__"):
        return corpus
    return list(corpus)


def _token_lists(segments: Any, where: Location) -> Any:
    """Return segments as lists or tuples of tokens.

    Raises:
        TypeError: A segment is a str, or not a sequence.
    """
    if are_plain(segments):
        return segments
    for i, segment in enumerate(segments):
        if isinstance(segment, (str, bytes)):
            reason = f"is {describe(segment)}, where a sequence of tokens is expected; for characters pass list(text)"
            raise ArgumentTypeError(where[i], reason, value=segment)
    return [as_tokens(segment, where[i]) for i, segment in enumerate(segments)]
