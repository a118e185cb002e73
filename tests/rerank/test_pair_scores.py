"""Matrices of pair scores equal scores of single pairs; the kernels reject wrong arguments."""

import random
from array import array
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastbleu import BLEU
from fastbleu.inputs._text import text_column
from fastbleu.inputs._tokens import collect_tokens
from fastbleu.rerank import pairwise
from fastbleu.rerank._expected_scores import expect_scores
from fastbleu.rerank._pair_scores import score_pairs
from fastbleu.tokenizers._tokenize import TOKENIZE_IDS
from tests.support.pool_kernels import METHODS, METRICS, TEXT


def one_by_one(metric: BLEU, hypotheses: list[str], references: list[str]) -> list[list[float]]:
    metric.warnings.of_order.is_over = True
    return [
        [metric.sentence_score(text, [reference]).score for reference in references] for text in hypotheses
    ]


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(METRICS, st.lists(TEXT, min_size=1, max_size=7), st.none() | st.lists(TEXT, min_size=1, max_size=20))
def test_pairs(metric: BLEU, hypotheses: list[str], references: list[str] | None) -> None:
    others = hypotheses if references is None else references
    assert pairwise(hypotheses, references, metric=metric).tolist() == one_by_one(metric, hypotheses, others)


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
    found = pairwise(texts, metric=metric)
    assert found[np.ix_(every, every)].tolist() == one_by_one(
        metric, [texts[i] for i in every], [texts[j] for j in every]
    )
    assert pairwise(texts[:50], texts[50:], metric=metric).tolist() == found[:50, 50:].tolist()


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
        single = one_by_one(metric, texts, texts)
        np.testing.assert_allclose(pairwise(texts, metric=metric), single, rtol=1e-13, atol=0)


ONE, ENDS = text_column(["a"]), array("q", [0, 1])


@pytest.mark.parametrize(
    ("changed", "kind", "words"),
    [
        ({"candidates": None}, TypeError, "candidates"),
        ({"bounds": array("q", [0, 4])}, ValueError, "bounds must hold offsets from 0 to 3"),
        ({"bounds": array("q", [0, 2, 1, 3])}, ValueError, r"bounds\[2\] = 1 must not be below 2"),
        ({"tokenizer": TOKENIZE_IDS}, TypeError, "candidates must be ids for the tokenizer IDS"),
        ({"weights": array("d", [1, 2])}, ValueError, r"weights must have the shape \[3\], not \[2\]"),
        ({"scores": array("d", [0, 0])}, ValueError, r"scores must have the shape \[3\], not \[2\]"),
        ({"evidence": ONE, "evidence_bounds": array("q", [0])}, ValueError, "must hold 2 offsets"),
        ({"evidence": ONE, "evidence_bounds": ENDS, "exclude_self": True}, ValueError, "exclude_self must"),
    ],
)
def test_what_does_not_fit_is_refused(changed: dict[str, Any], kind: Any, words: str) -> None:
    arguments: dict[str, Any] = {
        "candidates": text_column(["a b", "b", "c"]), "bounds": array("q", [0, 3]), "evidence": None,
        "evidence_bounds": None, "weights": None, "exclude_self": False, "tokenizer": 0,
        "formula": BLEU().formula.compiled, "scores": array("d", bytes(24)),
    }  # fmt: skip
    with pytest.raises(kind, match=words):
        expect_scores(**arguments | changed)


def test_pairs_that_do_not_fit_are_refused() -> None:
    formula, two = BLEU().formula.compiled, text_column(["a", "b"])
    (ids,), _ = collect_tokens([[[1, 2]]], ["ids"], 1, 0, 1)
    with pytest.raises(ValueError, match=r"scores must have the shape \[1, 2\], not \[1, 1\]"):
        score_pairs(ONE, two, 0, formula, np.empty((1, 1)))
    with pytest.raises(TypeError, match="references must be ids for the tokenizer IDS"):
        score_pairs(ids, ONE, TOKENIZE_IDS, formula, np.empty((1, 1)))
    with pytest.raises(ValueError, match="there are 2 references, too few for 2 hypotheses from 1 on"):
        score_pairs(two, None, 0, formula, np.empty((2, 2)), 1)
    with pytest.raises(TypeError):
        score_pairs(two, None, 0, object(), np.empty((2, 2)))
