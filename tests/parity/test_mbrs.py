"""`fastbleu.rerank.mbr` beside the live mbrs 0.1.8: exact and aggregate, utilities and winners, on real pools.

mbrs holds its utilities in float32, so that two candidates whose utilities differ by less than that may change places.
Where systems wrote the same text, mbrs picks any of them and fastbleu the first. mbrs needs an environment of its own
(the extra `mbrs`).
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what it imports warns of its own age
    decoders = pytest.importorskip("mbrs.decoders", reason="mbrs is not installed", exc_type=ImportError)
    metrics = pytest.importorskip("mbrs.metrics", reason="mbrs is not installed", exc_type=ImportError)
    selectors = pytest.importorskip("mbrs.selectors", reason="mbrs is not installed", exc_type=ImportError)
    torch = pytest.importorskip("torch", reason="torch is not installed", exc_type=ImportError)

from fastbleu import BLEU, CHRF
from fastbleu.rerank import expected, mbr, pairwise
from tests.support import newstest as newstest_data
from tests.support import rerank_pools
from tests.support.compared import compared

Scores = npt.NDArray[np.float64]

#: Relative: float32 has 24 bits, and a mean loses one or two. Of logarithms of up to 16 it keeps 2^-20, which is then
#: the relative error of each probability.
FLOAT32 = 2.0**-22
FLOAT32_LOGARITHMS = 2.0**-20

DECODERS = {"exact": decoders.DecoderMBR, "aggregate": decoders.DecoderAggregateMBR}

#: Options of the metric under which everything is compared, by direction.
OPTIONS: list[tuple[str, dict[str, Any]]] = [
    *((pair, {}) for pair in newstest_data.PAIRS),
    ("en-zh", {"tokenize": "zh"}),
    ("en-ja", {"tokenize": "char", "lowercase": True}),
    ("en-ru", {"tokenize": "intl", "smooth_method": "none"}),
    ("de-en", {"tokenize": "none", "smooth_method": "floor", "smooth_value": 0.25}),
    ("en-de", {"smooth_method": "add-k", "effective_order": False}),
    ("zh-en", {"smooth_method": "floor", "effective_order": False, "max_ngram_order": 3}),
]


class Decoded(NamedTuple):
    """Return mbrs' result for a pool."""

    winner: int
    utilities: Scores


def compare(
    pool: Sequence[str], utilities: Scores, winner: int, theirs: Decoded, close: float = FLOAT32
) -> None:
    """Compare a selection; another winner's utility may be less by what float32 cannot hold."""
    np.testing.assert_allclose(utilities, theirs.utilities, rtol=close, atol=0)
    assert winner == np.argmax(utilities) == pool.index(pool[winner])
    if pool[winner] != pool[theirs.winner]:
        assert utilities[theirs.winner] >= utilities[winner] * (1 - close)
    compared("mbrs 0.1.8, utilities", len(pool))
    compared("mbrs 0.1.8, winners")


def decode(
    method: str, pool: Sequence[str], evidence: Sequence[str], lprobs: Any = None, **options: Any
) -> Decoded:
    """mbrs's winner, and its utilities in the order of the pool."""
    metric = metrics.MetricBLEU(metrics.MetricBLEU.Config(num_workers=2, **options))
    decoder = DECODERS[method](DECODERS[method].Config(), metric)
    found = decoder.decode(list(pool), list(evidence), nbest=len(pool), reference_lprobs=lprobs)
    utilities = np.empty(len(pool))
    utilities[found.idx] = found.score
    return Decoded(found.idx[0], utilities)


def metric_of(options: dict[str, Any]) -> BLEU:
    return BLEU(**{"effective_order": True, **options})


@pytest.mark.usefixtures("newstest")
@pytest.mark.parametrize(
    "options", [{}, {"word_order": 2}, {"char_order": 4, "lowercase": True, "whitespace": True}]
)
def test_aggregate_by_chrf(options: dict[str, Any]) -> None:
    metric = metrics.MetricChrF(metrics.MetricChrF.Config(**options))
    generator = random.Random(2)
    for _, pools in rerank_pools.over_directions(4):
        for pool in pools:
            lprobs = torch.tensor([generator.uniform(-12, 0) for _ in pool])
            own = {"weights": [lprobs.tolist()], "weights_as": "log-probabilities", "temperature": 1.0}
            for theirs, weights in ((None, {}), (lprobs, own)):
                scores = metric.expected_scores_reference_aggregation(pool, pool, reference_lprobs=theirs)
                ours = mbr([pool], k=len(pool), method="aggregate", metric=CHRF(**options), **weights)
                # A score is three additions away from float32.
                close = 2 * FLOAT32 if theirs is None else FLOAT32_LOGARITHMS
                np.testing.assert_allclose(ours.utilities[0], scores.numpy()[ours.indices[0]], rtol=close)
                compared("mbrs 0.1.8, utilities", len(pool))


@pytest.mark.usefixtures("newstest")
@pytest.mark.parametrize("diversity", [0.1, 1.0, 3.0])
def test_diverse_sets(diversity: float) -> None:
    selector = selectors.SelectorDiverse(selectors.SelectorDiverse.Config(diversity_lambda=diversity))
    differing = 0
    for _, whole in rerank_pools.over_directions(40):
        pools = [list(dict.fromkeys(pool)) for pool in whole]
        found = mbr(pools, k=4, diversity=diversity)
        for pool, indices, utilities in zip(pools, found.indices, expected(pools), strict=True):
            scores = torch.tensor(pairwise(pool))
            mask = selector.search_greedy_best_first(
                torch.tensor(utilities), -scores, nbest=min(4, len(pool))
            )
            chosen = torch.zeros(len(pool), dtype=torch.bool)
            chosen[[k for k in indices.tolist() if k >= 0]] = True
            if not mask.equal(chosen):
                # Another set may be as good in float32.
                differing += 1
                ours, theirs = (
                    selector.compute_objective(torch.tensor(utilities), -scores, each).score
                    for each in (chosen, mask)
                )
                assert ours == pytest.approx(theirs, rel=2 * FLOAT32)
            compared("mbrs 0.1.8, diverse sets")
    assert differing < 3


@pytest.mark.parametrize("method", DECODERS)
class TestMBR:
    """Both methods."""

    @pytest.mark.usefixtures("newstest")
    @pytest.mark.parametrize(("pair", "options"), OPTIONS)
    def test_pools_of_systems(self, method: str, pair: str, options: dict[str, Any]) -> None:
        pools = rerank_pools.spread(pair, 12)
        ours = mbr(pools, method=method, metric=metric_of(options))
        for i, pool in enumerate(pools):
            theirs = decode(method, pool, pool, **options)
            utilities = self.utilities(method, pool, pool, metric_of(options))
            assert ours.utilities[i] == utilities.max()
            compare(pool, utilities, int(ours.indices[i]), theirs)

    @pytest.mark.usefixtures("newstest")
    @pytest.mark.parametrize("size", [3, 64, 128])
    def test_larger_pools(self, method: str, size: int) -> None:
        number = 6 if size < 100 else 2
        for _, pools in rerank_pools.over_directions(number, size):
            ours = mbr(pools, method=method)
            for i, pool in enumerate(pools):
                utilities = self.utilities(method, pool, pool, metric_of({}))
                theirs = decode(method, pool, pool)
                compare(pool, utilities, int(ours.indices[i]), theirs)

    @pytest.mark.usefixtures("newstest")
    @pytest.mark.parametrize("pair", newstest_data.PAIRS)
    def test_log_probabilities(self, method: str, pair: str) -> None:
        generator = random.Random(pair)
        pools = rerank_pools.spread(pair, 8)
        # A float32 as a float is the same number on both sides.
        lprobs = [torch.tensor([generator.uniform(-12, 0) for _ in pool]) for pool in pools]
        weights = [one.tolist() for one in lprobs]
        ours = mbr(pools, weights=weights, weights_as="log-probabilities", temperature=1.0, method=method)
        for i, pool in enumerate(pools):
            theirs = decode(method, pool, pool, lprobs[i])
            utilities = self.utilities(method, pool, pool, metric_of({}), weights[i])
            assert ours.utilities[i] == utilities.max()
            compare(pool, utilities, int(ours.indices[i]), theirs, FLOAT32_LOGARITHMS)

    @pytest.mark.usefixtures("newstest")
    def test_evidence_of_its_own(self, method: str) -> None:
        for pair in ("en-de", "zh-en"):
            pools = rerank_pools.spread(pair, 8, 40)
            candidates, evidence = [pool[:12] for pool in pools], [pool[8:] for pool in pools]
            ours = mbr(candidates, evidence, method=method)
            for i, pool in enumerate(candidates):
                theirs = decode(method, pool, evidence[i])
                utilities = self.utilities(method, pool, evidence[i], metric_of({}))
                compare(pool, utilities, int(ours.indices[i]), theirs)

    def test_empty_candidates_and_short_ones(self, method: str) -> None:
        pool = ["", "a", "a b", "a b c", "a b c d", "x", "a a a a", "a b c d e f g", "", "b a"]
        ours = mbr([pool], method=method)
        utilities = self.utilities(method, pool, pool, metric_of({}))
        compare(pool, utilities, int(ours.indices[0]), decode(method, pool, pool))

    def utilities(
        self,
        method: str,
        pool: Sequence[str],
        evidence: Sequence[str],
        metric: BLEU,
        weights: list[float] | None = None,
    ) -> Scores:
        """Return the score of every candidate; those of one method come from a pool for each of them."""
        given: dict[str, Any] = {}
        if weights is not None:
            given = {"weights_as": "log-probabilities", "temperature": 1.0}
        if method == "exact":
            own = None if weights is None else [weights]
            return np.asarray(expected([pool], [evidence], own, metric=metric, **given)[0])
        singles = [[candidate] for candidate in pool]
        each = None if weights is None else [weights] * len(pool)
        found = mbr(singles, [evidence] * len(pool), each, method=method, metric=metric, **given)
        return np.asarray(found.utilities)
