"""Compute expected utilities: check pools, evidence and weights, and pass them to the kernels chunk by chunk."""

from __future__ import annotations

from itertools import chain, pairwise

from ..errors import ArgumentValueError, Location, counted
from ..options import check_flag
from ..scoring.nltk.nltk_formula import NLTKFormula
from ..scoring.nltk.nltk_smoothing import warn_of_no_match
from .evidence_weights import as_weights, check_weighting, weight_per_candidate
from .pool_chunks import PoolColumns, naming_no_trigram
from .pool_sources import as_pools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import float64
    from numpy.typing import NDArray

    from ..metric import BLEU
    from ..metric.chrf import CHRF
    from ..scoring.chrf_formula import CHRFFormula
    from ..scoring.formula import Formula
    from .pool_sources import CheckedPools


def expect(
    metric: BLEU | CHRF,
    formula: Formula | NLTKFormula | CHRFFormula,
    pools: CheckedPools,
    evidence: Any,
    weights: Any,
    exclude_self: bool,
    weights_as: str | None,
    temperature: float | None,
    method: str,
    threads: int = 1,
    progress: bool = False,
) -> NDArray[float64]:
    """Compute the expected utilities of the candidates of n pools, chunk by chunk.

    Args:
        metric: The metric whose tokenizer and other options decide which tokens match.
        formula: The formula that scores a pair.
        pools: The candidates.
        evidence: The evidence of each source, in any type that `mbr` accepts; None: the pools are their own evidence.
        weights: The weight of each piece of evidence, in any type that `mbr` accepts; None: equal weights.
        exclude_self: Whether to leave out the score of each candidate against itself.
        weights_as: One of `WEIGHTS_AS`, the kind of numbers that `weights` has; None without weights.
        temperature: The temperature of the softmax over log-probabilities; None: no softmax.
        method: "exact" for the mean of the scores of pairs, "aggregate" for the score against all evidence together.
        threads: The number of threads that may work at the same time.
        progress: Whether to show a progress bar.

    Returns:
        float64 [candidates]: the utility of each candidate, pool after pool.

    Raises:
        TypeError, ValueError: An argument has a wrong type or value, or a candidate has no evidence.
    """
    import numpy as np

    from ._expected_scores import expect_scores

    exclude_self = check_flag("exclude_self", exclude_self)
    others = pools if evidence is None else as_pools(evidence, "evidence")
    exact = method == "exact"
    if not exact and isinstance(formula, NLTKFormula):
        raise ArgumentValueError("formula", "'nltk' needs method='exact'", value="nltk")
    temperature = check_weighting(weights, weights_as, temperature)
    numbers = None if weights is None else weight_per_candidate(weights, others)
    _check_evidence(pools, others, exclude_self, exact)
    inputs = [pools] if evidence is None else [pools, others]
    columns = PoolColumns(metric.matcher, inputs, are_evidence=evidence is None)
    if columns.have_unknown and exclude_self:
        unknown = "cannot be used with ids that have an unk_id; pass ids without unk_id"
        raise ArgumentValueError("exclude_self", unknown, value=True)
    utilities = np.empty(int(pools.bounds[-1]))
    lowest_unmatched: list[int] = []

    def weights_of(start: int, stop: int) -> NDArray[float64] | None:
        if numbers is None or weights_as is None:
            return None
        pool_weights = (
            as_weights(numbers[first:last].tolist(), weights_as, temperature, Location("weights")[i])
            for i, (first, last) in enumerate(pairwise(others.bounds[start : stop + 1].tolist()), start)
            if first < last
        )
        return np.fromiter(chain.from_iterable(pool_weights), dtype=np.float64)

    def score(read: list[Any], start: int, stop: int) -> tuple[int]:
        bounds = [each.bounds[start : stop + 1] - each.bounds[start] for each in columns.inputs]
        scores = utilities[pools.bounds[start] : pools.bounds[stop]]
        read_evidence, evidence_bounds = (read[1], bounds[1]) if len(read) > 1 else (None, None)
        options: Any = (exclude_self, columns.counter.tokenizer, formula.compiled, scores, not exact)
        with naming_no_trigram(pools.location, pools.bounds[start:], others.location, others.bounds[start:]):
            lowest, without_evidence = expect_scores(
                read[0], bounds[0], read_evidence, evidence_bounds, weights_of(start, stop), *options
            )
        if without_evidence >= 0:
            candidate = pools.location[int(pools.bounds[start]) + without_evidence]
            raise ArgumentValueError(candidate, "has no evidence: the weights of all other candidates are 0")
        return (lowest,)

    sizes = [each.bounds[1:] - each.bounds[:-1] for each in (pools, others)]
    pairs = int((sizes[0].astype(np.float64) * sizes[1]).sum()) if exact else 0
    columns.for_each_chunk(score, lowest_unmatched.append, threads, pairs, progress)
    if any(lowest_unmatched):
        warn_of_no_match(min(filter(None, lowest_unmatched)))
    return utilities


def _check_evidence(pools: CheckedPools, evidence: CheckedPools, exclude_self: bool, exact: bool) -> None:
    """Check that each candidate has evidence.

    Args:
        pools: The candidates.
        evidence: The evidence; the same object as `pools` if candidates are scored against each other.
        exclude_self: Whether a candidate's score against itself is left out.
        exact: Whether the method is "exact".

    Raises:
        ValueError: A candidate has no evidence; `pools` and `evidence` have different numbers of sources; or
            `exclude_self` is given with separate evidence or with the method "aggregate".
    """
    sizes = pools.bounds[1:] - pools.bounds[:-1]
    if exclude_self:
        if evidence is not pools:
            given = "is for candidates that are scored against each other, but evidence is given; leave out one of them"
            raise ArgumentValueError("exclude_self", given, value=True)
        if not exact:
            raise ArgumentValueError("exclude_self", "needs method='exact'", value=True)
        alone = (sizes == 1).nonzero()[0]
        if len(alone):
            lonely = "has one candidate, which has no evidence if exclude_self=True"
            raise ArgumentValueError(Location("pools")[int(alone[0])], lonely)
    if len(evidence) != len(pools):
        other = f"is for {counted(len(evidence), 'source')}, but pools has {len(pools)}"
        raise ArgumentValueError("evidence", other)
    without = ((sizes > 0) & (evidence.bounds[1:] == evidence.bounds[:-1])).nonzero()[0]
    if len(without):
        i = int(without[0])
        raise ArgumentValueError(
            Location("evidence")[i], f"is empty, but pools[{i}] has candidates", value=[]
        )
