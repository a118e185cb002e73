"""`pycocoevalcap.bleu.bleu_scorer.BleuScorer`."""

from __future__ import annotations

from itertools import accumulate, chain
from warnings import warn

from ....counting.corpus import read_corpus_per_segment, rows_of
from ....counting.rows import empty_table, row_width
from ....errors import Place, describe
from ....scoring.pycocoevalcap_formula import length_ratio, scores_of
from ...arguments import check_texts, token_matcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from typing_extensions import Self

_NAMES = ("test", "refs")

#: The largest order that the original counts, whichever orders it scores.
_COUNTED = 4


class BleuScorer:
    """Collects captions with their references, and scores all of them.

    Args:
        test: The first caption; None for none.
        refs: The references of the first caption, any number of str; None for none.
        n: The largest order of n-grams.
        special_reflen: The reference length of each caption; None to derive it from the references.

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

    __slots__ = ("_references", "_scored", "_tests", "n", "special_reflen")

    def __init__(
        self, test: Any = None, refs: Any = None, n: int = 4, special_reflen: float | None = None
    ) -> None:
        self.n = n
        self.special_reflen = special_reflen
        self._tests: list[Any] = []
        self._references: list[Sequence[Any]] = []
        self._scored: Scored | None = None
        self.cook_append(test, refs)

    def cook_append(self, test: Any, refs: Any) -> None:
        """Add a caption with its references, unless `refs` is None."""
        if refs is not None:
            if isinstance(refs, (str, bytes)):
                warn(f"refs is {describe(refs)}, of which each character is a reference", stacklevel=2)
            self._references.append(tuple(refs))
            self._tests.append(test)
        self._scored = None

    def size(self) -> int:
        """Return the number of captions."""
        return len(self._references)

    def __iadd__(self, other: Any) -> Self:
        """Add a caption with its references, `(test, refs)`, or those of another scorer."""
        if type(other) is tuple:
            self.cook_append(other[0], other[1])
            return self
        if not isinstance(other, BleuScorer) or self.n != other.n:
            raise AssertionError(f"only a BleuScorer of the same n can be added, not {describe(other)}")
        self._tests.extend(other._tests)
        self._references.extend(other._references)
        self._scored = None
        return self

    def compute_score(self, option: str | None = None, verbose: int = 0) -> Any:
        """Score the captions.

        Args:
            option: How several references give one length: the "closest", the "shortest", or the "average" of all;
                None: "average" if there is a single caption, otherwise "closest".
            verbose: As for `Bleu.compute_score`.

        Returns:
            BLEU-1..n of the corpus, and for each order a list with the score of each caption, all 0..1. Further calls
            return only the scores of the corpus, until a caption is added.

        Raises:
            AssertionError: The option is unknown.
            TypeError: A caption or a reference is not a str, or a caption is missing.
        """
        if self._scored is not None:
            return self._scored.scores
        if option is None:
            option = "average" if len(self._references) == 1 else "closest"
        self._scored = Scored(self._tests, self._references, self.n, option, self.special_reflen)
        return self._scored.printed(verbose)


class Scored:
    """Counts and scores of captions, `tests` and `references`; other arguments and errors as for `BleuScorer`.

    Attributes:
        scores: BLEU-1..n of the corpus, 0..1.
        totals: The corpus' counts, as the original prints them.
        ratio: The captions' length over the references'.
    """

    def __init__(
        self,
        tests: Sequence[Any],
        references: Sequence[Sequence[Any]],
        n: int,
        option: str,
        special_reflen: float | None = None,
    ) -> None:
        if option not in ("closest", "shortest", "average") and special_reflen is None and tests:
            raise AssertionError(f"unsupported reflen option {option}")
        self._references = references
        self._rows, row = _count(tests, references, n, option == "shortest")
        self._lengths: list[float] | None = None
        if special_reflen is not None:
            self._lengths = [special_reflen] * len(tests)
        elif option == "average":
            self._lengths = [float(sum(some)) / len(some) for some in _reference_lengths(references)]
        self._n = max(n, 0)
        order = len(row) // 2 - 1
        ref_len: float = row[1]
        if self._lengths is not None:
            # Add one by one, because the built-in sum of floats is compensated since Python 3.12.
            *_, ref_len = accumulate(self._lengths, initial=0)
        self.scores = [scores[0] for scores in scores_of([row], self._n, [ref_len])]
        self.ratio = length_ratio(row[0], ref_len)
        self.totals: dict[str, Any] = {
            "testlen": row[0],
            "reflen": ref_len,
            "guess": row[2 + order : 2 + order + self._n],
            "correct": row[2 : 2 + self._n],
        }

    def printed(self, verbose: int) -> tuple[list[float], list[list[float]]]:
        """Print what the original prints at that level; return the scores, and for each order those of the images."""
        if verbose > 1:
            for counts, reflen in self.images():
                print(counts, reflen)
        if verbose > 0:
            print(self.totals)
            print("ratio:", self.ratio)
        return self.scores, scores_of(self._rows, self._n, self._lengths)

    def images(self) -> Iterator[tuple[dict[str, Any], float]]:
        """Yield the counts and the reference length of each caption, as the original prints them."""
        lengths = self._rows[:, 1].tolist() if self._lengths is None else self._lengths
        order = self._rows.shape[1] // 2 - 1
        for row, reflens, reflen in zip(
            self._rows.tolist(), _reference_lengths(self._references), lengths, strict=True
        ):
            yield (
                {
                    "reflen": reflens,
                    "testlen": row[0],
                    "guess": row[2 + order :],
                    "correct": row[2 : 2 + order],
                },
                reflen,
            )


def _count(
    tests: Sequence[Any], references: Sequence[Sequence[Any]], n: int, shortest: bool
) -> tuple[Any, list[int]]:
    """Return the rows of captions, int64 [captions, 2 + 2N], and their sum."""
    order = max(n, _COUNTED)
    rows = empty_table(len(tests), row_width(order))
    if not {*map(type, chain(tests, *references))} <= {str}:
        for i, some in enumerate(references):
            check_texts(some, Place(_NAMES[1])[i])
        check_texts(tests, Place(_NAMES[0]))
    matcher = token_matcher(order, "shortest" if shortest else "closest")
    corpus = read_corpus_per_segment(matcher, tests, references, _NAMES)
    return rows, corpus.count(rows_of(rows)).row


def _reference_lengths(references: Sequence[Sequence[Any]]) -> list[list[int]]:
    """Return the number of tokens of each reference."""
    return [[len(reference.split()) for reference in some] for some in references]
