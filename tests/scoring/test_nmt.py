"""tensorflow/nmt's formula over rows of counts, and what nlg-metricverse and bestbleu.py make of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu import BLEU
from fastbleu.scoring.nmt import adjusted, nmt_score, sentence_scores
from tests.support import nmt_oracle
from tests.support.nmt_oracle import outcome


@st.composite
def rows(draw: st.DrawFn) -> list[int]:
    order = draw(st.integers(1, 8))
    sizes = st.one_of(st.integers(0, 12), st.integers(0, 1 << 40))
    length = draw(sizes)
    total = [max(0, length - n) for n in range(order)]
    if draw(st.booleans()):
        total = draw(st.lists(sizes, min_size=order, max_size=order))
    correct = [draw(st.one_of(st.just(most), st.integers(0, most))) for most in total]
    return [length, draw(st.one_of(st.just(length), st.just(length + 1), sizes)), *correct, *total]


@given(row=rows(), smooth=st.booleans())
def test_formula_equals_the_oracle(row: list[int], smooth: bool) -> None:
    before = list(row)
    found = outcome(nmt_score, row, smooth)
    assert found == outcome(nmt_oracle.formula, row, smooth)
    assert row == before
    if found is not ZeroDivisionError:
        assert [type(value) for value in found] == [float, list, float, float, int, int]


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize(
    ("row", "empty"),
    [
        ([0, 3, 0, 0, 0, 0], "translations"),
        ([0, 0, 0, 0, 0, 0], "shortest references"),
    ],
)
def test_lengths_of_0_are_divided_by(row: list[int], empty: str, smooth: bool) -> None:
    with pytest.raises(
        ZeroDivisionError, match=f"division by the length of the {empty}, which have no token"
    ):
        nmt_score(row, smooth)


@pytest.mark.parametrize("smooth", [False, True])
def test_the_core_has_options_that_equal_it(smooth: bool) -> None:
    bleu = BLEU(
        tokenize="none",
        reference_length="shortest",
        smooth_method="add-one" if smooth else "none",
        max_ngram_order=2,
    )
    hypotheses, references = ["a b c d", "a", "b b"], [["a b d", "a b c e f"], ["a c c"], ["c d", "b"]]
    prepared = bleu.prepare_segments(references)
    expected = nmt_score(bleu.statistics(hypotheses, prepared).sum(axis=0).tolist(), smooth)
    found = bleu.corpus_score(hypotheses, prepared)
    assert found.score == pytest.approx(100 * expected[0], rel=1e-14)
    assert found.bp == pytest.approx(expected[2], rel=1e-14)
    assert (found.sys_len, found.ref_len) == expected[4:] == (7, 7)


def test_items_of_several_predictions() -> None:
    items = [[[3, 4, 3, 2, 3, 2], [2, 4, 2, 1, 2, 1]], [[1, 1, 1, 0, 1, 0]]]
    assert adjusted([[row] for row in ([3, 4, 3, 2, 3, 2], [1, 1, 1, 0, 1, 0])]) == nmt_score(
        [4, 5, 4, 2, 4, 2]
    )
    _, precisions, penalty, ratio, *lengths = adjusted(items)
    assert (precisions, ratio, lengths) == ([1.0, 1.0], 4 / 5, [4, 5])
    assert penalty == math.exp(1 - 5 / 4)


@pytest.mark.parametrize("has_penalty", [True, False])
def test_sentences(has_penalty: bool) -> None:
    rows = np.array([[5, 6, 4, 3, 5, 4], [1, 9, 1, 0, 1, 0], [9, 5, 9, 8, 9, 8]])
    score, _, penalty, *_ = nmt_score(rows[0].tolist(), smooth=True)
    expected = pytest.approx(score if has_penalty else score / penalty, rel=1e-15)
    assert sentence_scores(rows, has_penalty).tolist() == [expected, 0.0, 1.0]
