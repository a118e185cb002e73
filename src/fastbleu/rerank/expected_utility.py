"""Expected utilities of candidates: pools, evidence and weights, checked and handed to the kernels in chunks."""

from __future__ import annotations

from itertools import chain

from ..options import check_flag, check_number
from ..scoring.nltk.formula import NLTKFormula
from ..scoring.nltk.smoothing import warn_of_no_match
from .evidence_weights import PerPool, as_weights, check_weighting
from .pool_chunks import PoolColumns
from .pool_sources import as_pools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy import float64
    from numpy.typing import NDArray

    from ..inputs._column import Column
    from ..metric import BLEU
    from ..scoring.formula import Formula


class Expectation:
    """The expected utilities of the candidates of pools.

    Args:
        metric: The options.
        formula: What scores a pair.
        pools, evidence, weights, exclude_self, weights_as, temperature, method: As for `mbr`.

    Raises:
        TypeError, ValueError: One of them does not fit.
    """

    def __init__(
        self,
        metric: BLEU,
        formula: Formula | NLTKFormula,
        pools: Any,
        evidence: Any,
        weights: Any,
        exclude_self: bool,
        weights_as: str | None,
        temperature: float | None,
        method: str,
    ) -> None:
        self.metric = metric
        self.formula = formula
        self.pools = as_pools(pools, "pools")
        self.exclude_self = check_flag("exclude_self", exclude_self)
        self.evidence = None if evidence is None else as_pools(evidence, "evidence")
        self.exact = method == "exact"
        if not self.exact and isinstance(formula, NLTKFormula):
            raise ValueError("formula='nltk' is for method='exact'")
        check_weighting(weights, weights_as, temperature)
        self.weights_as = weights_as
        self.temperature = None if temperature is None else check_number("temperature", temperature)
        of = "pools" if evidence is None else "evidence"
        self.weights = (
            None if weights is None else PerPool(weights, self.evidence or self.pools, "weights", of)
        )
        self._check_evidence()

    def _check_evidence(self) -> None:
        sizes = self.pools.bounds[1:] - self.pools.bounds[:-1]
        if self.exclude_self:
            if self.evidence is not None:
                raise ValueError(
                    "exclude_self is for pools that are their own evidence, but evidence is given"
                )
            if not self.exact:
                raise ValueError("exclude_self is for method='exact'")
            alone = (sizes == 1).nonzero()[0]
            if len(alone):
                raise ValueError(
                    f"pools[{alone[0]}] has one candidate, and with exclude_self there is no evidence for it"
                )
        if self.evidence is None:
            return
        if len(self.evidence) != len(self.pools):
            raise ValueError(f"evidence is for {len(self.evidence)} sources, but pools has {len(self.pools)}")
        without = ((sizes > 0) & (self.evidence.bounds[1:] == self.evidence.bounds[:-1])).nonzero()[0]
        if len(without):
            raise ValueError(f"evidence[{without[0]}] is empty, but pools[{without[0]}] has candidates")

    def compute(
        self, keep: Callable[[int, int, NDArray[float64], Column], object], threads: int, progress: bool
    ) -> None:
        """Computes the expected utilities of all candidates, chunk by chunk.

        Args:
            keep: Gets the first pool of a chunk, one after the last, the utilities of all their candidates, and these.
            threads: How many may work at the same time.
            progress: Whether to show a bar.

        Raises:
            ValueError: A candidate has no evidence; names it.
        """
        import numpy as np

        from ._aggregate import expect_aggregate
        from ._pair_scores import expect_scores
        from ._pool_arguments import NoEvidenceError, NoTrigramError

        sources = [self.pools] if self.evidence is None else [self.pools, self.evidence]
        columns = PoolColumns(self.metric.matcher, sources)
        if columns.have_unknown and self.evidence is None:
            if self.exclude_self:
                raise ValueError(
                    "exclude_self cannot tell candidates from their evidence where ids have an unk_id"
                )
            sources *= 2
            columns = PoolColumns(self.metric.matcher, sources)
        formula: Any = self.formula.compiled
        unmatched: list[int] = []

        def expect(found: list[Any], start: int, stop: int) -> tuple[int, int, int, NDArray[float64], Column]:
            lowest = 0
            bounds = [pools.bounds[start : stop + 1] - pools.bounds[start] for pools in sources]
            scores = np.empty(int(bounds[0][-1]))
            others, other_bounds = (found[1], bounds[1]) if len(found) > 1 else (None, None)
            evidence = (others, other_bounds, self._weights_of(start, stop))
            options = (columns.tokenizer, formula, scores)
            try:
                if self.exact:
                    lowest = expect_scores(found[0], bounds[0], *evidence, self.exclude_self, *options)
                else:
                    expect_aggregate(found[0], bounds[0], *evidence, *options)
            except NoEvidenceError as error:
                raise ValueError(
                    f"pools[{start + error.pool}][{error.candidate}] has no evidence: the weights of all others are 0"
                ) from None
            except NoTrigramError as error:
                name = "pools" if self.evidence is None else "evidence"
                i = start + error.pool
                raise ValueError(
                    f"pools[{i}][{error.hypothesis}] and {name}[{i}][{error.reference}] have tokens in common, but no "
                    "trigram, which smoothing='method6' needs"
                ) from None
            return lowest, start, stop, scores, found[0]

        def done(lowest: int, start: int, stop: int, scores: NDArray[float64], candidates: Column) -> None:
            if lowest:
                unmatched.append(lowest)
            keep(start, stop, scores, candidates)

        sizes = (self.pools.bounds[1:] - self.pools.bounds[:-1]).astype(np.float64)
        others = sizes if self.evidence is None else self.evidence.bounds[1:] - self.evidence.bounds[:-1]
        pairs = int((sizes * others).sum()) if self.exact else 0
        columns.for_each_chunk(expect, done, threads, pairs, progress)
        if unmatched:
            warn_of_no_match(min(unmatched))

    def _weights_of(self, start: int, stop: int) -> NDArray[float64] | None:
        """The weights of the evidence of some pools."""
        import numpy as np

        if self.weights is None or self.weights_as is None:
            return None
        parts = (
            as_weights(numbers, self.weights_as, self.temperature, f"weights[{i}]")
            for i, numbers in enumerate(self.weights.part(start, stop), start)
            if numbers
        )
        return np.fromiter(chain.from_iterable(parts), dtype=np.float64)
