"""The BLEU of tensorflow/nmt, which Hugging Face `evaluate` and nlg-metricverse took over: its formula over a row.

It is BLEU as Papineni et al. define it (2002, https://aclanthology.org/P02-1040), on a scale of 0..1, with a length
that is the *shortest* reference's, segment by segment, and with a smoothing of its own that adds 1 to both counts of
every order. (It cites Lin and Och 2004, https://aclanthology.org/C04-1072, who add it above order 1 only.) Same
operations in the same order as `compute_bleu` of https://github.com/tensorflow/nmt/blob/0be8642/nmt/scripts/bleu.py,
so the same float under the same interpreter.

Where the translations or the shortest references have no token at all, that function divides by 0. So does this one,
with a message that says which of the two it is.
"""

from __future__ import annotations

from math import exp, log

from ..counting.corpus import count_few, read_corpus_per_segment
from ..counting.matcher import kept_matcher
from ..errors import ArgumentValueError
from ..inputs.reading import as_list
from ..options import check_order

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..counting.matcher import Matcher
    from ..tokenizers.names import Tokenizer


def nmt_score(row: Sequence[int], smooth: bool = False) -> tuple[float, list[float], float, float, int, int]:
    """Compute tensorflow/nmt's BLEU from the counts of a corpus.

    Args:
        row: 2 + 2N counts: length of the translations, sum of the shortest references' lengths, matched n-grams of
            the orders 1..N, candidate n-grams of these orders.
        smooth: Add 1 to both counts of every order.

    Returns:
        The score (0..1), the n-gram precisions (0..1), the brevity penalty (0..1), translation length over reference
        length, and the two lengths.

    Raises:
        ZeroDivisionError: One of the two lengths is 0.

    Example:
        >>> nmt_score([5, 6, 4, 2, 5, 4])
        (0.5178107940302672, [0.8, 0.5], 0.8187307530779819, 0.8333333333333334, 5, 6)
        >>> nmt_score([0, 6, 0, 0, 0, 0], smooth=True)
        Traceback (most recent call last):
        ZeroDivisionError: division by the length of the translations, which have no token
    """
    translation_length, reference_length = row[0], row[1]
    if not translation_length or not reference_length:
        empty = "translations" if reference_length else "shortest references"
        raise ZeroDivisionError(f"division by the length of the {empty}, which have no token")
    orders = (len(row) - 2) // 2
    counts = zip(row[2 : 2 + orders], row[2 + orders :], strict=True)
    # The order of the operations decides the last bit.
    if smooth:
        precisions = [(matches + 1.0) / (candidates + 1.0) for matches, candidates in counts]
    else:
        precisions = [float(matches) / candidates if candidates else 0.0 for matches, candidates in counts]
    mean = 0.0
    if min(precisions) > 0:
        mean = exp(sum((1.0 / orders) * log(precision) for precision in precisions))
    ratio = float(translation_length) / reference_length
    penalty = brevity_penalty(ratio)
    return mean * penalty, precisions, penalty, ratio, translation_length, reference_length


def brevity_penalty(ratio: float) -> float:
    """Compute the factor that short translations are punished with.

    Args:
        ratio: Translation length over reference length, above 0.

    Returns:
        1.0 if the translations are longer, else exp(1 - 1 / ratio).

    Example:
        >>> brevity_penalty(1.5), brevity_penalty(0.5)
        (1.0, 0.36787944117144233)
    """
    return 1.0 if ratio > 1.0 else exp(1 - 1.0 / ratio)


def nmt_matcher(tokenizer: Tokenizer, max_order: int, lowercase: bool = False) -> Matcher:
    """Make what counts for the formula: the shortest reference decides a segment's length.

    Args:
        tokenizer: Makes tokens of text.
        max_order: The longest n-grams counted, N >= 1.
        lowercase: Whether case is ignored.

    Raises:
        TypeError: `max_order` is not an int.
        ValueError: It is below 1.
    """
    return kept_matcher(tokenizer, lowercase, check_order("max_order", max_order), "shortest")


def count_corpus(
    matcher: Matcher, hypotheses: Any, references: Any, names: tuple[str, str] = ("predictions", "references")
) -> list[int]:
    """Count a corpus whose references are given per segment.

    Args:
        matcher: Counts.
        hypotheses: n >= 1 segments.
        references: For each of them a sequence of at least one reference.
        names: What the caller's user calls the two.

    Returns:
        The row of the whole corpus.

    Raises:
        TypeError: One of the two is not a sequence, or something in it is not a segment.
        ValueError: There are no segments, the two differ in length, or a segment has no reference.

    Example:
        >>> from fastbleu.tokenizers.names import get_tokenizer
        >>> count_corpus(nmt_matcher(get_tokenizer("none"), 2), ["a b c"], [["a b", "a b d e"]])
        [3, 2, 2, 1, 3, 2]
    """
    segments, lists = check_lengths(hypotheses, references, names)
    row = count_few(matcher, segments, lists)
    if row is not None:
        return row
    return read_corpus_per_segment(matcher, segments, lists, names).count().row


def check_lengths(hypotheses: Any, references: Any, names: tuple[str, str]) -> tuple[Any, Any]:
    """Return two sequences of the same number of segments, at least one, in a form that reads quickly.

    Raises:
        TypeError: One of them is not a sequence.
        ValueError: They are empty, or one is longer.
    """
    segments, lists = as_list(hypotheses, names[0]), as_list(references, names[1])
    if len(segments) != len(lists):
        raise ArgumentValueError(
            names[0],
            f"and {names[1]} must be of the same length, not {len(segments)} and {len(lists)}",
        )
    if not len(segments):
        raise ArgumentValueError(names[0], "is empty; a corpus score needs at least one segment")
    return segments, lists
