"""Near duplicates among texts, and the texts without them."""

from __future__ import annotations

from itertools import islice

from ..options import COMBINATIONS, check_choice, check_flag
from ..rerank.pool_chunks import as_threads, bleu_and_formula
from ..system.progress import progress_bar
from ..system.threads import for_each
from .index import check_score
from .parts import blocks_of, part_of
from .searchers import Searchers
from .texts import Tokens, new_seeds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeAlias

    from numpy import bool_, float64, int64
    from numpy.typing import NDArray

    from ..metric import BLEU, AnySegments
    from ..options import Combination, FormulaName, NLTKSmoothing
    from ._lists import Part
    from ._vocabulary import NumberedTexts

    #: The places of both texts of a pair, the lower one first, and its score.
    Columns: TypeAlias = tuple[NDArray[int64], NDArray[int64], NDArray[float64]]

#: Texts in a chunk, and chunks for each thread in a round of an iteration.
_CHUNK = 1024
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

    def __init__(self, blocks: Callable[[], Iterator[Columns]]) -> None:
        self._blocks = blocks
        self._arrays: Columns | None = None

    def __iter__(self) -> Iterator[tuple[int, int, float]]:
        for columns in self._blocks():
            for start in range(0, len(columns[0]), _PAIRS):
                yield from zip(*(each[start : start + _PAIRS].tolist() for each in columns), strict=True)

    def __len__(self) -> int:
        return len(self.first)

    def _sorted(self) -> Columns:
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
    part, threads = part_of(numbered.arrays(), new_seeds()), as_threads(threads, metric)

    def blocks() -> Iterator[Columns]:
        with progress_bar(part.texts, " texts", progress) as bar:
            yield from _find_pairs(
                part, Searchers(scoring, vocabulary, combine), at_least, threads, bar.update
            )

    return NearDuplicates(blocks)


def _find_pairs(
    part: Part, searchers: Searchers, at_least: float, threads: int, advance: Callable[[int], object]
) -> Iterator[Columns]:
    """Find the pairs that reach a score, block by block; `advance` is told how many texts after each round."""
    import numpy as np

    places, tokens = part.arrays[:2]
    order = part.arrays[2].astype(np.int64)
    record = np.dtype([("first", np.int64), ("second", np.int64), ("score", np.float64)])

    def columns(data: Any) -> Columns:
        one, other = order[data["first"]], order[data["second"]]
        return np.minimum(one, other), np.maximum(one, other), data["score"]

    def work(job: tuple[int, int]) -> tuple[Columns, int, bool, int]:
        data, done, slow = searchers.use(lambda searcher: searcher.find_pairs(part, *job, at_least))
        return columns(np.frombuffer(data, dtype=record)), done, slow, job[1]

    def compare(job: tuple[Any, Any]) -> Columns:
        (rows, ours), (texts, theirs) = job
        scores = searchers.score_all(ours, theirs)
        i, j = np.nonzero((scores >= at_least) & (rows[:, None] < texts))
        return columns({"first": rows[i], "second": texts[j], "score": scores[i, j]})

    starts = range(0, part.texts, _CHUNK)
    for k in range(0, len(starts), _CHUNKS * threads):
        results: list[tuple[Columns, int, bool, int]] = []
        jobs = [(start, min(start + _CHUNK, part.texts)) for start in starts[k : k + _CHUNKS * threads]]
        for_each(iter(jobs), work, results.append, threads, ordered=True, failed=searchers.stop)
        for found, done, slow, stop in results:
            yield found
            # There may be very many pairs of a chunk.
            while done < stop and not slow:
                more, done, slow, _ = work((done, stop))  # noqa: PLW2901
                yield more
            if done < stop:
                blocks = (
                    (rows, texts)
                    for rows in blocks_of(tokens, places, np.arange(done, stop))
                    for texts in blocks_of(tokens, places, np.arange(done + 1, part.texts))
                )
                while block := list(islice(blocks, threads)):
                    pairs: list[Columns] = []
                    for_each(iter(block), compare, pairs.append, threads, ordered=True, failed=searchers.stop)
                    yield from pairs
        advance(jobs[-1][1] - jobs[0][0])


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
    numbers, lengths, names = numbered.arrays()
    # Equal texts once: there may be very many of one.
    distinct: dict[bytes, int] = {}
    stops = np.cumsum(lengths, dtype=np.int64).tolist()
    which = [
        distinct.setdefault(numbers[start:stop].tobytes(), len(distinct))
        for start, stop in zip([0, *stops], stops, strict=False)
    ]
    first = np.unique(which, return_index=True)[1]
    part = part_of(
        (np.frombuffer(b"".join(distinct), np.uint32), lengths[first], names[: len(first)]), new_seeds()
    )
    place = np.empty(part.texts, dtype=np.int64)
    place[part.arrays[2]] = np.arange(part.texts)
    places, kept = place[which], np.ones(len(which), dtype=np.int64)
    searchers = Searchers(scoring, vocabulary, combine)

    first_kept = np.full(part.texts, len(which))
    starts, tokens = part.arrays[:2]

    def are_alike(rows: NDArray[int64], others: NDArray[int64]) -> NDArray[bool_]:
        blocks = [
            [searchers.score_all(ours, theirs) >= at_least for _, theirs in blocks_of(tokens, starts, others)]
            for _, ours in blocks_of(tokens, starts, rows)
        ]
        return np.block(blocks)

    def choose(start: int, stop: int, before: int) -> None:
        job = start, stop, before, places, first_kept, kept
        start = searchers.use(lambda searcher: searcher.keep_first(part, at_least, *job))
        if start < stop:
            rows = places[start:stop]
            is_out: Any = are_alike(rows, np.flatnonzero(first_kept < start)).any(axis=1)
            among = are_alike(rows, rows)
            for i, row in enumerate(rows.tolist()):
                if not is_out[i]:
                    is_out[i + 1 :] |= among[i, i + 1 :]
                    first_kept[row] = min(first_kept[row], start + i)
            kept[start:stop] = ~is_out

    before = 0
    with progress_bar(len(kept), " texts", progress) as bar:
        for start in range(0, len(kept), _CHUNK):
            stop = min(start + _CHUNK, len(kept))
            choose(start, stop, before)
            before += int(kept[start:stop].sum())
            bar.update(stop - start)
    return np.flatnonzero(kept)
