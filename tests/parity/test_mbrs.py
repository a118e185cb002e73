"""`fastbleu.rerank.mbr` beside the live mbrs 0.1.8: exact and aggregate, utilities and winners, on real pools.

mbrs holds its utilities in float32, so that two candidates whose utilities differ by less than that may change places.
Where systems wrote the same text, mbrs picks any of them and fastbleu the first. mbrs needs an environment of its own
(the extra `mbrs`).
"""

import random
import warnings
from collections.abc import Sequence
from typing import Any

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


def decode(
    method: str, pool: Sequence[str], evidence: Sequence[str], lprobs: Any = None, **options: Any
) -> tuple[int, Scores]:
    """mbrs's winner, and its utilities in the order of the pool."""
    metric = metrics.MetricBLEU(metrics.MetricBLEU.Config(num_workers=2, **options))
    decoder = DECODERS[method](DECODERS[method].Config(), metric)
    found = decoder.decode(list(pool), list(evidence), nbest=len(pool), reference_lprobs=lprobs)
    utilities = np.empty(len(pool))
    utilities[found.idx] = found.score
    return found.idx[0], utilities


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


def utilities_of(
    method: str, pool: Sequence[str], evidence: Sequence[str], metric: BLEU, weighting: dict[str, Any]
) -> Scores:
    """Return the score of every candidate; those of an aggregate come from a pool for each of them."""
    if method == "exact":
        return np.asarray(expected([pool], [evidence], metric=metric, **weighting)[0])
    weighting = weighting | {"weights": weighting["weights"] * len(pool)} if weighting else {}
    singles = [[candidate] for candidate in pool]
    found = mbr(singles, [evidence] * len(pool), method=method, metric=metric, **weighting)
    return np.asarray(found.utilities)


def compare_pools(
    method: str,
    pools: Sequence[Sequence[str]],
    evidence: Sequence[Sequence[str]] | None = None,
    lprobs: Sequence[Any] | None = None,
    **options: Any,
) -> None:
    """Compare the utilities and winners of pools, with log-probabilities of their evidence or without."""
    metric = BLEU(**{"effective_order": True, **options})
    weighting: dict[str, Any] = {}
    if lprobs is not None:
        # A float32 as a float is the same number on both sides.
        weighting = {"weights": [one.tolist() for one in lprobs], "weights_as": "log-probabilities"}
        weighting["temperature"] = 1.0
    ours = mbr(pools, evidence, method=method, metric=metric, **weighting)
    for i, pool in enumerate(pools):
        others = pool if evidence is None else evidence[i]
        own = weighting and weighting | {"weights": weighting["weights"][i : i + 1]}
        utilities = utilities_of(method, pool, others, metric, own)
        assert ours.utilities[i] == utilities.max()
        winner = int(ours.indices[i])
        their_winner, theirs = decode(method, pool, others, lprobs and lprobs[i], **options)
        close = FLOAT32 if lprobs is None else FLOAT32_LOGARITHMS
        np.testing.assert_allclose(utilities, theirs, rtol=close, atol=0)
        assert winner == np.argmax(utilities) == pool.index(pool[winner])
        if pool[winner] != pool[their_winner]:  # Two utilities that float32 may not tell apart.
            assert utilities[their_winner] >= utilities[winner] * (1 - close)
        compared("mbrs 0.1.8, utilities", len(pool))
        compared("mbrs 0.1.8, winners")


@pytest.mark.usefixtures("newstest")
@pytest.mark.parametrize(("pair", "options"), OPTIONS)
@pytest.mark.parametrize("method", DECODERS)
def test_pools_of_systems(method: str, pair: str, options: dict[str, Any]) -> None:
    compare_pools(method, rerank_pools.spread(pair, 12), **options)


@pytest.mark.usefixtures("newstest")
@pytest.mark.parametrize("size", [3, 64, 128])
@pytest.mark.parametrize("method", DECODERS)
def test_larger_pools(method: str, size: int) -> None:
    for _, pools in rerank_pools.over_directions(6 if size < 100 else 2, size):
        compare_pools(method, pools)


@pytest.mark.usefixtures("newstest")
@pytest.mark.parametrize("pair", newstest_data.PAIRS)
@pytest.mark.parametrize("method", DECODERS)
def test_log_probabilities(method: str, pair: str) -> None:
    generator = random.Random(pair)
    pools = rerank_pools.spread(pair, 8)
    lprobs = [torch.tensor([generator.uniform(-12, 0) for _ in pool]) for pool in pools]
    compare_pools(method, pools, lprobs=lprobs)


@pytest.mark.usefixtures("newstest")
@pytest.mark.parametrize("pair", ["en-de", "zh-en"])
@pytest.mark.parametrize("method", DECODERS)
def test_evidence_of_its_own(method: str, pair: str) -> None:
    pools = rerank_pools.spread(pair, 8, 40)
    compare_pools(method, [pool[:12] for pool in pools], [pool[8:] for pool in pools])


@pytest.mark.parametrize("method", DECODERS)
def test_empty_candidates_and_short_ones(method: str) -> None:
    pool = ["", "a", "a b", "a b c", "a b c d", "x", "a a a a", "a b c d e f g", "", "b a"]
    compare_pools(method, [pool])
