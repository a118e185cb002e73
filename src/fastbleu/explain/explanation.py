"""Explain the score of a segment by the counts and clipped counts of the hypothesis' n-grams."""

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
        tokens: The n tokens of the n-gram.
        count: The number of its occurrences in the hypothesis, >= 1.
        reference_count: The largest number of its occurrences in any single reference; 0 if no reference has it.
        reference: The index of the first reference with `reference_count` occurrences; None if no reference has it.
        clipped_count: The number of occurrences that count as matches: the minimum of `count` and `reference_count`.
    """

    tokens: Tokens
    count: int
    reference_count: int
    reference: int | None
    clipped_count: int

    @property
    def status(self) -> str:
        """The status: "counted" if all occurrences count, "clipped" if only some do, "not found" if none does."""
        if self.clipped_count == self.count:
            return "counted"
        return "clipped" if self.clipped_count else "not found"


@dataclass(slots=True, repr=False)
class Order:
    """The n-grams of one order in the hypothesis.

    Attributes:
        n: The order, >= 1.
        ngrams: All distinct n-grams of the hypothesis, in the order of their first occurrence.
        total: The number of n-grams in the hypothesis, including repetitions.
        matched: The number of n-grams, including all repetitions, that occur in some reference.
        correct: The number of n-grams that count as matches, which is the sum of their clipped counts.
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
    """The explanation of a segment's score, returned by `BLEU.explain`; `str()` formats it as a text table.

    All precisions and means of an explanation are computed without smoothing, 0..1. The smoothed precisions are
    `score.precisions`, 0..100.

    Attributes:
        hypothesis: The tokens of the hypothesis.
        references: The tokens of each reference; None for a missing reference.
        orders: The n-grams of each order 1..N.
        weights: The weight of each order 1..N in the score; 0.0 for an order that is not used. The weights add up to 1.
            With `effective_order`, if the hypothesis is too short for every order with a weight, all weights are 0.0.
        reference_length: The metric's option that determines the reference length: "closest", "closest-first" or
            "shortest".
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

    The terms "modified precision", "clipped" and "brevity penalty" are defined by Papineni et al. 2002
    (https://aclanthology.org/P02-1040), section 2.
    """

    hypothesis: Tokens
    references: tuple[Tokens | None, ...]
    orders: tuple[Order, ...]
    weights: tuple[float, ...]
    reference_length: str
    score: BLEUScore

    @property
    def sys_len(self) -> int:
        """The number of tokens of the hypothesis."""
        return len(self.hypothesis)

    @property
    def ref_len(self) -> int:
        """The reference length with which the hypothesis length is compared."""
        return self.score.ref_len

    @property
    def compared_reference(self) -> int:
        """The index of the first reference whose length is `ref_len`."""
        return [None if one is None else len(one) for one in self.references].index(self.ref_len)

    @property
    def ref_lens(self) -> list[int]:
        """The number of tokens of each reference, without missing references."""
        return [len(reference) for reference in self.references if reference is not None]

    @property
    def closest_ref_len(self) -> int:
        """The reference length closest to the hypothesis length; of two equally close lengths, the shorter one."""
        return min(self.ref_lens, key=lambda length: (abs(length - self.sys_len), length))

    @property
    def shortest_ref_len(self) -> int:
        """The length of the shortest reference."""
        return min(self.ref_lens)

    @property
    def brevity_penalty(self) -> float:
        """The brevity penalty of the score, 0..1."""
        return self.score.bp

    @property
    def closest_brevity_penalty(self) -> float:
        """The brevity penalty with the closest reference length, 0..1, as Papineni et al. define it."""
        return brevity_penalty(self.sys_len, self.closest_ref_len)

    @property
    def shortest_brevity_penalty(self) -> float:
        """The brevity penalty with the shortest reference length, 0..1, as tensorflow/nmt computes it."""
        return brevity_penalty(self.sys_len, self.shortest_ref_len)

    @property
    def plain_arithmetic_mean(self) -> float:
        """The arithmetic mean of the plain precisions, weighted by `weights`, 0..1."""
        return self._arithmetic_mean([order.matched for order in self.orders])

    @property
    def modified_arithmetic_mean(self) -> float:
        """The arithmetic mean of the modified precisions, weighted by `weights`, 0..1."""
        return self._arithmetic_mean([order.correct for order in self.orders])

    @property
    def plain_geometric_mean(self) -> float:
        """The geometric mean of the plain precisions, weighted by `weights`, 0..1."""
        return self._geometric_mean([order.matched for order in self.orders])

    @property
    def modified_geometric_mean(self) -> float:
        """The geometric mean of the modified precisions, weighted by `weights`, 0..1.

        Multiplied by the brevity penalty, it is BLEU without smoothing.
        """
        return self._geometric_mean([order.correct for order in self.orders])

    def _arithmetic_mean(self, numerators: list[int]) -> float:
        parts = zip(self.weights, numerators, self.orders, strict=True)
        return sum(weight * numerator / order.total for weight, numerator, order in parts if numerator)

    def _geometric_mean(self, numerators: list[int]) -> float:
        parts = [part for part in zip(self.weights, numerators, self.orders, strict=True) if part[0]]
        if not parts or not all(numerator for _, numerator, _ in parts):
            return 0.0
        return exp(sum(weight * log(numerator / order.total) for weight, numerator, order in parts))

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
            width: The number of columns of the terminal, >= 70. Longer lines are wrapped or truncated, except the
                signature.
            limit: The maximum number of n-grams to list for each order, clipped n-grams first; None to list all.

        Returns:
            Lines of text. References are numbered from 1. Unprintable characters are escaped.

        Raises:
            TypeError: An argument is not an integer.
            ValueError: `width` is below 70, or `limit` is negative.

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
        """Format the explanation as an HTML page that colors each token by the longest matching n-gram.

        Args:
            title: The heading of the page.

        Returns:
            An HTML document, which needs neither scripts nor other files.

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
            path: The file, whose name must end in .html or .htm. An existing file is replaced.
            title: The heading of the page.

        Raises:
            ValueError: The name has another ending.
            OSError: The file cannot be written. Its content is unchanged, unless it is a pipe, a device or a file with
                several hard links, which are written in place.
        """
        from .html_pages import check_page_name

        check_page_name(path)
        save_text(path, self.to_html(title))


def explain(metric: BLEU, hypothesis: Any, references: Sequence[Any]) -> Explanation:
    """Explain the score of one segment; see `BLEU.explain`.

    Args:
        metric: The metric that tokenizes, counts and scores.
        hypothesis: The hypothesis, a str or a sequence of tokens.
        references: Its references, at least one. None is a missing reference, which is skipped.

    Returns:
        The explanation, whose `score` equals that of `metric.sentence_score`.

    Raises:
        TypeError: A segment has the wrong type, as for `BLEU.sentence_score`.
        ValueError: There is no reference, or a segment has a bad value, as for `BLEU.sentence_score`.

    Example:
        >>> from fastbleu import BLEU
        >>> explanation = explain(BLEU(effective_order=True), "the the the the the the the", ["the cat is on the mat"])
        >>> explanation.orders[0].plain_precision, explanation.orders[0].modified_precision
        (Fraction(1, 1), Fraction(2, 7))
    """
    references = list(as_sentence_references(references))
    # Score first, so that bad arguments raise the errors of `sentence_score`.
    score = metric.sentence_score(hypothesis, references)
    tokens = tokens_of(metric, hypothesis)
    reference_tokens = tuple(
        None if reference is None else tokens_of(metric, reference) for reference in references
    )
    present = [(i, reference) for i, reference in enumerate(reference_tokens) if reference is not None]
    orders = tuple(_order(n, tokens, present) for n in range(1, metric.max_ngram_order + 1))
    weights = _weights(metric, score.totals)
    return Explanation(tokens, reference_tokens, orders, weights, metric.reference_length, score)


def tokens_of(metric: BLEU, segment: Any) -> Tokens:
    """Return the tokens of a segment; if the segment is a str, the metric tokenizes it."""
    if isinstance(segment, str):
        return tuple(metric.tokenize(segment))
    return tuple(segment.tolist() if hasattr(segment, "tolist") else segment)


def _order(n: int, hypothesis: Tokens, references: list[tuple[int, Tokens]]) -> Order:
    """Count and clip the n-grams of one order.

    Args:
        n: The order.
        hypothesis: The tokens of the hypothesis.
        references: The index and the tokens of each reference that is not missing.
    """
    if n > len(hypothesis):
        return Order(n, ())
    counts = [(index, count_ngrams(reference, n)) for index, reference in references]
    ngrams = []
    for tokens, count in count_ngrams(hypothesis, n).items():
        largest, largest_index = 0, None
        for index, reference_counts in counts:
            reference_count = reference_counts.get(tokens, 0)
            if reference_count > largest:
                largest, largest_index = reference_count, index
        ngrams.append(Ngram(tokens, count, largest, largest_index, min(count, largest)))
    return Order(n, tuple(ngrams))


def count_ngrams(tokens: Tokens, n: int) -> Counter[Tokens]:
    """Return the number of occurrences of each distinct n-gram of order `n` in a segment."""
    return Counter(zip(*(tokens[i:] for i in range(n)), strict=False))


def _weights(metric: BLEU, totals: Sequence[float]) -> tuple[float, ...]:
    """Return the weight of each order in a score.

    Args:
        metric: The metric, which has the options `weights` and `effective_order`.
        totals: The attribute `totals` of the score: the number of n-grams of each order in the hypothesis, which some
            smoothing methods increase.
    """
    weights = metric.weights or (1.0,) * len(totals)
    if metric.effective_order and 0 in totals:
        orders = totals.index(0)
        weights = (*weights[:orders], *(0.0 for _ in weights[orders:]))
    weight_sum = sum(weights) or 1.0
    return tuple(weight / weight_sum for weight in weights)


def _fraction(numerator: int, denominator: int) -> Fraction:
    from fractions import Fraction

    return Fraction(numerator, denominator or 1)
