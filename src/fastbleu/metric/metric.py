"""Define the base class of `BLEU` and `CHRF`, which computes scores, resamples and signatures from their counts."""

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

    #: The types of users' segments and streams. Other sized iterables are also accepted.
    AnySegments: TypeAlias = Sequence[Any] | TextColumn | TokenIds | NDArray[Any] | ArrowColumn
    AnyStreams: TypeAlias = Sequence[AnySegments] | TokenIds | NDArray[Any] | ArrowColumn

    AnyScore = TypeVar("AnyScore", bound=Score)

    class _Of(Generic[AnyScore]):
        """Declare the type of a metric's score to type checkers."""
else:
    AnyScore = None

    class _Of:
        """Replace `Generic` at run time, because only type checkers need the type of a metric's score."""

        __class_getitem__ = classmethod(lambda kind, _: kind)


#: Attributes that are not pickled. Unpickling creates `warnings` and `_signer` from the options, and `advance` is the
#: progress bar of a single call.
_DERIVED = ("warnings", "_signer", "advance")


class Metric(_Of[AnyScore]):
    """The base class of metrics: a matcher counts segments as rows of sufficient statistics, and a formula scores rows.

    A row has `formula.width` columns: 2 + 2N for `BLEU` with the largest order N, and 3 per order for `CHRF`.
    """

    #: A function that updates a progress bar. Each thread calls it with the number of segments that it just counted.
    advance: Callable[[int], object] | None = None

    #: The object that counts segments. Other packages of fastbleu also call it directly.
    matcher: Matcher
    #: The object that scores rows. Other packages of fastbleu also call it directly.
    formula: RowFormula[AnyScore]

    _signer: Signer
    _references: References | None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _DERIVED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._set_up()

    def _set_up(self) -> None:
        """Create the attributes that are computed from the options and are not pickled."""

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
        """Return the number of references per segment, -1 if it varies.

        The number is that of the latest score. Before the first score, it is that of the constructor's references.

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
        self, hypotheses: AnySegments, references: References | AnyStreams | None, n_bootstrap: int = 1
    ) -> AnyScore:
        """Score a system's output as a whole.

        Args:
            hypotheses: n >= 1 segments of text; for BLEU also segments of tokens, or of token ids (`TokenIds`, or a
                matrix without padding).
            references: Streams of n references each (`references[stream][segment]`), prepared `References` of length
                n, or None for the references given to the constructor. Token ids may be passed in streams, or as a
                single `TokenIds` or matrix: [n, tokens] for one reference per segment, [n, references, tokens] for
                several.
            n_bootstrap: If above 1, estimate the 95 % confidence interval from this many resamples.

        Returns:
            The score, 0..100, with its signature and, for BLEU, the counts that it was computed from.

        Raises:
            TypeError: A str is passed instead of a list, or a segment has an unsupported type.
            ValueError: There are no hypotheses, streams differ in length, or a segment has no reference.

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
        """Score sufficient statistics that the method `statistics` has returned, or sums of them.

        Args:
            statistics: One row, or n >= 1 rows [n, columns], whose sum is scored; integers >= 0.
            each: Whether to score each row by itself, such as the rows of documents, windows or systems. n may then
                be 0.

        Returns:
            The score, 0..100. Its signature is None, because rows do not record the number of references. With `each`,
            the scores of the rows, float64 [n], 0..100.

        Raises:
            TypeError: The statistics are not integers, or `each` is not a bool.
            ValueError: The statistics have a wrong shape, or a count is negative.

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
        """Score bootstrap resamples of a corpus. The distribution of the scores gives a confidence interval.

        Args:
            statistics: The rows of m >= 1 segments, [m, columns], as the method `statistics` returns them.
            n: The number of resamples, >= 1. Each one draws m segments with replacement.
            seed: The seed, >= 0. "none": a random seed from the operating system. None: the value of the environment
                variable SACREBLEU_SEED, or 12345 if it is not set.

        Returns:
            The scores of the resamples, float64 [n], 0..100, in the order in which they are drawn. The resamples are
            the same as in `corpus_score(n_bootstrap=n)`.

        Raises:
            TypeError: The statistics are not integers, or `n` or `seed` has the wrong type.
            ValueError: The statistics have a wrong shape or could add up to 2^53, or `n` or `seed` is out of range.

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
        """Score a corpus without each of its segments in turn, which shows the influence of each segment.

        Args:
            statistics: The rows of m >= 1 segments, [m, columns], as the method `statistics` returns them.

        Returns:
            The scores, float64 [m], 0..100: without the first segment, without the second, and so on.

        Raises:
            TypeError: The statistics are not integers.
            ValueError: The statistics have a wrong shape or could add up to 2^53, or a count is negative.

        Example:
            >>> from fastbleu import BLEU
            >>> bleu = BLEU(max_ngram_order=1)
            >>> rows = bleu.statistics(["a b", "a c", "d e"], [["a b", "a x", "d e"]])
            >>> bleu.jackknife(rows).round(1).tolist()
            [75.0, 100.0, 75.0]
        """
        from ..scoring.bootstrap import jackknife

        return jackknife(self.formula.check_rows(statistics, "statistics", 1), self.formula.score_rows)

    def accumulator(self, keep_rows: bool = False) -> Accumulator:
        """Create an accumulator, which sums the counts of batches, processes and machines, and scores the sum.

        Args:
            keep_rows: Whether to also store the row of each segment.

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
            streams: Streams of equal length, `streams[stream][segment]`, in which None is a missing reference. Or token
                ids, as for `corpus_score`, which are copied.

        Returns:
            The prepared references. They can be passed to every method of this metric, and of other metrics of its
            class with the same tokenizer, case and order.

        Raises:
            TypeError: A str is passed instead of a list, or a reference has an unsupported type.
            ValueError: There is no stream, streams differ in length, or a segment has no reference.

        Example:
            >>> from fastbleu import BLEU
            >>> bleu = BLEU()
            >>> references = bleu.prepare([["the cat sat on the mat"]])
            >>> bleu.corpus_score(["the cat sat on a mat"], references).counts
            [5, 3, 2, 1]
        """
        return self.matcher.prepare(self._checked_for_padding(streams))

    def prepare_segments(self, references: AnyStreams) -> References:
        """Prepare references that are grouped by segment. Segments may have different numbers of references.

        Args:
            references: A sequence of at least one reference for each segment, `references[segment][k]`.

        Returns:
            The prepared references, which can be used like those of `prepare`.

        Raises:
            TypeError: A str is passed instead of a list, or a reference has an unsupported type.
            ValueError: A segment has no reference.

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
        """Return the signature of the metric's latest score in this thread, or if there is none, in any thread.

        Every score also has its signature, as `score.signature`. Before the first score, return the signature that
        scores against the constructor's references will have.

        Returns:
            A new `Signature`.

        Raises:
            ValueError: There is no score yet, and the constructor was given no references.

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
        """Return the signature of scores with this number of references per segment, -1 if it varies."""
        return self._signer.fields.sign(check_integer("num_references", num_references, -1))

    def signed(
        self, score: AnyScore, num_references: int, n_bootstrap: int | None = None, seed: str | None = None
    ) -> AnyScore:
        """Attach to a score the data from which its signature is computed, and return the score.

        Args:
            score: A score of this metric's formula, which is changed.
            num_references: The number of references per segment; -1 if it differs between segments.
            n_bootstrap: The number of resamples for the score's interval; None without an interval.
            seed: The seed of the resamples as text; None without an interval.
        """
        return self._signer.sign(score, num_references, n_bootstrap, seed)

    def given_references(self, references: Any) -> Any:
        """Return `references`, or the references given to the constructor if `references` is None.

        Raises:
            ValueError: `references` is None, and the constructor was given no references.
        """
        if references is None:
            references = self._references
        if references is None:
            given_to = f"{type(self).__name__}(references=...)"
            raise ArgumentValueError("references", f"is None, and none were given to {given_to}")
        return references

    # For other packages of fastbleu

    def corpus(self, hypotheses: Any, references: Any, samples: bool = False) -> Corpus:
        """Convert and check hypotheses and references, so that they can be counted.

        Args:
            hypotheses: n segments; with `samples` also token ids [B, K, T].
            references: The references of the n or B segments; None for the references given to the constructor.
            samples: Whether to accept token ids [B, K, T], which are K hypotheses for each of B segments.

        Raises:
            TypeError, ValueError: As for `corpus_score`, except that n may be 0.
        """
        return read_corpus(self.matcher, hypotheses, self.given_references(references), samples)

    def count(
        self, corpus: Corpus, rows: Rows | None = None, done: Done | None = None, tokenized: int = 0
    ) -> Totals:
        """Count a corpus; `BLEU` also logs warnings about its hypotheses.

        Args:
            corpus: The hypotheses and references, as returned by the method `corpus`.
            rows: A function (start, stop) that returns an array, to which the rows of the hypotheses start..stop - 1
                are written. None: only the sum of the rows is computed.
            done: A function (start, stop, array) that is called when the rows start..stop - 1 are in the array.
            tokenized: The number of hypotheses in earlier batches that look tokenized.

        Returns:
            The sum of the rows, the number of references per segment, and the number of hypotheses that look tokenized.
        """
        totals = corpus.count(rows, done, self.advance)
        self.warn_of_text(totals, corpus.hypotheses.data, tokenized)
        return totals

    def count_single(self, hypotheses: Any, references: Any, tokenized: int = 0) -> Totals | None:
        """Count a corpus of one segment faster than `corpus` and `count` do; return None if this is not possible."""
        if self.advance is not None:
            return None
        totals = count_single(self.matcher, hypotheses, references)
        if totals is not None:
            self.warn_of_text(totals, hypotheses, tokenized)
        return totals

    def warn_of_text(self, totals: Totals, hypotheses: Any, tokenized: int) -> None:
        """Do nothing; `BLEU` logs warnings about the text of the counted hypotheses.

        Args:
            totals: The counts of the hypotheses.
            hypotheses: The hypotheses.
            tokenized: The number of hypotheses in earlier batches that look tokenized.
        """

    def warn_of_tokens(self, before: int, more: int) -> None:
        """Do nothing; `BLEU` warns if the number of hypotheses that look tokenized, `before` + `more`, is large."""

    def _checked_for_padding(self, references: Any) -> Any:
        """Return the references unchanged; `BLEU` converts a matrix of ids, and warns if it looks padded."""
        return references
