"""The classes of a comparison's results: systems, pairs, breakdowns, findings and segments.

Differences are in points of BLEU (0..100); shares, p-values and probabilities are 0..1. The n-grams of a pair and the
marked tokens of a segment are computed from the texts on first use; all other attributes are stored values.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property

from ..explain.explanation import count_ngrams
from ..explain.ngram_marks import mark_ngrams
from .outputs import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    from ..scoring.score import BLEUScore
    from ..scoring.significance import SystemInterval
    from .ngrams import NgramMatches
    from .outputs import Outputs, Tokens


@dataclass(frozen=True, slots=True)
class System:
    """A system and its score.

    Attributes:
        name: The name that was passed for the system.
        score: The corpus score, with the counts that it is computed from.
        low: The lower end of the 95 % interval of the score, from bootstrap resamples.
        high: The upper end of that interval.
        rank: 1 for the best score; systems with equal scores have the same rank.
        cluster: The number of the system's cluster, 1 for the best. Each system of a cluster is significantly better
            than each system of all later clusters. None if not all pairs were tested.
    """

    name: str
    score: BLEUScore
    low: float
    high: float
    rank: int
    cluster: int | None

    @property
    def bleu(self) -> float:
        """The BLEU score, 0..100."""
        return self.score.score


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems and the test of their difference.

    With `pairs="all"`, `system` is the one with the higher score. With `pairs="baseline"`, `other` is the first system
    of the call, and the difference may be negative.

    Attributes:
        system: The name of one system.
        other: The name of the other system.
        difference: The score of `system` minus that of `other`.
        low: The lower end of the 95 % interval of the difference, from paired bootstrap resamples.
        high: The upper end of that interval.
        p: The probability of a difference of at least this size, in either direction, between systems of equal
            quality.
        corrected_p: `p`, corrected for the number of pairs that were tested.
        is_significant: Whether `corrected_p` is at most the level of the test (`Settings.level`). False if there are
            too few segments or documents: fewer than 6 at the level 0.05.
        agreement: An estimate of how often human judges prefer the system that BLEU prefers if the BLEU scores differ
            by this much: a share, where 0.5 or less is no better than a coin toss. None if it cannot be estimated
            (`Comparison.no_agreement` says why), or if both scores are equal.
        detectable: The smallest difference between these two systems that would be significant on 80 of 100 test sets
            like this one, before correction for the number of pairs. None if the difference is the same in all
            resamples, or if there are too few segments or documents for any difference to be significant.
        wins: The number of segments in which `system` has the higher segment score.
        ties: The number of segments in which both systems have the same segment score.
        losses: The number of segments in which `other` has the higher segment score.
        is_bound: Whether `corrected_p` is the smallest value that the number of trials allows, so that more trials
            might give a smaller one.
        detail: The n-grams and segments in which the two systems differ; None for pairs that are not shown in detail.
    """

    system: str
    other: str
    difference: float
    low: float
    high: float
    p: float
    corrected_p: float
    is_significant: bool
    agreement: float | None
    detectable: float | None
    wins: int
    ties: int
    losses: int
    is_bound: bool
    detail: PairDetail | None = None

    @property
    def is_tie(self) -> bool:
        """Whether both systems have the same score."""
        return self.difference == 0

    def turned(self) -> Pair:
        """Return the same pair with `system` and `other` swapped."""
        detail = self.detail
        if detail is not None:
            ends, lists = (detail.other, detail.system), (detail.worse, detail.better)
            detail = PairDetail(detail.matches, *ends, detail.most_ngrams, *lists)
        swapped = replace(self, system=self.other, other=self.system, wins=self.losses, losses=self.wins)
        # Negating 0.0 would give -0.0.
        difference, low, high = 0.0 - self.difference, 0.0 - self.high, 0.0 - self.low
        return replace(swapped, difference=difference, low=low, high=high, detail=detail)


@dataclass(frozen=True, slots=True)
class OtherMetric:
    """The scores of the systems, and the tests of their pairs, with a metric that was passed to `compare` as `also`.

    Attributes:
        name: The name of the metric's scores, such as "chrF2".
        signature: The signature of the metric's scores.
        systems: The score of each system with its 95 % interval, in the order of `Comparison.systems`.
        pairs: The pairs of `Comparison.pairs`, in the same order, tested with this metric. `difference` is negative if
            the metric prefers `other`. `agreement` and `detail` are None.
    """

    name: str
    signature: str
    systems: tuple[SystemInterval, ...]
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class NgramDifference:
    """An n-gram of the references that one system matches more often than another.

    Attributes:
        tokens: The tokens of the n-gram, as text.
        system_count: The number of matches in the output of `Pair.system`, over all segments, clipped as in BLEU.
        other_count: The number of matches in the output of `Pair.other`, over all segments, clipped as in BLEU.
        reference_count: The largest count of the n-gram in any one reference of a segment, summed over segments.
        score: The number by which n-grams are ranked, as in compare-mt: (a + 1) / (a + b + 2), where a is the larger
            and b the smaller of the two counts of matches. Above 0.5 and below 1.
    """

    tokens: tuple[str, ...]
    system_count: int
    other_count: int
    reference_count: int
    score: float


@dataclass(eq=False, repr=False)
class PairDetail:
    """The n-grams and segments in which the two systems of a pair differ.

    Attributes:
        matches: The counts of n-gram matches of each system.
        system: The index of `Pair.system` in `Comparison.systems`.
        other: The index of `Pair.other` in `Comparison.systems`.
        most_ngrams: The largest number of n-grams to list for each system.
        better: The segments in which the score of `Pair.system` is higher, largest difference first.
        worse: The segments in which the score of `Pair.system` is lower, largest difference first.
    """

    matches: NgramMatches
    system: int
    other: int
    most_ngrams: int
    better: tuple[Segment, ...]
    worse: tuple[Segment, ...]

    @cached_property
    def ngrams(self) -> tuple[tuple[NgramDifference, ...], tuple[NgramDifference, ...]]:
        """The n-grams that `Pair.system` matches more often, and the n-grams that `Pair.other` matches more often.

        In each tuple, the n-grams with the largest `NgramDifference.score` come first.
        """
        return self.matches.differences(self.system, self.other, self.most_ngrams)


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The scores of the systems for each group of segments or words.

    Attributes:
        kind: "length", "domain", "document", "language" or "frequency".
        title: The title in reports, such as "by domain".
        value: The name of the score: "BLEU" for groups of segments, "F1" for groups of words.
        counted: The unit of `sizes`: "segments" or "words".
        groups: The names of the groups. Lengths and frequencies ascend; domains, documents and languages are in the
            order of their first segments.
        sizes: The number of segments in each group, or the number of reference words in it.
        values: float64 [systems, groups], 0..100: the score of each system, in the order of `Comparison.systems`, for
            each group. NaN if neither the system nor the references have a word of the group.
    """

    kind: str
    title: str
    value: str
    counted: str
    groups: tuple[str, ...]
    sizes: tuple[int, ...]
    values: NDArray[float64]


@dataclass(frozen=True, slots=True)
class Finding:
    """A likely problem in the data.

    Attributes:
        kind: "length", "empty", "copied", "duplicate", "script", "tokenizer", "tokenized", "subwords" or "tabs".
        where: The data that has the problem: the name of a system, "references" (or one stream, "references[k]") or
            "sources".
        message: The problem and its likely cause, as text that follows `where` and a colon in reports.
        count: The number of segments that have the problem; 0 if `where` as a whole has it.
        segments: The indices, from 0, of the first segments that have the problem, at most 20.
    """

    kind: str
    where: str
    message: str
    count: int = 0
    segments: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class MarkedText:
    """The tokens of a system's output for one segment, with the matches marked as in `explain`.

    Attributes:
        tokens: The tokens after tokenization, as text.
        orders: For each token, the order of the longest matched n-gram that contains it; 0 if there is none.
        joined: For each token, whether the next token belongs to the same match.
        clipped: For each token, whether it is in a reference but in no matched n-gram, because the output has it more
            often than any reference.
    """

    tokens: tuple[str, ...]
    orders: tuple[int, ...]
    joined: tuple[bool, ...]
    clipped: tuple[bool, ...]


@dataclass(eq=False, repr=False)
class Segment:
    """A segment with the output of each system.

    Attributes:
        index: The index of the segment, from 0.
        scores: The segment score of each system, 0..100, in the order of `Comparison.systems`, with effective order.
        source: The source text; None if sources were not given.
        document: The name of the document; None if documents were not given.
        domain: The name of the domain; None if domains were not given.
        language: The name of the language; None if languages were not given.
    """

    index: int
    scores: tuple[float, ...]
    _outputs: Outputs
    source: str | None = None
    document: str | None = None
    domain: str | None = None
    language: str | None = None

    def __repr__(self) -> str:
        return f"<Segment {self.index} of {len(self.scores)} systems>"

    @property
    def texts(self) -> tuple[str, ...]:
        """The output of each system as text, in the order of `Comparison.systems`; tokens are joined by spaces."""
        return tuple(self._outputs.text(segments[self.index]) for segments in self._outputs.systems)

    @property
    def reference_texts(self) -> tuple[str | None, ...]:
        """The text of each reference; None for a missing reference."""
        references = self._outputs.references(self.index)
        return tuple(None if one is None else self._outputs.text(one) for one in references)

    @property
    def systems(self) -> tuple[MarkedText, ...]:
        """The tokens of each system, in the order of `Comparison.systems`, with the matches marked."""
        return tuple(map(self.marked, range(len(self.scores))))

    def marked(self, system: int) -> MarkedText:
        """Return the tokens of one system, by its index in `Comparison.systems`, with the matches marked."""
        tokens = self._outputs.tokens(self._outputs.systems[system][self.index])
        marks = mark_ngrams(tokens, self._largest_counts)
        words = self._largest_counts[0]
        return MarkedText(
            shown(tokens),
            tuple(mark.order for mark in marks),
            tuple(mark.joined for mark in marks),
            tuple(not mark.order and (token,) in words for mark, token in zip(marks, tokens, strict=True)),
        )

    @cached_property
    def _largest_counts(self) -> list[Counter[Tokens]]:
        """For each order 1..N, the largest count of each n-gram in any one reference."""
        references = self._outputs.reference_tokens(self.index)
        of_orders: list[Counter[Tokens]] = []
        for n in range(1, self._outputs.metric.max_ngram_order + 1):
            largest: Counter[Tokens] = Counter()
            for tokens in references:
                largest |= count_ngrams(tokens, n)
            of_orders.append(largest)
        return of_orders


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a comparison, and the texts that describe it in reports.

    Attributes:
        title: The title of the report; "" if none was given.
        test_set: The name of the test set; "" if none was given.
        language_pair: The source and target language, such as "en-de"; "" if none was given.
        date: The date of the comparison.
        version: The version of fastbleu.
        command: The command line that created the report; "" if none was given.
        signature: The signature of the scores; "" if it is unknown.
        max_ngram_order: N, the order of the longest n-grams that are counted.
        test: "randomization" or "bootstrap".
        trials: The number of trials of the test.
        resamples: The number of bootstrap resamples for the confidence intervals.
        pairs: "all" if every pair of systems was tested, "baseline" if each other system was tested against the first.
        correction: "none", "bonferroni", "holm" or "benjamini-hochberg".
        level: The significance level, such as 0.05.
        seed: The seed of the random numbers, or "none" if the operating system chose it.
        by_document: Whether the test exchanges or resamples documents rather than segments.
        units: The number of segments, or of documents, that the test exchanges or resamples.
    """

    title: str
    test_set: str
    language_pair: str
    date: str
    version: str
    command: str
    signature: str
    max_ngram_order: int
    test: str
    trials: int
    resamples: int
    pairs: str
    correction: str
    level: float
    seed: int | str
    by_document: bool
    units: int
