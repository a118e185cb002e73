"""Choose the best candidates by their references: separately for each source, or jointly for a high corpus BLEU."""

from __future__ import annotations

from itertools import pairwise
from operator import add
from typing import Any, NamedTuple

from ..counting.rows import empty_table, row_width
from ..errors import ArgumentValueError, Location, counted, suggests_options
from ..inputs.id_arrays import is_number_array
from ..inputs.ids import TokenIds
from ..metric import BLEU
from ..metric.check_metric import as_metric
from ..options import LEVELS, check_choice
from .pool_chunks import PoolColumns, as_threads
from .pool_sources import as_pools, check_candidates
from .pools import Pools
from .ranking import first_largest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy import float64, int64
    from numpy.typing import NDArray

    from ..metric.chrf import CHRF
    from ..options import Level
    from .pool_sources import CheckedPools
    from .pools import AnyPools

#: The number of iterations of the bisection in `_best_by_gradient`.
_BISECTIONS = 10


class OracleSelection(NamedTuple):
    """The candidates that `oracle` chose from n pools, with their sentence scores and their corpus score."""

    #: int64 [n]: the index of the chosen candidate in each pool.
    indices: NDArray[int64]
    #: float64 [n]: the sentence BLEU (or chrF) of the chosen candidates, 0..100.
    utilities: NDArray[float64]
    #: The corpus BLEU (or chrF) of the chosen candidates, as a `BLEUScore` or `CHRFScore` with a signature.
    score: Any


@suggests_options
def oracle(
    pools: AnyPools,
    references: Any,
    level: Level = "sentence",
    *,
    metric: BLEU | CHRF | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> OracleSelection:
    """Choose the best candidate of each pool by its references, to find out how high reranking can score.

    At the sentence level, choose the candidate with the highest sentence BLEU. At the corpus level, choose candidates
    that jointly have a high corpus BLEU: coordinate ascent changes the candidate of one source after another until no
    single change raises the corpus score. The ascent is run from several starts: the sentence oracle; the best single
    system (the candidates at the same index in all pools, for each index below the size of the smallest pool); and for
    BLEU the candidates that the gradient of the corpus score prefers, with the brevity penalty weighted so that they
    are about as long as their references. The best result is returned. It is a local optimum: it never scores below any
    of the starts, but other choices may score higher.

    Args:
        pools: A pool of at least one candidate for each of n >= 1 sources: a list of pools, or `Pools`.
        references: At least one reference for each source: a list with a str or a sequence of segments per source;
            `Pools` over a flat list; or token ids [n, tokens] or [n, references, tokens].
        level: "sentence" to maximize each sentence score, or "corpus" for a high corpus score.
        metric: A `BLEU` or a `CHRF`; None: `BLEU(effective_order=True)`. References that it was created with are not
            used.
        threads: The number of threads that may count at the same time; None for the metric's number.
        progress: Whether to show a progress bar on standard error.

    Returns:
        The indices of the chosen candidates in their pools, their sentence BLEU (0..100), and their corpus BLEU
        (0..100). If several candidates have the highest sentence BLEU, the first is chosen. Memory beyond the arguments
        and the result is constant at the sentence level. At the corpus level the statistics of all candidates are
        stored: for BLEU with n-grams up to N, 16 + 16N bytes per candidate (80 for N = 4); for chrF, 24 bytes per
        candidate and order.

    Raises:
        TypeError: A value is not a pool or a segment; the error names pools[i][j] or references[i][j].
        ValueError: There are no sources; a pool has no candidates, or a source no reference; `pools` and `references`
            have different numbers of sources; or the level is unknown.
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
    checked = as_pools(pools, "pools")
    if not len(checked):
        raise ArgumentValueError("pools", "is empty; a corpus score needs at least one source", value=pools)
    check_candidates(checked)
    per_source = _references_of(checked, references)
    columns = PoolColumns(metric.matcher, [checked, per_source])
    bounds, width = checked.bounds, metric.formula.width
    indices, utilities = np.empty(len(checked), dtype=np.int64), np.empty(len(checked))
    is_corpus_level = level == "corpus"
    all_rows = empty_table(int(bounds[-1]) if is_corpus_level else 0, width)
    total = [0] * width
    numbers: set[int] = set()

    def choose(read: list[Any], start: int, stop: int) -> tuple[Any, ...]:
        for i in range(start, stop):
            if per_source.is_missing(i):
                location = Location("references")[i]
                raise ArgumentValueError(location, "has only None; a source needs at least one reference")
        candidates, of_sources = read
        starts = bounds[start : stop + 1] - bounds[start]
        sizes, edges = np.diff(starts), per_source.bounds[start : stop + 1] - per_source.bounds[start]
        ranges = np.repeat(edges[:-1], sizes), np.repeat(edges[1:], sizes)
        rows = (
            all_rows[bounds[start] : bounds[stop]] if is_corpus_level else empty_table(len(candidates), width)
        )
        number = columns.counter.count(candidates, [of_sources], rows=rows, ranges=ranges)[2]
        scores = metric.formula.score_rows(rows)
        indices[start:stop] = first_largest(scores, starts)
        best = starts[:-1] + indices[start:stop]
        utilities[start:stop] = scores[best]
        return rows[best].sum(axis=0).tolist(), number

    def add_up(row: list[int], references_per_segment: int) -> None:
        total[:] = map(add, total, row)
        numbers.add(references_per_segment)

    columns.for_each_chunk(choose, add_up, as_threads(threads, metric), 0, progress, columns.read)
    score: Any = metric.formula.score(total)
    if is_corpus_level:
        indices, score = corpus_oracle(metric, all_rows, bounds, indices)
        utilities = metric.formula.score_rows(all_rows[bounds[:-1] + indices])
    metric.signed(score, numbers.pop() if len(numbers) == 1 else -1)
    return OracleSelection(indices, utilities, score)


def _references_of(pools: CheckedPools, references: Any) -> CheckedPools:
    """Check the argument `references` of `oracle`, and that each source has a reference.

    Raises:
        TypeError, ValueError: A reference is not a segment; there are more or fewer sources than pools; or a source has
            no reference.
    """
    if is_number_array(references, (2, 3)) or isinstance(references, TokenIds):
        references = Pools(references, size=1) if len(references.shape) < 3 else list(references)
    per_source = as_pools(references, "references", are_references=True)
    sizes = per_source.bounds[1:] - per_source.bounds[:-1]
    if len(per_source) != len(pools):
        message = f"is for {counted(len(per_source), 'source')}, but pools has {len(pools)}"
        if (sizes == len(pools)).all():
            message += (
                "; they look like reference streams, references[stream][source], but oracle needs references[source]: "
                "pass list(zip(*references))"
            )
        raise ArgumentValueError("references", message, value=references)
    without = (sizes == 0).nonzero()[0]
    if len(without):
        empty = "is empty; a source needs at least one reference"
        raise ArgumentValueError(Location("references")[int(without[0])], empty)
    return per_source


def corpus_oracle(
    metric: BLEU | CHRF, rows: NDArray[int64], bounds: NDArray[int64], sentence_oracle: NDArray[int64]
) -> tuple[NDArray[int64], Any]:
    """Choose one candidate of each pool by coordinate ascent, so that the chosen ones have a high corpus BLEU or chrF.

    The ascent stops when no single change raises the score. It often stops where the hypotheses are exactly as long as
    their references, because a change that adds matches also changes the length, and that costs more than the matches
    gain. Therefore it is run from several selections: the sentence oracle, the best single system, and for BLEU the
    result of `_best_by_gradient`.

    Args:
        metric: The metric whose formula scores the selections.
        rows: int64 [candidates, width of the formula]: the sufficient statistics of all candidates.
        bounds: int64 [n + 1]: source i has the rows bounds[i] to bounds[i + 1] - 1, at least one.
        sentence_oracle: int64 [n]: the index of the candidate with the highest sentence BLEU in each pool.

    Returns:
        The index of the chosen candidate in each pool, int64 [n], and the corpus score, which is never below that of
        the sentence oracle or of any single system.
    """
    from ._corpus_oracle import ascend

    starts = [sentence_oracle, _best_single_system(metric, rows, bounds)]
    if isinstance(metric, BLEU):
        starts.append(_best_by_gradient(metric, rows, bounds, sentence_oracle))
    choices = []
    for start in starts:
        end = start.copy()
        if isinstance(metric, BLEU):
            ascend(rows, bounds, end, metric.formula.compiled)
        else:
            _ascend(rows, bounds, end, metric.formula.score_rows)
        # `ascend` computes scores by a faster formula, whose last digit may differ from that of the metric's formula.
        # So the end may have a slightly lower score than the start, and both are compared.
        choices += [start, end]
    scores = [metric.formula.score(_sum_of(rows, bounds, indices)) for indices in choices]
    best = max(range(len(choices)), key=lambda i: scores[i].score)
    return choices[best].copy(), scores[best]


def _ascend(
    rows: NDArray[int64], bounds: NDArray[int64], chosen: NDArray[int64], score_rows: Callable[[Any], Any]
) -> None:
    """Improve a selection by coordinate ascent on the corpus score, as `_corpus_oracle.ascend` does for BLEU.

    Args:
        rows: int64 [candidates, width]: the sufficient statistics of all candidates.
        bounds: int64 [n + 1]: source i has the rows bounds[i] to bounds[i + 1] - 1.
        chosen: int64 [n]: the index of the chosen candidate in each pool; updated in place.
        score_rows: A function that returns the scores, float64 [m], of m rows [m, width].
    """
    sums = rows[bounds[:-1] + chosen].sum(axis=0)
    best = score_rows(sums[None])[0]
    changed = True
    while changed:
        changed = False
        for i, (start, stop) in enumerate(pairwise(bounds.tolist())):
            trials = rows[start:stop] + (sums - rows[start + chosen[i]])
            scores = score_rows(trials)
            winner = int(scores.argmax())
            if scores[winner] > best:
                best, sums, chosen[i], changed = scores[winner], trials[winner], winner, True


def _best_single_system(metric: BLEU | CHRF, rows: NDArray[int64], bounds: NDArray[int64]) -> NDArray[int64]:
    """Return, n times, the index at which the candidates of all pools have the highest corpus score, int64 [n]."""
    import numpy as np

    smallest = int((bounds[1:] - bounds[:-1]).min())
    sums = [_sum_of(rows, bounds, index) for index in range(smallest)]
    scores = [metric.formula.score(row).score for row in sums]
    return np.full(len(bounds) - 1, scores.index(max(scores)), dtype=np.int64)


def _best_by_gradient(
    metric: BLEU, rows: NDArray[int64], bounds: NDArray[int64], start: NDArray[int64]
) -> NDArray[int64]:
    """Choose candidates by the gradient of the corpus score with respect to the summed statistics.

    Each iteration chooses from each pool the candidate whose statistics have the largest inner product with the
    gradient at the previous selection. The slope of the brevity penalty is multiplied by a factor in 0..1, which
    bisection adjusts until the chosen candidates are about as long as their references.

    Args:
        metric: The metric whose formula scores the selections.
        rows: int64 [candidates, 2 + 2N]: the sufficient statistics of all candidates.
        bounds: int64 [n + 1]: source i has the rows bounds[i] to bounds[i + 1] - 1.
        start: int64 [n]: the selection at which the first gradient is computed.

    Returns:
        int64 [n]: the selection with the highest corpus score of all iterations, as the index of a candidate in each
        pool; `start` if no iteration scores higher than `start`.
    """
    row = _sum_of(rows, bounds, start)
    best, highest = start, metric.formula.score(row).score
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        share = (low + high) / 2
        gradient = _gradient(row, metric.weights, share)
        # Sum column by column, because the last digit of a matrix product depends on NumPy's order of summation.
        indices = first_largest(
            sum(slope * counts for slope, counts in zip(gradient, rows.T, strict=True)), bounds
        )
        row = _sum_of(rows, bounds, indices)
        score = metric.formula.score(row).score
        if score > highest:
            best, highest = indices, score
        if row[0] < row[1]:
            low = share
        else:
            high = share
    return best


def _gradient(row: list[int], weights: tuple[float, ...] | None, share: float) -> list[float]:
    """Compute the gradient of the logarithm of the corpus score with respect to its sufficient statistics.

    Args:
        row: The sufficient statistics of the corpus, 2 + 2N numbers.
        weights: The weights of the n-gram orders; None: equal weights.
        share: The factor by which the slope of the brevity penalty is multiplied, 0..1. If hypotheses and references
            are equally long, the penalty has a kink, and each factor results in one of its subgradients.

    Returns:
        The partial derivatives, 2 + 2N numbers in the order of `row`.
    """
    order = len(row) // 2 - 1
    of_orders = [1 / order] * order if weights is None else [weight / sum(weights) for weight in weights]
    sys_len, ref_len = max(row[0], 1), row[1]
    gradient = [0.0] * row_width(order)
    gradient[0] = share * ref_len / sys_len**2
    gradient[1] = -share / sys_len
    for n, weight in enumerate(of_orders):
        gradient[2 + n] = weight / max(row[2 + n], 1)
        gradient[2 + order + n] = -weight / max(row[2 + order + n], 1)
    return gradient


def _sum_of(rows: NDArray[int64], bounds: NDArray[int64], indices: NDArray[int64] | int) -> list[int]:
    """Sum the statistics of the chosen candidates.

    Args:
        rows: int64 [candidates, width]: the sufficient statistics of all candidates.
        bounds: int64 [n + 1]: source i has the rows bounds[i] to bounds[i + 1] - 1.
        indices: The index of the chosen candidate in each pool, int64 [n], or one index for all pools.

    Returns:
        The sums, `width` numbers.
    """
    total: list[int] = rows[bounds[:-1] + indices].sum(axis=0).tolist()
    return total
