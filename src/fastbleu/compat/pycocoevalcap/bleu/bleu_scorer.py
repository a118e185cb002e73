"""`pycocoevalcap.bleu.bleu_scorer.BleuScorer`."""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple
from warnings import warn

from ....counting.corpus import read_corpus_per_segment, rows_of
from ....counting.matcher import Matcher
from ....counting.rows import empty_rows, row_width
from ....errors import Place, describe, wrong_type
from ....scoring._pycocoevalcap import score_rows
from ....scoring.pycocoevalcap import score_totals
from ....tokenizers.names import get_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from typing_extensions import Self

    from ....options import ReferenceLength

_NAMES = ("test", "refs")

#: The orders that the original counts, whichever it scores.
_COUNTED = 4


class Scored(NamedTuple):
    """The scores of a set of captions, and the counts after them.

    Attributes:
        scores: BLEU-1..n of the corpus, 0..1.
        scores_of_images: For each order the score of each image.
        totals: The corpus' counts, as the original prints them.
        ratio: The captions' length over the references'.
        images: Makes the counts of each image with its reference length, as the original prints them.
    """

    scores: list[float]
    scores_of_images: list[list[float]]
    totals: dict[str, Any]
    ratio: float
    images: Any


class BleuScorer:
    """Collects captions with their references, and scores all of them.

    Args:
        test: The first caption; None if there is none yet.
        refs: Its references, any number of str; None if there are none yet.
        n: The longest n-grams counted.
        special_reflen: The reference length of each caption; None: one of the lengths of its references.

    Example:
        >>> scorer = BleuScorer(n=2)
        >>> scorer += ("a man on a horse", ["a man rides a horse", "a person on a horse"])
        >>> scorer += ("two cats", ["two dogs"])
        >>> scorer.size(), scorer.testlen(), scorer.reflen()
        (2, 7, 7)
        >>> scores, scores_of_captions = scorer.rescore(["a man on a horse", "two dogs"])
        >>> scores
        [0.9999999997142859, 0.8944271907188104]
    """

    _ratio: float
    _reflen: float
    _testlen: int

    __slots__ = ("_ratio", "_references", "_reflen", "_score", "_testlen", "_tests", "n", "special_reflen")

    def __init__(
        self, test: Any = None, refs: Any = None, n: int = 4, special_reflen: float | None = None
    ) -> None:
        self.n = n
        self.special_reflen = special_reflen
        self._tests: list[Any] = []
        self._references: list[Sequence[Any]] = []
        self._score: list[float] | None = None
        self.cook_append(test, refs)

    @property
    def ctest(self) -> list[dict[str, Any] | None]:
        """The counts of each caption, made anew: `reflen` (a list), `testlen`, `guess`, `correct`; None without one."""
        present = [i for i, test in enumerate(self._tests) if test is not None]
        tests, references = [self._tests[i] for i in present], [self._references[i] for i in present]
        found = iter(_count(tests, references, self.n, "closest").images(None))
        return [None if test is None else next(found)[0] for test in self._tests]

    def copy(self) -> BleuScorer:
        """A scorer of the same captions, to which others may be added."""
        other = BleuScorer(n=self.n)
        other._tests, other._references = self._tests.copy(), self._references.copy()
        return other

    def cook_append(self, test: Any, refs: Any) -> None:
        """Add a caption, None if it comes later with `retest`, and its references; nothing if these are None."""
        if refs is not None:
            if isinstance(refs, (str, bytes)):
                warn(f"refs is {describe(refs)}, of which each character is a reference", stacklevel=2)
            self._references.append(tuple(refs))
            self._tests.append(test)
        self._score = None

    def ratio(self, option: str | None = None) -> float:
        """The captions' length over the references'."""
        self.compute_score(option=option)
        return self._ratio

    def fscore(self, option: str | None = None) -> float:
        """The corpus' BLEU of the longest n-grams, 0..1."""
        self.compute_score(option=option)
        return (self._score or [0.0])[-1]

    def score_ratio(self, option: str | None = None) -> tuple[float, float]:
        """Return `fscore` and `ratio` together."""
        return self.fscore(option=option), self.ratio(option=option)

    def score_ratio_str(self, option: str | None = None) -> str:
        """Return `fscore` and `ratio` as text.

        Example:
            >>> BleuScorer("a man on a horse", ["a man on horse"]).score_ratio_str()
            '0.0001 (1.25)'
        """
        return "{:.4f} ({:.2f})".format(*self.score_ratio(option))

    def reflen(self, option: str | None = None) -> float:
        """Tokens in the references; a float where their lengths are averages."""
        self.compute_score(option=option)
        return self._reflen

    def testlen(self, option: str | None = None) -> int:
        """Tokens in the captions."""
        self.compute_score(option=option)
        return self._testlen

    def retest(self, new_test: Any) -> Self:
        """Replace the captions.

        Args:
            new_test: As many captions as there are lists of references; or a str, which is one.

        Raises:
            AssertionError: There are more or fewer.
        """
        tests = [new_test] if type(new_test) is str else list(new_test)
        if len(tests) != len(self._references):
            raise AssertionError(
                f"new_test has {len(tests)} captions, but there are references for {len(self._references)}"
            )
        self._tests = tests
        self._score = None
        return self

    def rescore(self, new_test: Any) -> Any:
        """Replace the captions, and return what `compute_score` does."""
        return self.retest(new_test).compute_score()

    def size(self) -> int:
        """Return how many captions there are."""
        return len(self._references)

    def __iadd__(self, other: Any) -> Self:
        """Add a caption with its references, `(test, refs)`, or those of another scorer."""
        if type(other) is tuple:
            self.cook_append(other[0], other[1])
            return self
        if not self.compatible(other):
            raise AssertionError(f"only a BleuScorer of the same n can be added, not {describe(other)}")
        self._tests.extend(other._tests)
        self._references.extend(other._references)
        self._score = None
        return self

    def compatible(self, other: Any) -> bool:
        """Return whether another object is a scorer of n-grams of the same lengths."""
        return isinstance(other, BleuScorer) and self.n == other.n

    def single_reflen(self, option: str = "average") -> float:
        """The "average" or "shortest" length of the first caption's references."""
        lengths = [len(reference.split()) for reference in self._references[0]]
        if option not in ("average", "shortest"):
            raise AssertionError(f"unsupported reflen option {option}")
        return float(sum(lengths)) / len(lengths) if option == "average" else min(lengths)

    def recompute_score(self, option: str | None = None, verbose: int = 0) -> Any:
        """Compute what `compute_score` returns in its first call."""
        self._score = None
        return self.compute_score(option, verbose)

    def compute_score(self, option: str | None = None, verbose: int = 0) -> Any:
        """Score the captions.

        Args:
            option: Whose length counts of several references: the "closest", the "shortest", or the "average" of all;
                None: the "average" of a single caption's, else the "closest".
            verbose: As for `Bleu.compute_score`.

        Returns:
            BLEU-1..n of the corpus, and for each order a list with the score of each caption, all 0..1. Until a caption
            is added or replaced, every further call returns the first of the two alone.

        Raises:
            AssertionError: There is no such option.
            TypeError: A caption or a reference is not a str, or a caption is missing.
        """
        if self._score is not None:
            return self._score
        if option is None:
            option = "average" if len(self._references) == 1 else "closest"
        scored = score_captions(self._tests, self._references, self.n, option, self.special_reflen)
        self._score, self._ratio = scored.scores, scored.ratio
        self._testlen, self._reflen = scored.totals["testlen"], scored.totals["reflen"]
        print_scores(scored, verbose)
        return scored.scores, scored.scores_of_images


def score_captions(
    tests: Sequence[Any],
    references: Sequence[Sequence[Any]],
    n: int,
    option: str,
    special_reflen: float | None = None,
) -> Scored:
    """Score captions; arguments and errors as of `BleuScorer`, of which `tests` and `references` are the texts."""
    if option not in ("closest", "shortest", "average") and special_reflen is None and tests:
        raise AssertionError(f"unsupported reflen option {option}")
    counted = _count(tests, references, n, "shortest" if option == "shortest" else "closest")
    lengths = None
    if special_reflen is not None:
        lengths = [special_reflen] * len(tests)
    elif option == "average":
        lengths = [float(sum(some)) / len(some) for some in _reference_lengths(references)]
    return counted.score(lengths)


def print_scores(scored: Scored, verbose: int) -> None:
    """Prints what the original prints at that level."""
    if verbose > 1:
        for counts, reflen in scored.images():
            print(counts, reflen)
    if verbose > 0:
        print(scored.totals)
        print("ratio:", scored.ratio)


class _Counted(NamedTuple):
    """The rows of captions, int64 [captions, 2 + 2N], and the sum of them."""

    rows: Any
    row: list[int]
    n: int
    references: Sequence[Sequence[Any]]

    def score(self, lengths: list[float] | None) -> Scored:
        """Scores the rows, with these reference lengths instead of theirs unless None."""
        import numpy as np

        n, row = self.n, self.row
        order = len(row) // 2 - 1
        matches, candidates = row[2 : 2 + n], row[2 + order : 2 + order + n]
        ref_len: float = row[1]
        if lengths is not None:
            # One after the other: the built-in sum of floats is compensated from Python 3.12 on.
            *_, ref_len = accumulate(lengths, initial=0)
        scores, ratio = score_totals(matches, candidates, row[0], ref_len)
        own = None if lengths is None else np.array(lengths, dtype=np.float64)
        scores_of_images = score_rows(self.rows, own, n)
        totals = {"testlen": row[0], "reflen": ref_len, "guess": candidates, "correct": matches}
        return Scored(scores, scores_of_images, totals, ratio, lambda: self.images(lengths))

    def images(self, lengths: list[float] | None) -> Iterator[tuple[dict[str, Any], float]]:
        """Gives each caption's counts and its reference length."""
        order = len(self.row) // 2 - 1
        for i, (row, reflens) in enumerate(
            zip(self.rows.tolist(), _reference_lengths(self.references), strict=True)
        ):
            counts = {
                "reflen": reflens,
                "testlen": row[0],
                "guess": row[2 + order :],
                "correct": row[2 : 2 + order],
            }
            yield counts, row[1] if lengths is None else lengths[i]


@lru_cache(maxsize=16)
def _matcher(order: int, rule: ReferenceLength) -> Matcher:
    return Matcher(get_tokenizer("none"), max_ngram_order=order, reference_length=rule)


def _count(
    tests: Sequence[Any], references: Sequence[Sequence[Any]], n: int, rule: ReferenceLength
) -> _Counted:
    """Counts captions; texts as `BleuScorer` holds them."""
    order = max(n, _COUNTED)
    rows = empty_rows(len(tests), order)
    if not tests:
        return _Counted(rows, [0] * row_width(order), max(n, 0), references)
    if any(None in some for some in references):
        i = next(i for i, some in enumerate(references) if None in some)
        raise wrong_type(Place(_NAMES[1])[i], "a list of str", references[i])
    matcher = _matcher(order, rule)
    try:
        totals = read_corpus_per_segment(matcher, tests, references, _NAMES).count(rows_of(rows))
    except TypeError:
        if not any(
            isinstance(text, bytes) for text in (*tests, *(text for some in references for text in some))
        ):
            raise
        warn("captions are bytes, which are split at ASCII white space and match no str", stacklevel=4)
        tests = [test.split() for test in tests]
        tokens = [[reference.split() for reference in some] for some in references]
        totals = read_corpus_per_segment(matcher, tests, tokens, _NAMES).count(rows_of(rows))
    return _Counted(rows, totals.row, max(n, 0), references)


def _reference_lengths(references: Sequence[Sequence[Any]]) -> list[list[int]]:
    """Tokens in each reference."""
    return [[len(reference.split()) for reference in some] for some in references]
