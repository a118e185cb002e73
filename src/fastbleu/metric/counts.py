"""Counting without a score: the doors to statistics, and what the other rooms of this package call to count."""

from __future__ import annotations

from ..counting.corpus import rows_of
from ..counting.few_segments import count_single
from ..counting.rows import empty_table
from ..inputs.columns import Ids
from ..inputs.devices import as_like
from ..options import check_flag
from .configured import Configured

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import int64
    from numpy.typing import NDArray

    from ..counting.corpus import Corpus, Done, Rows
    from ..counting.references import References
    from ..counting.totals import Totals
    from .metric import AnySegments, AnyStreams


class Counting(Configured):
    """A metric as far as it counts."""

    def statistics(
        self,
        hypotheses: AnySegments,
        references: References | AnyStreams | None,
        *,
        like: bool = False,
    ) -> NDArray[int64] | Any:
        """Count each segment's n-grams: the sufficient statistics, which add up.

        Args:
            hypotheses: As for `sentence_scores`.
            references: As for `sentence_scores`.
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
        corpus = self.corpus(hypotheses, references, samples=True)
        rows = empty_table(len(corpus), self.formula.width)
        self.count(corpus, rows_of(rows))
        return shaped(rows, corpus, hypotheses, like)

    # For the other rooms of this package

    def corpus(self, hypotheses: Any, references: Any, samples: bool = False) -> Corpus:
        """Make the arguments of a call ready to be counted, as `Metric.corpus`; warn of padding."""
        corpus = super().corpus(hypotheses, references, samples)
        if isinstance(corpus.hypotheses, Ids) and not self.warnings.of_padding.is_over:
            padded = corpus.undeclared_padding()
            if padded is not None:
                self.warnings.padding(*padded)
        return corpus

    def count(
        self, corpus: Corpus, rows: Rows | None = None, done: Done | None = None, tokenized: int = 0
    ) -> Totals:
        """Count; warn of hypotheses that look tokenized, if `tokenized` of those before did."""
        totals = super().count(corpus, rows, done)
        if totals.tokenized:
            self.warnings.tokens(tokenized, totals.tokenized)
        if not self.warnings.of_script.is_over:
            self.warnings.script(corpus.hypotheses.held)
        return totals

    def count_single(self, hypotheses: Any, references: Any, tokenized: int = 0) -> Totals | None:
        """Count one plain segment in the short way; None where `corpus` and `count` must."""
        if self.advance is not None:
            return None
        totals = count_single(self.matcher, hypotheses, references)
        if totals is not None and totals.tokenized:
            self.warnings.tokens(tokenized, totals.tokenized)
        if totals is not None and not self.warnings.of_script.is_over:
            self.warnings.script(hypotheses)
        return totals

    def warn_of_tokens(self, before: int, more: int) -> None:
        """Warn of hypotheses that look tokenized; see `Warnings.tokens`."""
        self.warnings.tokens(before, more)


def shaped(results: NDArray[Any], corpus: Corpus, hypotheses: Any, like: bool) -> Any:
    """Results of all hypotheses in the shape of these, and if `like` of their kind; see `BLEU.sentence_scores`."""
    if len(corpus.shape) > 1:
        results = results.reshape(*corpus.shape, *results.shape[1:])
    return as_like(results, hypotheses) if like is not False and check_flag("like", like) else results
