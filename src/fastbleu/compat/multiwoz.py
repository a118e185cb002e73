"""MultiWOZ's `BLEUScorer`, which benchmarks of task-oriented dialogue share (SimpleTOD, UBAR, PPTOD)."""

from __future__ import annotations

from math import exp, fsum, log

from ..counting.matcher import kept_matcher
from ..errors import ArgumentValueError, Place
from ..inputs.reading import PER_SEGMENT, as_list
from ..tokenizers.names import get_tokenizer
from .arguments import check_texts, count_corpus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

#: Added to each precision and to its denominator.
_ADDED = 1e-7

_ORDER = 4
_NAME = "parallel_corpus"


class BLEUScorer:
    """Scores a corpus of turns.

    Example:
        >>> corpus = [(["the hotel is in the north of town"], ["the hotel is in the north"]), (["bye"], ["good bye"])]
        >>> BLEUScorer().score(corpus)
        0.6865891377705275
    """

    def score(self, parallel_corpus: Iterable[tuple[Sequence[str], Sequence[str]]]) -> float:
        """Compute BLEU of all hypotheses, each with the references of its turn.

        Args:
            parallel_corpus: For each turn its hypotheses, any number, and its references, at least one. Texts are split
                at white space.

        Returns:
            The score, 0..1. An order without a match has a precision of 1e-7.

        Raises:
            TypeError: A text is not a str.
            ValueError: A turn has no reference.
            ZeroDivisionError: The hypotheses have no token.
        """
        segments: list[Any] = []
        lists = []
        for i, (hypotheses, references) in enumerate(parallel_corpus):
            of_turn = (
                as_list(hypotheses, Place(_NAME)[i, 0], PER_SEGMENT),
                as_list(references, Place(_NAME)[i, 1]),
            )
            for k, texts in enumerate(of_turn):
                check_texts(texts, Place(_NAME)[i, k])
            if not of_turn[1]:
                raise ArgumentValueError(
                    Place(_NAME)[i, 1], "must hold at least one reference, but it is empty"
                )
            segments += of_turn[0]
            lists += [of_turn[1]] * len(of_turn[0])
        matcher = kept_matcher(get_tokenizer("none"), False, _ORDER, "closest-first")
        row = count_corpus(matcher, segments, lists, (f"hypotheses of {_NAME}", f"references of {_NAME}"))
        length, closest, counts = row[0], row[1], zip(row[2 : 2 + _ORDER], row[2 + _ORDER :], strict=True)
        penalty = 1.0 if length > closest else exp(1 - closest / length)
        precisions = [matches / (candidates + _ADDED) + _ADDED for matches, candidates in counts]
        return penalty * exp(fsum(0.25 * log(precision) for precision in precisions))
