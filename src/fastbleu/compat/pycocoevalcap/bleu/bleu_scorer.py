"""Replacement for `pycocoevalcap.bleu.bleu_scorer`: the class `BleuScorer`, which collects captions and scores them."""

from __future__ import annotations

from itertools import accumulate, chain
from warnings import warn

from ....counting.corpus import read_corpus_per_segment, rows_of
from ....counting.rows import empty_table, row_width
from ....errors import Location, describe
from ....scoring.pycocoevalcap_formula import length_ratio, scores_of
from ...arguments import check_texts, token_matcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from typing_extensions import Self

_NAMES = ("test", "refs")


class BleuScorer:
    """Collect captions with their references, and score all of them.

    Args:
        test: The first caption.
        refs: The references of the first caption, a list of str; None to start without captions.
        n: The largest order of n-grams.

    Example:
        >>> scorer = BleuScorer(n=2)
        >>> scorer += ("a man on a horse", ["a man rides a horse", "a person on a horse"])
        >>> scorer += ("two cats", ["two cats"])
        >>> scorer.size()
        2
        >>> scores, scores_of_captions = scorer.compute_score()
        >>> scores
        [0.9999999997142859, 0.8944271907188104]
    """

    __slots__ = ("_references", "_scores", "_tests", "n")

    def __init__(self, test: Any = None, refs: Any = None, n: int = 4) -> None:
        self.n = n
        self._tests: list[Any] = []
        self._references: list[Sequence[Any]] = []
        self._scores: list[float] | None = None
        self.cook_append(test, refs)

    def cook_append(self, test: Any, refs: Any) -> None:
        """Add a caption with its references, unless `refs` is None."""
        if refs is not None:
            if isinstance(refs, (str, bytes)):
                warn(f"refs is {describe(refs)}, of which each character is a reference", stacklevel=2)
            self._references.append(tuple(refs))
            self._tests.append(test)
        self._scores = None

    def size(self) -> int:
        """Return the number of captions."""
        return len(self._references)

    def __iadd__(self, other: Any) -> Self:
        """Add a caption with its references, `(test, refs)`, or all captions of another scorer."""
        if type(other) is tuple:
            self.cook_append(other[0], other[1])
            return self
        if not isinstance(other, BleuScorer) or self.n != other.n:
            raise AssertionError(f"only a BleuScorer of the same n can be added, not {describe(other)}")
        self._tests.extend(other._tests)
        self._references.extend(other._references)
        self._scores = None
        return self

    def compute_score(self, option: str | None = None, verbose: int = 0) -> Any:
        """Score the captions.

        Args:
            option: How to choose the reference length of a caption: the length of its "closest" or its "shortest"
                reference, or the "average" length of its references. None means "average" if there is a single caption,
                and otherwise "closest".
            verbose: Above 0: print the counts of the corpus and the ratio of the lengths.

        Returns:
            A list with BLEU-1..n of the corpus, and n lists with the scores of the captions. All scores are 0..1. Until
            another caption is added, further calls return only the first list, as in the original.

        Raises:
            AssertionError: The option is unknown.
            TypeError: A caption or a reference is not a str.
        """
        if self._scores is not None:
            return self._scores
        if option is None:
            option = "average" if len(self._references) == 1 else "closest"
        result = score_captions(self._tests, self._references, self.n, option, verbose)
        self._scores = result[0]
        return result


def score_captions(
    tests: Sequence[Any], references: Sequence[Sequence[Any]], n: int, option: str, verbose: int
) -> tuple[list[float], list[list[float]]]:
    """Score captions, and print what the original prints.

    Args:
        tests: The captions.
        references: The references of each caption.
        n: The largest order of n-grams.
        option: "closest", "shortest" or "average", as for `BleuScorer.compute_score`.
        verbose: Above 0: print the counts of the corpus and the ratio of the lengths.

    Returns:
        A list with BLEU-1..n of the corpus, and n lists with the scores of the captions. All scores are 0..1.

    Raises:
        AssertionError: The option is unknown.
        TypeError: A caption or a reference is not a str.
    """
    if option not in ("closest", "shortest", "average") and tests:
        raise AssertionError(f"unsupported reflen option {option}")
    if not {*map(type, chain(tests, *references))} <= {str}:
        for i, texts in enumerate(references):
            check_texts(texts, Location(_NAMES[1])[i])
        check_texts(tests, Location(_NAMES[0]))
    order = max(n, 1)
    rows = empty_table(len(tests), row_width(order))
    matcher = token_matcher(order, "shortest" if option == "shortest" else "closest")
    row = read_corpus_per_segment(matcher, tests, references, _NAMES).count(rows_of(rows)).row
    lengths: list[float] | None = None
    ref_len: float = row[1]
    if option == "average":
        lengths = [sum(len(text.split()) for text in texts) / len(texts) for texts in references]
        # Add the lengths one by one, because `sum` rounds floats differently since Python 3.12.
        *_, ref_len = accumulate(lengths, initial=0)
    scores = [corpus_score for (corpus_score,) in scores_of([row], n, [ref_len])]
    if verbose > 0:
        counts = {"guess": row[2 + order : 2 + order + n], "correct": row[2 : 2 + n]}
        print({"testlen": row[0], "reflen": ref_len, **counts})
        print("ratio:", length_ratio(row[0], ref_len))
    return scores, scores_of(rows, n, lengths)
