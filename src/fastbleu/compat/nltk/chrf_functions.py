"""NLTK's chrF: one reference per segment, almost 0 for orders without a match, means over orders and segments."""

from __future__ import annotations

from functools import cache, lru_cache

from ...errors import Place, wrong_type
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
    """Score one segment by chrF, as a corpus of one segment; see `corpus_chrf` for arguments and errors.

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
    """Score a corpus by the mean chrF of its segments.

    Args:
        references: n >= 1 references, one per segment; each a str, or a sequence of words, which are joined by spaces.
        hypotheses: n segments of the same kinds.
        min_len: The smallest order of character n-grams, >= 1.
        max_len: The largest order of character n-grams, >= `min_len`.
        beta: The weight of recall, relative to precision.
        ignore_whitespace: Whether white space is removed before counting.

    Returns:
        The score, 0..1.

    Raises:
        AssertionError: The numbers of references and hypotheses differ, as in NLTK.
        ZeroDivisionError: There is no segment, or `min_len` is above `max_len`, as in NLTK.
        TypeError: A segment is neither a str nor words, or an option has the wrong type.
        ValueError: An option is out of range.

    Example:
        >>> corpus_chrf(["the cat is on the mat", "a dog"], ["the cat sat on the mat", "dogs"], max_len=2)
        0.7857614180137935
    """
    is_bare = check_flag("ignore_whitespace", ignore_whitespace)
    others, own = (
        [_text(segment, Place(name)[i], is_bare) for i, segment in enumerate(as_list(given, name, SEGMENTS))]
        for name, given in (("references", references), ("hypotheses", hypotheses))
    )
    if len(own) != len(others):
        raise AssertionError(f"there are {len(own)} hypotheses, but {len(others)} references")
    least, most = check_order("min_len", min_len), check_order("max_len", max_len)
    if not own or least > most:
        raise ZeroDivisionError("there is no segment, or min_len is above max_len")
    rows = _kept_metric(most).statistics(own, [others]).reshape(len(own), most, 3)
    return mean_chrf(rows[:, least - 1 :], check_number("beta", beta))


@lru_cache(16)
def _kept_metric(max_len: int) -> CHRF:
    return CHRF(max_len, whitespace=True)


@cache
def _space() -> re.Pattern[str]:
    """Return the pattern of white space as the package regex, which NLTK uses, has it: without U+001C to U+001F."""
    import re

    return re.compile(r"[^\S\x1c-\x1f]+")


def _text(segment: Any, where: Place, ignore_whitespace: bool) -> str:
    """Return a segment as text: words joined by spaces, and white space removed if asked for."""
    if type(segment) is not str:
        try:
            segment = " ".join(segment)
        except TypeError:
            raise wrong_type(where, "a str or words", segment) from None
    return _space().sub("", segment) if ignore_whitespace else segment
