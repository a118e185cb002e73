"""The keyword-weighted n-gram match of CodeBLEU, `CodeBLEU/weighted_ngram_match.py`.

It is a recall rather than a precision: the n-grams of the references that the hypothesis has, over all n-grams of the
references, one reference after the other. Only single tokens are weighted. The brevity penalty takes the length of the
pair of tokens and weights, which is 2, for the length of a reference, as there.
"""

from __future__ import annotations

from collections import Counter

from ...counting.corpus import Corpus, rows_of
from ...counting.rows import empty_rows
from ...inputs.columns import column_of
from ...scoring._codebleu import weighted_tokens
from ...scoring.nltk import Constants, method1, score
from .tokens import check_segments, matcher_of, refuse_smoothing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TypeAlias

    #: Tokens, and the weight of each different one.
    Weighted: TypeAlias = Sequence[Any]


def sentence_bleu(
    references: Sequence[Weighted],
    hypothesis: Sequence[Any],
    weights: Sequence[float] = (0.25, 0.25, 0.25, 0.25),
    smoothing_function: None = None,
    auto_reweigh: bool = False,
) -> float:
    """Score one segment: `corpus_bleu` of it alone."""
    return corpus_bleu([references], [hypothesis], weights, smoothing_function, auto_reweigh)


def corpus_bleu(
    list_of_references: Sequence[Sequence[Weighted]],
    hypotheses: Sequence[Sequence[Any]],
    weights: Sequence[float] = (0.25, 0.25, 0.25, 0.25),
    smoothing_function: None = None,
    auto_reweigh: bool = False,
) -> float:
    """Score a corpus.

    Args:
        list_of_references: For each hypothesis its references, at least one, each a pair: a sequence of hashable
            tokens, and a mapping with the weight of each. If the mapping has another number of tokens, all weigh 1.
        hypotheses: As many sequences of tokens.
        weights: One number for each order.
        smoothing_function: None.
        auto_reweigh: As for `ngram_match.corpus_bleu`.

    Returns:
        The score, 0..1; the integer 0 if nothing matches. An order without a match counts 0.1 matches.

    Raises:
        AssertionError: There are more hypotheses than lists of references, or fewer.
        TypeError: Something is not a sequence of hashable tokens, or there is a smoothing function.
        ValueError: A segment has no reference.

    Example:
        >>> tokens = "int x = 0 ;".split()
        >>> corpus_bleu([[(tokens, make_weights(tokens, ["int"]))]], ["int y = 0 ;".split()])
        0.2933705789311311
    """
    refuse_smoothing(smoothing_function)
    lists, segments = check_segments(list_of_references, hypotheses, weighted=True)
    order = len(weights)
    if not order or not segments:
        return 0
    pairs = [
        (segment, reference[0]) for segment, some in zip(segments, lists, strict=True) for reference in some
    ]
    rows = empty_rows(len(pairs), order)
    stream = column_of([reference for _, reference in pairs], "list_of_references", may_be_absent=True)
    row = (
        Corpus(matcher_of(order), column_of([segment for segment, _ in pairs], "hypotheses"), [stream])
        .count(rows_of(rows))
        .row
    )
    matches: list[Any] = row[2 : 2 + order]
    lengths = rows[:, 1]
    candidates: list[Any] = [int((lengths - n).clip(min=1).sum()) for n in range(order)]
    matches[0], candidates[0] = _weighted_tokens(lists, segments)
    sys_len = sum(map(len, segments))
    ref_len = sum(
        min(map(len, some), key=lambda length: (abs(length - len(segment)), length))
        for some, segment in zip(lists, segments, strict=True)
    )
    found: float = score(matches, candidates, sys_len, ref_len, [weights], _smooth, auto_reweigh)
    return found


def make_weights(reference_tokens: Sequence[Any], key_word_list: Any) -> dict[Any, float]:
    """The weight of each token of a reference: 1 for a keyword, 0.2 for any other.

    Example:
        >>> make_weights(["int", "x"], ["int", "for"])
        {'int': 1, 'x': 0.2}
    """
    return {token: 1 if token in key_word_list else 0.2 for token in reference_tokens}


def _weighted_tokens(
    lists: Sequence[Sequence[Weighted]], segments: Sequence[Sequence[Any]]
) -> tuple[Any, Any]:
    """The weights of the tokens that match and of all of them, added up segment by segment, as there."""
    all_matched: Any = 0
    all_weights: Any = 0
    weights: Mapping[Any, Any]
    for some, segment in zip(lists, segments, strict=True):
        counts = dict(Counter(segment))
        matched: Any = 0
        total: Any = 0
        for reference, weights, *_ in some:
            of_reference = weighted_tokens(counts, reference, weights)
            matched += of_reference[0]
            total += of_reference[1]
        all_matched += matched
        all_weights += total
    return all_matched, all_weights


def _smooth(matches: list[Any], candidates: list[Any]) -> list[float]:
    return method1(matches, candidates, Constants)
