"""chrF and chrF++: sacreBLEU's interface, over the same columns, threads, resamples and signatures as BLEU."""

from __future__ import annotations

from ..counting.chrf import ChrfMatcher
from ..counting.corpus import Corpus, read_corpus, rows_of
from ..counting.references import References
from ..counting.rows import empty_table
from ..counting.totals import sum_rows
from ..errors import ArgumentValueError
from ..inputs.reading import HYPOTHESES
from ..options import check_flag, check_integer, check_scale, check_threads
from ..scoring.chrf import CHRFFormula, CHRFScore, chrf_signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, ClassVar, Literal, overload

    from numpy import float64, int64
    from numpy.typing import ArrayLike, NDArray

    from ..counting.totals import Totals
    from ..inputs._text import TextColumn
    from ..scoring.signature import Signature
    from .configured import AnySegments, AnyStreams


class CHRF:
    """The chrF metric (Popović 2015), equal to sacreBLEU 2.6.0 to the last digit; chrF++ with `word_order=2`.

    Segments are text in any form that `BLEU` takes, references are streams, `references[stream][segment]`, in which
    None stands for no reference. Of several references of a segment the one that scores best counts, the first of
    equals. A metric may be used from several threads at once, and pickled.

    Args:
        char_order: The longest n-grams of characters, >= 0.
        word_order: The longest n-grams of words, >= 0; not both are 0. Words are split at white space, and a
            punctuation character before or after a word stands apart.
        beta: How much more recall counts than precision, >= 0.
        lowercase: Score without regard to case (`str.lower`).
        whitespace: Whether white space counts as characters.
        eps_smoothing: Let orders without a match count as almost 0, as chrF++.py, NLTK and Moses do, and average the
            scores of orders. Otherwise orders that one side is too short for are left out.
        references: Streams that are used where a call gives None.
        threads: How many threads may count at the same time, >= 1. The result does not depend on it.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range, or references have unequal lengths.

    Example:
        >>> chrf = CHRF()
        >>> chrf.corpus_score(["the cat sat on the mat"], [["a cat sat on the mat"]])
        chrF2 = 88.96
        >>> CHRF(word_order=2).sentence_score("the cat sat", ["the cat is here", "the cat sat."])
        chrF2++ = 85.18
        >>> print(chrf.get_signature().format().rpartition("|")[0])
        nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0
    """

    # sacreBLEU's defaults, under its names.
    CHAR_ORDER: ClassVar[int] = 6
    WORD_ORDER: ClassVar[int] = 0
    BETA: ClassVar[int] = 2

    #: A progress bar's update: called in any thread with the number of segments just counted.
    advance: Callable[[int], object] | None = None

    def __init__(
        self,
        char_order: int = CHAR_ORDER,
        word_order: int = WORD_ORDER,
        beta: float = BETA,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        references: References | AnyStreams | None = None,
        *,
        threads: int = 1,
    ) -> None:
        #: How counts become scores.
        self.formula = CHRFFormula(char_order, word_order, beta, eps_smoothing)
        #: How segments become counts.
        self.matcher = ChrfMatcher(
            self.formula.char_order,
            self.formula.word_order,
            check_flag("whitespace", whitespace),
            check_flag("lowercase", lowercase),
            beta,
            self.formula.eps_smoothing,
            check_threads(threads),
        )
        self._references: References | None = None
        self._latest: tuple[Any, ...] | None = None
        if references is not None:
            self._references = references if isinstance(references, References) else self.prepare(references)
            self._references.check(self.matcher.identity)
            self._latest = self._signature_of(self._references.num_references)

    def __repr__(self) -> str:
        return (
            f"CHRF(char_order={self.char_order}, word_order={self.word_order}, beta={self.beta}, "
            f"lowercase={self.lowercase}, whitespace={self.whitespace}, eps_smoothing={self.eps_smoothing}, "
            f"threads={self.threads})"
        )

    @property
    def char_order(self) -> int:
        """The longest n-grams of characters."""
        return self.formula.char_order

    @property
    def word_order(self) -> int:
        """The longest n-grams of words."""
        return self.formula.word_order

    @property
    def order(self) -> int:
        """The number of orders, of characters and of words."""
        return self.char_order + self.word_order

    @property
    def beta(self) -> float:
        """The weight of recall over precision."""
        return self.formula.beta

    @property
    def eps_smoothing(self) -> bool:
        """True if orders without a match count as almost 0."""
        return self.formula.eps_smoothing

    @property
    def lowercase(self) -> bool:
        """True if case is ignored."""
        return self.matcher.lowercase

    @property
    def whitespace(self) -> bool:
        """True if white space counts as characters."""
        return self.matcher.whitespace

    @property
    def threads(self) -> int:
        """The number of threads that may count at the same time."""
        return self.matcher.threads

    @property
    def num_refs(self) -> int:
        """References per segment of the latest score, or of the constructor's references; -1 if segments differ.

        Raises:
            AttributeError: Neither is there.
        """
        if self._latest is None:
            raise AttributeError("num_refs is not known yet: score something first")
        number: int | None = self._latest[3]
        return -1 if number is None else number

    def get_signature(self) -> Signature:
        """Make the signature of this metric's latest score, or of scores against the constructor's references.

        Raises:
            ValueError: Neither is there, so that the number of references is unknown.
        """
        if self._latest is None:
            raise ValueError("the number of references is not known yet: score something first")
        return chrf_signature(*self._latest)

    def _signature_of(
        self, num_references: int, n_bootstrap: int | None = None, seed: str | None = None
    ) -> tuple[Any, ...]:
        number = None if num_references < 0 else num_references
        return self.formula, self.lowercase, self.whitespace, number, n_bootstrap, seed

    # References

    def prepare(self, streams: AnyStreams) -> References:
        """Check and read references once, to score against them many times, all or those of a mini-batch.

        They stay text, and any CHRF with the same `lowercase` takes them.

        Args:
            streams: `streams[stream][segment]`, each of the same length; None where a stream has no reference.

        Returns:
            References that every method here takes.

        Raises:
            TypeError: A bare str where a list is expected, or a segment that is neither str nor None.
            ValueError: No stream, streams of unequal length, or a segment without any reference.

        Example:
            >>> references = CHRF().prepare([["the cat sat", "it rained"]])
            >>> CHRF().corpus_score(["it rains"], references[[1]])
            chrF2 = 61.77
        """
        return self.matcher.prepare(streams)

    def prepare_segments(self, references: AnyStreams) -> References:
        """Prepare references that are given per segment, a different number for each if need be.

        Args:
            references: `references[segment]`, each a sequence of at least one reference.

        Returns:
            References, as from `prepare`.

        Raises:
            TypeError: A bare str where a list is expected, or a reference that is not a str.
            ValueError: A segment without any reference.

        Example:
            >>> references = CHRF().prepare_segments([["Good morning."], ["Good night!", "Sleep well!"]])
            >>> len(references), references.num_references
            (2, -1)
        """
        return self.matcher.prepare_segments(references)

    # Scores

    def corpus_score(
        self, hypotheses: AnySegments, references: References | AnyStreams | None, n_bootstrap: int = 1
    ) -> CHRFScore:
        """Score a system's output as a whole.

        Args:
            hypotheses: n >= 1 segments of text.
            references: Streams of n references each (`references[stream][segment]`), prepared `References` of length
                n, or None for those given to the constructor.
            n_bootstrap: If above 1, estimate the 95 % confidence interval from as many resamples.

        Returns:
            The score, 0..100, with its signature.

        Raises:
            TypeError: A bare str where a list is expected, or a segment that is neither str nor (in references) None.
            ValueError: No hypotheses, streams of another length, or a segment without any reference.

        Example:
            >>> CHRF(char_order=2).corpus_score(["A dog barks."], [["A dog barked."]])
            chrF2 = 77.38
        """
        n_bootstrap = check_integer("n_bootstrap", n_bootstrap, 0)
        corpus = self.corpus(hypotheses, references)
        if not len(corpus):
            raise ArgumentValueError(HYPOTHESES, "is empty; a corpus score needs at least one segment")
        if n_bootstrap < 2:
            totals = self.count(corpus)
            return self.signed(self.formula.score(totals.row), totals.num_references)
        from ..scoring.bootstrap import interval

        rows = empty_table(len(corpus), self.formula.width)
        totals = self.count(corpus, rows_of(rows))
        score = self.formula.score(totals.row)
        mean, half_width, seed = interval(rows, n_bootstrap, self.formula.score_resamples)
        score.set_interval(mean, half_width)
        return self.signed(score, totals.num_references, n_bootstrap, seed)

    def sentence_score(self, hypothesis: str, references: Sequence[str | None]) -> CHRFScore:
        """Score one segment.

        Args:
            hypothesis: The segment.
            references: Its references, at least one (None is left out).

        Returns:
            The score, 0..100.

        Raises:
            TypeError: `hypothesis` or a reference is not a str, or `references` is a bare str.
            ValueError: There is no reference.

        Example:
            >>> CHRF().sentence_score("the cat sat", ["the cat sat down"]).score
            66.01764142221674
        """
        row, number = self.matcher.count_one(hypothesis, references)
        return self.signed(self.formula.score(row), number)

    def sentence_scores(
        self, hypotheses: AnySegments, references: References | AnyStreams | None, scale: float = 100
    ) -> NDArray[float64]:
        """Score each segment by itself, in one pass.

        Args:
            hypotheses: As for `corpus_score`.
            references: As for `corpus_score`.
            scale: What a perfect match scores: 100 or 1.

        Returns:
            float64 [n], 0..scale; on the scale 100 the same floats as `sentence_score` of each.

        Raises:
            TypeError: As `corpus_score`.
            ValueError: As `corpus_score`, but n may be 0; or another scale.

        Example:
            >>> CHRF().sentence_scores(["the cat sat", "a dog"], [["the cat sat down", "a dog"]]).round(2).tolist()
            [66.02, 100.0]
        """
        divisor = check_scale(scale)
        scores = self.formula.score_rows(self.statistics(hypotheses, references))
        return scores if divisor == 1 else scores / divisor

    # Counts

    def statistics(
        self, hypotheses: AnySegments, references: References | AnyStreams | None
    ) -> NDArray[int64]:
        """Count each segment's n-grams: the sufficient statistics, which add up.

        Args:
            hypotheses: As for `corpus_score`.
            references: As for `corpus_score`.

        Returns:
            int64 [n, 3 * orders]: for each order of characters, then of words, n-grams of the hypothesis, of the best
            reference, and matches.

        Raises:
            TypeError: As `corpus_score`.
            ValueError: As `corpus_score`, but n may be 0.

        Example:
            >>> CHRF(char_order=2).statistics(["a cat"], [["cats"]]).tolist()
            [[4, 4, 3, 3, 3, 2]]
        """
        corpus = self.corpus(hypotheses, references)
        rows = empty_table(len(corpus), self.formula.width)
        self.count(corpus, rows_of(rows))
        return rows

    if TYPE_CHECKING:

        @overload
        def score_statistics(self, statistics: ArrayLike, *, each: Literal[False] = False) -> CHRFScore: ...

        @overload
        def score_statistics(self, statistics: ArrayLike, *, each: Literal[True]) -> NDArray[float64]: ...

    def score_statistics(self, statistics: ArrayLike, *, each: bool = False) -> CHRFScore | NDArray[float64]:
        """Score statistics that were counted before.

        Args:
            statistics: A row of 3 * orders counts, or rows [n, 3 * orders], n >= 1, to be summed: whole numbers >= 0.
            each: Score each row by itself instead of their sum; n >= 0 then.

        Returns:
            The score, 0..100; its signature is None, since rows do not say how many references there were. With `each`,
            float64 [n].

        Raises:
            TypeError: The statistics are not integers.
            ValueError: They have another shape, or a count is negative.

        Example:
            >>> chrf = CHRF()
            >>> rows = chrf.statistics(["the cat sat", "a dog"], [["the cat sat down", "a dog"]])
            >>> chrf.score_statistics(rows)
            chrF2 = 69.62
        """
        is_each = check_flag("each", each)
        rows = self.formula.check_rows(statistics, "statistics", 0 if is_each else 1)
        return self.formula.score_rows(rows) if is_each else self.formula.score(sum_rows(rows))

    def resample(
        self, statistics: ArrayLike, n: int = 1000, seed: int | str | None = None
    ) -> NDArray[float64]:
        """Score bootstrap resamples, as `BLEU.resample` does.

        Args:
            statistics: Rows [m, 3 * orders] of m >= 1 segments, as `statistics` counts them.
            n: The number of resamples, >= 1, each of m segments drawn with replacement.
            seed: The seed, >= 0; "none" draws by the system's entropy; None: the environment's SACREBLEU_SEED, 12345
                without one.

        Returns:
            float64 [n], 0..100, in the order drawn.

        Raises:
            TypeError: The statistics are not integers, or `n` or `seed` has the wrong type.
            ValueError: The statistics have another shape or add up to 2^53, or `n` or `seed` is out of range.
        """
        from ..scoring.bootstrap import resample

        return resample(
            self.formula.check_rows(statistics, "statistics", 1), n, self.formula.score_rows, seed
        )

    def jackknife(self, statistics: ArrayLike) -> NDArray[float64]:
        """Score a corpus without each one of its segments.

        Args:
            statistics: Rows [m, 3 * orders] of m >= 1 segments, as `statistics` counts them.

        Returns:
            float64 [m], 0..100.

        Raises:
            TypeError: The statistics are not integers.
            ValueError: They have another shape, a count is negative, or they add up to 2^53.
        """
        from ..scoring.bootstrap import jackknife

        return jackknife(self.formula.check_rows(statistics, "statistics", 1), self.formula.score_rows)

    # For the other rooms of this package

    def corpus(self, hypotheses: Any, references: Any) -> Corpus:
        """Make the arguments of a call ready to be counted; references are those of the constructor if they are None.

        Raises:
            ValueError: Neither are there.
        """
        if references is None:
            references = self._references
        if references is None:
            raise ArgumentValueError("references", "must be given, here or to the constructor")
        return read_corpus(self.matcher, hypotheses, references)

    def count(self, corpus: Corpus, rows: Any = None, done: Any = None, tokenized: int = 0) -> Totals:
        """Count a corpus; of `tokenized` hypotheses only BLEU warns."""
        del tokenized
        return corpus.count(rows, done, self.advance)

    def iterate_scores(self, hypotheses: TextColumn, references: Any) -> Iterator[CHRFScore]:
        """The score of each segment by itself, as `sentence_score` gives it, counted in chunks."""
        for row, number in self.corpus(hypotheses, references).rows():
            yield self.signed(self.formula.score(row), number)

    def signature_for(self, num_references: int) -> Signature:
        """The signature of scores with this number of references per segment, -1 if segments differ in it."""
        return chrf_signature(*self._signature_of(num_references))

    def signed(
        self, score: CHRFScore, num_references: int, n_bootstrap: int | None = None, seed: str | None = None
    ) -> CHRFScore:
        """Sign a score; its signature is the metric's latest from then on."""
        self._latest = self._signature_of(num_references, n_bootstrap, seed)
        score.sign_later(self._latest)
        return score
