"""The parts of a segment's score: every n-gram of the hypothesis, counted and clipped."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import exp, log

from ..errors import counted
from ..inputs.reading import as_sentence_references
from ..scoring.formula import brevity_penalty
from ..system.saving import save_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from fractions import Fraction
    from os import PathLike
    from typing import Any, TypeAlias

    from ..metric import BLEU
    from ..scoring.score import BLEUScore

    Tokens: TypeAlias = tuple[Hashable, ...]


@dataclass(slots=True)
class Ngram:
    """One distinct n-gram of the hypothesis, with its counts.

    Attributes:
        tokens: Its n tokens.
        count: Its count in the hypothesis, >= 1.
        reference_count: Its largest count in any one reference; 0 if it is in none.
        reference: The index of the first reference with that count, or None.
        clipped_count: The number of its occurrences that count: the smaller of the two counts.
    """

    tokens: Tokens
    count: int
    reference_count: int
    reference: int | None
    clipped_count: int

    @property
    def status(self) -> str:
        """Return "counted" if all occurrences count, "clipped" if only some do, "not found" if no reference has it."""
        if self.clipped_count == self.count:
            return "counted"
        return "clipped" if self.clipped_count else "not found"


@dataclass(slots=True, repr=False)
class Order:
    """The n-grams of one order.

    Attributes:
        n: The order, >= 1.
        ngrams: Every distinct n-gram of the hypothesis (`Ngram`), ordered by first occurrence.
        total: The number of n-grams in the hypothesis, repetitions included.
        matched: The number of these that occur in some reference, without clipping.
        correct: The number of these that count, with clipping.
    """

    n: int
    ngrams: tuple[Ngram, ...]
    total: int = field(init=False)
    matched: int = field(init=False)
    correct: int = field(init=False)

    def __post_init__(self) -> None:
        self.total = sum(ngram.count for ngram in self.ngrams)
        self.matched = sum(ngram.count for ngram in self.ngrams if ngram.reference_count)
        self.correct = sum(ngram.clipped_count for ngram in self.ngrams)

    @property
    def plain_precision(self) -> Fraction:
        """`matched / total`, 0..1, without clipping; 0 if there is no n-gram."""
        return _fraction(self.matched, self.total)

    @property
    def modified_precision(self) -> Fraction:
        """`correct / total`, 0..1, with clipping; 0 if there is no n-gram."""
        return _fraction(self.correct, self.total)

    def __repr__(self) -> str:
        return f"<Order {self.n}: plain {self.matched}/{self.total}, modified {self.correct}/{self.total}>"


@dataclass(slots=True, eq=False, repr=False)
class Explanation:
    """The parts of a segment's score, returned by `BLEU.explain`; `str()` formats them as a text table.

    All means and precisions here are computed from the counts without smoothing, 0..1. The smoothed precisions are
    `score.precisions`, 0..100.

    Attributes:
        hypothesis: The hypothesis' tokens, as they were counted.
        references: The tokens of each reference, in the order given; None for a missing one.
        orders: One `Order` for each of 1..N.
        weights: The weight of each order 1..N in the score; 0.0 for an order that is not used. The weights add up to
            1, or to 0 if no order is used (under `effective_order`, a hypothesis too short for the orders that have a
            weight).
        reference_length: The rule for the reference length: "closest", "closest-first" or "shortest".
        score: The score, 0..100, as `sentence_score` returns it.

    Example:
        >>> from fastbleu import BLEU
        >>> references = ["the cat is on the mat", "there is a cat on the mat"]
        >>> explanation = explain(BLEU(effective_order=True), "the cat the cat on the mat", references)
        >>> explanation
        <Explanation of BLEU = 46.71: 7 tokens, 2 references>
        >>> explanation.orders[0]
        <Order 1: plain 7/7, modified 5/7>
        >>> explanation.orders[0].ngrams[0]
        Ngram(tokens=('the',), count=3, reference_count=2, reference=0, clipped_count=2)
        >>> round(explanation.plain_arithmetic_mean, 4), round(explanation.modified_geometric_mean, 4)
        (0.6208, 0.4671)

    The terms are those of Papineni et al. 2002 (https://aclanthology.org/P02-1040), section 2.
    """

    hypothesis: Tokens
    references: tuple[Tokens | None, ...]
    orders: tuple[Order, ...]
    weights: tuple[float, ...]
    reference_length: str
    score: BLEUScore

    # Lengths

    @property
    def sys_len(self) -> int:
        """Tokens in the hypothesis."""
        return len(self.hypothesis)

    @property
    def ref_len(self) -> int:
        """The reference length that the score compares with."""
        return self.score.ref_len

    @property
    def compared_reference(self) -> int:
        """The index of the first reference that has this length."""
        return [None if one is None else len(one) for one in self.references].index(self.ref_len)

    @property
    def ref_lens(self) -> list[int]:
        """The number of tokens of each reference that is not missing, in order."""
        return [len(reference) for reference in self.references if reference is not None]

    @property
    def closest_ref_len(self) -> int:
        """The reference length closest to the hypothesis length, the shorter of two equally close ones."""
        return min(self.ref_lens, key=lambda length: (abs(length - self.sys_len), length))

    @property
    def shortest_ref_len(self) -> int:
        """The shortest reference length."""
        return min(self.ref_lens)

    # Brevity penalties

    @property
    def brevity_penalty(self) -> float:
        """The score's brevity penalty, 0..1."""
        return self.score.bp

    @property
    def closest_brevity_penalty(self) -> float:
        """The brevity penalty with the closest reference length, 0..1; that of Papineni et al."""
        return brevity_penalty(self.sys_len, self.closest_ref_len)

    @property
    def shortest_brevity_penalty(self) -> float:
        """The brevity penalty with the shortest reference length, 0..1; that of tensorflow/nmt."""
        return brevity_penalty(self.sys_len, self.shortest_ref_len)

    # Means

    @property
    def plain_arithmetic_mean(self) -> float:
        """Arithmetic mean of the plain precisions by `weights`, 0..1."""
        return self._arithmetic_mean([order.matched for order in self.orders])

    @property
    def modified_arithmetic_mean(self) -> float:
        """Arithmetic mean of the modified precisions by `weights`, 0..1."""
        return self._arithmetic_mean([order.correct for order in self.orders])

    @property
    def plain_geometric_mean(self) -> float:
        """Geometric mean of the plain precisions by `weights`, 0..1."""
        return self._geometric_mean([order.matched for order in self.orders])

    @property
    def modified_geometric_mean(self) -> float:
        """Geometric mean of the modified precisions by `weights`, 0..1; with the penalty, BLEU without smoothing."""
        return self._geometric_mean([order.correct for order in self.orders])

    def _arithmetic_mean(self, numerators: list[int]) -> float:
        parts = zip(self.weights, numerators, self.orders, strict=True)
        return sum(weight * numerator / order.total for weight, numerator, order in parts if numerator)

    def _geometric_mean(self, numerators: list[int]) -> float:
        parts = [part for part in zip(self.weights, numerators, self.orders, strict=True) if part[0]]
        if not parts or not all(numerator for _, numerator, _ in parts):
            return 0.0
        return exp(sum(weight * log(numerator / order.total) for weight, numerator, order in parts))

    # As text

    def __repr__(self) -> str:
        tokens, references = self.sys_len, len(self.ref_lens)
        return (
            f"<Explanation of BLEU = {self.score.format(score_only=True)}: {counted(tokens, 'token', ',')}, "
            f"{counted(references, 'reference', ',')}>"
        )

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, width: int = 100, limit: int | None = 20) -> str:
        """Format the explanation as a table for a terminal.

        Args:
            width: Columns of the terminal, at least 70. Longer lines are wrapped or cut, except the signature.
            limit: The number of n-grams of each order to list, clipped ones first; None for all.

        Returns:
            Lines of text. References are numbered from 1; characters that a terminal cannot show are escaped.

        Raises:
            TypeError: An argument is not an integer.
            ValueError: An argument is too small.

        Example:
            >>> from fastbleu import BLEU
            >>> references = ["The cat is on the mat", "There is a cat on the mat"]
            >>> explanation = explain(
            ...     BLEU(max_ngram_order=1, effective_order=True, lowercase=True), "the " * 7, references
            ... )
            >>> print(explanation.to_text())
            BLEU = 28.57 28.6 (BP = 1.000 ratio = 1.000 hyp_len = 7 ref_len = 7)
            nrefs:2|case:lc|eff:yes|tok:13a|smooth:exp|version:...
            <BLANKLINE>
            hypothesis   the the the the the the the
            reference 1  the cat is on the mat
            reference 2  there is a cat on the mat
            <BLANKLINE>
            precision        plain       %  modified      %  smoothed %
            1-grams            7/7  100.00       2/7  28.57       28.57
            arithmetic mean         100.00            28.57
            geometric mean          100.00            28.57
            <BLANKLINE>
            length           7; references 6, 7; compared with 7 (closest)
            brevity penalty  1.0000; with the closest length (7) 1.0000, with the shortest (6) 1.0000
            <BLANKLINE>
            1-grams: 7, of which 7 in some reference, 2 counted
              count  largest  reference  clipped count           n-gram
                  7        2          1              2  clipped  the
        """
        from .explanation_text import text_table

        return text_table(self, width, limit)

    def to_html(self, title: str = "BLEU, explained") -> str:
        """Make a page that colors each token of the hypothesis by the longest n-gram that it matched.

        Args:
            title: The page's heading.

        Returns:
            An HTML document that needs nothing else: no network, no script.

        Example:
            >>> from fastbleu import BLEU
            >>> explain(BLEU(effective_order=True), "a & b", ["a & c"]).to_html().startswith("<!DOCTYPE html>")
            True
        """
        from .explanation_page import html_page

        return html_page([self], [title])

    def save_html(self, path: str | PathLike[str], title: str = "BLEU, explained") -> None:
        """Write the page of `to_html` to a file, in UTF-8.

        Args:
            path: The file, which ends in .html or .htm; an existing one is replaced.
            title: The page's heading.

        Raises:
            ValueError: The name has another ending.
            OSError: The file cannot be written. Its old content is kept, or it does not exist, unless it is written
                in place, as a pipe is.
        """
        from .all_pages import check_page_name

        check_page_name(path)
        save_text(path, self.to_html(title))


def explain(metric: BLEU, hypothesis: Any, references: Sequence[Any]) -> Explanation:
    """Explain the score of one segment; see `BLEU.explain`.

    Args:
        metric: The metric that tokenizes, counts and scores.
        hypothesis: The segment, a str or a sequence of tokens.
        references: Its references, at least one (None is skipped).

    Returns:
        The explanation; its score is that of `metric.sentence_score`.

    Raises:
        TypeError: As `BLEU.sentence_score`.
        ValueError: As `BLEU.sentence_score`.

    Example:
        >>> from fastbleu import BLEU
        >>> explanation = explain(BLEU(effective_order=True), "the the the the the the the", ["the cat is on the mat"])
        >>> explanation.orders[0].plain_precision, explanation.orders[0].modified_precision
        (Fraction(1, 1), Fraction(2, 7))
    """
    references = list(as_sentence_references(references))
    # Score first, so that bad arguments get the errors of `sentence_score`.
    score = metric.sentence_score(hypothesis, references)
    tokens = tokens_of(metric, hypothesis)
    reference_tokens = tuple(None if one is None else tokens_of(metric, one) for one in references)
    present = [(index, one) for index, one in enumerate(reference_tokens) if one is not None]
    orders = tuple(_order(n, tokens, present) for n in range(1, metric.max_ngram_order + 1))
    weights = _weights(metric, score.totals)
    return Explanation(tokens, reference_tokens, orders, weights, metric.reference_length, score)


def tokens_of(metric: BLEU, segment: Any) -> Tokens:
    """Return the tokens of a segment as the metric counts them."""
    if isinstance(segment, str):
        return tuple(metric.tokenize(segment))
    return tuple(segment.tolist() if hasattr(segment, "tolist") else segment)


def _order(n: int, hypothesis: Tokens, references: list[tuple[int, Tokens]]) -> Order:
    """Count and clip the n-grams of one order; `references` pairs each index with its tokens."""
    if n > len(hypothesis):
        return Order(n, ())
    counts = [(index, count_ngrams(reference, n)) for index, reference in references]
    ngrams = []
    for tokens, count in count_ngrams(hypothesis, n).items():
        largest, where = 0, None
        for index, of_reference in counts:
            in_reference = of_reference.get(tokens, 0)
            if in_reference > largest:
                largest, where = in_reference, index
        ngrams.append(Ngram(tokens, count, largest, where, min(count, largest)))
    return Order(n, tuple(ngrams))


def count_ngrams(tokens: Tokens, n: int) -> Counter[Tokens]:
    """Count each distinct n-gram of order `n` in the tokens."""
    return Counter(zip(*(tokens[i:] for i in range(n)), strict=False))


def _weights(metric: BLEU, totals: Sequence[float]) -> tuple[float, ...]:
    """Return the weight of each order in the score; `totals` are the score's, which smoothing may have raised."""
    weights = metric.weights or (1.0,) * len(totals)
    if metric.effective_order and 0 in totals:
        orders = totals.index(0)
        weights = (*weights[:orders], *(0.0 for _ in weights[orders:]))
    whole = sum(weights) or 1.0
    return tuple(weight / whole for weight in weights)


def _fraction(numerator: int, denominator: int) -> Fraction:
    from fractions import Fraction

    return Fraction(numerator, denominator or 1)
