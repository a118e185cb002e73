"""Near duplicates among texts, and the texts without them."""

from __future__ import annotations

from ..options import COMBINATIONS, check_choice, check_flag
from ..rerank.pool_chunks import as_threads, bleu_and_formula
from ..system.progress import progress_bar
from ..system.threads import for_each
from .index import check_score
from .parts import part_of
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
    from ._vocabulary import NumberedTexts

#: Texts in a chunk, and chunks for each thread in a round of an iteration.
_CHUNK = 256
_CHUNKS = 8
#: Pairs that are made numbers of Python together.
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

        texts, order = self._part.texts, self._part.arrays[2].astype(np.int64)

        searchers = Searchers(self._formula, self._vocabulary, self._combine)
        record = np.dtype([("first", np.int64), ("second", np.int64), ("score", np.float64)])

        def numbered(found: Any) -> Any:
            one, other = order[found["first"]], order[found["second"]]
            return np.minimum(one, other), np.maximum(one, other), found["score"]

        def work(job: tuple[int, int]) -> tuple[Any, int, int]:
            start, stop = job
            data, done = searchers.use(
                lambda searcher: searcher.find_pairs(self._part, start, stop, self._at_least)
            )
            return np.frombuffer(data, dtype=record), done, stop

        step = _CHUNK * _CHUNKS * self._threads
        with progress_bar(texts, " texts", self._progress) as bar:
            for start in range(0, texts, step):
                results: list[tuple[Any, int, int]] = []
                stops = range(start + _CHUNK, min(start + step, texts) + _CHUNK, _CHUNK)
                jobs = ((stop - _CHUNK, min(stop, texts)) for stop in stops)
                for_each(jobs, work, results.append, self._threads, ordered=True, failed=searchers.stop)
                for found, done, stop in results:
                    yield numbered(found)
                    while done < stop:
                        found, done, _ = work((done, stop))  # noqa: PLW2901
                        yield numbered(found)
                bar.update(min(step, texts - start))

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
    numbered, vocabulary = _numbered(texts, metric, check_flag("progress", progress))
    part = part_of(numbered.arrays(), new_seeds())
    return NearDuplicates(part, scoring, combine, at_least, as_threads(threads, metric), vocabulary, progress)


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
    numbers, lengths = numbered.arrays()
    # Equal texts once: there may be very many of one.
    distinct: dict[bytes, int] = {}
    stops = np.cumsum(lengths, dtype=np.int64).tolist()
    which = [
        distinct.setdefault(numbers[start:stop].tobytes(), len(distinct))
        for start, stop in zip([0, *stops], stops, strict=False)
    ]
    first = np.unique(which, return_index=True)[1]
    part = part_of((np.frombuffer(b"".join(distinct), np.uint32), lengths[first]), new_seeds())
    place = np.empty(part.texts, dtype=np.int64)
    place[part.arrays[2]] = np.arange(part.texts)
    places, kept = place[which], np.ones(len(which), dtype=np.int64)
    searchers = Searchers(scoring, vocabulary, combine)

    def choose(searcher: Searcher) -> None:
        with progress_bar(len(kept), " texts", progress) as bar:
            for start in range(0, len(kept), _CHUNK):
                stop = min(start + _CHUNK, len(kept))
                searcher.keep_first(part, at_least, start, stop, places, kept)
                bar.update(stop - start)

    searchers.use(choose)
    return np.flatnonzero(kept)
