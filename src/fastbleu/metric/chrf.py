"""Define the metric `CHRF`, which computes chrF and chrF++, with sacreBLEU's methods and those of `Metric`."""

from __future__ import annotations

from ..counting.chrf_matcher import ChrfMatcher
from ..counting.corpus import rows_of
from ..counting.references import References
from ..counting.rows import empty_table
from ..errors import suggests_options
from ..options import check_flag, check_scale, check_threads
from ..scoring.chrf_formula import CHRFFormula, CHRFScore, chrf_fields
from ..scoring.signature import SharedFields, Signer
from .metric import Metric

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    from numpy import float64, int64
    from numpy.typing import NDArray

    from .metric import AnySegments, AnyStreams


class CHRF(Metric[CHRFScore]):
    """The chrF metric (Popović 2015), equal to sacreBLEU 2.6.0 to the last digit; chrF++ with `word_order=2`.

    Segments are text in any sequence or column that `BLEU` accepts. References are streams,
    `references[stream][segment]`, in which None is a missing reference. If a segment has several references, the one
    with the best score is used, and the first of those with equal scores. A metric may be used by several threads at
    the same time, and pickled.

    Args:
        char_order: The largest order of character n-grams, >= 0.
        word_order: The largest order of word n-grams, >= 0. At least one of the two orders must be above 0. Text is
            split into words at white space, and a punctuation character at the end or the beginning of a word is
            separated from it.
        beta: The weight of recall relative to precision, >= 0.
        lowercase: Ignore case (`str.lower`).
        whitespace: Whether white space counts as characters.
        eps_smoothing: Score an order without a match as almost 0, and average the scores of the orders, as chrF++.py,
            NLTK and Moses do. If not set, the orders for which the hypothesis or the reference is too short are
            excluded.
        references: Streams of references, or prepared `References`, to use in calls that pass None as references.
        threads: The number of threads that may count at the same time, >= 1. The result does not depend on it.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range, or streams differ in length.

    Example:
        >>> chrf = CHRF()
        >>> chrf.corpus_score(["the cat sat on the mat"], [["a cat sat on the mat"]])
        chrF2 = 88.96
        >>> CHRF(word_order=2).sentence_score("the cat sat", ["the cat is here", "the cat sat."])
        chrF2++ = 85.18
        >>> print(chrf.get_signature().format().rpartition("|")[0])
        nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0
    """

    # The defaults of the orders and of beta, under the names that they have in sacreBLEU's class.
    CHAR_ORDER: ClassVar[int] = 6
    WORD_ORDER: ClassVar[int] = 0
    BETA: ClassVar[int] = 2

    matcher: ChrfMatcher
    formula: CHRFFormula

    @suggests_options
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
        self.formula = CHRFFormula(char_order, word_order, beta, eps_smoothing)
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
        self._set_up()
        if references is not None:
            self._references = references if isinstance(references, References) else self.prepare(references)
            self._references.check(self.matcher.identity)

    def _set_up(self) -> None:
        fields = chrf_fields(
            self.char_order, self.word_order, self.lowercase, self.whitespace, self.eps_smoothing
        )
        self._signer = Signer(SharedFields(fields))

    def __repr__(self) -> str:
        return (
            f"CHRF(char_order={self.char_order}, word_order={self.word_order}, beta={self.beta}, "
            f"lowercase={self.lowercase}, whitespace={self.whitespace}, eps_smoothing={self.eps_smoothing}, "
            f"threads={self.threads})"
        )

    @property
    def char_order(self) -> int:
        """Return the largest order of character n-grams."""
        return self.formula.char_order

    @property
    def word_order(self) -> int:
        """Return the largest order of word n-grams."""
        return self.formula.word_order

    @property
    def order(self) -> int:
        """Return the number of orders, `char_order` + `word_order`."""
        return self.char_order + self.word_order

    @property
    def beta(self) -> float:
        """Return the weight of recall relative to precision."""
        return self.formula.beta

    @property
    def eps_smoothing(self) -> bool:
        """Return whether orders without a match score almost 0.

        If not, orders for which the hypothesis or the reference is too short are excluded.
        """
        return self.formula.eps_smoothing

    @property
    def whitespace(self) -> bool:
        """Return whether white space counts as characters."""
        return self.matcher.whitespace

    def sentence_score(self, hypothesis: str, references: Sequence[str | None]) -> CHRFScore:
        """Score one segment.

        Args:
            hypothesis: The segment.
            references: Its references, at least one (None is skipped).

        Returns:
            The score, 0..100.

        Raises:
            TypeError: `hypothesis` or a reference is not a str, or `references` is a bare str.
            ValueError: There is no reference.

        Example:
            >>> CHRF().sentence_score("the cat sat", ["the cat sat down"]).score
            66.01764142221674
        """
        row, _, number = self.matcher.count_one(hypothesis, references)
        return self.signed(self.formula.score(row), number)

    def sentence_scores(
        self, hypotheses: AnySegments, references: References | AnyStreams | None, scale: float = 100
    ) -> NDArray[float64]:
        """Score each segment by itself, in one pass.

        Args:
            hypotheses: As for `corpus_score`.
            references: As for `corpus_score`.
            scale: The score of a perfect match: 100 or 1.

        Returns:
            float64 [n], 0..scale; on the scale 100 the same floats as `sentence_score` returns.

        Raises:
            TypeError: As for `corpus_score`.
            ValueError: As for `corpus_score`, but n may be 0; or the scale is neither 100 nor 1.

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
        """Return the sufficient statistics of each segment. Their sum is the row of the corpus.

        Args:
            hypotheses: As for `corpus_score`.
            references: As for `corpus_score`.

        Returns:
            int64 [n, 3 * orders]. For each order of character n-grams, and then of word n-grams, a row has three
            counts: the n-grams of the hypothesis, the n-grams of the best reference, and the matches.

        Raises:
            TypeError: As for `corpus_score`.
            ValueError: As for `corpus_score`, but n may be 0.

        Example:
            >>> CHRF(char_order=2).statistics(["a cat"], [["cats"]]).tolist()
            [[4, 4, 3, 3, 3, 2]]
        """
        corpus = self.corpus(hypotheses, references)
        rows = empty_table(len(corpus), self.formula.width)
        self.count(corpus, rows_of(rows))
        return rows
