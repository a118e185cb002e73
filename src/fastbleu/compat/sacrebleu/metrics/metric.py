"""The base class of sacreBLEU's metrics: scoring, checks of arguments, cached references and the signature.

Public programs call sacreBLEU's methods whose names start with an underscore, and override them in subclasses. So these
methods exist here, with the same arguments and results. If no method is overridden, scores are computed by fastbleu's
compiled matcher. Otherwise, they are computed by these methods, segment by segment.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

from ....errors import ArgumentError, describe
from ....scoring.bootstrap import float32_resamples, interval_of
from ....scoring.sacrebleu_log import log_as_sacrebleu
from ....scoring.sacrebleu_messages import ORDER
from ....scoring.sacrebleu_statistics import (
    cache_references,
    can_count,
    count,
    count_rows,
    count_sentence,
    is_plain,
    is_plain_corpus,
    number_of_references,
    present_references,
    warn_of_tokenized,
)
from ....scoring.score import Score
from ....scoring.signature import SHORT_NAMES, Signature
from ....system._program_changes import has_own_methods

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ....counting.matcher import Matcher
    from ....scoring.sacrebleu_statistics import ReferenceCache

ScoreT = TypeVar("ScoreT", bound=Score)


class MetricSignature(Signature):
    """The signature of a score: the options that the score depends on.

    Args:
        args: The attributes of a metric that has computed a score.
        fields: The fields of the signature that come from the metric's options.

    Raises:
        ValueError: The number of references is not known yet.
    """

    def __init__(self, args: dict[str, Any], fields: dict[str, Any]) -> None:
        if "num_refs" not in args:
            raise ValueError("Number of references unknown, please evaluate the metric first.")
        number = args["num_refs"]
        super().__init__(None if number == -1 else number, fields, args.get("n_bootstrap"), args.get("seed"))
        if number is None:
            self.info["nrefs"] = None
        del self.info["fastbleu"]
        #: The short name of each field.
        self._abbr = {name: short for name, short in SHORT_NAMES.items() if name in self.info}
        for field in ("origlang", "subset"):
            self.info[field] = args.get(field)
        self.info.update(test=args.get("test_set"), lang=args.get("langpair"))


class Metric(Generic[ScoreT]):
    """Base class of `BLEU` and `CHRF`. A subclass defines the options, the matcher, and methods for one segment."""

    _SIGNATURE_TYPE: ClassVar[type[Any]]
    _CACHE_TYPE: ClassVar[type[ReferenceCache]]

    num_refs: int

    def __init__(self) -> None:
        self._ref_cache: Any = None
        self._force = True
        self.n_bootstrap: int | None = None
        self.seed: str | None = None

    def corpus_score(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str | None]] | None,
        n_bootstrap: int = 1,
    ) -> ScoreT:
        """Score a corpus.

        Args:
            hypotheses: n >= 1 segments.
            references: Streams of n references each, `references[stream][segment]`; None for the references that the
                constructor was given.
            n_bootstrap: If above 1, estimate the 95 % confidence interval from this number of resamples.

        Returns:
            The score, 0..100.

        Raises:
            TypeError: An argument is not a sequence of segments, or a segment has no reference.
            IndexError: There is no segment.
            RuntimeError: `references` is None, and the constructor was given no references.
        """
        uses_matcher = self._supports_matcher_for(hypotheses, references)
        if n_bootstrap > 1 or not uses_matcher or not is_plain_corpus(hypotheses, references):
            self._check_corpus_score_args(hypotheses, references)
        if n_bootstrap <= 1 and uses_matcher and can_count(self, references):
            try:
                return self._score_of_row(count(self, self._matcher(), hypotheses, references))
            except ArgumentError as refused:
                self._check_corpus_score_args(hypotheses, references)
                stats = self._statistics_by_methods(hypotheses, references, refused)
                return self._aggregate_and_compute(stats)
        stats = self._extract_corpus_statistics(hypotheses, references)
        score = self._aggregate_and_compute(stats)
        if n_bootstrap > 1:
            self.n_bootstrap = n_bootstrap
            seed, sums = float32_resamples(stats, n_bootstrap)
            scores = self._scores_of_resamples(sums)
            self.seed = seed  # As in sacreBLEU, the seed is set only if scoring the resamples succeeded.
            score.set_interval(*interval_of(scores))
        return score

    def sentence_score(self, hypothesis: str, references: Sequence[str | None]) -> ScoreT:
        """Score one segment.

        Args:
            hypothesis: The segment.
            references: The references of the segment, at least one; None is skipped.

        Returns:
            The score, 0..100. Without `effective_order`, BLEU is 0 if the segment has fewer than `max_ngram_order`
            tokens, and each call logs sacreBLEU's advice to set this option.

        Raises:
            TypeError: `hypothesis` or a reference is not a str, or `references` is not a sequence.
        """
        if not vars(self).get("effective_order", True):
            log_as_sacrebleu(ORDER)
        uses_matcher = self._supports_matcher() and not has_own_methods([hypothesis, references], 3)
        if not (uses_matcher and type(hypothesis) is str and is_plain(references)):
            self._check_sentence_score_args(hypothesis, references)
        if uses_matcher:
            try:
                return self._score_of_row(count_sentence(self, self._matcher(), hypothesis, references))
            except ArgumentError:
                pass  # If sacreBLEU rejects the segment, the methods below also raise an error.
        stats = self._extract_corpus_statistics([hypothesis], [[each] for each in references])
        return self._aggregate_and_compute(stats)

    def get_signature(self) -> MetricSignature:
        """Return the signature of the latest score.

        Raises:
            ValueError: No score has been computed yet.
        """
        signature: MetricSignature = self._SIGNATURE_TYPE(self.__dict__)
        return signature

    # Methods of sacreBLEU that public programs call

    def _check_corpus_score_args(self, hyps: Any, refs: Any) -> None:
        """Check the first elements of the arguments as sacreBLEU does.

        Raises:
            TypeError: `hyps` is not a sequence of text, or `refs` is not a sequence of sequences of text.
            IndexError: A sequence is empty.
        """
        wrong = ""
        if not isinstance(hyps, Sequence) or not isinstance(hyps[0], str):
            wrong = f"hyps must be a sequence of str, not {describe(hyps)}"
        elif any(line is None for line in hyps):
            wrong = "a line of hyps is None"
        # Check `refs` even if `hyps` is wrong, because an empty stream raises an IndexError.
        if refs is not None:
            streams = isinstance(refs, Sequence) and isinstance(refs[0], Sequence)
            if not streams or not isinstance(refs[0][0], (str, type(None))):
                wrong = f"refs must be a sequence of sequences of str, not {describe(refs)}"
        if wrong:
            raise TypeError(f"{type(self).__name__}: {wrong}")

    def _check_sentence_score_args(self, hyp: Any, refs: Any) -> None:
        """Check the arguments of one segment as sacreBLEU does.

        Raises:
            TypeError: `hyp` is not text, or `refs` is not a sequence of text.
            IndexError: There are no references.
        """
        if not isinstance(hyp, str):
            raise TypeError(f"{type(self).__name__}: hyp must be a str, not {describe(hyp)}")
        is_list = isinstance(refs, Sequence) and not isinstance(refs, str)
        if not is_list or not isinstance(refs[0], (str, type(None))):
            raise TypeError(f"{type(self).__name__}: refs must be a sequence of str, not {describe(refs)}")

    def _cache_references(self, references: Sequence[Sequence[str | None]]) -> Sequence[dict[str, Any]]:
        """Call `_extract_reference_info` for each segment, return the results, and set `num_refs`."""
        cache: Sequence[dict[str, Any]] | None = None
        if self._supports_matcher_for([], references):
            cache = cache_references(self, references, kind=self._CACHE_TYPE)
        if cache is None:
            lines = present_references(references)
            cache = [
                self._extract_reference_info(list(map(self._preprocess_segment, each))) for each in lines
            ]
            self.num_refs = number_of_references(lines)
        return cache

    def _supports_matcher_for(self, hypotheses: Any, references: Any) -> bool:
        """Return whether the matcher can count: no method of the metric, of a text or of a list is overridden."""
        return self._supports_matcher() and not (
            has_own_methods(hypotheses, 2) or has_own_methods(references, 3)
        )

    def _extract_corpus_statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str | None]] | None
    ) -> list[list[int]]:
        """Return the sufficient statistics of each segment."""
        if isinstance(references, (list, tuple)) and not references:
            references = None
        refused = None
        if self._supports_matcher_for(hypotheses, references) and can_count(self, references):
            try:
                return count_rows(self, self._matcher(), hypotheses, references)
            except ArgumentError as error:
                refused = error
        return self._statistics_by_methods(hypotheses, references, refused)

    def _statistics_by_methods(
        self, hypotheses: Any, references: Any, refused: ArgumentError | None
    ) -> list[list[int]]:
        """Return the sufficient statistics of each segment, computed by the metric's methods, not by the matcher.

        Args:
            hypotheses: The segments.
            references: Streams of references; None for the cached references.
            refused: The error that the matcher has raised, or None. If a method raises a TypeError or an
                AttributeError, the message of `refused` is used instead, because it names the argument.

        Raises:
            RuntimeError: `references` is None, and no references are cached.
            TypeError: A segment is malformed.
        """
        try:
            if references is None and not self._ref_cache:
                raise RuntimeError("No references provided and the cache is empty.")
            cached = self._ref_cache if references is None else self._cache_references(references)
            pairs = list(zip(hypotheses, cached, strict=False))
            if not self._force:
                warn_of_tokenized(self, sum(hypothesis.endswith(" .") for hypothesis, _ in pairs))
            return [
                self._compute_segment_statistics(self._preprocess_segment(hypothesis), info)
                for hypothesis, info in pairs
            ]
        except (AttributeError, TypeError) as error:
            if refused is None:
                raise
            raise TypeError(str(refused)) from error

    def _aggregate_and_compute(self, stats: Sequence[Sequence[int]]) -> ScoreT:
        """Add up the sufficient statistics of the segments, and return the score of the sum."""
        if len(stats) == 1:
            return self._compute_score_from_stats(stats[0])
        if not stats or not all(map(len, stats)):
            raise IndexError("there is no segment, or a segment without counts")
        return self._compute_score_from_stats([sum(column) for column in zip(*stats, strict=True)])

    def _score_of_row(self, row: list[int]) -> ScoreT:
        """Return the score of sufficient statistics that the matcher has counted."""
        return self._compute_score_from_stats(row)

    def _scores_of_resamples(self, sums: Any) -> list[float]:
        """Return the score of each resample.

        Args:
            sums: The sufficient statistics of each resample, float32 [resamples, columns].
        """
        return [self._compute_score_from_stats(row).score for row in sums]

    if TYPE_CHECKING:  # Defined by subclasses.

        def _preprocess_segment(self, sent: str) -> str:
            """Lowercase and tokenize a segment, if the options say so."""

        def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
            """Return the n-grams of the preprocessed references of a segment."""

        def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict[str, Any]) -> list[int]:
            """Return the sufficient statistics of a segment."""

        def _compute_score_from_stats(self, stats: Any) -> ScoreT:
            """Return the score of sufficient statistics."""

        def _supports_matcher(self) -> bool:
            """Return whether the matcher can count: no method is overridden, and the options are supported."""

        def _matcher(self) -> Matcher:
            """Return the matcher for the current values of the metric's options."""
