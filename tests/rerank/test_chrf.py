"""Reranking by chrF gives the results of a loop over `CHRF.sentence_score`; errors that only chrF has."""

import itertools
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu import CHRF
from fastbleu.rerank import Pools, expected, mbr, oracle, pairwise, self_bleu
from tests.support.rerank_oracle import exact_means

#: Words, punctuation, white space of every kind, several bytes for a character, and lone surrogates.
TEXTS = st.text(st.sampled_from("ab.,( \t\u3000\xa0\x85é東\u0301\ud800\U0001f600"), max_size=30)
LONG = st.tuples(TEXTS, st.sampled_from([1, 1, 1, 20])).map(lambda pair: pair[0] * pair[1])
ORDERS = [(6, 0), (6, 2), (0, 2), (2, 1), (9, 0), (3, 9)]

POOLS = [["a cat sat.", "the cat sat", "The cat sat"], ["it rained", "rain fell", "it rained"], ["a b"]]
REFERENCES = [["the cat sat down."], ["rain falls", None, "the rain fell"], "a b"]
CHRFS = [CHRF(), CHRF(word_order=2, lowercase=True), CHRF(3, whitespace=True, eps_smoothing=True)]


def score(metric: CHRF, hypothesis: str, *references: str | None) -> float:
    return metric.sentence_score(hypothesis, references).score


def loop(metric: CHRF, hypotheses: list[str], references: list[str]) -> list[list[float]]:
    return [[score(metric, hypothesis, each) for each in references] for hypothesis in hypotheses]


@pytest.mark.parametrize("orders", ORDERS)
@given(st.lists(LONG, max_size=7), st.lists(LONG, max_size=4), st.booleans(), st.booleans())
def test_pairs(
    orders: tuple[int, int], texts: list[str], others: list[str], whitespace: bool, eps_smoothing: bool
) -> None:
    metric = CHRF(*orders, whitespace=whitespace, eps_smoothing=eps_smoothing)
    # Texts that are equal, or have equal characters or words without being equal.
    texts = [*texts, *texts[:2], *(text.replace(" ", "") for text in texts[:2])]
    others = [*others, *texts[:2]]
    assert pairwise(texts, metric=metric).tolist() == loop(metric, texts, texts)
    assert pairwise(texts, others, metric=metric).tolist() == loop(metric, texts, others)


@pytest.mark.parametrize("orders", ORDERS[:3])
def test_pairs_of_large_pools(orders: tuple[int, int]) -> None:
    """Most n-grams are shared by many texts here, and some texts are long."""
    generator = random.Random(3)
    words = ["the", "cat", "sat", "on", "a", "mat,", "(and)", "rained.", "é東"]
    texts = [" ".join(generator.choices(words, k=generator.choice([5, 9, 90]))) for _ in range(60)]
    metric = CHRF(*orders)
    wanted = loop(metric, texts, texts)
    assert pairwise(texts, metric=metric).tolist() == wanted
    upper = pairwise(texts, metric=metric, upper_triangle=True, threads=2)
    assert upper.tolist() == [
        [wanted[min(i, j)][max(i, j)] for j in range(len(texts))] for i in range(len(texts))
    ]


@pytest.mark.parametrize("metric", CHRFS)
def test_expected_utilities_and_choices(metric: CHRF) -> None:
    wanted = [exact_means(loop(metric, pool, pool), [1.0] * len(pool)) for pool in POOLS]
    assert [found.tolist() for found in expected(POOLS, metric=metric)] == wanted
    chosen = mbr(POOLS, metric=metric, threads=2)
    assert chosen.indices.tolist() == [np.argmax(utilities) for utilities in wanted]
    evidence = [["the cat"], ["rain fell", "rain"], ["a"]]
    weights = [[2], [1, 3], [1]]
    found = expected(POOLS, evidence, weights, weights_as="counts", metric=metric)
    for pool, others, shares, utilities in zip(POOLS, evidence, weights, found, strict=True):
        assert utilities.tolist() == exact_means(loop(metric, pool, others), shares)


@pytest.mark.parametrize("metric", CHRFS)
def test_oracle(metric: CHRF) -> None:
    groups: Any = [[each] if isinstance(each, str) else each for each in REFERENCES]
    wanted = [
        [score(metric, text, *group) for text in pool] for pool, group in zip(POOLS, groups, strict=True)
    ]
    best = [scores.index(max(scores)) for scores in wanted]
    indices, utilities, total = oracle(POOLS, REFERENCES, metric=metric)
    assert indices.tolist() == best
    assert utilities.tolist() == list(map(max, wanted))
    chosen = [pool[k] for pool, k in zip(POOLS, best, strict=True)]
    corpus = metric.corpus_score(chosen, metric.prepare_segments(groups))
    assert (total.score, str(total.signature)) == (corpus.score, str(corpus.signature))
    flat = Pools([text for pool in POOLS for text in pool], offsets=[0, 3, 6, 7])
    assert oracle(flat, REFERENCES, metric=metric).indices.tolist() == best


def test_corpus_oracle() -> None:
    generator = random.Random(5)
    metric = CHRF(2)
    highest = 0
    for _ in range(20):
        pools = [
            ["".join(generator.choices("abcd", k=generator.randrange(1, 9))) for _ in range(3)]
            for _ in range(4)
        ]
        references = ["".join(generator.choices("abcd", k=6)) for _ in pools]

        def reached(places: Any, pools: Any = pools, references: Any = references) -> float:
            chosen = [pool[k] for pool, k in zip(pools, places, strict=True)]
            return metric.corpus_score(chosen, [references]).score

        found = oracle(pools, references, "corpus", metric=metric)
        best = max(map(reached, itertools.product(range(3), repeat=4)))
        assert reached(found.indices) == found.score.score <= best
        assert found.score.score >= reached(oracle(pools, references, metric=metric).indices)
        assert found.utilities.tolist() == [
            score(metric, pool[k], reference)
            for pool, k, reference in zip(pools, found.indices, references, strict=True)
        ]
        highest += found.score.score == best
    assert highest > 15


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pairwise(["a"], formula="nltk", metric=CHRF()), r"^formula 'nltk' cannot be used with CHRF\("),
        (lambda: mbr([["a"]], smoothing="method1", metric=CHRF()), "^smoothing 'method1' cannot be used with CHRF"),
        (lambda: pairwise(["a"], formula="x", metric=CHRF()), "^formula must be"),
        (lambda: self_bleu(["a", "b"], metric=CHRF()), "^metric must be a fastbleu.BLEU, not "),
        (lambda: pairwise([["a"]], metric=CHRF()), r"^hypotheses\[0\] is list.* chrF takes text"),
        (lambda: mbr([[[1, 2]]], metric=CHRF()), r"^pools\[0\]\[0\] is list.* chrF takes text"),
        (lambda: mbr(Pools(np.array([[1, 2]]), 1), metric=CHRF()), "^pools are token ids, which have no characters"),
        (lambda: oracle([["a"]], np.array([[1, 2]]), metric=CHRF()), "^references are token ids"),
    ],
)  # fmt: skip
def test_errors(call: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        call()
