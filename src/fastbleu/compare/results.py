"""The parts of a comparison: systems, pairs, breakdowns, findings and segments.

Differences are in points of BLEU (0..100); shares, p-values and probabilities are 0..1. All are plain values, except
that n-grams and marked tokens are computed from the texts on first use.
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
        name: Its name, as it was given.
        score: Its corpus score, with the counts that it is computed from.
        low: The lower end of the 95 % interval of the score, from bootstrap resamples.
        high: Its upper end.
        rank: 1 for the best score; systems with equal scores have the same rank.
        cluster: 1 for the best cluster. A cluster ends where every system so far is significantly better than every
            later system. None if not all pairs were tested.
    """

    name: str
    score: BLEUScore
    low: float
    high: float
    rank: int
    cluster: int | None

    @property
    def bleu(self) -> float:
        """The score, 0..100."""
        return self.score.score


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems, and the test of their difference.

    With `pairs="all"`, `system` is the one with the higher score. With `pairs="baseline"`, `other` is the first system
    of the call, and the difference may be negative.

    Attributes:
        system: The name of one system.
        other: The name of the other one.
        difference: The score of `system` minus that of `other`.
        low: The lower end of the 95 % interval of the difference, from paired bootstrap resamples.
        high: Its upper end.
        p: The probability of a difference of at least this size, in either direction, between systems of equal
            quality.
        corrected_p: `p`, corrected for the number of pairs that were tested.
        is_significant: Whether `corrected_p` is at most the level of the test (`Settings.level`). False if there are
            too few segments or documents: fewer than 6 at the level 0.05.
        agreement: The share of cases in which human judges preferred the same system as BLEU where BLEU differed this
            much (`human.agreement`; at or below 0.5 no better than a coin toss). None if the estimate does not apply,
            or if both scores are equal.
        detectable: The smallest difference that a test set like this one would show as significant in 80 of 100
            cases, for two systems as different as these, before correction for the number of pairs. None if resamples
            do not differ, or if there are too few segments or documents for any difference to be significant.
        wins: The number of segments in which `system` has the higher segment score.
        ties: The number of segments in which both have the same segment score.
        losses: The number of segments in which `other` has the higher segment score.
        is_bound: Whether `corrected_p` is the smallest value that this many trials allow, so that more trials may make
            it smaller.
        detail: The n-grams and segments in which the two differ; None for pairs that are not shown in detail.
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
        """Return the comparison in the other direction: of `other` with `system`."""
        detail = self.detail
        if detail is not None:
            ends, lists = (detail.other, detail.system), (detail.worse, detail.better)
            detail = PairDetail(detail.matches, *ends, detail.most_ngrams, *lists)
        return replace(
            self,
            system=self.other,
            other=self.system,
            # Subtraction, unlike negation, leaves 0.0 without a sign.
            difference=0.0 - self.difference,
            low=0.0 - self.high,
            high=0.0 - self.low,
            wins=self.losses,
            losses=self.wins,
            detail=detail,
        )


@dataclass(frozen=True, slots=True)
class OtherMetric:
    """The scores of the systems, and the tests of their pairs, by another metric than BLEU.

    Attributes:
        name: The name of its scores, such as "chrF2".
        signature: The signature of its scores.
        systems: The score of each system with its interval, in the order of `Comparison.systems`.
        pairs: The pairs of `Comparison.pairs`, in that order; `difference` may be negative. `agreement` and `detail`
            are None.
    """

    name: str
    signature: str
    systems: tuple[SystemInterval, ...]
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class NgramDifference:
    """An n-gram of the references that one system matches more often than another.

    Attributes:
        tokens: Its tokens, as text.
        system_count: The number of its matches in the pair's `system`, over all segments, clipped as in BLEU.
        other_count: The number of its matches in the pair's `other`, over all segments, clipped as in BLEU.
        reference_count: The sum over segments of its largest count in any one reference.
        score: (count + 1) / (both counts + 2) of the system that matches it more often, above 0.5 and below 1, as
            compare-mt ranks n-grams.
    """

    tokens: tuple[str, ...]
    system_count: int
    other_count: int
    reference_count: int
    score: float


@dataclass(eq=False, repr=False)
class PairDetail:
    """The differences of two systems in detail; n-grams are compared on first use.

    Attributes:
        matches: The matches of n-grams by each system.
        system: The index of the pair's `system` among the systems.
        other: The index of the pair's `other`.
        most_ngrams: The largest number of n-grams to list for each system.
        better: The segments in which `system` gains most, largest gain first.
        worse: The segments in which it loses most, largest loss first.
    """

    matches: NgramMatches
    system: int
    other: int
    most_ngrams: int
    better: tuple[Segment, ...]
    worse: tuple[Segment, ...]

    @cached_property
    def ngrams(self) -> tuple[tuple[NgramDifference, ...], tuple[NgramDifference, ...]]:
        """The n-grams that `system` matches more often, and those that `other` matches more often, best first."""
        return self.matches.differences(self.system, self.other, self.most_ngrams)


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Scores by groups of segments, or of words.

    Attributes:
        kind: "length", "domain", "document", "language" or "frequency".
        title: Its title, for people.
        value: The kind of values: "BLEU" of the segments of each group (0..100), or "F1" of its words (0..100).
        counted: The unit of `sizes`: "segments", or "words" of the references.
        groups: The names of the groups. Lengths and frequencies ascend; domains, documents and languages are in the
            order of their first segments.
        sizes: The number of segments, or of words of the references, in each group.
        values: float64 [systems, groups], 0..100, in the order of `Comparison.systems`; NaN if there are no words.
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
        where: Where it was found: the name of a system, "references" (or one stream, "references[k]") or "sources".
        message: The problem and its likely cause, as a sentence whose subject is `where`.
        count: The number of segments concerned; 0 if all of `where` is.
        segments: The indices of the first of these segments, from 0, at most `MOST_SEGMENTS`.
    """

    kind: str
    where: str
    message: str
    count: int = 0
    segments: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A segment's tokens as they were counted, with the matches marked as in `explain`.

    Attributes:
        tokens: The tokens as text.
        orders: For each token the order of the longest counted n-gram that contains it, 0 if there is none.
        joined: For each token whether the next one belongs to the same match.
        clipped: For each token whether it is in a reference, but not this often, and in no counted n-gram.
    """

    tokens: tuple[str, ...]
    orders: tuple[int, ...]
    joined: tuple[bool, ...]
    clipped: tuple[bool, ...]


@dataclass(eq=False, repr=False)
class Segment:
    """A segment with the output of each system.

    Attributes:
        index: Its index, from 0.
        scores: The segment score of each system, 0..100, in the order of `Comparison.systems`; with effective order.
        source: Its source; None if sources were not given.
        document: The name of its document; None if documents were not given.
        domain: Its domain; None if domains were not given.
        language: Its language; None if languages were not given.
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
        """The text of each system, in the order of `Comparison.systems`; tokens are joined by spaces."""
        return tuple(self._outputs.text(segments[self.index]) for segments in self._outputs.systems)

    @property
    def reference_texts(self) -> tuple[str | None, ...]:
        """The references as text; None for a missing one."""
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
        """For each order, the largest count of each n-gram in any one reference."""
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
    """The settings of a comparison, and where it comes from.

    Attributes:
        title: The title of the report; "" if none was given.
        test_set: The name of the test set; "" if none was given.
        language_pair: The languages, such as "en-de"; "" if none were given.
        date: The day of the comparison.
        version: The version of fastbleu.
        command: The command that made the report; "" if none was given.
        signature: The signature of the scores; "" if it is unknown.
        max_ngram_order: N, the longest n-grams counted.
        test: "randomization" or "bootstrap".
        trials: The number of trials of the test.
        resamples: The number of bootstrap resamples that the intervals come from.
        pairs: "all", or "baseline".
        correction: "none", "bonferroni", "holm" or "benjamini-hochberg".
        level: The significance level, such as 0.05.
        seed: The seed of the random numbers, or "none" if they are seeded by the operating system.
        by_document: Whether the test exchanges or draws documents rather than segments.
        units: The number of segments, or of documents, that the test exchanges or draws.
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
