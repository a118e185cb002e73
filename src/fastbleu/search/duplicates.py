"""Near duplicates among texts, and the texts without them."""

from __future__ import annotations

from functools import cached_property

from ..options import COMBINATIONS, check_choice, check_flag
from ..rerank.pool_chunks import as_threads, bleu_and_formula
from ..system.progress import progress_bar
from ..system.threads import for_each
from .index import Searchers, check_score
from .parts import part_of
from .texts import Tokens, new_seeds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from numpy import float64, int64
    from numpy.typing import NDArray

    from ..metric import BLEU, AnySegments
    from ..options import Combination, FormulaName, NLTKSmoothing
    from ._lists import Part
    from ._vocabulary import NumberedTexts

#: Texts in a chunk, and chunks for each thread in a round of an iteration.
_CHUNK = 1024
_CHUNKS = 8
#: Pairs that are made numbers of Python together.
_PAIRS = 1 << 14
#: A pair: the places of both texts, the lower one first, and its score.
_PAIR = [("first", "int64"), ("second", "int64"), ("score", "float64")]
#: How `Searcher.find_pairs` marks texts that are kept.
_KEPT = 2


class NearDuplicates:
    """The pairs of texts that reach a score: arrays, or one by one.

    An iteration finds the pairs (first, second, score) block by block, those of short texts first, in an order that
    depends on the texts alone. The arrays are made when one is first asked for, in the order of `first` and `second`.

    Attributes:
        first: int64 [pairs]: the place of the text of each pair that comes first.
        second: int64 [pairs]: that of the other one.
        scores: float64 [pairs].
    """

    def __init__(self, blocks: Callable[[], Iterator[bytes]]) -> None:
        self._blocks = blocks

    def __iter__(self) -> Iterator[tuple[int, int, float]]:
        import numpy as np

        for block in self._blocks():
            pairs = np.frombuffer(block, _PAIR)
            for start in range(0, len(pairs), _PAIRS):
                yield from pairs[start : start + _PAIRS].tolist()

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def _sorted(self) -> NDArray[Any]:
        import numpy as np

        found = bytearray()
        for block in self._blocks():
            found += block
        pairs: NDArray[Any] = np.frombuffer(found, _PAIR)
        keys = pairs["first"] << 32
        keys |= pairs["second"]
        return pairs if (keys[1:] > keys[:-1]).all() else pairs.take(np.argsort(keys))

    @property
    def first(self) -> NDArray[int64]:
        """The places of the texts that come first."""
        return self._sorted["first"]

    @property
    def second(self) -> NDArray[int64]:
        """The places of the other texts."""
        return self._sorted["second"]

    @property
    def scores(self) -> NDArray[float64]:
        """The scores of the pairs."""
        return self._sorted["score"]


def near_duplicates(
    texts: AnySegments,
    threshold: float = 70.0,
    metric: BLEU | None = None,
    combine: Combination = "max",
    *,
    formula: FormulaName = "sacrebleu",
    smoothing: NLTKSmoothing | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> NearDuplicates:
    """Find all pairs of texts that reach a score, each pair once.

    The result is that of scoring all pairs. What it costs falls with the threshold: each text is compared with those
    that have one of its rare pairs of neighbouring tokens, or of its rare tokens where it is short. With a threshold of
    0 all pairs are scored, and so they are with formulas for which no bound is known, as `Index.nearest` says.

    Args:
        texts: Text, tokens, or token ids.
        threshold: The score that a pair must reach, 0..100; 0..1 by NLTK's formula.
        metric: The options; None: `BLEU(effective_order=True)`. Its own references are not used.
        combine: How the scores of both directions become that of a pair: "max", "mean", "min" or
            "harmonic-mean".
        formula: "sacrebleu" or "nltk", as for `rerank.pairwise`.
        smoothing: How NLTK's formula smooths, as there; "method0" gives no warning here.
        threads: How many threads may search at the same time; None: as many as the metric has.
        progress: Whether to show progress bars on standard error.

    Returns:
        The pairs: `first`, `second` and `scores` as arrays, or one by one if it is iterated over.

    Raises:
        TypeError: A bare str where a list is expected, or something that is not a segment; says where.
        ValueError: `threshold` is outside its scale, or NaN; there is no such `combine`, formula or smoothing; the
            options do not take tokens; "method6" as in `rerank.pairwise`.
        ImportError: `progress` is True, and tqdm is not installed.

    Example:
        >>> pairs = near_duplicates(["the cat sat down", "a dog ran", "the cat sat down ."], threshold=60)
        >>> pairs.first.tolist(), pairs.second.tolist(), pairs.scores.round(2).tolist()
        ([0], [2], [77.88])
    """
    check_choice("combine", combine, COMBINATIONS)
    metric, scoring = bleu_and_formula(metric, formula, smoothing)
    at_least = check_score("threshold", threshold, scoring)
    numbered, vocabulary = _numbered(texts, metric, check_flag("progress", progress))
    part, threads = part_of(numbered.arrays(), new_seeds()), as_threads(threads, metric)

    def blocks() -> Iterator[bytes]:
        with progress_bar(part.texts, " texts", progress) as bar:
            yield from _find_pairs(
                part, Searchers(scoring, vocabulary, combine), at_least, threads, bar.update
            )

    return NearDuplicates(blocks)


def _find_pairs(
    part: Part, searchers: Searchers, at_least: float, threads: int, advance: Callable[[int], object]
) -> Iterator[bytes]:
    """Find the pairs that reach a score, block by block; `advance` is told how many texts after each round."""
    import numpy as np

    marks = np.zeros(part.texts, dtype=np.int64)

    def work(texts: NDArray[int64]) -> tuple[bytes, NDArray[int64]]:
        found, done = searchers.use(lambda searcher: searcher.find_pairs(part, texts, at_least, marks, False))
        return found, texts[done:]

    places = np.arange(part.texts)
    size = _CHUNKS * threads * _CHUNK
    for start in range(0, part.texts, size):
        results: list[tuple[bytes, NDArray[int64]]] = []
        texts = places[start : start + size]
        jobs = iter(np.split(texts, range(_CHUNK, len(texts), _CHUNK)))
        for_each(jobs, work, results.append, threads, ordered=True, failed=searchers.stop)
        for found, left in results:
            yield found
            # There may be very many pairs of a chunk.
            while len(left):
                more, left = work(left)  # noqa: PLW2901
                yield more
        advance(len(texts))


def _numbered(texts: Any, metric: BLEU, progress: bool) -> tuple[NumberedTexts, int]:
    """Texts as numbers of their tokens, and how many distinct tokens there are."""
    tokens = Tokens(metric)
    column = tokens.column(texts, "texts")
    with progress_bar(len(column), " texts", progress) as bar:
        return tokens.number_all(column, bar.update), tokens.vocabulary.tokens


def deduplicate(
    texts: AnySegments,
    threshold: float = 70.0,
    metric: BLEU | None = None,
    combine: Combination = "max",
    *,
    formula: FormulaName = "sacrebleu",
    smoothing: NLTKSmoothing | None = None,
    progress: bool = False,
) -> NDArray[int64]:
    """Choose the texts to keep, one after the other: those unlike all texts kept before.

    It takes one thread: whether a text is kept depends on all that are kept before it.

    Args:
        texts: Text, tokens, or token ids.
        threshold: A text is left out if its score with a text that is kept reaches it; 0..100, or 0..1 by NLTK's
            formula.
        metric: The options.
        combine: "max", "mean", "min" or "harmonic-mean".
        formula: "sacrebleu" or "nltk".
        smoothing: How NLTK's formula smooths.
        progress: Whether to show progress bars on standard error.

    Returns:
        int64: the places of the texts that are kept, ascending.

    Raises:
        TypeError, ValueError, ImportError: As `near_duplicates`.

    Example:
        >>> deduplicate(["the cat sat down", "a dog ran", "the cat sat down .", "a dog ran"]).tolist()
        [0, 1]
    """
    import numpy as np

    check_choice("combine", combine, COMBINATIONS)
    metric, scoring = bleu_and_formula(metric, formula, smoothing)
    at_least = check_score("threshold", threshold, scoring)
    numbered, vocabulary = _numbered(texts, metric, check_flag("progress", progress))
    part, searchers = part_of(numbered.arrays(), new_seeds()), Searchers(scoring, vocabulary, combine)
    places, marks = np.argsort(part.arrays[2]), np.zeros(part.texts, dtype=np.int64)
    with progress_bar(part.texts, " texts", progress) as bar:
        for start in range(0, part.texts, _CHUNK):
            chunk = places[start : start + _CHUNK]
            searchers.use(lambda searcher: searcher.find_pairs(part, chunk, at_least, marks, True))  # noqa: B023
            bar.update(len(chunk))
    return np.flatnonzero(marks[places] == _KEPT)
