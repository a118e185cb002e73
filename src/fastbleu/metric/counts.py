"""Counting without a score: the doors to statistics, and what the other rooms of this package call to count."""

from __future__ import annotations

from ..counting.corpus import count_single, read_corpus, rows_of
from ..counting.rows import check_rows, empty_rows
from ..counting.totals import sum_rows
from ..inputs.columns import Ids
from ..inputs.devices import as_like
from ..options import check_flag
from .configured import Configured

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, Literal, overload

    from numpy import float64, int64
    from numpy.typing import ArrayLike, NDArray

    from ..counting.corpus import Corpus, Done, Rows
    from ..counting.references import References
    from ..counting.totals import Totals
    from ..inputs._text import TextColumn
    from ..scoring.score import BLEUScore
    from .configured import AnySegments, AnyStreams


class Counting(Configured):
    """A metric as far as it counts."""

    def statistics(
        self,
        hypotheses: AnySegments,
        references: References | AnyStreams | None,
        *,
        languages: Sequence[str | None] | None = None,
        like: bool = False,
    ) -> NDArray[int64] | Any:
        """Count each segment's n-grams: the sufficient statistics, which add up.

        Args:
            hypotheses: As for `sentence_scores`.
            references: As for `sentence_scores`.
            languages: As for `sentence_scores`.
            like: As for `sentence_scores`.

        Returns:
            int64 [n, 2 + 2N] or [B, K, 2 + 2N]: sys_len, ref_len, correct_1..correct_N, total_1..total_N. With `like`,
            int32 where the framework has no int64.

        Raises:
            TypeError: As `sentence_scores`.
            ValueError: As `corpus_score`, but n may be 0.

        Example:
            >>> from fastbleu import BLEU
            >>> BLEU(max_ngram_order=2).statistics(["the cat sat"], [["the cat is here"]]).tolist()
            [[3, 4, 2, 1, 3, 2]]
        """
        if languages is not None:
            return self._count_by_language(hypotheses, references, languages)
        corpus = self.corpus(hypotheses, references, samples=True)
        rows = empty_rows(len(corpus), self.max_ngram_order)
        self.count(corpus, rows_of(rows))
        return shaped(rows, corpus, hypotheses, like)

    if TYPE_CHECKING:

        @overload
        def score_statistics(self, statistics: ArrayLike, *, each: Literal[False] = False) -> BLEUScore: ...

        @overload
        def score_statistics(self, statistics: ArrayLike, *, each: Literal[True]) -> NDArray[float64]: ...

    def score_statistics(self, statistics: ArrayLike, *, each: bool = False) -> BLEUScore | NDArray[float64]:
        """Score statistics that were counted before.

        Args:
            statistics: A row of 2 + 2N counts, or rows [n, 2 + 2N], n >= 1, to be summed; integers, not negative.
            each: Score each row by itself instead of their sum: rows of documents, windows or systems, n >= 0.

        Returns:
            The score, 0..100; its signature is None, since rows do not say how many references there were. With `each`,
            float64 [n].

        Raises:
            TypeError: The statistics are not integers.
            ValueError: They have another shape, or a count is negative.

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

            rows = check_rows(statistics, self.max_ngram_order, "statistics")
            if rows.size and int(rows.max()) >= 1 << 53:  # not all of these fit a float64
                return np.array([self.formula.score(row).score for row in rows.tolist()])
            return self.formula.score_rows(rows)
        return self.formula.score(
            sum_rows(check_rows(statistics, self.max_ngram_order, "statistics", fewest=1))
        )

    def resample(
        self, statistics: ArrayLike, n: int = 1000, seed: int | str | None = None
    ) -> NDArray[float64]:
        """Score bootstrap resamples: the distribution that a confidence interval is read from.

        Args:
            statistics: Rows [m, 2 + 2N] of m >= 1 segments, as `statistics` counts them.
            n: The number of resamples, >= 1, each of m segments drawn with replacement.
            seed: The seed, >= 0; "none" draws by the system's entropy; None: the environment's SACREBLEU_SEED, 12345
                without one.

        Returns:
            float64 [n], 0..100, in the order drawn. The resamples are those of `corpus_score(n_bootstrap=n)`.

        Raises:
            TypeError: The statistics are not integers, or `n` or `seed` has the wrong type.
            ValueError: The statistics have another shape or add up to 2^53, or `n` or `seed` is out of range.

        Example:
            >>> from fastbleu import BLEU
            >>> bleu = BLEU(max_ngram_order=1)
            >>> rows = bleu.statistics(["a b", "a c", "d e"], [["a b", "a x", "d e"]])
            >>> bleu.resample(rows, 4).round(1).tolist()
            [100.0, 100.0, 83.3, 83.3]
        """
        from ..scoring.bootstrap import resample

        rows = check_rows(statistics, self.max_ngram_order, "statistics", fewest=1)
        return resample(rows, n, self.formula.score_rows, seed)

    def jackknife(self, statistics: ArrayLike) -> NDArray[float64]:
        """Score a corpus without each one of its segments: how much each one matters.

        Args:
            statistics: Rows [m, 2 + 2N] of m >= 1 segments, as `statistics` counts them.

        Returns:
            float64 [m], 0..100: the score without the first segment, without the second, and so on.

        Raises:
            TypeError: The statistics are not integers.
            ValueError: They have another shape, a count is negative, or they add up to 2^53.

        Example:
            >>> from fastbleu import BLEU
            >>> bleu = BLEU(max_ngram_order=1)
            >>> rows = bleu.statistics(["a b", "a c", "d e"], [["a b", "a x", "d e"]])
            >>> bleu.jackknife(rows).round(1).tolist()
            [75.0, 100.0, 75.0]
        """
        from ..scoring.bootstrap import jackknife

        rows = check_rows(statistics, self.max_ngram_order, "statistics", fewest=1)
        return jackknife(rows, self.formula.score_rows)

    # For the other rooms of this package

    def corpus(self, hypotheses: Any, references: Any, samples: bool = False) -> Corpus:
        """Make the arguments of a call ready to be counted; references are those of the constructor if they are None.

        Args:
            hypotheses: n segments; or, if `samples`, ids [B, K, T] as well.
            references: Of n or B segments.
            samples: Whether the call has a result for each of several hypotheses of a segment.
        """
        if references is None:
            references = self.given_references(None)
        corpus = read_corpus(self.matcher, hypotheses, references, samples)
        if isinstance(corpus.hypotheses, Ids) and not self.warnings.of_padding.is_over:
            padded = corpus.undeclared_padding()
            if padded is not None:
                self.warnings.padding(*padded)
        return corpus

    def count(
        self, corpus: Corpus, rows: Rows | None = None, done: Done | None = None, tokenized: int = 0
    ) -> Totals:
        """Count; warn of hypotheses that look tokenized, if `tokenized` of those before did."""
        totals = corpus.count(rows, done, self.advance)
        if totals.tokenized:
            self.warnings.tokens(tokenized, totals.tokenized)
        if self.warnings.scripts.suspects:
            self.warnings.script(corpus.hypotheses.held)
        return totals

    def count_single(self, hypotheses: Any, references: Any, tokenized: int = 0) -> Totals | None:
        """Count one plain segment in the short way; None where `corpus` and `count` must."""
        if self.advance is not None:
            return None
        totals = count_single(self.matcher, hypotheses, references)
        if totals is not None and totals.tokenized:
            self.warnings.tokens(tokenized, totals.tokenized)
        if self.warnings.scripts.suspects and totals is not None:
            self.warnings.script(hypotheses)
        return totals

    def iterate_scores(self, hypotheses: TextColumn, references: Any) -> Iterator[BLEUScore]:
        """The score of each segment by itself, as `sentence_score` gives it, counted in chunks."""
        for row, number in self.corpus(hypotheses, references).rows():
            yield self._signer.sign(self.formula.score(row), number)

    def _count_by_language(self, hypotheses: Any, references: Any, languages: Any) -> NDArray[int64]:
        """The rows of segments in several languages."""
        matchers = self._matchers
        if matchers is None:
            from ..counting.by_language import LanguageMatchers

            # If several threads come first, all get what the first of them has made.
            matchers = vars(self).setdefault("_matchers", LanguageMatchers(self.matcher, self._policy))
        references = self.given_references(references)
        rows, tokenized = matchers.count(hypotheses, references, languages, self.warnings.advise)
        self.warnings.tokens(0, tokenized)
        return rows


def shaped(results: NDArray[Any], corpus: Corpus, hypotheses: Any, like: bool) -> Any:
    """Results of all hypotheses in the shape of these, and if `like` of their kind; see `BLEU.sentence_scores`."""
    if len(corpus.shape) > 1:
        results = results.reshape(*corpus.shape, *results.shape[1:])
    return as_like(results, hypotheses) if like is not False and check_flag("like", like) else results
