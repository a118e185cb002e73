"""Pools in many threads, with and without threads of their own."""

from __future__ import annotations

import pytest

from fastbleu import BLEU
from fastbleu.rerank import Pools, expected, mbr, oracle, pairwise, rank, self_bleu
from tests.support.threads import HYPOTHESES, STREAMS, hammer

POOLS = [HYPOTHESES, HYPOTHESES[::-1] + HYPOTHESES[:3], ["a b c", "a b d", "a c d"], ["one", "one", "two"]]
REFERENCES = [[STREAMS[0][i], "the cat"] for i in range(len(POOLS))]
FLAT = Pools(HYPOTHESES * 10, size=3)


@pytest.mark.parametrize("threads", [1, 2])
def test_pools(threads: int) -> None:
    bleu = BLEU(effective_order=True, threads=threads)
    weights = [[1.0 + k % 3 for k in range(len(pool))] for pool in POOLS]
    hammer(
        {
            "mbr": lambda: list(mbr(POOLS, metric=bleu)),
            "mbr, flat": lambda: list(mbr(FLAT, metric=bleu)),
            "mbr, aggregate": lambda: list(mbr(POOLS, method="aggregate", metric=bleu)),
            "expected": lambda: expected(POOLS, weights=weights, weights_as="counts", metric=bleu),
            "expected of others": lambda: expected(POOLS, exclude_self=True, metric=bleu),
            "nltk": lambda: expected(POOLS, formula="nltk", smoothing="method3", metric=bleu),
            "nltk in Python": lambda: expected(POOLS, formula="nltk", smoothing="method7", metric=bleu),
            "pairwise": lambda: pairwise(HYPOTHESES, metric=bleu),
            "pairwise with references": lambda: pairwise(HYPOTHESES, HYPOTHESES[::2], metric=bleu),
            "oracle": lambda: list(oracle(POOLS, REFERENCES, metric=bleu)),
            "corpus oracle": lambda: list(oracle(POOLS, REFERENCES, "corpus", metric=bleu)),
            "self_bleu": lambda: [self_bleu(pool, metric=bleu).scores for pool in POOLS],
            "rank": lambda: list(rank(expected(POOLS, metric=bleu), pools=POOLS)),
        }
    )
