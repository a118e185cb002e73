"""Every pair of a pool, compared with scoring pair by pair; expectations, compared with exact fractions."""

from __future__ import annotations

import itertools
import random
from array import array
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastbleu import BLEU
from fastbleu.inputs._column import Column
from fastbleu.inputs._text import text_column
from fastbleu.inputs._tokens import collect_tokens
from fastbleu.rerank._expected_scores import expect_scores
from fastbleu.rerank._pair_scores import score_pairs
from fastbleu.tokenizers._tokenize import TOKENIZE_IDS
from tests.support import oracle
from tests.support.pool_kernels import METHODS, METRICS, POOL, TEXT, number


def pairs(metric: BLEU, hypotheses: list[str], references: list[str] | None = None) -> list[list[float]]:
    scores = np.full((len(hypotheses), len(hypotheses if references is None else references)), np.nan)
    column = None if references is None else text_column(references)
    score_pairs(text_column(hypotheses), column, number(metric), metric.formula.compiled, scores)
    return scores.tolist()


def one_by_one(metric: BLEU, hypotheses: list[str], references: list[str]) -> list[list[float]]:
    metric.warnings.of_order.is_over = True
    return [
        [metric.sentence_score(text, [reference]).score for reference in references] for text in hypotheses
    ]


def expected(
    metric: BLEU,
    pools: list[list[str]],
    evidence: list[list[str]] | None = None,
    weights: list[float] | None = None,
    exclude_self: bool = False,
) -> list[float]:
    """Expected scores of all candidates, one after another."""

    def read(lists: list[list[str]]) -> tuple[Column, Any]:
        bounds = array("q", [0])
        for pool in lists:
            bounds.append(bounds[-1] + len(pool))
        return text_column([text for pool in lists for text in pool]), bounds

    column, bounds = read(pools)
    others, other_bounds = read(evidence) if evidence is not None else (None, None)
    scores = np.full(len(column), np.nan)
    expect_scores(
        column,
        bounds,
        others,
        other_bounds,
        None if weights is None else array("d", weights),
        exclude_self,
        number(metric),
        metric.formula.compiled,
        scores,
    )
    return scores.tolist()


def exact_mean(scores: list[float], weights: list[float]) -> float:
    """The weighted mean, rounded once."""
    total = sum((Fraction(w) * Fraction(s) for w, s in zip(weights, scores, strict=True)), Fraction())
    return float(total / sum(map(Fraction, weights), Fraction()))


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(METRICS, st.lists(TEXT, min_size=1, max_size=7), st.none() | st.lists(TEXT, min_size=1, max_size=20))
def test_pairs(metric: BLEU, hypotheses: list[str], references: list[str] | None) -> None:
    others = hypotheses if references is None else references
    assert pairs(metric, hypotheses, references) == one_by_one(metric, hypotheses, others)


def test_the_formula_of_papers() -> None:
    """Not only what the package itself gives for a pair, but what the oracle does."""
    texts = ["the cat sat on the mat", "the cat sat on a mat", "a dog", ""]
    found = pairs(BLEU(tokenize="none", effective_order=True), texts)
    for i, text in enumerate(texts):
        for j, reference in enumerate(texts):
            row = oracle.statistics(text.split(), [reference.split()])
            wanted = oracle.score(row, smooth_method="exp", effective_order=True).score
            assert found[i][j] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_large_pools(method: str) -> None:
    """Elements that most references have, and rare ones; texts too long for a byte's counts; equal texts."""
    generator = random.Random(5)
    common = [generator.choices("abcdefgh", k=generator.randrange(1, 40)) for _ in range(20)]
    rare = [[f"w{generator.randrange(400)}" for _ in range(12)] for _ in range(120)]
    long = [generator.choices("ab", k=length) for length in (255, 256, 257, 700)]
    repeated = [["a"] * length for length in (254, 255, 256, 600)]
    texts = [" ".join(text) for text in (*common, *rare, *long, *repeated, *common[:5])]
    metric = BLEU(tokenize="none", smooth_method=method, effective_order=True)
    every = [*range(20), *range(30, 40), *range(140, len(texts))]
    found = pairs(metric, texts)
    assert [[found[i][j] for j in every] for i in every] == one_by_one(
        metric, [texts[i] for i in every], [texts[j] for j in every]
    )
    assert pairs(metric, texts[:50], texts[50:]) == [row[50:] for row in found[:50]]


def test_weights_of_orders() -> None:
    generator = random.Random(2)
    for _ in range(200):
        order = generator.choice([1, 2, 4, 6, 9])
        weights = [generator.choice([0, 0.1, 1, 3]) for _ in range(order)]
        if not any(weights):
            continue
        texts = [" ".join(generator.choices("abc", k=generator.randrange(9))) for _ in range(5)]
        metric = BLEU(
            tokenize="none",
            weights=weights,
            max_ngram_order=order,
            smooth_method=generator.choice(METHODS),
            effective_order=generator.random() < 0.5,
        )
        found, single = pairs(metric, texts), one_by_one(metric, texts, texts)
        np.testing.assert_allclose(found, single, rtol=1e-13, atol=0)


def test_no_texts() -> None:
    assert pairs(BLEU(), [], ["a"]) == []
    assert pairs(BLEU(), ["a"], []) == [[]]
    assert pairs(BLEU(), []) == []


WEIGHT = st.sampled_from([0.0, 0.25, 1.0, 3.0, 1e-9, 0.1])


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(METRICS, st.lists(POOL, max_size=4), st.data())
def test_expectations_of_pools(metric: BLEU, pools: list[list[str]], data: st.DataObject) -> None:
    evidence = data.draw(
        st.none() | st.lists(POOL, min_size=len(pools), max_size=len(pools)), label="evidence"
    )
    used = pools if evidence is None else evidence
    weights = None
    if data.draw(st.booleans(), label="weighted"):
        weights = [[data.draw(WEIGHT) or 0.5, *(data.draw(WEIGHT) for _ in texts[1:])] for texts in used]
    flat = None if weights is None else [weight for pool in weights for weight in pool]
    wanted = []
    for i, (pool, texts) in enumerate(zip(pools, used, strict=True)):
        shares = [1.0] * len(texts) if weights is None else weights[i]
        wanted += [exact_mean(row, shares) for row in one_by_one(metric, pool, texts)]
    assert expected(metric, pools, evidence, flat) == wanted


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.lists(TEXT, min_size=2, max_size=7), st.randoms())
def test_a_candidate_may_be_no_evidence_for_itself(pool: list[str], generator: random.Random) -> None:
    metric = BLEU(tokenize="none", effective_order=True)
    weights = [generator.choice([0.25, 1.0, 2.0]) for _ in pool]
    scores = one_by_one(metric, pool, pool)
    for given_weights in (None, weights):
        used = given_weights or [1.0] * len(pool)
        wanted = [
            exact_mean(row, [0.0 if j == i else w for j, w in enumerate(used)])
            for i, row in enumerate(scores)
        ]
        assert expected(metric, [pool], weights=given_weights, exclude_self=True) == wanted


def test_weights_of_every_size() -> None:
    """The weight of the other candidates may be far below the rounding error of the sum of all."""
    pool = ["b b b a a b b b q", "b a a x b 2 a b b", "a", "a", "a"]
    weights = [1e9, 1e-18, 1e-9, 1e-18, 0.0]
    metric = BLEU(tokenize="none", effective_order=True)
    scores = one_by_one(metric, pool, pool)
    for order in itertools.permutations(range(5)):
        found = expected(
            metric, [[pool[i] for i in order]], weights=[weights[i] for i in order], exclude_self=True
        )
        wanted = [exact_mean(scores[i], [0.0 if j == i else w for j, w in enumerate(weights)]) for i in order]
        assert found == wanted
        again = dict(zip(order, found, strict=True))
        assert [again[i] for i in range(5)] == expected(metric, [pool], weights=weights, exclude_self=True)


def test_the_order_of_a_pool_changes_no_digit() -> None:
    generator = random.Random(9)
    pool = [" ".join(generator.choices("abcdef", k=generator.randrange(12))) for _ in range(60)]
    pool += generator.choices(pool, k=20)
    metric = BLEU(tokenize="none", effective_order=True)
    found = expected(metric, [pool])
    order = list(range(len(pool)))
    generator.shuffle(order)
    assert expected(metric, [[pool[i] for i in order]]) == [found[i] for i in order]
    # Texts that are there twice count twice.
    distinct = list(dict.fromkeys(pool))
    times = [float(pool.count(text)) for text in distinct]
    by_text = dict(zip(distinct, expected(metric, [distinct], weights=times), strict=True))
    assert found == [by_text[text] for text in pool]
    assert found == [exact_mean(row, [1.0] * len(pool)) for row in one_by_one(metric, pool, pool)]


BAD: list[tuple[dict[str, Any], Any, str]] = [
    ({"candidates": None}, TypeError, "candidates"),
    ({"bounds": array("q", [0, 4])}, ValueError, "bounds must hold places among 3"),
    ({"bounds": array("q", [0, 2, 1, 3])}, ValueError, r"bounds\[2\] = 1 must not be below 2"),
    (
        {"tokenizer": TOKENIZE_IDS},
        TypeError,
        "candidates must be ids for the tokenizer IDS, and text for all others",
    ),
    ({"weights": array("d", [1, 2])}, ValueError, r"weights must have the shape \[3\], not \[2\]"),
    ({"scores": array("d", [0, 0])}, ValueError, r"scores must have the shape \[3\], not \[2\]"),
    ({"evidence": text_column(["a"]), "evidence_bounds": array("q", [0])}, ValueError, "must hold 2 places"),
    (
        {"evidence": text_column(["a"]), "evidence_bounds": array("q", [0, 1]), "exclude_self": True},
        ValueError,
        "exclude_self is for pools that are their own evidence",
    ),
]


@pytest.mark.parametrize(("changed", "kind", "words"), BAD)
def test_what_does_not_fit_is_refused(changed: dict[str, Any], kind: Any, words: str) -> None:
    arguments: dict[str, Any] = {
        "candidates": text_column(["a b", "b", "c"]),
        "bounds": array("q", [0, 3]),
        "evidence": None,
        "evidence_bounds": None,
        "weights": None,
        "exclude_self": False,
        "tokenizer": 0,
        "formula": BLEU().formula.compiled,
        "scores": array("d", bytes(24)),
    }
    with pytest.raises(kind, match=words):
        expect_scores(**arguments | changed)


def test_pairs_that_do_not_fit_are_refused() -> None:
    formula = BLEU().formula.compiled
    (ids,), _ = collect_tokens([[[1, 2]]], ["ids"], 1, 0, 1)
    with pytest.raises(ValueError, match=r"scores must have the shape \[1, 2\], not \[1, 1\]"):
        score_pairs(text_column(["a"]), text_column(["a", "b"]), 0, formula, np.empty((1, 1)))
    with pytest.raises(TypeError, match="references must be ids for the tokenizer IDS"):
        score_pairs(ids, text_column(["a"]), TOKENIZE_IDS, formula, np.empty((1, 1)))
