"""Replacement for `sacrebleu.metrics.bleu`: BLEU, its score and its signature, with sacreBLEU's attributes and methods.

Methods whose names start with an underscore are included, because public programs call and override them.
"""

from __future__ import annotations

from ....options import SMOOTH_DEFAULTS
from ....scoring.sacrebleu_log import log_as_sacrebleu
from ....scoring.sacrebleu_statistics import (
    BLEU_METHODS,
    ReferenceCache,
    cached_formula,
    extract_all_word_ngrams,
    extract_reference_info,
    matcher_of,
)
from ....scoring.sacrebleu_tokenizers import MetricTokenizer
from ....scoring.score import BLEUScore
from ....scoring.signature import bleu_fields
from ....scoring.smoothing import PEER_METHODS
from ....system._program_changes import MethodRecord
from ....tokenizers.languages import advice_against, tokenizer_for
from ....tokenizers.names import NAMES
from ..peer import forward, peer_module
from .metric import Metric, MetricSignature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, ClassVar

    from ....scoring.formula import Formula

__all__ = ["BLEU", "MAX_NGRAM_ORDER", "BLEUScore", "BLEUSignature", "extract_all_word_ngrams"]

__getattr__ = forward(__name__, {})


def _check_smooth_method(name: Any) -> None:
    """Raise an AssertionError, as sacreBLEU does, if a smoothing method is unknown."""
    if name not in BLEU.SMOOTH_DEFAULTS:
        raise AssertionError(f"unknown smooth_method {name!r}; choose one of {', '.join(PEER_METHODS)}")


#: The default of `max_ngram_order`.
MAX_NGRAM_ORDER = 4


def _get_tokenizer(name: str) -> Any:
    """Return the class of a tokenizer of the installed sacreBLEU."""
    return peer_module("metrics.bleu")._get_tokenizer(name)


class BLEUSignature(MetricSignature):
    """The signature of a BLEU score: the options that the score depends on.

    Args:
        args: The attributes of a metric that has computed a score.

    Raises:
        ValueError: The number of references is not known yet.
    """

    def __init__(self, args: dict[str, Any]) -> None:
        names = ("lowercase", "effective_order", "tokenizer_signature", "smooth_method", "smooth_value")
        super().__init__(args, bleu_fields(*(args[name] for name in names)))


class BLEU(Metric[BLEUScore]):
    """sacreBLEU's BLEU, with its arguments, attributes, scores and signatures.

    Args:
        lowercase: Ignore case.
        force: Do not warn of hypotheses that look tokenized.
        tokenize: The name of the tokenizer; None for that of `trg_lang`.
        smooth_method: "exp", "floor", "add-k" or "none".
        smooth_value: The value for "floor" (0.1 if None) and "add-k" (1 if None), >= 0.
        max_ngram_order: The largest order of n-grams, >= 1.
        effective_order: Exclude the orders for which the hypothesis is too short.
        trg_lang: The language of the segments, such as "ja".
        references: Streams of references, `references[stream][segment]`, for calls with `references=None`.

    Raises:
        AssertionError: The smoothing method is unknown, as in sacreBLEU.
        KeyError: The tokenizer is unknown, as in sacreBLEU.
        ImportError: The tokenizer's packages are not installed.

    Example:
        >>> bleu = BLEU()
        >>> bleu.corpus_score(["the cat sat on the mat"], [["a cat sat on the mat"], ["the cat is on the mat"]])
        BLEU = 84.09 100.0/100.0/75.0/66.7 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)
        >>> print(bleu.get_signature())
        nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0

    Scores equal those of `sacrebleu.metrics.BLEU` 2.6.0.
    """

    SMOOTH_DEFAULTS: ClassVar[dict[str, float | None]] = {
        name: SMOOTH_DEFAULTS[name] for name in PEER_METHODS
    }
    TOKENIZERS = dict.fromkeys(NAMES).keys()
    TOKENIZER_DEFAULT = tokenizer_for("")
    _TOKENIZER_MAP: ClassVar[dict[str, str]] = {code: tokenizer_for(code) for code in ("zh", "ja", "ko")}
    _SIGNATURE_TYPE = BLEUSignature
    _CACHE_TYPE = ReferenceCache
    _matcher = matcher_of
    _aggregate_and_compute = Metric._aggregate_and_compute  # sacreBLEU defines it in this class.

    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: str | None = None,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = MAX_NGRAM_ORDER,
        effective_order: bool = False,
        trg_lang: str = "",
        references: Sequence[Sequence[str | None]] | None = None,
    ) -> None:
        super().__init__()
        self._force = force
        self.trg_lang = trg_lang
        self.lowercase = lowercase
        self.smooth_value = smooth_value
        self.smooth_method = smooth_method
        self.max_ngram_order = max_ngram_order
        self.effective_order = effective_order
        _check_smooth_method(smooth_method)
        if tokenize is None:
            tokenize = self._TOKENIZER_MAP.get(trg_lang, self.TOKENIZER_DEFAULT)
        else:
            advice = advice_against(tokenize, trg_lang)
            if advice is not None:
                log_as_sacrebleu(advice)
        if tokenize not in self.TOKENIZERS:
            raise KeyError(f"unknown tokenize {tokenize!r}; choose one of {', '.join(self.TOKENIZERS)}")
        self.tokenizer: Any = MetricTokenizer(tokenize)
        self.tokenizer_signature = self.tokenizer.signature()
        if references is not None:
            self._ref_cache = self._cache_references(references)

    @staticmethod
    def compute_bleu(
        correct: Any,
        total: Any,
        sys_len: int,
        ref_len: int,
        smooth_method: str = "none",
        smooth_value: float | None = None,
        effective_order: bool = False,
        max_ngram_order: int = MAX_NGRAM_ORDER,
    ) -> BLEUScore:
        """Compute BLEU from counts.

        Args:
            correct: The numbers of matched n-grams of the orders 1..max_ngram_order. "add-k" changes this list in
                place, as in sacreBLEU.
            total: The numbers of candidate n-grams of the orders 1..max_ngram_order. "add-k" also changes this list.
            sys_len: The number of tokens in the hypotheses.
            ref_len: The number of tokens in the closest references.
            smooth_method: "none", "floor", "add-k" or "exp".
            smooth_value: The value for "floor" and "add-k".
            effective_order: Exclude the orders for which the hypothesis is too short.
            max_ngram_order: The largest order of n-grams.

        Returns:
            The score, 0..100. Its attributes `counts` and `totals` are `correct` and `total` themselves, not copies.

        Raises:
            AssertionError: The smoothing method is unknown.
            IndexError: `correct` or `total` has fewer than `max_ngram_order` items, and sacreBLEU would read the
                missing items.

        Example:
            >>> BLEU.compute_bleu([4, 2, 1, 0], [5, 4, 3, 2], 5, 5, smooth_method="floor").precisions
            [80.0, 50.0, 33.333333333333336, 5.0]
        """
        _check_smooth_method(smooth_method)
        orders = int(max_ngram_order)
        formula = cached_formula(max(orders, 1), smooth_method, smooth_value, bool(effective_order))
        if orders < 1:
            score = formula.score_counts([0], [0], sys_len, ref_len)
            score.counts, score.totals, score.precisions = correct, total, []
            return score
        matches, candidates = list(correct)[:orders], list(total)[:orders]
        if len(matches) < orders or len(candidates) < orders:
            # sacreBLEU stops before it reads the missing counts if there is no match, or an order has no n-grams.
            if any(correct) and all(candidates):
                raise IndexError(f"counts of {orders} orders are needed, got {correct!r} and {total!r}")
            matches, candidates = ([*each, *[0] * orders][:orders] for each in (matches, candidates))
        score = formula.score_counts(matches, candidates, sys_len, ref_len)
        if smooth_method == "add-k" and any(correct):
            correct[:orders], total[:orders] = score.counts, score.totals
        score.counts, score.totals = correct, total
        return score

    # Methods of sacreBLEU that public programs call

    def _preprocess_segment(self, sent: str) -> str:
        """Lowercase a segment if `lowercase` is set, and return its tokens as text, separated by white space."""
        tokenized: str = self.tokenizer((sent.lower() if self.lowercase else sent).rstrip())
        return tokenized

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        """Return the n-grams ("ref_ngrams") and the lengths ("ref_lens") of the tokenized references of a segment."""
        return extract_reference_info(refs, self.max_ngram_order, extract_all_word_ngrams)

    def _get_closest_ref_len(self, hyp_len: int, ref_lens: Sequence[int]) -> int:
        """Return the length closest to `hyp_len`, the smaller one if two are equally close; -1 if there is none."""
        return min(ref_lens, key=lambda length: (abs(hyp_len - length), length), default=-1)

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict[str, Any]) -> list[int]:
        """Return sufficient statistics of a tokenized text, [2 + 2N]: sys_len, ref_len, correct_1..N, total_1..N."""
        ngrams, length = extract_all_word_ngrams(hypothesis, 1, self.max_ngram_order)
        correct, total = [0] * self.max_ngram_order, [0] * self.max_ngram_order
        in_references = ref_kwargs["ref_ngrams"]
        for ngram, number in ngrams.items():
            total[len(ngram) - 1] += number
            if ngram in in_references:
                correct[len(ngram) - 1] += min(number, in_references[ngram])
        return [length, self._get_closest_ref_len(length, ref_kwargs["ref_lens"]), *correct, *total]

    def _compute_score_from_stats(self, stats: Any) -> BLEUScore:
        """Return the score of sufficient statistics, [2 + 2N]: sys_len, ref_len, correct_1..N, total_1..N."""
        orders = self.max_ngram_order
        return self.compute_bleu(
            correct=stats[2 : 2 + orders],
            total=stats[2 + orders :],
            sys_len=int(stats[0]),
            ref_len=int(stats[1]),
            smooth_method=self.smooth_method,
            smooth_value=self.smooth_value,
            effective_order=self.effective_order,
            max_ngram_order=orders,
        )

    # Internal methods

    def _supports_matcher(self) -> bool:
        """Return whether the matcher can count: no method is overridden, and `max_ngram_order` is a positive int."""
        order = self.max_ngram_order
        return (
            type(order) is int
            and order > 0
            and extract_all_word_ngrams is _ngrams
            and _METHODS.are_original(self)
        )

    def _formula(self) -> Formula:
        return cached_formula(
            self.max_ngram_order, self.smooth_method, self.smooth_value, bool(self.effective_order)
        )

    def _score_of_row(self, row: list[int]) -> BLEUScore:
        return self._formula().score(row)

    def _scores_of_resamples(self, sums: Any) -> list[float]:
        if not self._supports_matcher():
            return super()._scores_of_resamples(sums)
        scores: list[float] = self._formula().score_float32_rows(sums).tolist()
        return scores


# The original methods and the original function that compute a score. A program may have replaced them, which
# `_supports_matcher` checks.
_METHODS, _ngrams = MethodRecord(BLEU, *BLEU_METHODS), extract_all_word_ngrams
