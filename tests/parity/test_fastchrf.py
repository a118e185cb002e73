"""`method="aggregate"` by chrF beside the live fastchrf 0.2.1, on real and on random pools: the same floats."""

import random
from typing import Any

import pytest

from fastbleu import CHRF
from fastbleu.rerank import mbr
from tests.support import rerank_pools
from tests.support.compared import compared

fastchrf = pytest.importorskip("fastchrf", reason="fastchrf is not installed", exc_type=ImportError)

OPTIONS: list[dict[str, Any]] = [
    {},
    {"char_order": 4, "beta": 3, "whitespace": True},
    {"char_order": 9, "beta": 1, "eps_smoothing": True},
]


def compare(pools: list[list[str]], evidence: list[list[str]], options: dict[str, Any]) -> None:
    theirs = fastchrf.aggregate_chrf(
        pools,
        evidence,
        char_order=options.get("char_order", 6),
        beta=float(options.get("beta", 2)),
        remove_whitespace=not options.get("whitespace", False),
        eps_smoothing=options.get("eps_smoothing", False),
    )
    own = None if evidence is pools else evidence
    found = mbr(pools, own, k=max(map(len, pools)), method="aggregate", metric=CHRF(**options))
    for utilities, indices, scores in zip(theirs, *found, strict=True):
        order = sorted(range(len(utilities)), key=lambda k: -utilities[k])
        assert indices[: len(order)].tolist() == order
        assert scores[: len(order)].tolist() == [utilities[k] for k in order]
    compared("fastchrf 0.2.1, aggregates", sum(map(len, pools)))


@pytest.mark.usefixtures("newstest")
@pytest.mark.parametrize("options", OPTIONS)
def test_pools_of_systems(options: dict[str, Any]) -> None:
    for _, pools in rerank_pools.over_directions(30):
        compare(pools, pools, options)
        compare([pool[:9] for pool in pools], [pool[6:] for pool in pools], options)


@pytest.mark.parametrize("options", OPTIONS)
def test_random_pools(options: dict[str, Any]) -> None:
    generator = random.Random(7)

    def texts() -> list[str]:
        lengths = [generator.choice([0, 1, 3, 8, 30]) for _ in range(generator.randint(1, 9))]
        return ["".join(generator.choices("aab b cdé東 ,.ABC\u3000", k=length)) for length in lengths]

    pools, evidence = [texts() for _ in range(200)], [texts() for _ in range(200)]
    compare(pools, pools, options)
    compare(pools, evidence, options)
