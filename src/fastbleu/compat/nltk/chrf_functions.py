"""NLTK's functions for chrF, which take one reference per segment."""

from __future__ import annotations

from functools import cache, lru_cache

from ...errors import Location, wrong_type
from ...inputs.reading import SEGMENTS, as_list
from ...metric.chrf import CHRF
from ...options import check_flag, check_number, check_order
from ...scoring.nltk.nltk_chrf import mean_chrf

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import Any


def sentence_chrf(
    reference: Any,
    hypothesis: Any,
    min_len: int = 1,
    max_len: int = 6,
    beta: float = 3.0,
    ignore_whitespace: bool = True,
) -> float:
    """Compute the chrF of one segment.

    Args:
        reference: The reference: a str, or a sequence of words, which are joined by spaces.
        hypothesis: The segment: a str, or a sequence of words.
        min_len: As for `corpus_chrf`.
        max_len: As for `corpus_chrf`.
        beta: As for `corpus_chrf`.
        ignore_whitespace: As for `corpus_chrf`.

    Returns:
        The score, 0..1.

    Raises:
        ZeroDivisionError, TypeError, ValueError: In the same cases as `corpus_chrf`.

    Example:
        >>> sentence_chrf("the cat is on the mat", "the cat sat on the mat".split())
        0.6504190025667834
    """
    return corpus_chrf([reference], [hypothesis], min_len, max_len, beta, ignore_whitespace)


def corpus_chrf(
    references: Any,
    hypotheses: Any,
    min_len: int = 1,
    max_len: int = 6,
    beta: float = 3.0,
    ignore_whitespace: bool = True,
) -> float:
    """Compute the mean chrF of the segments of a corpus.

    Args:
        references: n >= 1 references, one per segment; each a str, or a sequence of words, which are joined by spaces.
        hypotheses: n segments, each a str or a sequence of words.
        min_len: The smallest order of character n-grams, >= 1.
        max_len: The largest order of character n-grams, >= `min_len`.
        beta: The weight of recall relative to precision.
        ignore_whitespace: Remove white space before counting.

    Returns:
        The score, 0..1.

    Raises:
        AssertionError: The numbers of references and hypotheses differ. NLTK raises the same error.
        ZeroDivisionError: There is no segment, or `min_len` is above `max_len`. NLTK raises the same error.
        TypeError: A segment is neither a str nor words, or an option has the wrong type.
        ValueError: An option is out of range.

    Example:
        >>> corpus_chrf(["the cat is on the mat", "a dog"], ["the cat sat on the mat", "dogs"], max_len=2)
        0.7857614180137935
    """
    ignores = check_flag("ignore_whitespace", ignore_whitespace)
    stream, texts = (
        [
            _text(segment, Location(name)[i], ignores)
            for i, segment in enumerate(as_list(segments, name, SEGMENTS))
        ]
        for name, segments in (("references", references), ("hypotheses", hypotheses))
    )
    if len(texts) != len(stream):
        raise AssertionError(f"there are {len(texts)} hypotheses, but {len(stream)} references")
    min_order, max_order = check_order("min_len", min_len), check_order("max_len", max_len)
    if not texts or min_order > max_order:
        raise ZeroDivisionError("there is no segment, or min_len is above max_len")
    rows = _cached_metric(max_order).statistics(texts, [stream]).reshape(len(texts), max_order, 3)
    return mean_chrf(rows[:, min_order - 1 :], check_number("beta", beta))


@lru_cache(16)
def _cached_metric(max_len: int) -> CHRF:
    return CHRF(max_len, whitespace=True)


@cache
def _space() -> re.Pattern[str]:
    """Return a pattern for white space without U+001C to U+001F, as in the package regex, which NLTK uses."""
    import re

    return re.compile(r"[^\S\x1c-\x1f]+")


def _text(segment: Any, where: Location, ignore_whitespace: bool) -> str:
    """Return a segment as text: join words by spaces, and remove white space if `ignore_whitespace`.

    Raises:
        TypeError: The segment is neither a str nor words.
    """
    if type(segment) is not str:
        try:
            segment = " ".join(segment)
        except TypeError:
            raise wrong_type(where, "a str or words", segment) from None
    return _space().sub("", segment) if ignore_whitespace else segment
