"""Near duplicates among texts, and the texts without them."""

from __future__ import annotations

from ..options import COMBINATIONS, DIRECTIONS, check_choice, check_flag
from ..rerank.pool_chunks import as_threads, metric_and_formula
from ..system.progress import progress_bar
from ..system.threads import for_each
from ._searcher import Searcher
from .all_pairs import pairs_of_all
from .index import check_score
from .parts import part_of, places_in
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

#: Distinct texts in a chunk, and chunks for each thread in a round of an iteration.
_CHUNK = 256
_CHUNKS = 8
#: Pairs that an iteration makes objects of at a time: a chunk may have millions where texts are copies of each other.
_PAIRS = 4096


class NearDuplicates:
    """The pairs of texts that reach a score: arrays, or one by one.

    An iteration finds the pairs (first, second, score) chunk by chunk, those of short texts first, in an order that
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

    def _chunks(self) -> Iterator[Any]:
        """Records of pairs, chunk by chunk."""
        import numpy as np

        kind = np.dtype([("first", np.int64), ("second", np.int64), ("score", np.float64)])
        searchers: list[Searcher] = []
        distinct = self._part.distinct

        def searcher() -> Searcher:
            way = DIRECTIONS.index(self._combine)
            return searchers.pop() if searchers else Searcher(self._formula.compiled, self._vocabulary, way)

        if not searcher().is_usable:
            for columns in pairs_of_all(
                self._formula, self._combine, self._part, self._vocabulary, self._at_least
            ):
                found = np.empty(len(columns[0]), dtype=kind)
                found["first"], found["second"], found["score"] = columns
                yield found
            return

        def work(start: int) -> tuple[int, bytes]:
            one = searcher()
            found = one.find_pairs(self._part, start, start + _CHUNK, self._at_least)
            searchers.append(one)
            return min(_CHUNK, distinct - start), found

        step = _CHUNK * _CHUNKS * self._threads
        with progress_bar(distinct, " distinct texts", self._progress) as bar:
            for start in range(0, distinct, step):
                results: list[tuple[int, bytes]] = []
                starts = iter(range(start, min(start + step, distinct), _CHUNK))
                for_each(starts, work, results.append, self._threads, ordered=True)
                for number, data in results:
                    bar.update(number)
                    yield np.frombuffer(data, dtype=kind)

    def __iter__(self) -> Iterator[tuple[int, int, float]]:
        for found in self._chunks():
            for start in range(0, len(found), _PAIRS):
                yield from found[start : start + _PAIRS].tolist()

    def __len__(self) -> int:
        return len(self.first)

    def _sorted(self) -> tuple[NDArray[int64], NDArray[int64], NDArray[float64]]:
        import numpy as np

        if self._arrays is None:
            found = list(self._chunks())
            first, second, scores = (
                np.concatenate([np.empty(0, dtype=kind), *(each[name] for each in found)])
                for name, kind in (("first", np.int64), ("second", np.int64), ("score", np.float64))
            )
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
    metric, scoring = metric_and_formula(metric, formula, smoothing)
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
    metric, scoring = metric_and_formula(metric, formula, smoothing)
    at_least = check_score("threshold", threshold, scoring)
    part, vocabulary = _index(texts, metric, check_flag("progress", progress))
    searcher = Searcher(scoring.compiled, vocabulary, DIRECTIONS.index(combine))
    kept = np.ones(part.texts, dtype=np.int64)
    if searcher.is_usable:
        places = places_in(part).astype(np.int64)
        with progress_bar(part.texts, " texts", progress) as bar:
            for start in range(0, part.texts, _CHUNK):
                stop = min(start + _CHUNK, part.texts)
                searcher.keep_first(part, at_least, start, stop, places, kept)
                bar.update(stop - start)
    else:
        # Its pairs come in the order of the texts that come first.
        for first, second, _ in pairs_of_all(scoring, combine, part, vocabulary, at_least):
            for one, other in zip(first.tolist(), second.tolist(), strict=True):
                if kept[one]:
                    kept[other] = 0
    return np.flatnonzero(kept)
