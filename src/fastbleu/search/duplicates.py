"""Near duplicates among texts, and the texts without them."""

from __future__ import annotations

from ..options import COMBINATIONS, check_choice, check_flag
from ..rerank.pool_chunks import as_threads, bleu_and_formula
from ..system.progress import progress_bar
from ..system.threads import for_each
from .index import check_score
from .parts import part_of, places_in
from .searchers import Searchers
from .texts import Tokens, new_seeds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from numpy import float64, int64
    from numpy.typing import NDArray

    from ..metric import BLEU, AnySegments
    from ..options import Combination, FormulaName, NLTKSmoothing
    from ..scoring.formula import Formula
    from ..scoring.nltk.formula import NLTKFormula
    from ._lists import Part
    from ._searcher import Searcher

#: Distinct texts in a chunk, and chunks for each thread in a round of an iteration.
_CHUNK = 256
_CHUNKS = 8
#: Pairs of a block, about: texts that have many copies make millions.
_PAIRS = 1 << 14


class NearDuplicates:
    """The pairs of texts that reach a score: arrays, or one by one.

    An iteration finds the pairs (first, second, score) block by block, those of short texts first, in an order that
    depends on the texts alone. The arrays are made when one is first asked for, in the order of `first` and `second`.

    Attributes:
        first: int64 [pairs]: the place of the text of each pair that comes first.
        second: int64 [pairs]: that of the other one.
        scores: float64 [pairs].
    """

    def __init__(
        self, part: Part, formula: Formula | NLTKFormula, combine: Combination, at_least: float, threads: int,
        vocabulary: int, progress: bool,
    ) -> None:  # fmt: skip
        self._part = part
        self._formula = formula
        self._combine: Combination = combine
        self._at_least = at_least
        self._threads = threads
        self._vocabulary = vocabulary
        self._progress = progress
        self._arrays: tuple[NDArray[int64], NDArray[int64], NDArray[float64]] | None = None

    def _blocks(self) -> Iterator[Any]:
        """Pairs, block by block: three arrays, as those of the result."""
        import numpy as np

        searchers = Searchers(self._formula, self._vocabulary, self._combine)
        distinct = self._part.distinct
        record = np.dtype([("first", np.int64), ("second", np.int64), ("score", np.float64)])

        def work(job: tuple[int, int]) -> tuple[Any, int, int]:
            start, stop = job
            data, done = searchers.use(
                lambda searcher: searcher.find_pairs(self._part, start, stop, self._at_least)
            )
            return np.frombuffer(data, dtype=record), done, stop

        step = _CHUNK * _CHUNKS * self._threads
        with progress_bar(distinct, " distinct texts", self._progress) as bar:
            for start in range(0, distinct, step):
                results: list[tuple[Any, int, int]] = []
                stops = range(start + _CHUNK, min(start + step, distinct) + _CHUNK, _CHUNK)
                jobs = ((stop - _CHUNK, min(stop, distinct)) for stop in stops)
                for_each(jobs, work, results.append, self._threads, ordered=True, failed=searchers.stop)
                for found, done, stop in results:
                    yield from self._copies(found)
                    while done < stop:
                        found, done, _ = work((done, stop))  # noqa: PLW2901
                        yield from self._copies(found)
                bar.update(min(step, distinct - start))

    def _copies(self, found: Any) -> Iterator[Any]:
        """The pairs of texts, block by block, that records of pairs of distinct texts stand for."""
        import numpy as np

        copy_starts, copied = (each.astype(np.int64) for each in self._part.arrays[2:4])
        sizes = np.diff(copy_starts)
        first, second = found["first"], found["second"]
        # A row has one copy of the first text with all copies of the second one, or with those after it.
        ends = np.cumsum(sizes[first])
        rows = max(1, _PAIRS // int(sizes[second].max(initial=1)))
        for start in range(0, int(ends[-1]) if len(ends) else 0, rows):
            row = np.arange(start, min(start + rows, ends[-1]))
            pair = np.searchsorted(ends, row, side="right")
            one = copy_starts[first[pair] + 1] - ends[pair] + row
            others = np.where(first[pair] == second[pair], one + 1, copy_starts[second[pair]])
            widths = copy_starts[second[pair] + 1] - others
            steps = np.arange(widths.sum()) - np.repeat(np.cumsum(widths) - widths, widths)
            ours, theirs = copied[np.repeat(one, widths)], copied[np.repeat(others, widths) + steps]
            yield np.minimum(ours, theirs), np.maximum(ours, theirs), np.repeat(found["score"][pair], widths)

    def __iter__(self) -> Iterator[tuple[int, int, float]]:
        for columns in self._blocks():
            for start in range(0, len(columns[0]), _PAIRS):
                yield from zip(*(each[start : start + _PAIRS].tolist() for each in columns), strict=True)

    def __len__(self) -> int:
        return len(self.first)

    def _sorted(self) -> tuple[NDArray[int64], NDArray[int64], NDArray[float64]]:
        import numpy as np

        if self._arrays is None:
            empty = np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
            first, second, scores = map(np.concatenate, zip(empty, *self._blocks(), strict=True))
            order = np.lexsort((second, first))
            self._arrays = first[order], second[order], scores[order]
        return self._arrays

    @property
    def first(self) -> NDArray[int64]:
        """The places of the texts that come first."""
        return self._sorted()[0]

    @property
    def second(self) -> NDArray[int64]:
        """The places of the other texts."""
        return self._sorted()[1]

    @property
    def scores(self) -> NDArray[float64]:
        """The scores of the pairs."""
        return self._sorted()[2]


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
    part, vocabulary = _index(texts, metric, check_flag("progress", progress))
    return NearDuplicates(part, scoring, combine, at_least, as_threads(threads, metric), vocabulary, progress)


def _index(texts: Any, metric: BLEU, progress: bool) -> tuple[Part, int]:
    """Texts as a part of an index, and the number of distinct tokens."""
    tokens = Tokens(metric)
    column = tokens.column(texts, "texts")
    with progress_bar(len(column), " texts", progress) as bar:
        numbered = tokens.number_all(column, bar.update)
    return part_of(numbered.arrays(), new_seeds()), tokens.vocabulary.tokens


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
    part, vocabulary = _index(texts, metric, check_flag("progress", progress))
    searchers = Searchers(scoring, vocabulary, combine)
    kept = np.ones(part.texts, dtype=np.int64)
    places = places_in(part).astype(np.int64)

    def choose(searcher: Searcher) -> None:
        with progress_bar(part.texts, " texts", progress) as bar:
            for start in range(0, part.texts, _CHUNK):
                stop = min(start + _CHUNK, part.texts)
                searcher.keep_first(part, at_least, start, stop, places, kept)
                bar.update(stop - start)

    searchers.use(choose)
    return np.flatnonzero(kept)
