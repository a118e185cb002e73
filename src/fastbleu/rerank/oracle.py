"""The best candidates by reference: of each source by itself, or of all together for a high corpus BLEU."""

from __future__ import annotations

from operator import add
from typing import NamedTuple

from ..counting.references import References
from ..counting.rows import empty_rows, row_width
from ..errors import ArgumentValueError, Place
from ..inputs.columns import IDS, TEXT, TOKENS
from ..inputs.id_arrays import is_number_array
from ..inputs.ids import TokenIds
from ..options import LEVELS, check_choice
from ._equal_texts import count_equal
from .corpus_oracle import corpus_oracle
from .pool_chunks import PoolColumns, as_metric, as_threads
from .pool_sources import as_pools, check_candidates
from .ranking import Choice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import float64, int64
    from numpy.typing import NDArray
    from typing_extensions import Self

    from ..inputs._column import Column
    from ..inputs.columns import Kind
    from ..metric import BLEU
    from ..options import Level
    from ..scoring.score import BLEUScore
    from .pool_sources import CheckedPools
    from .pools import AnyPools


class _Chosen(NamedTuple):
    indices: NDArray[int64]
    utilities: NDArray[float64]
    score: BLEUScore


class OracleSelection(_Chosen):
    """The candidates that were chosen by reference, with their score as a corpus: a triple, with the votes beside it.

    Attributes:
        indices: int64 [n]: the place of the chosen candidate in each pool.
        utilities: float64 [n]: its sentence BLEU, 0..100.
        score: The corpus BLEU of all that were chosen, with its signature.
        votes: int64 [n]: how many candidates of the pool are equal to the chosen one, itself included; as in
            `Selection`.
    """

    votes: NDArray[int64]

    def __new__(
        cls,
        indices: NDArray[int64],
        utilities: NDArray[float64],
        score: BLEUScore,
        votes: NDArray[int64] | None = None,
    ) -> Self:
        """Votes are not part of the triple, so that `indices, utilities, score = oracle(...)` holds."""
        self = super().__new__(cls, indices, utilities, score)
        if votes is not None:
            self.votes = votes
        return self


def oracle(
    pools: AnyPools,
    references: Any,
    level: Level = "sentence",
    *,
    metric: BLEU | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> OracleSelection:
    """Choose the best candidate of each pool by its references: an upper bound for what reranking can reach.

    At the sentence level that is the candidate with the highest sentence BLEU. At the corpus level the candidates have
    a high corpus BLEU together: coordinate ascent on the summed statistics changes one candidate after another until no
    single change raises the score. It starts from the sentence oracle; from the best single system (the candidates at
    one place in all pools, as far as the smallest pool goes); and from the candidates with the largest linearised gain,
    at the price of length that makes them as long as their references. The best result is taken. It is a local optimum:
    never below any of the starts, but other choices may score higher.

    Args:
        pools: For each of n >= 1 sources a pool of at least one candidate: a list of pools, or `Pools`.
        references: For each source its references, at least one: a list whose entries are a str or a sequence of
            segments; `Pools` over a flat list; token ids [n, tokens] or [n, references, tokens]; or prepared
            `References` of length n.
        level: "sentence" or "corpus".
        metric: The options; None: `BLEU(effective_order=True)`. Its own references are not used.
        threads: How many threads may count at the same time; None: as many as the metric has.
        progress: Whether to show a progress bar on standard error.

    Returns:
        The places of the chosen candidates in their pools, their sentence BLEU (0..100), and the corpus BLEU of all
        of them (0..100). The attribute `votes` says how many candidates of its pool are equal to each. Of several with
        the same sentence BLEU the first one is chosen. Memory is flat at the
        sentence level; at the corpus level the statistics of all candidates are kept, 16 + 16N bytes each for n-grams
        up to N (80 for N = 4).

    Raises:
        TypeError: Something is not a pool or a segment; names pools[i][j] or references[i][j].
        ValueError: There are no sources; a pool has no candidates, or a source no reference; numbers of pools and
            references differ; references were prepared with other options; there is no such `level`.
        ImportError: `progress` is True, and tqdm is not installed.

    Example:
        >>> pools = [["a cat sat", "the cat sat"], ["it rained", "rain fell"]]
        >>> indices, utilities, score = oracle(pools, ["the cat sat down", ["rain falls", "the rain fell"]])
        >>> indices.tolist(), utilities.round(2).tolist(), round(score.score, 2)
        ([1, 1], [71.65, 100.0], 81.87)
        >>> str(score.signature).partition("|")[0]
        'nrefs:var'
    """
    import numpy as np

    check_choice("level", level, LEVELS)
    metric = as_metric(metric)
    counting = _Counting(metric, as_pools(pools, "pools"), references)
    bounds, order = counting.pools.bounds, metric.max_ngram_order
    choice = Choice(bounds)
    keeps_all = level == "corpus"
    all_rows = empty_rows(int(bounds[-1]) if keeps_all else 0, order)
    all_votes = np.empty(len(all_rows), dtype=np.int64)
    total = [0] * row_width(order)
    numbers: set[int] = set()

    def choose(found: list[Any], start: int, stop: int) -> tuple[Any, ...]:
        column, index, segments = found
        rows = all_rows[bounds[start] : bounds[stop]] if keeps_all else empty_rows(len(column), order)
        number = counting.columns.counter.count_prepared(column, index, segments, 0, rows)[2]
        own = counting.apart(column, start, stop)
        best = choice.add(start, stop, metric.formula.score_rows(rows), own)
        if keeps_all:
            all_votes[bounds[start] : bounds[stop]] = count_equal(
                own, bounds[start : stop + 1] - bounds[start]
            )[0]
        return rows[best].sum(axis=0).tolist(), number

    def add_up(row: list[int], references_per_segment: int) -> None:
        total[:] = map(add, total, row)
        numbers.add(references_per_segment)

    counting.columns.for_each_chunk(
        choose, add_up, as_threads(threads, metric), 0, progress, counting.prepare
    )
    indices, utilities, votes = choice.indices, choice.utilities, choice.votes
    score = metric.formula.score(total)
    if keeps_all:
        indices, score = corpus_oracle(metric, all_rows, bounds, indices)
        utilities = metric.formula.score_rows(all_rows[bounds[:-1] + indices])
        votes = all_votes[bounds[:-1] + indices]
    metric.signed(score, numbers.pop() if len(numbers) == 1 else -1)
    return OracleSelection(indices, utilities, score, votes)


class _Counting:
    """Pools and their references, checked, and how to count matches of the ones with the others."""

    def __init__(self, metric: BLEU, pools: CheckedPools, references: Any) -> None:
        if not len(pools):
            raise ValueError("pools is empty; a corpus score needs at least one source")
        check_candidates(pools)
        self.pools = pools
        self.matcher = matcher = metric.matcher
        if isinstance(references, TokenIds) or is_number_array(references, (2, 3)):
            references = metric.prepare_segments(references)
        self.prepared = references if isinstance(references, References) else None
        if self.prepared is not None:
            self._check_number(len(self.prepared))
            self.prepared.check(matcher.identity)
            self._alone = PoolColumns(matcher, [pools])
            kind = self._kind(self._alone.kind, self.prepared)
            self.columns = PoolColumns(matcher, [pools], self.prepared.vocabulary, kind)
            return
        self.references = as_pools(references, "references", are_references=True)
        self._check_number(len(self.references))
        without = (self.references.bounds[1:] == self.references.bounds[:-1]).nonzero()[0]
        if len(without):
            raise ValueError(f"references[{without[0]}] is empty; a source needs at least one reference")
        self.columns = PoolColumns(matcher, [pools, self.references])

    def _check_number(self, number: int) -> None:
        if number == len(self.pools):
            return
        message = f"references is for {number} source{'s'[: number != 1]}, but pools has {len(self.pools)}"
        own = None if self.prepared is not None else self.references.bounds
        if own is not None and (own[1:] - own[:-1] == len(self.pools)).all():
            message += (
                "; they look like streams, references[stream][source]: here they are references[source], as "
                "list(zip(*references)) makes them, or BLEU.prepare(references)"
            )
        raise ValueError(message)

    @staticmethod
    def _kind(kind: Kind, references: References) -> Kind:
        """Return how to read candidates whose references are prepared."""
        if (references.kind == TEXT) != (kind == TEXT):
            raise ArgumentValueError(
                "pools", f"hold {kind}, but references were prepared from {references.kind}"
            )
        if kind == TEXT:
            return kind
        # Tokens keep the numbers that they had when references were prepared; ids are numbers already.
        return IDS if references.vocabulary is None else TOKENS

    def prepare(self, found: list[Any], start: int, stop: int) -> list[Any]:
        """Indexes the references of a chunk, and finds which of them belong to each candidate."""
        import numpy as np

        sizes = self.pools.bounds[start + 1 : stop + 1] - self.pools.bounds[start:stop]
        if self.prepared is not None:
            index, numbers = self.prepared.block(start, stop)
            numbers = np.arange(start, stop) if numbers is None else numbers
        else:
            for i in range(start, stop):
                if self.references.is_absent(i):
                    raise ArgumentValueError(
                        Place("references")[i], "holds nothing but None; a source needs a reference"
                    )
            ranges = self.references.bounds[start : stop + 1] - self.references.bounds[start]
            index, _ = References(
                self.matcher.identity, self.columns.kind, self.columns.counter, found[1], ranges
            ).block(start, stop)
            numbers = np.arange(stop - start)
        return [found[0], index, np.repeat(numbers, sizes)]

    def apart(self, column: Column, start: int, stop: int) -> Column:
        """The candidates of a chunk, so that different tokens differ, those that no reference has too."""
        if self.prepared is None or self.prepared.vocabulary is None:
            return column
        return self._alone.read(start, stop)[0]
