"""`sacrebleu.metrics.bleu`: the metric, its score and its signature, with sacreBLEU's attributes and methods.

The methods whose names start with an underscore are called by public programs; they take and return what sacreBLEU's
do. A subclass may replace any of them, as a subclass of sacreBLEU's may: its scores then come from these methods,
segment by segment.
"""

from __future__ import annotations

from collections.abc import Sequence
from logging import getLogger

from ....errors import ArgumentError, describe
from ....options import SMOOTH_DEFAULTS
from ....scoring.bootstrap import float32_resamples, interval_of
from ....scoring.sacrebleu import (
    STEPS,
    cache_references,
    can_count,
    count,
    count_rows,
    count_sentence,
    extract_all_word_ngrams,
    extract_reference_info,
    is_plain,
    is_plain_corpus,
    kept_formula,
    number_of_references,
    present_references,
    warn_of_tokenized,
)
from ....scoring.sacrebleu_tokenizers import MetricTokenizer
from ....scoring.score import BLEUScore
from ....scoring.signature import SHORT_NAMES, Signature
from ....scoring.smoothing import PEER_METHODS
from ....system._unchanged import Steps
from ....tokenizers.languages import advice_against, tokenizer_for
from ....tokenizers.names import NAMES
from ..peer import PEER, hand_on, peer_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

    from ....scoring.formula import Formula

__all__ = ["BLEU", "MAX_NGRAM_ORDER", "BLEUScore", "BLEUSignature", "extract_all_word_ngrams"]

__getattr__ = hand_on(__name__, {})

#: The longest n-grams counted, unless another order is asked for.
MAX_NGRAM_ORDER = 4

_logger = getLogger(PEER)


def _get_tokenizer(name: str) -> Any:
    """The class of a tokenizer, sacreBLEU's own."""
    return peer_module("metrics.bleu")._get_tokenizer(name)


class BLEUSignature(Signature):
    """The options that a score of a metric depends on, field by field.

    Args:
        args: The attributes of a metric that has scored something.

    Raises:
        ValueError: The number of references is not known yet.
    """

    def __init__(self, args: dict[str, Any]) -> None:
        if "num_refs" not in args:
            raise ValueError("Number of references unknown, please evaluate the metric first.")
        number = args["num_refs"]
        super().__init__(
            None if number == -1 else number,
            lowercase=args["lowercase"],
            effective_order=args["effective_order"],
            tokenizer=args["tokenizer_signature"],
            smooth_method=args["smooth_method"],
            smooth_value=args["smooth_value"],
            n_bootstrap=args.get("n_bootstrap"),
            seed=args.get("seed"),
        )
        if number is None:
            self.info["nrefs"] = None
        del self.info["fastbleu"]
        #: The short names of the fields.
        self._abbr = {name: short for name, short in SHORT_NAMES.items() if name in self.info}
        for field in ("origlang", "subset"):
            self.info[field] = args.get(field)
        self.info.update(test=args.get("test_set"), lang=args.get("langpair"))


class BLEU:
    """sacreBLEU's metric: its arguments, attributes, scores and signatures.

    Args:
        lowercase: Score without regard to case.
        force: Do not warn of hypotheses that look tokenized.
        tokenize: The tokenizer's name, or None for the one that belongs to `trg_lang`.
        smooth_method: "exp", "floor", "add-k" or "none".
        smooth_value: The value for "floor" (0.1 if None) and "add-k" (1 if None), >= 0.
        max_ngram_order: The longest n-grams counted, >= 1.
        effective_order: Leave out the orders for which the hypothesis is too short.
        trg_lang: The language of the segments, such as "ja".
        references: Streams of references, `references[stream][segment]`, used where a call gives None.

    Raises:
        AssertionError: An unknown smoothing method, as in sacreBLEU.
        KeyError: An unknown tokenizer, likewise.
        ImportError: The tokenizer's packages are not installed.

    Example:
        >>> bleu = BLEU()
        >>> bleu.corpus_score(["the cat sat on the mat"], [["a cat sat on the mat"], ["the cat is on the mat"]])
        BLEU = 84.09 100.0/100.0/75.0/66.7 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)
        >>> print(bleu.get_signature())
        nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0

    Equal to `sacrebleu.metrics.BLEU` (2.6.0).
    """

    SMOOTH_DEFAULTS: ClassVar[dict[str, float | None]] = {
        name: SMOOTH_DEFAULTS[name] for name in PEER_METHODS
    }
    TOKENIZERS = dict.fromkeys(NAMES).keys()
    TOKENIZER_DEFAULT = tokenizer_for("")
    _TOKENIZER_MAP: ClassVar[dict[str, str]] = {code: tokenizer_for(code) for code in ("zh", "ja", "ko")}
    _SIGNATURE_TYPE = BLEUSignature

    num_refs: int

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
        self._ref_cache: Any = None
        self._force = force
        self.n_bootstrap: int | None = None
        self.seed: str | None = None
        self.trg_lang = trg_lang
        self.lowercase = lowercase
        self.smooth_value = smooth_value
        self.smooth_method = smooth_method
        self.max_ngram_order = max_ngram_order
        self.effective_order = effective_order
        if smooth_method not in self.SMOOTH_DEFAULTS:
            raise AssertionError(
                f"unknown smooth_method {smooth_method!r}; choose one of {', '.join(PEER_METHODS)}"
            )
        if tokenize is None:
            tokenize = self._TOKENIZER_MAP.get(trg_lang, self.TOKENIZER_DEFAULT)
        else:
            advice = advice_against(tokenize, trg_lang)
            if advice is not None:
                _logger.warning(advice)
        if tokenize not in self.TOKENIZERS:
            raise KeyError(f"unknown tokenize {tokenize!r}; choose one of {', '.join(self.TOKENIZERS)}")
        self.tokenizer: Any = MetricTokenizer(tokenize)
        self.tokenizer_signature = self.tokenizer.signature()
        if references is not None:
            self._ref_cache = self._cache_references(references)

    def corpus_score(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str | None]] | None,
        n_bootstrap: int = 1,
    ) -> BLEUScore:
        """Score a system's output as a whole.

        Args:
            hypotheses: n >= 1 segments.
            references: Streams of n references each, `references[stream][segment]`; None for those given to the
                constructor.
            n_bootstrap: If above 1, estimate the 95 % confidence interval from as many resamples.

        Returns:
            The score, 0..100.

        Raises:
            TypeError: Something is not a sequence of segments, or a segment has no reference.
            IndexError: There is no segment.
            RuntimeError: `references` is None, and the constructor was given none.

        Example:
            >>> BLEU().corpus_score(["A dog barks.", "Rain!"], [["A dog barks.", "Rain?"]]).counts
            [5, 3, 2, 1]
        """
        is_own = self._is_own()
        if n_bootstrap > 1 or not is_own or not is_plain_corpus(hypotheses, references):
            self._check_corpus_score_args(hypotheses, references)
        if n_bootstrap <= 1 and is_own and can_count(self, references):
            try:
                return self._formula().score(count(self, hypotheses, references))
            except ArgumentError as refused:
                self._check_corpus_score_args(hypotheses, references)
                return self._aggregate_and_compute(self._step_by_step(hypotheses, references, refused))
        stats = self._extract_corpus_statistics(hypotheses, references)
        score = self._aggregate_and_compute(stats)
        if n_bootstrap > 1:
            self.n_bootstrap = n_bootstrap
            self.seed, sums = float32_resamples(stats, n_bootstrap)
            score.set_interval(
                *interval_of(
                    self._formula().score_float32_rows(sums).tolist()
                    if is_own
                    else [self._compute_score_from_stats(row).score for row in sums]
                )
            )
        return score

    def sentence_score(self, hypothesis: str, references: Sequence[str | None]) -> BLEUScore:
        """Score one segment.

        Args:
            hypothesis: The segment.
            references: Its references, at least one (None is left out).

        Returns:
            The score, 0..100. Without `effective_order` a segment of fewer than `max_ngram_order` tokens scores 0, of
            which every call warns.

        Raises:
            TypeError: `hypothesis` or a reference is not a str, or `references` is not a sequence.

        Example:
            >>> BLEU(effective_order=True).sentence_score("the cat sat", ["the cat sat down"]).score
            71.65313105737896
        """
        if not self.effective_order:
            _logger.warning("It is recommended to enable `effective_order` for sentence-level BLEU.")
        is_own = self._is_own()
        if not (is_own and type(hypothesis) is str and is_plain(references)):
            self._check_sentence_score_args(hypothesis, references)
        if is_own:
            try:
                return self._formula().score(count_sentence(self, hypothesis, references))
            except ArgumentError:
                pass  # raised again below, or not: sacreBLEU takes what is not looked at
        stats = self._extract_corpus_statistics([hypothesis], [[each] for each in references])
        return self._aggregate_and_compute(stats)

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
            correct: Matched n-grams for the orders 1..max_ngram_order. "add-k" adds to them in place, as in sacreBLEU.
            total: Candidate n-grams, likewise.
            sys_len: Tokens in the hypotheses.
            ref_len: Tokens in the references, of the closest length.
            smooth_method: "none", "floor", "add-k" or "exp".
            smooth_value: The value for "floor" and "add-k".
            effective_order: Leave out the orders for which the hypothesis is too short.
            max_ngram_order: The longest n-grams counted.

        Returns:
            The score, 0..100; it holds `correct` and `total` themselves.

        Raises:
            AssertionError: An unknown smoothing method.
            IndexError: There are counts of fewer orders.

        Example:
            >>> BLEU.compute_bleu([4, 2, 1, 0], [5, 4, 3, 2], 5, 5, smooth_method="floor").precisions
            [80.0, 50.0, 33.333333333333336, 5.0]
        """
        if smooth_method not in BLEU.SMOOTH_DEFAULTS:
            raise AssertionError(
                f"unknown smooth_method {smooth_method!r}; choose one of {', '.join(PEER_METHODS)}"
            )
        orders = int(max_ngram_order)
        formula = kept_formula(max(orders, 1), smooth_method, smooth_value, bool(effective_order))
        if orders < 1:
            score = formula.score_counts([0], [0], sys_len, ref_len)
            score.counts, score.totals, score.precisions = correct, total, []
            return score
        matches, candidates = list(correct)[:orders], list(total)[:orders]
        if len(matches) < orders or len(candidates) < orders:
            if any(correct) and all(candidates):
                raise IndexError(f"counts of {orders} orders are needed, got {correct!r} and {total!r}")
            matches, candidates = ([*each, *[0] * orders][:orders] for each in (matches, candidates))
        score = formula.score_counts(matches, candidates, sys_len, ref_len)
        if smooth_method == "add-k" and any(correct):
            correct[:orders], total[:orders] = score.counts, score.totals
        score.counts, score.totals = correct, total
        return score

    def get_signature(self) -> BLEUSignature:
        """Return the signature of the latest score.

        Raises:
            ValueError: Nothing has been scored yet.
        """
        return self._SIGNATURE_TYPE(self.__dict__)

    # What public programs call besides

    def _check_corpus_score_args(self, hyps: Any, refs: Any) -> None:
        """Refuse what sacreBLEU refuses, by its first elements. Raises TypeError, and IndexError if there are none."""
        wrong = ""
        if not isinstance(hyps, Sequence) or not isinstance(hyps[0], str):
            wrong = f"hyps must be a sequence of str, not {describe(hyps)}"
        elif any(line is None for line in hyps):
            wrong = "a line of hyps is None"
        if refs is not None:  # looked at in any case, so that an empty stream is an IndexError
            streams = isinstance(refs, Sequence) and isinstance(refs[0], Sequence)
            if not streams or not isinstance(refs[0][0], (str, type(None))):
                wrong = f"refs must be a sequence of sequences of str, not {describe(refs)}"
        if wrong:
            raise TypeError(f"BLEU: {wrong}")

    def _check_sentence_score_args(self, hyp: Any, refs: Any) -> None:
        """Refuse arguments for one segment that sacreBLEU refuses. Raises TypeError; IndexError for no references."""
        if not isinstance(hyp, str):
            raise TypeError(f"BLEU: hyp must be a str, not {describe(hyp)}")
        is_list = isinstance(refs, Sequence) and not isinstance(refs, str)
        if not is_list or not isinstance(refs[0], (str, type(None))):
            raise TypeError(f"BLEU: refs must be a sequence of str, not {describe(refs)}")

    def _preprocess_segment(self, sent: str) -> str:
        """Lowercase a segment if asked, and tokenize it: text in which white space separates the tokens."""
        tokenized: str = self.tokenizer((sent.lower() if self.lowercase else sent).rstrip())
        return tokenized

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        """The n-grams of the tokenized references of a segment, `ref_ngrams`, and their lengths, `ref_lens`."""
        return extract_reference_info(refs, self.max_ngram_order, extract_all_word_ngrams)

    def _get_closest_ref_len(self, hyp_len: int, ref_lens: Sequence[int]) -> int:
        """The length nearest to that of the hypothesis, the shorter of two; -1 if there is none."""
        return min(ref_lens, key=lambda length: (abs(hyp_len - length), length), default=-1)

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict[str, Any]) -> list[int]:
        """The row of a tokenized hypothesis: sys_len, ref_len, correct_1..N, total_1..N."""
        ngrams, length = extract_all_word_ngrams(hypothesis, 1, self.max_ngram_order)
        correct, total = [0] * self.max_ngram_order, [0] * self.max_ngram_order
        in_references = ref_kwargs["ref_ngrams"]
        for ngram, number in ngrams.items():
            total[len(ngram) - 1] += number
            if ngram in in_references:
                correct[len(ngram) - 1] += min(number, in_references[ngram])
        return [length, self._get_closest_ref_len(length, ref_kwargs["ref_lens"]), *correct, *total]

    def _cache_references(self, references: Sequence[Sequence[str | None]]) -> list[dict[str, Any]]:
        """Return the result of `_extract_reference_info` for each segment."""
        cache = cache_references(self, references) if self._is_own() else None
        if cache is None:
            lines = present_references(references)
            cache = [
                self._extract_reference_info(list(map(self._preprocess_segment, each))) for each in lines
            ]
            self.num_refs = number_of_references(lines)
        return cache

    def _extract_corpus_statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str | None]] | None
    ) -> list[list[int]]:
        """The row of each segment: sys_len, ref_len, correct_1..N, total_1..N."""
        if isinstance(references, (list, tuple)) and not references:
            references = None
        refused = None
        if self._is_own() and can_count(self, references):
            try:
                return count_rows(self, hypotheses, references)
            except ArgumentError as error:
                refused = error
        return self._step_by_step(hypotheses, references, refused)

    def _step_by_step(
        self, hypotheses: Any, references: Any, refused: ArgumentError | None
    ) -> list[list[int]]:
        """The rows by the methods above, as sacreBLEU makes them; `refused` says why they could not be counted."""
        try:
            if references is None and not self._ref_cache:
                raise RuntimeError("No references provided and the cache is empty.")
            cached = self._ref_cache if references is None else self._cache_references(references)
            pairs = list(zip(hypotheses, cached, strict=False))
            warn_of_tokenized(self, sum(hypothesis.endswith(" .") for hypothesis, _ in pairs))
            return [
                self._compute_segment_statistics(self._preprocess_segment(hypothesis), info)
                for hypothesis, info in pairs
            ]
        except (AttributeError, TypeError) as error:
            if refused is None:
                raise
            raise TypeError(str(refused)) from error

    def _compute_score_from_stats(self, stats: Any) -> BLEUScore:
        """The score of one row."""
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

    def _aggregate_and_compute(self, stats: Sequence[Sequence[int]]) -> BLEUScore:
        """The score of the sum of rows."""
        if len(stats) == 1:
            return self._compute_score_from_stats(stats[0])
        return self._compute_score_from_stats([sum(column) for column in zip(*stats, strict=True)])

    # Inside

    def _is_own(self) -> bool:
        """Return whether scores are counted at once: no step is replaced, and there are orders to count."""
        order = self.max_ngram_order
        return (
            type(order) is int and order > 0 and extract_all_word_ngrams is _ngrams and _STEPS.are_own(self)
        )

    def _formula(self) -> Formula:
        return kept_formula(
            self.max_ngram_order, self.smooth_method, self.smooth_value, bool(self.effective_order)
        )


#: What a score is made by, as long as a program replaces nothing.
_STEPS, _ngrams = Steps(BLEU, *STEPS), extract_all_word_ngrams
