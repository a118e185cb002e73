"""Expected n-gram counts as one reference, compared with counters."""

from array import array
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastbleu import BLEU, CHRF
from fastbleu.inputs._text import text_column
from fastbleu.rerank import expected, mbr
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
@settings(max_examples=150, deadline=None)
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


def chrf_scores(metric: CHRF, pool: list[str], evidence: list[str], weights: list[float]) -> list[float]:
    """The slow way: counters of weighted counts, and rows of counts times the sum of the weights."""

    def counters(text: str) -> list[Counter[Any]]:
        text = text.lower() if metric.lowercase else text
        characters = list(text if metric.whitespace else "".join(text.split()))
        parts = (characters, metric.char_order), (text.split(), metric.word_order)
        return [oracle.ngrams(part, n) for part, order in parts for n in range(1, order + 1)]

    counts: list[Counter[Any]] = [Counter() for _ in counters("")]
    for text, weight in zip(evidence, weights, strict=True):
        for total, one in zip(counts, counters(text), strict=True):
            for ngram, count in one.items():
                total[ngram] += weight * count  # type: ignore[assignment]
    rows = []
    for text in pool:
        row: list[float] = []
        for one, total in zip(counters(text), counts, strict=True):
            scaled = {ngram: sum(weights) * count for ngram, count in one.items()}
            both = sum(total.values())
            matches = sum(min(count, total[ngram]) for ngram, count in scaled.items())
            row += [sum(scaled.values()) if both else 0, both, matches]
        rows.append(row)
    scores: list[float] = metric.formula.score_rows(np.array(rows, dtype=float)).tolist()
    return scores


CHRFS = st.builds(
    CHRF,
    st.sampled_from([0, 2, 6]),
    st.integers(1, 2),
    beta=st.sampled_from([0, 1, 2.5]),
    lowercase=st.booleans(),
    whitespace=st.booleans(),
    eps_smoothing=st.booleans(),
)
TEXTS = st.lists(st.text(st.sampled_from("aAbé東 \u3000"), max_size=12), min_size=1, max_size=5)


@given(CHRFS, TEXTS, st.none() | TEXTS, st.booleans())
def test_chrf(metric: CHRF, pool: list[str], evidence: list[str] | None, weigh: bool) -> None:
    used = pool if evidence is None else evidence
    weights = [1.0 + k % 3 if weigh else 1.0 for k in range(len(used))]
    wanted = chrf_scores(metric, pool, used, weights)
    given_weights = {"weights": [weights], "weights_as": "counts"} if weigh else {}
    options: Any = {"method": "aggregate", "metric": metric, **given_weights}
    # Sums of whole numbers are exact.
    others = None if evidence is None else [evidence]
    indices, utilities = mbr([pool], others, k=len(pool), **options)
    assert {int(k): score for k, score in zip(indices[0], utilities[0], strict=True)} == dict(
        enumerate(wanted)
    )
    if not weigh:
        # Nothing is left of the pool before.
        two = None if evidence is None else [["x z"], evidence]
        found = mbr([["x y z", "xx"], pool], two, method="aggregate", metric=metric)
        assert (found.indices[1], found.utilities[1]) == (wanted.index(max(wanted)), max(wanted))


def test_chrf_against_one_text_is_its_score() -> None:
    pool, evidence = ["the cat sat.", "a cat", "", "dogs"], ["the cat sat down."]
    for metric in (CHRF(), CHRF(word_order=2), CHRF(9, eps_smoothing=True)):
        found = mbr([[text] for text in pool], [evidence] * 4, method="aggregate", metric=metric)
        assert found.utilities.tolist() == expected([pool], [evidence], metric=metric)[0].tolist()


def test_evidence_of_no_weight_is_told() -> None:
    with pytest.raises(ValueError, match=r"^weights\[0\]"):
        mbr([["a"]], [["a"]], [[0]], weights_as="counts", method="aggregate", metric=CHRF())
    formula, scores = BLEU().formula.compiled, array("d", [0, 0])
    bounds, weights = array("q", [0, 1, 2]), array("d", [1, 0])
    found = expect_scores(
        text_column(["a", "a"]), bounds, None, None, weights, False, 0, formula, scores, aggregate=True
    )
    assert found == (0, 1)
