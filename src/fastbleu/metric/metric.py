"""The base of all metrics: it computes scores, resamples and signatures from counts of any kind."""

from __future__ import annotations

from ..counting.corpus import read_corpus, rows_of
from ..counting.few_segments import count_single
from ..counting.row_sums import sum_rows
from ..counting.rows import empty_table
from ..errors import ArgumentValueError
from ..inputs.reading import HYPOTHESES
from ..options import check_flag, check_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Generic, Literal, TypeAlias, TypeVar, overload

    from numpy import float64
    from numpy.typing import ArrayLike, NDArray

    from ..counting.corpus import Corpus, Done, Rows
    from ..counting.matcher import Matcher
    from ..counting.references import References
    from ..counting.row_sums import Totals
    from ..inputs._text import TextColumn
    from ..inputs.arrow_columns import ArrowColumn
    from ..inputs.ids import TokenIds
    from ..scoring.formula import RowFormula
    from ..scoring.score import Score
    from ..scoring.signature import Signature, Signer
    from .accumulator import Accumulator

    #: Segments and streams as users pass them; other kinds of sized iterables are also accepted.
    AnySegments: TypeAlias = Sequence[Any] | TextColumn | TokenIds | NDArray[Any] | ArrowColumn
    AnyStreams: TypeAlias = Sequence[AnySegments] | TokenIds | NDArray[Any] | ArrowColumn

    AnyScore = TypeVar("AnyScore", bound=Score)

    class _Of(Generic[AnyScore]):
        """Declares the type of a metric's score."""
else:
    AnyScore = None

    class _Of:
        """Declares the type of a metric's score, which only type checkers need."""

        __class_getitem__ = classmethod(lambda kind, _: kind)


#: Attributes that are not pickled, because they follow from the options or belong to the latest call.
_DERIVED = ("warnings", "_signer", "advance")


class Metric(_Of[AnyScore]):
    """A matcher, which counts segments as rows of sufficient statistics, and a formula, which scores rows.

    A row has `formula.width` columns: 2 + 2N for `BLEU`, 3 for each order of characters and words for `CHRF`.
    """

    #: The update of a progress bar, called in any thread with the number of segments just counted.
    advance: Callable[[int], object] | None = None

    #: Counts segments; other packages use it to count by themselves.
    matcher: Matcher
    #: Scores rows; other packages use it to score by themselves.
    formula: RowFormula[AnyScore]

    _signer: Signer
    _references: References | None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _DERIVED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._set_up()

    def _set_up(self) -> None:
        """Create the attributes that follow from the options and are not pickled."""

    @property
    def lowercase(self) -> bool:
        """Return whether case is ignored."""
        return self.matcher.lowercase

    @property
    def threads(self) -> int:
        """Return the number of threads that may count at the same time."""
        return self.matcher.threads

    @property
    def num_refs(self) -> int:
        """Return the number of references per segment of the latest score, or of the constructor; -1 if it varies.

        Raises:
            AttributeError: There is no score yet, and the constructor was given no references.
        """
        latest = self._signer.latest
        if latest is not None:
            return latest[1]
        if self._references is None:
            raise AttributeError("num_refs is not known yet: score something first")
        return self._references.num_references

    # Scores

    def corpus_score(
        self,
        hypotheses: AnySegments,
        references: References | AnyStreams | None,
        n_bootstrap: int = 1,
    ) -> AnyScore:
        """Score a system's output as a whole.

        Args:
            hypotheses: n >= 1 segments: text; for BLEU also tokens, or token ids (`TokenIds`, or a matrix without
                padding).
            references: Streams of n references each (`references[stream][segment]`), prepared `References` of length
                n, or None for those given to the constructor. Token ids are given without a list, or in streams:
                `TokenIds` or a matrix, [n, tokens] for one reference per segment, [n, references, tokens] for several.
            n_bootstrap: If above 1, estimate the 95 % confidence interval from this many resamples.

        Returns:
            The score, 0..100, with its signature and, for BLEU, the counts that it was computed from.

        Raises:
            TypeError: A bare str where a list is expected, or a segment that is neither str nor (in references) None.
            ValueError: No hypotheses, streams of different lengths, or a segment without any reference.

        Example:
            >>> from fastbleu import BLEU
            >>> BLEU().corpus_score(["A dog barks.", "Rain!"], [["A dog barks.", "Rain?"]]).counts
            [5, 3, 2, 1]
        """
        n_bootstrap = check_integer("n_bootstrap", n_bootstrap, 0)
        single = self.count_single(hypotheses, references) if n_bootstrap < 2 else None
        if single is not None:
            return self._signer.sign(self.formula.score(single.row), single.num_references)
        corpus = self.corpus(hypotheses, references)
        if not len(corpus):
            raise ArgumentValueError(
                HYPOTHESES, "is empty; a corpus score needs at least one segment", value=hypotheses
            )
        if n_bootstrap < 2:
            totals = self.count(corpus)
            return self._signer.sign(self.formula.score(totals.row), totals.num_references)
        from ..scoring.bootstrap import interval

        rows = empty_table(len(corpus), self.formula.width)
        totals = self.count(corpus, rows_of(rows))
        score = self.formula.score(totals.row)
        mean, half_width, seed = interval(rows, n_bootstrap, self.formula.score_resamples)
        score.set_interval(mean, half_width)
        return self._signer.sign(score, totals.num_references, n_bootstrap, seed)

    # Statistics

    if TYPE_CHECKING:

        @overload
        def score_statistics(self, statistics: ArrayLike, *, each: Literal[False] = False) -> AnyScore: ...

        @overload
        def score_statistics(self, statistics: ArrayLike, *, each: Literal[True]) -> NDArray[float64]: ...

    def score_statistics(self, statistics: ArrayLike, *, each: bool = False) -> AnyScore | NDArray[float64]:
        """Score rows that were counted before.

        Args:
            statistics: A row as `statistics` returns it, or rows [n, columns], n >= 1, whose sum is scored; integers,
                not negative.
            each: Whether to score each row by itself instead of their sum, such as rows of documents, windows or
                systems; n >= 0.

        Returns:
            The score, 0..100. Its signature is None, because rows do not record the number of references. With `each`,
            float64 [n].

        Raises:
            TypeError: The statistics are not integers, or `each` is not a bool.
            ValueError: The statistics have another shape, or a count is negative.

        Example:
            >>> from fastbleu import BLEU
            >>> bleu = BLEU(max_ngram_order=2)
            >>> rows = bleu.statistics(["the cat sat", "it rains"], [["the cat is here", "it rained"]])
            >>> bleu.score_statistics(rows).counts
            [3, 1]
            >>> bleu.score_statistics(rows, each=True).round(2).tolist()
            [41.37, 50.0]
        """
        if check_flag("each", each):
            import numpy as np

            rows = self.formula.check_rows(statistics, "statistics")
            if rows.size and int(rows.max()) >= 1 << 53:  # Not all such counts are exact in float64.
                return np.array([self.formula.score(row).score for row in rows.tolist()])
            return self.formula.score_rows(rows)
        return self.formula.score(sum_rows(self.formula.check_rows(statistics, "statistics", 1)))

    def resample(
        self, statistics: ArrayLike, n: int = 1000, seed: int | str | None = None
    ) -> NDArray[float64]:
        """Score bootstrap resamples, whose distribution gives a confidence interval.

        Args:
            statistics: Rows [m, columns] of m >= 1 segments, as `statistics` returns them.
            n: The number of resamples, >= 1, each of m segments drawn with replacement.
            seed: The seed, >= 0; "none" seeds from the operating system; None: the environment's SACREBLEU_SEED, or
                else 12345.

        Returns:
            float64 [n], 0..100, in the order drawn. The resamples are those of `corpus_score(n_bootstrap=n)`.

        Raises:
            TypeError: The statistics are not integers, or `n` or `seed` has the wrong type.
            ValueError: The statistics have another shape or could add up to 2^53, or `n` or `seed` is out of range.

        Example:
            >>> from fastbleu import BLEU
            >>> bleu = BLEU(max_ngram_order=1)
            >>> rows = bleu.statistics(["a b", "a c", "d e"], [["a b", "a x", "d e"]])
            >>> bleu.resample(rows, 4).round(1).tolist()
            [100.0, 100.0, 83.3, 83.3]
        """
        from ..scoring.bootstrap import resample

        rows = self.formula.check_rows(statistics, "statistics", 1)
        return resample(rows, n, self.formula.score_rows, seed)

    def jackknife(self, statistics: ArrayLike) -> NDArray[float64]:
        """Score a corpus with each one of its segments left out in turn, to show the influence of each one.

        Args:
            statistics: Rows [m, columns] of m >= 1 segments, as `statistics` returns them.

        Returns:
            float64 [m], 0..100: the score without the first segment, without the second, and so on.

        Raises:
            TypeError: The statistics are not integers.
            ValueError: They have another shape, a count is negative, or they could add up to 2^53.

        Example:
            >>> from fastbleu import BLEU
            >>> bleu = BLEU(max_ngram_order=1)
            >>> rows = bleu.statistics(["a b", "a c", "d e"], [["a b", "a x", "d e"]])
            >>> bleu.jackknife(rows).round(1).tolist()
            [75.0, 100.0, 75.0]
        """
        from ..scoring.bootstrap import jackknife

        rows = self.formula.check_rows(statistics, "statistics", 1)
        return jackknife(rows, self.formula.score_rows)

    def accumulator(self, keep_rows: bool = False) -> Accumulator:
        """Create an accumulator, which sums the counts of batches, processes and machines, and scores the sum.

        Args:
            keep_rows: Whether to also keep the row of each segment.

        Returns:
            An empty accumulator.

        Raises:
            TypeError: `keep_rows` is not a bool.

        Example:
            >>> from fastbleu import BLEU
            >>> accumulator = BLEU().accumulator()
            >>> accumulator.update(["A dog barks."], [["A dog barks."]])
            >>> accumulator.update(["Rain!"], [["Rain?"]])
            >>> accumulator.compute().counts
            [5, 3, 2, 1]
        """
        from .accumulator import Accumulator

        return Accumulator(self, keep_rows)

    # References

    def prepare(self, streams: AnyStreams) -> References:
        """Check and read references once, to score against them many times.

        Args:
            streams: `streams[stream][segment]`, streams of equal length; None for a missing reference. Or token ids, as
                for `corpus_score`; they are copied.

        Returns:
            References for every method here, and for other metrics of this class with the same tokenizer, case and
            order.

        Raises:
            TypeError: A bare str where a list is expected, or a segment that is neither str nor None.
            ValueError: No stream, streams of different lengths, or a segment without any reference.

        Example:
            >>> from fastbleu import BLEU
            >>> bleu = BLEU()
            >>> references = bleu.prepare([["the cat sat on the mat"]])
            >>> bleu.corpus_score(["the cat sat on a mat"], references).counts
            [5, 3, 2, 1]
        """
        return self.matcher.prepare(self._checked_for_padding(streams))

    def prepare_segments(self, references: AnyStreams) -> References:
        """Prepare references that are given per segment; their number may differ between segments.

        Args:
            references: `references[segment]`, a sequence of at least one reference for each segment.

        Returns:
            References, as from `prepare`.

        Raises:
            TypeError: A bare str where a list is expected, or a reference that is not a segment.
            ValueError: A segment without any reference.

        Example:
            >>> from fastbleu import BLEU
            >>> bleu = BLEU()
            >>> references = bleu.prepare_segments([["Good morning."], ["Good night!", "Sleep well!"]])
            >>> bleu.corpus_score(["Good morning.", "Sleep well!"], references).counts
            [6, 4, 2, 0]
        """
        return self.matcher.prepare_segments(self._checked_for_padding(references))

    # Signatures

    def get_signature(self) -> Signature:
        """Return the signature of this metric's latest score: this thread's, or else any thread's.

        Every score also has its own, as `score.signature`. Before the first score, return the signature of scores
        against the references given to the constructor.

        Returns:
            A new signature.

        Raises:
            ValueError: There is no score yet and the constructor was given no references, so their number is unknown.

        Example:
            >>> from fastbleu import BLEU
            >>> BLEU(references=[["one"], ["two"]]).get_signature().format(short=True)
            '#:2|c:mixed|e:no|tok:13a|s:exp|v:2.6.0|fb:0.1.0'
        """
        latest = self._signer.latest
        if latest is None:
            if self._references is None:
                raise ValueError("the number of references is not known yet: score something first")
            return self.signature_for(self._references.num_references)
        return latest[0].sign(*latest[1:])

    def signature_for(self, num_references: int) -> Signature:
        """Return the signature of scores with this number of references per segment, -1 if segments differ in it."""
        return self._signer.fields.sign(check_integer("num_references", num_references, -1))

    def signed(
        self, score: AnyScore, num_references: int, n_bootstrap: int | None = None, seed: str | None = None
    ) -> AnyScore:
        """Attach to a score what its signature is computed from, and return the score.

        Args:
            score: A score of this metric's formula, which is changed.
            num_references: References per segment, -1 if segments differ in it.
            n_bootstrap: The number of resamples of its interval, or None.
            seed: Their seed as text, or None.
        """
        return self._signer.sign(score, num_references, n_bootstrap, seed)

    def given_references(self, references: Any) -> Any:
        """Return the references of a call, or the constructor's if they are None.

        Raises:
            ValueError: The call and the constructor have no references.
        """
        if references is None:
            references = self._references
        if references is None:
            given_to = f"{type(self).__name__}(references=...)"
            raise ArgumentValueError("references", f"is None, and none were given to {given_to}")
        return references

    # For other packages of fastbleu

    def corpus(self, hypotheses: Any, references: Any, samples: bool = False) -> Corpus:
        """Convert and check the arguments of a call, so that they can be counted.

        Args:
            hypotheses: n segments; with `samples` also token ids [B, K, T].
            references: The references of n or B segments; None for the constructor's.
            samples: Whether a segment may have several hypotheses, each with its own result.

        Raises:
            TypeError, ValueError: As `corpus_score`, except that n may be 0.
        """
        return read_corpus(self.matcher, hypotheses, self.given_references(references), samples)

    def count(
        self, corpus: Corpus, rows: Rows | None = None, done: Done | None = None, tokenized: int = 0
    ) -> Totals:
        """Count a corpus, and warn about its hypotheses (BLEU only).

        Args:
            corpus: The hypotheses and references, from `corpus`.
            rows: Called with a range of segments, returns the array to write their rows to; None: only sum them.
            done: Called with each range and its array, once it is counted.
            tokenized: The number of earlier hypotheses that look tokenized.

        Returns:
            The sum of the rows, the number of references per segment, and the number of hypotheses that look tokenized.
        """
        totals = corpus.count(rows, done, self.advance)
        self.warn_of_text(totals, corpus.hypotheses.data, tokenized)
        return totals

    def count_single(self, hypotheses: Any, references: Any, tokenized: int = 0) -> Totals | None:
        """Count a corpus of one plain segment without columns; return None if `corpus` and `count` must be used."""
        if self.advance is not None:
            return None
        totals = count_single(self.matcher, hypotheses, references)
        if totals is not None:
            self.warn_of_text(totals, hypotheses, tokenized)
        return totals

    def warn_of_text(self, totals: Totals, hypotheses: Any, tokenized: int) -> None:
        """Warn about the text of counted hypotheses, `tokenized` earlier ones of which look tokenized (BLEU only)."""

    def warn_of_tokens(self, before: int, more: int) -> None:
        """Warn if `before` earlier and `more` new hypotheses that look tokenized reach the limit (BLEU only)."""

    def _checked_for_padding(self, references: Any) -> Any:
        """Return references to prepare, after a warning if they look padded (BLEU only)."""
        return references
