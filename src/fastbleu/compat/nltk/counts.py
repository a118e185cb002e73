"""Count the n-gram matches of segments for NLTK's scores.

A segment is any sequence of hashable tokens; a str is a sequence of characters. Lists and tuples are counted directly.
Other sequences are first converted to lists, because the matcher rejects them, or would split a str into words.
"""

from __future__ import annotations

from itertools import chain

from ...counting.corpus import read_corpus
from ...errors import ArgumentValueError, Location, describe, notice, warn_of_call, wrong_type
from ...options import check_integer
from ..arguments import are_plain, as_tokens, token_matcher
from ..arguments import count_corpus as count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...scoring.nltk.unreduced_fractions import Fraction

#: The names of the arguments with hypotheses and with references, for error messages.
NAMES = ("hypotheses", "list_of_references")


def as_references(references: Any, where: Location) -> list[Any]:
    """Convert the references of one segment, which may be any collection, to a list of lists or tuples of tokens.

    Raises:
        TypeError: `references` is a bare str or not a collection, or a reference is not a sequence.
    """
    if isinstance(references, (str, bytes, dict)) or not hasattr(references, "__len__"):
        raise wrong_type(where, "a list of references", references)
    return [as_tokens(reference, where[k]) for k, reference in enumerate(references)]


def warn_of_text_beside_words(hypothesis: Any, references: Any, name: str, names: str) -> None:
    """Warn if a str is compared with a list of words, because the characters of the str are compared with the words.

    If the hypothesis and all references are str, comparing characters may be intended. So there is no warning, and the
    call is only reported to `fastbleu.errors.observer`, which collects likely mistakes.

    Args:
        hypothesis: The segment.
        references: Its references.
        name: The name of the hypothesis in the warning.
        names: The name of the references in the warning.
    """
    if len(references) and all(isinstance(text, str) for text in (hypothesis, *references)):
        notice(
            f"{name} and its references are texts, whose characters NLTK scores as tokens; split them into words"
        )
    for k, reference in enumerate(references):
        if isinstance(hypothesis, str) == isinstance(reference, str):
            continue
        sides = (hypothesis, name), (reference, f"{names}[{k}]")
        (text, text_name), (words, words_name) = sides if isinstance(hypothesis, str) else sides[::-1]
        word = next((word for word in words if isinstance(word, str) and len(word) > 1), None)
        if text and word is not None:
            warn_of_call(
                f"{text_name} is {describe(text)}, of which each character is a token, "
                f"but {words_name} has words, such as {word!r}; split the text"
            )
            return


def count_pair(references: Any, hypothesis: Any, order: int) -> list[int]:
    """Count the n-gram matches of one segment.

    Args:
        references: The references of the segment, at least one.
        hypothesis: The segment.
        order: The largest order of n-grams, N >= 1.

    Returns:
        The sufficient statistics, [2 + 2N]: sys_len, ref_len, correct_1..N, total_1..N.

    Raises:
        TypeError: A segment is not a sequence of hashable tokens.
        ValueError: There is no reference.

    Example:
        >>> count_pair(["the cat is here".split()], "the cat sat".split(), 2)
        [3, 4, 2, 1, 3, 2]
        >>> count_pair(["abcd"], "ab", 2)
        [2, 4, 2, 1, 2, 1]
    """
    matcher = token_matcher(order)
    if not isinstance(hypothesis, str):
        try:
            row, _, number = matcher.count_one(hypothesis, references)
        except (TypeError, ValueError):
            pass  # The conversion below raises an error that names the argument.
        else:
            # The matcher skips references that are None. In NLTK, they are errors.
            if number == len(references):
                return row
    tokens = as_tokens(hypothesis, "hypothesis")
    lists = as_references(references, Location("references"))
    warn_of_text_beside_words(hypothesis, references, "hypothesis", "references")
    return matcher.count_one(tokens, lists)[0]


def modified_precision(references: Any, hypothesis: Any, n: int) -> Fraction:
    """Compute the modified n-gram precision of one segment (Papineni et al. 2002, section 2.1).

    Args:
        references: The references of the segment, at least one.
        hypothesis: The segment.
        n: The order, >= 1.

    Returns:
        The clipped matches over the candidates, 0..1, as an unreduced fraction; 0/1 if the hypothesis has fewer than n
        tokens.

    Raises:
        TypeError: A segment is not a sequence of hashable tokens, or `n` is not an integer.
        ValueError: There is no reference, or `n` is below 1.

    Example:
        >>> precision = modified_precision(["the cat".split(), "the hat".split()], "the the cat the".split(), 1)
        >>> precision.numerator, precision.denominator, float(precision)
        (2, 4, 0.5)
    """
    n = check_integer("n", n, 1)
    if hasattr(hypothesis, "__len__") and len(hypothesis) < n:
        if not (
            are_plain([hypothesis]) and type(references) is list and references and are_plain(references)
        ):
            count_pair(references, hypothesis, 1)  # This raises an error for malformed segments.
        return fraction(0, 1)
    row = count_pair(references, hypothesis, n)
    return fraction(row[1 + n], row[1 + 2 * n] or 1)


def closest_ref_length(references: Any, hyp_len: int) -> int:
    """Return the reference length that is closest to `hyp_len`. If two are equally close, return the smaller one.

    Args:
        references: An iterable of references, at least one.
        hyp_len: The number of tokens in the hypothesis.

    Returns:
        The number of tokens in the closest reference.

    Raises:
        TypeError: A reference has no length.
        ValueError: There is no reference.

    Example:
        >>> closest_ref_length(iter([["a"] * 13, ["a"] * 11, ["a"] * 2]), 12)
        11
    """
    closest = min(map(len, references), key=lambda length: (abs(length - hyp_len), length), default=None)
    if closest is None:
        raise ArgumentValueError("references", "must hold at least one reference, but it is empty")
    return closest


def fraction(numerator: int, denominator: int) -> Fraction:
    """Return an unreduced fraction."""
    from ...scoring.nltk.unreduced_fractions import (
        Fraction,  # Imported here to keep the import of this module cheap.
    )

    return Fraction(numerator, denominator)


def as_lists(segments: Any, lists: Any) -> tuple[Any, Any]:
    """Convert hypotheses and their references, which may be any sequences, to lists or tuples of tokens.

    Args:
        segments: n hypotheses.
        lists: The references of each hypothesis.

    Returns:
        The converted hypotheses, and the list of converted references of each hypothesis.

    Raises:
        TypeError: A segment is not a sequence, or the references of a segment are not a collection.
    """
    if are_plain(segments) and are_plain(lists) and are_plain(chain.from_iterable(lists)):
        return segments, lists
    hypotheses, list_of_references = map(Location, NAMES)
    tokens = [as_tokens(segment, hypotheses[i]) for i, segment in enumerate(segments)]
    listed = [as_references(references, list_of_references[i]) for i, references in enumerate(lists)]
    for i, (segment, references) in enumerate(zip(segments, lists, strict=True)):
        warn_of_text_beside_words(segment, references, f"hypotheses[{i}]", f"list_of_references[{i}]")
    return tokens, listed


def count_corpus(lists: Any, segments: Any, order: int) -> list[int]:
    """Count the n-gram matches of a corpus.

    Args:
        lists: The references of each hypothesis, at least one each.
        segments: n hypotheses.
        order: The largest order of n-grams, N >= 1.

    Returns:
        The sum of the sufficient statistics of all segments, [2 + 2N]: sys_len, ref_len, correct_1..N, total_1..N.

    Raises:
        TypeError: A segment is not a sequence of hashable tokens, or an item of `lists` is not a list of references.
        ValueError: A segment has no reference.

    Example:
        >>> count_corpus([["the cat is here".split()], [["no"]]], ["the cat sat".split(), ["yes"]], 2)
        [4, 5, 2, 1, 4, 2]
    """
    matcher = token_matcher(order)
    # Index the references once if all hypotheses share one list, as in the evaluation of text generation.
    if (
        len(lists) > 1
        and all(references is lists[0] for references in lists)
        and all(map(are_plain, (segments, lists[:1], lists[0])))
    ):
        try:
            references = matcher.prepare_segments([lists[0]])[[0] * len(segments)]
            return read_corpus(matcher, segments, references).count().row
        except (TypeError, ValueError):
            pass  # The call below raises an error that names the segment.
    return count(matcher, *as_lists(segments, lists), NAMES)
