"""Expected n-gram counts as one reference, compared with counters."""

from __future__ import annotations

from array import array
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastbleu import BLEU
from fastbleu.inputs._text import text_column
from fastbleu.rerank._expected_scores import expect_scores
from tests.support import oracle
from tests.support.pool_kernels import METRICS, POOL


def aggregate_scores(metric: BLEU, pool: list[str], evidence: list[str], weights: list[float]) -> list[float]:
    """The slow way: counters of expected counts, and rows of fractions of matches."""
    order = metric.max_ngram_order
    shares = [weight / sum(weights) for weight in weights]
    counts: list[Counter[Any]] = [Counter() for _ in range(order)]
    for text, share in zip(evidence, shares, strict=True):
        for n in range(1, order + 1):
            for ngram, count in oracle.ngrams(text.split(), n).items():
                counts[n - 1][ngram] += share * count  # type: ignore[assignment]
    length = sum(share * len(text.split()) for text, share in zip(evidence, shares, strict=True))
    rows = []
    for text in pool:
        tokens = text.split()
        matched = [
            sum(min(count, counts[n - 1][ngram]) for ngram, count in oracle.ngrams(tokens, n).items())
            for n in range(1, order + 1)
        ]
        totals = [max(0, len(tokens) - n + 1) for n in range(1, order + 1)]
        rows.append([len(tokens), length, *matched, *totals])
    scores: list[float] = metric.formula.score_rows(np.array(rows, dtype=float)).tolist()
    return scores


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(METRICS, POOL, st.none() | POOL, st.data())
def test_aggregate(metric: BLEU, pool: list[str], evidence: list[str] | None, data: st.DataObject) -> None:
    used = pool if evidence is None else evidence
    weights = [1.0, *(data.draw(st.sampled_from([0.0, 0.5, 1.0, 2.0])) for _ in used[1:])]
    scores = np.full(len(pool) + 1, np.nan)
    # A pool before it, to see that nothing is left of it.
    texts, bounds = text_column(["x y z", *pool]), array("q", [0, 1, 1 + len(pool)])
    others, other_bounds = None, None
    if evidence is not None:
        others, other_bounds = text_column(["x z", *evidence]), array("q", [0, 1, 1 + len(evidence)])
    shares, tokenizer = array("d", [2.0, *weights]), metric.matcher.counter.tokenizer
    options = (False, tokenizer, metric.formula.compiled, scores, True)
    expect_scores(texts, bounds, others, other_bounds, shares, *options)
    assert scores[1:].tolist() == pytest.approx(
        aggregate_scores(metric, pool, used, weights), rel=1e-12, abs=1e-12
    )


def test_evidence_of_no_weight_is_told() -> None:
    formula, scores = BLEU().formula.compiled, array("d", [0, 0])
    bounds, weights = array("q", [0, 1, 2]), array("d", [1, 0])
    found = expect_scores(
        text_column(["a", "a"]), bounds, None, None, weights, False, 0, formula, scores, aggregate=True
    )
    assert found == (0, 1)
