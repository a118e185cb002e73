"""The keyword-weighted n-gram match of CodeBLEU, `CodeBLEU/weighted_ngram_match.py`.

The brevity penalty takes the length of the pair of tokens and weights, which is 2, for the length of a reference, as
there.
"""

from __future__ import annotations

from itertools import chain

from ...errors import ArgumentValueError, Place, describe
from ...inputs.reading import as_list
from ...scoring.codebleu import weighted_ngram_match
from ..arguments import aligned, read_pairs, token_lists, token_lists_per_segment, token_matcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

    #: Tokens, and the weight of each different one.
    Weighted: TypeAlias = Sequence[Any]


_NAMES = ("hypotheses", "list_of_references")


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
    if smoothing_function is not None:
        raise TypeError(
            f"smoothing_function must be None, which is CodeBLEU's own, not {describe(smoothing_function)}"
        )
    segments, lists = aligned(hypotheses, list_of_references, _NAMES, like_nltk=True)
    segments, where = token_lists(segments, _NAMES[0]), Place(_NAMES[1])
    lists = [as_list(some, where[i]) for i, some in enumerate(lists)]
    if not all(lists):
        raise ArgumentValueError(where[lists.index([])], "must hold at least one reference, but it is empty")
    order = len(weights)
    if not order or not segments:
        return 0
    tokens = token_lists_per_segment([[pair[0] for pair in some] for some in lists], _NAMES[1])
    references = list(chain.from_iterable(tokens))
    repeated = [segment for segment, some in zip(segments, lists, strict=True) for _ in some]
    row = read_pairs(token_matcher(order), repeated, references, _NAMES).count().row
    ref_len = sum(
        min(map(len, some), key=lambda length: (abs(length - len(segment)), length))
        for some, segment in zip(lists, segments, strict=True)
    )
    weighted = [
        (segment, [(read, *pair[1:]) for read, pair in zip(each, some, strict=True)])
        for segment, each, some in zip(segments, tokens, lists, strict=True)
    ]
    lengths = sum(map(len, segments)), ref_len
    return weighted_ngram_match(
        row[2 : 2 + order], map(len, references), weighted, lengths, weights, auto_reweigh
    )


def make_weights(reference_tokens: Sequence[Any], key_word_list: Any) -> dict[Any, float]:
    """Return the weight of each token of a reference: 1 for a keyword, 0.2 for any other.

    Example:
        >>> make_weights(["int", "x"], ["int", "for"])
        {'int': 1, 'x': 0.2}
    """
    return {token: 1 if token in key_word_list else 0.2 for token in reference_tokens}
