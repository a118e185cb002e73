"""Score all pairs of texts, compute expected utilities, and choose the candidates of minimum Bayes risk (MBR).

The candidate of minimum Bayes risk (Kumar and Byrne 2004, https://aclanthology.org/N04-1022) has the highest expected
utility: the mean of its sentence BLEU against each piece of evidence as the only reference. The evidence, also called
pseudo-references, is the pool itself or other samples from the model.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple, overload

from ..errors import ArgumentValueError, suggests_options
from ..options import METHODS, check_choice, check_flag, check_integer
from ..scoring.nltk.nltk_smoothing import warn_of_no_match
from ..system.progress import progress_bar
from ..system.threads import for_each
from .diverse import check_diversity, k_diverse
from .expected_utility import expect
from .pool_chunks import PoolColumns, as_threads, metric_and_formula, naming_no_trigram
from .pool_sources import as_pools, check_candidates, one_pool
from .ranking import MAX_K, first_largest, k_best

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy import float64, int64
    from numpy.typing import ArrayLike, NDArray

    from ..metric import BLEU, AnySegments
    from ..metric.chrf import CHRF
    from ..options import FormulaName, Method, NLTKSmoothing, WeightsAs
    from .pools import AnyPools, Layout, PerCandidate, Pools

#: The largest number of pairs in a batch. Such a batch takes about a quarter of a second, and Ctrl-C takes effect after
#: the batch.
_PAIRS_PER_BATCH = 1 << 24
#: The smallest number of hypotheses in a batch. Every batch reads all references, so smaller batches would be slow.
_MIN_BATCH = 256
#: The number of matrix rows that `_mirror` copies together, few enough to stay in the processor's caches.
_ROWS_MIRRORED = 32


class Selection(NamedTuple):
    """The chosen candidate, or the k best candidates, of each of n pools."""

    #: int64 [n]: the index of the chosen candidate in its pool; with `k`, int64 [n, k], the best first. The index is -1
    #: where a pool has fewer than k candidates.
    indices: NDArray[int64]
    #: float64, in the shape of `indices`: the expected utilities of the chosen candidates, 0..100 (0..1 by NLTK's
    #: formula); NaN where the index is -1.
    utilities: NDArray[float64]


@suggests_options
def pairwise(
    hypotheses: AnySegments,
    references: AnySegments | None = None,
    *,
    formula: FormulaName = "sacrebleu",
    smoothing: NLTKSmoothing | None = None,
    upper_triangle: bool = False,
    metric: BLEU | CHRF | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> NDArray[float64]:
    """Score each hypothesis against each reference as its only reference, and return the matrix of scores.

    The two lists may differ in length, and their items need not correspond.

    Args:
        hypotheses: H >= 0 segments: text, tokens, or token ids.
        references: R >= 0 segments; None: the hypotheses themselves.
        formula: "sacrebleu": the metric's own formula, 0..100. "nltk": the formula of
            `nltk.translate.bleu_score.sentence_bleu` (3.10.4), 0..1, over the metric's tokens and n-gram orders. The
            metric's weights are then passed unchanged as NLTK's `weights`; if the metric has none, all orders have
            equal weights of sum 1.
        smoothing: NLTK's "method0" to "method7", with its constants (see `scoring.nltk.nltk_smoothing`);
            None: "method1". It is allowed only with the formula "nltk"; otherwise the metric's own smoothing applies.
            Under "method0" an order without a match makes a score almost 0, and NLTK's warning about it is given once
            for all pairs. Methods 5 to 7 take about twenty times as long as the other methods.
        upper_triangle: Whether to score each text only against itself and later texts, and mirror the matrix: entries
            [i, j] and [j, i] are both the score of text i against text j, i <= j. Not allowed with `references`.
        metric: A `BLEU` or a `CHRF`; None: `BLEU(effective_order=True)`. References that it was created with are not
            used. With the formula "nltk" its smoothing and effective order are not used either.
        threads: The number of threads that may work at the same time; None for the metric's number.
        progress: Whether to show a progress bar on standard error.

    Returns:
        float64 [H, R], 0..100: entry [h, r] is `metric.sentence_score(hypotheses[h], [references[r]]).score`. With the
        formula "nltk", it is NLTK's score of the tokens,
        `sentence_bleu([references[r]], hypotheses[h], weights, smoothing_function)`, which is 0..1, but may exceed 1
        under methods 5 to 7.

    Raises:
        TypeError: A bare str is passed for a list, or an item is not a segment; the error names the argument and the
            index.
        ValueError: Tokens or ids are passed to a metric that tokenizes; the formula or the smoothing is unknown;
            `upper_triangle` is given with references; or under "method6" two texts share a token, but no trigram, for
            which NLTK raises an error as well.
        ImportError: `progress` is True, and tqdm is not installed.

    Example:
        >>> pairwise(["the cat sat", "a cat sat"], ["the cat sat down"]).round(2).tolist()
        [[71.65], [39.43]]
        >>> pairwise(["the cat sat", "a cat sat"]).round(2).tolist()
        [[100.0, 55.03], [55.03, 100.0]]
        >>> pairwise(["the cat sat down", "a cat sat"], formula="nltk", smoothing="method1").round(2).tolist()
        [[1.0, 0.17], [0.17, 0.56]]
    """
    import numpy as np

    from ._pair_scores import score_pairs

    metric, scoring = metric_and_formula(metric, formula, smoothing)
    threads = as_threads(threads, metric)
    upper_triangle = check_flag("upper_triangle", upper_triangle)
    inputs = [one_pool(hypotheses, "hypotheses")]
    if references is not None:
        if upper_triangle:
            given = "scores hypotheses against each other, but references are given; leave out one of the two"
            raise ArgumentValueError("upper_triangle", given, value=True)
        inputs.append(one_pool(references, "references"))
    columns = PoolColumns(metric.matcher, inputs, are_evidence=references is None)
    column, *others = columns.read_with_distinct_unknowns(0, 1)
    number = len(others[0]) if others else len(column)
    scores = np.empty((len(column), number))
    max_size = max(_MIN_BATCH, _PAIRS_PER_BATCH // max(1, number))
    batches = max(1, -(-len(column) // max_size), min(threads, len(column) // _MIN_BATCH))
    unmatched_orders: list[int] = []

    # Choose the bounds of batches so that all batches have about the same number of pairs.
    exponent = 0.5 if upper_triangle else 1.0
    bounds = [int(len(column) * (1 - (left / batches) ** exponent)) for left in range(batches, -1, -1)]

    def score(batch: tuple[int, int]) -> tuple[int, int]:
        start, stop = batch
        against = others[0] if others else None if batches == 1 else column
        options = columns.counter.tokenizer, scoring.compiled, scores[start:stop]
        with naming_no_trigram(inputs[0].location, [start], inputs[-1].location, [0]):
            lowest = score_pairs(
                column.slice(start, stop), against, *options, first=start if upper_triangle else -1
            )
        return stop - start, lowest

    with progress_bar(len(column), " hypotheses", check_flag("progress", progress)) as bar:

        def done(result: tuple[int, int]) -> None:
            bar.update(result[0])
            if result[1]:
                unmatched_orders.append(result[1])

        for_each(itertools.pairwise(bounds), score, done, threads)
    if upper_triangle:
        _mirror(scores)
    if unmatched_orders:
        warn_of_no_match(min(unmatched_orders))
    return scores


def _mirror(scores: NDArray[float64]) -> None:
    """Copy the upper triangle of a square matrix to its lower triangle, a block of rows at a time."""
    import numpy as np

    rows = min(len(scores), _ROWS_MIRRORED)
    below = np.tri(rows, k=-1, dtype=np.bool_)
    for start in range(0, len(scores), _ROWS_MIRRORED):
        stop = start + rows
        scores[stop:, start:stop] = scores[start:stop, stop:].T
        block = scores[start:stop, start:stop]
        np.copyto(block, block.T, where=below[: len(block), : len(block)])


@overload
def expected(
    pools: Pools[Layout],
    evidence: AnyPools | None = None,
    weights: PerCandidate | ArrayLike | None = None,
    exclude_self: bool = False,
    *,
    weights_as: WeightsAs | None = None,
    temperature: float | None = None,
    formula: FormulaName = "sacrebleu",
    smoothing: NLTKSmoothing | None = None,
    metric: BLEU | CHRF | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> Layout: ...


@overload
def expected(
    pools: Sequence[Any],
    evidence: AnyPools | None = None,
    weights: PerCandidate | ArrayLike | None = None,
    exclude_self: bool = False,
    *,
    weights_as: WeightsAs | None = None,
    temperature: float | None = None,
    formula: FormulaName = "sacrebleu",
    smoothing: NLTKSmoothing | None = None,
    metric: BLEU | CHRF | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> list[NDArray[float64]]: ...


@suggests_options
def expected(
    pools: AnyPools,
    evidence: AnyPools | None = None,
    weights: PerCandidate | ArrayLike | None = None,
    exclude_self: bool = False,
    *,
    weights_as: WeightsAs | None = None,
    temperature: float | None = None,
    formula: FormulaName = "sacrebleu",
    smoothing: NLTKSmoothing | None = None,
    metric: BLEU | CHRF | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> Any:
    """Compute the expected utility of each candidate: its weighted mean sentence BLEU against the evidence.

    The scores of pairs are not stored, so memory does not grow with their number. Equal candidates are scored once,
    which saves time but does not change the result.

    Args:
        pools: A pool of candidates for each of n sources: a list of pools, or `Pools` over a flat list.
        evidence: One list of segments per source, against which the candidates of the source are scored; it may be
            empty only if the pool is empty. None: the candidates of a pool are scored against each other.
        weights: The weight of each piece of evidence, in the layout of `evidence`, or of `pools` if `evidence` is None:
            a list of n sequences, a matrix [n, size] or a flat array [candidates]. None: equal weights.
        exclude_self: Whether to leave out the score of each candidate against itself; other candidates with the same
            text remain evidence. Not allowed with `evidence`.
        weights_as: The kind of the weights, required if weights are given: "probabilities" (>= 0, their sum 1 within
            1e-6), "log-probabilities" (<= 0 or -inf, the sum of their exponentials 1 within 1e-6), or "counts" (>= 0).
        temperature: A number > 0; the weights are then softmax(log-probabilities / temperature), and the
            log-probabilities may be any finite numbers or -inf. With 1, they are only normalized. None: no softmax.
        formula: "sacrebleu" scores pairs by the metric's formula, "nltk" by NLTK's, 0..1, as for `pairwise`.
        smoothing: The smoothing method of NLTK's formula, as for `pairwise`.
        metric: A `BLEU` or a `CHRF`; None: `BLEU(effective_order=True)`. References that it was created with are
            not used.
        threads: The number of threads that may work on pools at the same time; None for the metric's number.
        progress: Whether to show a progress bar on standard error.

    Returns:
        The utilities, float64, 0..100 (0..1 by NLTK's formula): a list of n arrays [candidates], or a matrix [n, size]
        for `Pools(size=)`. A utility is the weighted mean of the scores that `pairwise` returns, computed exactly and
        rounded once. The weights are the given numbers as float64, divided by their sum; a log-probability x counts as
        `exp(x - largest)`, or with a temperature as `exp((x - largest) / temperature)`.

    Raises:
        TypeError: A value is not a pool, a segment or a number; the error names pools[i][j], evidence[i][j] or
            weights[i][j].
        ValueError: `pools`, `evidence` and `weights` have different numbers of sources or items; a number cannot be a
            weight; a candidate has no evidence; the formula or the smoothing is unknown; or under "method6" a pair
            shares a token, but no trigram.
        ImportError: `progress` is True, and tqdm is not installed.

    Example:
        >>> pool = ["the cat sat", "the cat sat down", "dogs"]
        >>> [scores.round(2).tolist() for scores in expected([pool])]
        [[57.22, 53.15, 33.33]]
        >>> expected([pool], exclude_self=True)[0].round(2).tolist()
        [35.83, 29.73, 0.0]
        >>> expected([pool], [["the cat", "the dogs"]], [[3, 1]], weights_as="counts")[0].round(2).tolist()
        [48.15, 27.95, 9.2]
    """
    metric, scoring = metric_and_formula(metric, formula, smoothing)
    checked = as_pools(pools, "pools")
    options = (exclude_self, weights_as, temperature, "exact", as_threads(threads, metric), progress)
    return checked.shaped(expect(metric, scoring, checked, evidence, weights, *options))


@suggests_options
def mbr(
    pools: AnyPools,
    evidence: AnyPools | None = None,
    weights: PerCandidate | ArrayLike | None = None,
    exclude_self: bool = False,
    *,
    k: int | None = None,
    diversity: float | None = None,
    method: Method = "exact",
    weights_as: WeightsAs | None = None,
    temperature: float | None = None,
    formula: FormulaName = "sacrebleu",
    smoothing: NLTKSmoothing | None = None,
    metric: BLEU | CHRF | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> Selection:
    """Choose the candidate of minimum Bayes risk from each pool: the one with the highest expected utility.

    Args:
        pools: A pool of at least one candidate for each of n sources: a list of pools, or `Pools` over a flat list.
        evidence: One list of at least one segment per source, against which the candidates of the source are scored.
            None: the candidates of a pool are scored against each other.
        weights: The weight of each piece of evidence, in the layout of `evidence`, or of `pools` if `evidence` is None:
            a list of n sequences, a matrix [n, size] or a flat array [candidates]. None: equal weights.
        exclude_self: Whether to leave out the score of each candidate against itself; other candidates with the same
            text remain evidence. Not allowed with `evidence`.
        k: The number of best candidates to choose from each pool, >= 1. None: choose one, and return results [n]
            instead of [n, k].
        diversity: A weight >= 0 that makes the k candidates differ from each other (Jinnai et al. 2024,
            https://aclanthology.org/2024.findings-acl.503): the chosen set has a high mean utility plus `diversity`
            times the mean dissimilarity of its ordered pairs. The dissimilarity of a pair is its negative score by the
            same metric. Candidates are added one by one, as in mbrs' `SelectorDiverse` (0.1.8) before its local search.
            The scores of all pairs of a pool are stored. None: choose the k best, however similar they are.
        method: "exact": the utility is the mean of the scores. "aggregate": the utility is the score against one
            reference that has the expected n-gram counts and the expected length of the evidence, as in mbrs'
            `DecoderAggregateMBR` (0.1.8; DeNero et al. 2009, https://aclanthology.org/P09-1064) and for chrF in
            `fastchrf.aggregate_chrf` (0.2.1; Vamvas and Sennrich 2024, https://arxiv.org/abs/2402.04251). "aggregate"
            takes time linear in the pool, but may choose differently: by BLEU it chooses the same candidate as "exact"
            in 86 % of real pools with 16 candidates, in 74 % with 64 and in 65 % with 256, and its choice has on
            average an expected utility that is 0.1 to 0.4 lower, on the scale 0..100 (`benchmarks/test_reranking.py`).
            It cannot be combined with `exclude_self` or NLTK's formula.
        weights_as: The kind of the weights, required if weights are given: "probabilities" (>= 0, their sum 1 within
            1e-6), "log-probabilities" (<= 0 or -inf, the sum of their exponentials 1 within 1e-6), or "counts" (>= 0).
        temperature: A number > 0; the weights are then softmax(log-probabilities / temperature), and the
            log-probabilities may be any finite numbers or -inf. With 1, they are only normalized. None: no softmax.
        formula: "sacrebleu" scores pairs by the metric's formula, "nltk" by NLTK's, 0..1, as for `pairwise`.
        smoothing: The smoothing method of NLTK's formula, as for `pairwise`.
        metric: A `BLEU` or a `CHRF`; None: `BLEU(effective_order=True)`. References that it was created with are
            not used.
        threads: The number of threads that may work on pools at the same time; None for the metric's number.
        progress: Whether to show a progress bar on standard error.

    Returns:
        The indices of the chosen candidates in their pools, and their utilities, 0..100 (0..1 by NLTK's formula), which
        for the method "exact" are those of `expected`. Both arrays have the shape [n]; with `k` they have the shape
        [n, k], the best first, filled up with -1 and NaN where a pool has fewer candidates. Among candidates with equal
        utilities, the earlier one is preferred.

    Raises:
        TypeError: A value is not a pool, a segment or a number; the error names pools[i][j], evidence[i][j] or
            weights[i][j].
        ValueError: `k` is below 1; `diversity` is negative or given without `k`; `pools`, `evidence` and `weights` have
            different numbers of sources or items; a number cannot be a weight; a pool has no candidates; a candidate
            has no evidence; the method, the formula or the smoothing is unknown; "aggregate" is combined with
            `exclude_self` or NLTK's formula; or under "method6" a pair shares a token, but no trigram.
        ImportError: `progress` is True, and tqdm is not installed.

    Example:
        >>> indices, utilities = mbr([["a dog", "the cat sat", "the cat sat down"], ["yes"]])
        >>> indices.tolist(), utilities.round(2).tolist()
        ([1, 0], [57.22, 100.0])
        >>> indices, utilities = mbr([["a dog", "the cat sat", "the cat sat down"], ["yes"]], k=2)
        >>> indices.tolist(), utilities.round(2).tolist()
        ([[1, 2], [0, -1]], [[57.22, 53.15], [100.0, nan]])
        >>> mbr([["a dog", "the cat sat", "the cat sat down"]], k=2, diversity=0.5).indices.tolist()
        [[1, 0]]
    """
    k = None if k is None else check_integer("k", k, 1, MAX_K)
    weight = check_diversity(diversity, k)
    metric, scoring = metric_and_formula(metric, formula, smoothing)
    check_choice("method", method, METHODS)
    checked = as_pools(pools, "pools")
    check_candidates(checked)
    threads = as_threads(threads, metric)
    options = (exclude_self, weights_as, temperature, method, threads, progress)
    utilities = expect(metric, scoring, checked, evidence, weights, *options)
    if k is not None and weight > 0:
        return Selection(*k_diverse(metric, scoring, checked, utilities, k, weight, threads, progress))
    if k is not None:
        return Selection(*k_best(utilities, checked.bounds, k))
    indices = first_largest(utilities, checked.bounds)
    return Selection(indices, utilities[checked.bounds[:-1] + indices])
