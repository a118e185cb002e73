"""The counts of NLTK's scores: from segments of any sequences to rows, with candidates as NLTK adds them up.

Segments are sequences of hashable tokens, and a str is a sequence of characters. Lists and tuples are counted as they
are; segments that the matcher refuses, or would read as text, become lists first.
"""

from __future__ import annotations

from ...counting.corpus import count_few, read_corpus_per_segment
from ...counting.matcher import kept_matcher
from ...errors import ArgumentValueError, Place, describe, wrong_type
from ...inputs._tokens import as_sequence
from ...inputs.reading import as_list
from ...options import check_integer
from ...tokenizers.names import get_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...counting.matcher import Matcher
    from ...inputs.columns import Held as Listed
    from .unreduced import Fraction


_WHITE_SPACE = get_tokenizer("none")


def token_matcher(order: int) -> Matcher:
    """The matcher of tokens for the orders 1..`order`."""
    return kept_matcher(_WHITE_SPACE, max_ngram_order=order)


def as_tokens(segment: Any, name: str | Place, iterators: bool = False) -> list[Any] | tuple[Any, ...]:
    """A segment as a list or tuple of tokens: of a str its characters, of an array its numbers as Python's.

    Args:
        segment: The segment.
        name: What errors call it.
        iterators: Whether it may be an iterator.

    Raises:
        TypeError: It is not a sequence.
    """
    if isinstance(segment, (list, tuple)):
        return segment
    if iterators and hasattr(segment, "__next__"):
        return list(segment)
    return list(segment) if isinstance(segment, (str, bytes)) else as_sequence(segment, name)


#: Types of segments that are counted as they are.
_PLAIN = {list, tuple}


def are_plain(segments: Any) -> bool:
    """Return whether all segments are lists or tuples of tokens."""
    return set(map(type, segments)) <= _PLAIN


def as_references(references: Any, name: str | Place, iterators: bool = False) -> list[Any]:
    """The references of one segment as a list, each as `as_tokens` gives it; any collection of references will do.

    Raises:
        TypeError: It is a bare str, or not a collection; or a reference is not a sequence.
    """
    if not (iterators and hasattr(references, "__next__")) and (
        isinstance(references, (str, bytes, dict)) or not hasattr(references, "__len__")
    ):
        raise wrong_type(name, "a list of references", references)
    if type(references) is list and are_plain(references):
        return references
    where = name if isinstance(name, Place) else Place(name)
    return [as_tokens(reference, where[k], iterators) for k, reference in enumerate(references)]


def warn_of_text_beside_words(hypothesis: Any, references: Any, name: str, names: str) -> None:
    """Warn of a text beside a list of words: comparing its characters with words is hardly what the user means."""
    for k, reference in enumerate(references):
        if isinstance(hypothesis, str) == isinstance(reference, str):
            continue
        sides = (hypothesis, name), (reference, f"{names}[{k}]")
        (text, text_name), (words, words_name) = sides if isinstance(hypothesis, str) else sides[::-1]
        word = next((word for word in words if isinstance(word, str) and len(word) > 1), None)
        if text and word is not None:
            from warnings import warn

            warn(
                f"{text_name} is {describe(text)}, of which each character is a token, "
                f"but {words_name} has words, such as {word!r}; split the text",
                stacklevel=4,
            )
            return


def aligned(list_of_references: Any, hypotheses: Any) -> tuple[Listed, Listed]:
    """The references and the hypotheses of a corpus as lists or tuples.

    Raises:
        TypeError: One of them is a bare str, or not a sequence.
        AssertionError: There are more of one than of the other.
    """
    lists = as_list(list_of_references, "list_of_references")
    segments = as_list(hypotheses, "hypotheses")
    if len(lists) != len(segments):
        raise AssertionError(
            "The number of hypotheses and their reference(s) should be the same, "
            f"but there are {len(segments)} hypotheses and references for {len(lists)}"
        )
    return lists, segments


def count_pair(references: Any, hypothesis: Any, order: int) -> list[int]:
    """Count one segment.

    Args:
        references: Its references, at least one.
        hypothesis: The segment.
        order: N.

    Returns:
        sys_len, ref_len, matches of the orders 1..N, candidates of the orders 1..N.

    Raises:
        TypeError: Something is not a sequence of hashable tokens.
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
            row, number = matcher.count_one(hypothesis, references)
        except (TypeError, ValueError):
            pass  # counted below, which raises the right error for bad segments
        else:
            if number == len(references):  # else there is a None, which means "absent" elsewhere
                return row
    tokens = as_tokens(hypothesis, "hypothesis")
    lists = as_references(references, "references")
    warn_of_text_beside_words(hypothesis, references, "hypothesis", "references")
    return matcher.count_one(tokens, lists)[0]


def modified_precision(references: Any, hypothesis: Any, n: int) -> Fraction:
    """Compute the modified n-gram precision of one segment (Papineni et al. 2002, section 2.1).

    Args:
        references: Its references, at least one.
        hypothesis: The segment.
        n: The order, at least 1.

    Returns:
        The matches, clipped, over the candidates (1 if the hypothesis is too short), 0..1; not reduced.

    Raises:
        TypeError: Something is not a sequence of hashable tokens, or `n` is not an integer.
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
            count_pair(references, hypothesis, 1)  # raises if they are not segments
        return fraction(0, 1)
    row = count_pair(references, hypothesis, n)
    return fraction(row[1 + n], row[1 + 2 * n] or 1)


def closest_ref_length(references: Any, hyp_len: int) -> int:
    """Find the length of the reference that is closest to a hypothesis' length, the shorter of two.

    Args:
        references: The references, at least one; an iterator will do.
        hyp_len: Tokens in the hypothesis.

    Returns:
        The number of its tokens.

    Raises:
        TypeError: Something has no length.
        ValueError: There is no reference.

    Example:
        >>> closest_ref_length(iter([["a"] * 13, ["a"] * 11, ["a"] * 2]), 12)
        11
    """
    closest = min(map(len, references), key=lambda length: (abs(length - hyp_len), length), default=None)
    if closest is None:
        raise ArgumentValueError("references", "must hold at least one reference, but it is empty")
    return closest


#: The class, once it is imported.
_fraction: list[type[Fraction]] = []


def fraction(numerator: int, denominator: int) -> Fraction:
    """A fraction that is not reduced."""
    if not _fraction:
        from .unreduced import Fraction  # only here, so that importing this module stays cheap

        _fraction.append(Fraction)
    return _fraction[0](numerator, denominator)


def count_corpus(lists: Listed, segments: Listed, order: int) -> tuple[list[int], list[int]]:
    """Count a corpus.

    Args:
        lists: For each hypothesis its references, at least one.
        segments: As many hypotheses, any number.
        order: N.

    Returns:
        The sum of the segments' rows, and for the orders 1..N how many hypotheses are shorter.

    Raises:
        TypeError: Something is not a sequence of hashable tokens, or not a list of references.
        ValueError: A segment has no reference.

    Example:
        >>> count_corpus([["the cat is here".split()], [["no"]]], ["the cat sat".split(), ["yes"]], 2)
        ([4, 5, 2, 1, 4, 2], [0, 1])
    """
    row = _counted_as_they_are(lists, segments, order)
    if row is None:
        segments, lists = as_lists(segments, lists)
        names = ("hypotheses", "list_of_references")
        row = read_corpus_per_segment(token_matcher(order), segments, lists, names).count().row
    shorter = [0] * order
    for length in map(len, segments):
        for i in range(length, order):
            shorter[i] += 1
    return row, shorter


def as_lists(segments: Any, lists: Any, iterators: bool = False) -> tuple[list[Any], list[Any]]:
    """Hypotheses, and lists of references, of lists of tokens.

    Args:
        segments: Hypotheses.
        lists: References of each.
        iterators: Whether segments and lists of references may be iterators.

    Raises:
        TypeError: Something is not a sequence.
    """
    if are_plain(segments) and all(type(each) is list and are_plain(each) for each in lists):
        return segments, lists
    hypotheses, list_of_references = Place("hypotheses"), Place("list_of_references")
    tokens = [as_tokens(segment, hypotheses[i], iterators) for i, segment in enumerate(segments)]
    listed = [as_references(each, list_of_references[i], iterators) for i, each in enumerate(lists)]
    for i, (segment, references) in enumerate(zip(segments, lists, strict=True)):
        if hasattr(references, "__len__"):
            warn_of_text_beside_words(segment, references, f"hypotheses[{i}]", f"list_of_references[{i}]")
    return tokens, listed


def _counted_as_they_are(lists: Any, segments: Listed, order: int) -> list[int] | None:
    """The sums of a corpus that needs no preparation; None for any other."""
    if len(segments) and isinstance(segments[0], str):
        return None
    row = count_few(token_matcher(order), segments, lists)
    if row is not None:
        return row
    try:
        totals = read_corpus_per_segment(token_matcher(order), segments, lists).count()
    except (TypeError, ValueError):
        return None  # counted again by the caller, which raises the right error for bad segments
    # Where all segments have as many references as the longest list, none of them is None.
    if totals.num_references == max(map(len, lists), default=0):
        return totals.row
    return None if any(each is None for references in lists for each in references) else totals.row
