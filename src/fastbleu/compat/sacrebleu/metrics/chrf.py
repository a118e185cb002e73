"""Replacement for `sacrebleu.metrics.chrf`: chrF, its score and its signature, with sacreBLEU's attributes and methods.

Methods whose names start with an underscore are included, because public programs call and override them.
"""

from __future__ import annotations

from ....scoring.chrf_formula import CHRFScore, chrf_fields
from ....scoring.sacrebleu_chrf import (
    CHRF_METHODS,
    PUNCTUATION,
    ChrfReferenceCache,
    chrf_matcher_of,
    extract_all_char_ngrams,
    extract_word_ngrams,
    ngrams_of,
    remove_punctuation,
)
from ....system._program_changes import MethodRecord
from ..peer import forward
from .metric import Metric, MetricSignature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence
    from typing import Any, ClassVar

__all__ = ["CHRF", "CHRFScore", "CHRFSignature", "extract_all_char_ngrams", "extract_word_ngrams"]

__getattr__ = forward(__name__, {})

#: The precision and the recall that sacreBLEU uses for an order without n-grams.
_EPS = 1e-16


class CHRFSignature(MetricSignature):
    """The signature of a chrF score: the options that the score depends on.

    Args:
        args: The attributes of a metric that has computed a score.

    Raises:
        ValueError: The number of references is not known yet.
    """

    def __init__(self, args: dict[str, Any]) -> None:
        names = ("char_order", "word_order", "lowercase", "whitespace", "eps_smoothing")
        super().__init__(args, chrf_fields(*(args[name] for name in names)))


class CHRF(Metric[CHRFScore]):
    """sacreBLEU's chrF, with its arguments, attributes, scores and signatures.

    Args:
        char_order: The largest order of character n-grams, >= 0.
        word_order: The largest order of word n-grams, >= 0; 2 is chrF++.
        beta: The weight of recall relative to precision.
        lowercase: Ignore case.
        whitespace: Count white space as characters.
        eps_smoothing: Average over all orders, with almost 0 for an order without a match. Otherwise, exclude the
            orders for which the hypotheses or the references are too short.
        references: Streams of references, `references[stream][segment]`, for calls with `references=None`.

    Example:
        >>> chrf = CHRF(word_order=2)
        >>> chrf.corpus_score(["the cat sat on the mat"], [["a cat sat on the mat"], ["the cat is on the mat"]])
        chrF2++ = 87.19
        >>> print(chrf.get_signature())
        nrefs:2|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0

    Scores equal those of `sacrebleu.metrics.CHRF` 2.6.0.
    """

    CHAR_ORDER = 6
    WORD_ORDER = 0
    BETA = 2
    _PUNCTS: ClassVar[set[str]] = set(PUNCTUATION)
    _SIGNATURE_TYPE = CHRFSignature
    _CACHE_TYPE = ChrfReferenceCache
    _matcher = chrf_matcher_of
    _aggregate_and_compute = Metric._aggregate_and_compute  # sacreBLEU defines it in this class.

    def __init__(
        self,
        char_order: int = CHAR_ORDER,
        word_order: int = WORD_ORDER,
        beta: int = BETA,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        references: Sequence[Sequence[str | None]] | None = None,
    ) -> None:
        super().__init__()
        self.beta = beta
        self.char_order = char_order
        self.word_order = word_order
        self.order = char_order + word_order
        self.lowercase = lowercase
        self.whitespace = whitespace
        self.eps_smoothing = eps_smoothing
        if references is not None:
            self._ref_cache = self._cache_references(references)

    # Methods of sacreBLEU that public programs call

    @staticmethod
    def _get_match_statistics(hyp_ngrams: Counter[str], ref_ngrams: Counter[str]) -> list[int]:
        """Return three counts: n-grams of a hypothesis (0 if the reference has none), n-grams of a reference, matches.

        Args:
            hyp_ngrams: The n-grams of the hypothesis of one order.
            ref_ngrams: The n-grams of the reference of the same order.
        """
        matches = sum(min(number, ref_ngrams.get(ngram, 0)) for ngram, number in hyp_ngrams.items())
        return [sum(hyp_ngrams.values()) if ref_ngrams else 0, sum(ref_ngrams.values()), matches]

    def _remove_punctuation(self, sent: str) -> list[str]:
        """Split a segment into words, with punctuation as separate words."""
        return remove_punctuation(sent, self._PUNCTS)

    def _preprocess_segment(self, sent: str) -> str:
        """Lowercase a segment if `lowercase` is set."""
        return sent.lower() if self.lowercase else sent

    def _ngrams(self, line: str) -> list[Counter[str]]:
        """Return one `Counter` for each order of character n-grams, and then one for each order of word n-grams."""
        helpers = self._remove_punctuation, extract_all_char_ngrams, extract_word_ngrams
        return ngrams_of(line, self.char_order, self.word_order, self.whitespace, *helpers)

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        """Return a dictionary with the n-grams of each reference of a segment ("ref_ngrams")."""
        return {"ref_ngrams": list(map(self._ngrams, refs))}

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict[str, Any]) -> list[int]:
        """Return the sufficient statistics of a hypothesis and its best-scoring reference.

        The result is [3 * orders]: for each order, the three counts that `_get_match_statistics` returns.
        """
        best: list[int] = []
        best_score, of_hypothesis = -1.0, self._ngrams(hypothesis)
        for of_reference in ref_kwargs["ref_ngrams"]:
            row: list[int] = []
            for pair in zip(of_hypothesis, of_reference, strict=False):
                row += self._get_match_statistics(*pair)
            score = self._compute_f_score(row)
            if score > best_score:
                best_score, best = score, row
        return best

    def _compute_f_score(self, statistics: Any) -> float:
        """Compute the score, 0..100, from three counts per order, [3 * orders]. Float32 counts give a float32 score."""
        factor = self.beta**2
        score = precisions = recalls = 0.0
        orders = 0
        for i in range(self.order):
            of_hypothesis, of_reference, matches = statistics[3 * i : 3 * i + 3]
            precision = matches / of_hypothesis if of_hypothesis > 0 else _EPS
            recall = matches / of_reference if of_reference > 0 else _EPS
            denominator = factor * precision + recall
            score += (1 + factor) * precision * recall / denominator if denominator > 0 else _EPS
            if of_hypothesis > 0 and of_reference > 0:
                precisions, recalls, orders = precisions + precision, recalls + recall, orders + 1
        if self.eps_smoothing:
            return 100 * score / self.order
        if orders:
            precisions, recalls = precisions / orders, recalls / orders
        if not precisions + recalls:
            return 0.0
        return 100 * ((1 + factor) * precisions * recalls / (factor * precisions + recalls))

    def _compute_score_from_stats(self, stats: Any) -> CHRFScore:
        """Return the score of sufficient statistics, [3 * orders], as `_compute_segment_statistics` returns them."""
        return CHRFScore(self._compute_f_score(stats), self.char_order, self.word_order, self.beta)

    # Internal methods

    def _supports_matcher(self) -> bool:
        if not _METHODS.are_original(self) or (extract_all_char_ngrams, extract_word_ngrams) != _helpers:
            return False
        try:
            self._matcher()
        except (TypeError, ValueError):
            return False
        return True


# The original methods and functions that compute a score. A program may have replaced them, which `_supports_matcher`
# checks.
_METHODS, _helpers = MethodRecord(CHRF, *CHRF_METHODS), (extract_all_char_ngrams, extract_word_ngrams)
