"""tensorflow/nmt's formula over rows of counts, and the corpus counts that it is applied to."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu import BLEU
from fastbleu.counting.corpus import read_corpus_per_segment
from fastbleu.scoring.nmt import brevity_penalty, count_corpus, nmt_matcher, nmt_score
from fastbleu.tokenizers.names import get_tokenizer
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


@pytest.mark.slow
@given(row=rows(), smooth=st.booleans())
def test_formula_equals_the_oracle(row: list[int], smooth: bool) -> None:
    before = list(row)
    assert outcome(nmt_score, row, smooth) == outcome(nmt_oracle.formula, row, smooth)
    assert row == before


def test_formula_on_many_rows() -> None:
    generator = random.Random(3)
    for _ in range(20_000):
        order = generator.randint(1, 6)
        length = generator.choice([0, 1, 2, 3, 5, 30, 20_000])
        total = [max(0, length - n) for n in range(order)]
        correct = [
            generator.choice([0, 1 if most else 0, most, generator.randint(0, most)]) for most in total
        ]
        reference_length = generator.choice([0, 1, length, length + 1, 2 * length, 1_000 * length])
        row = [length, reference_length, *correct, *total]
        for smooth in (False, True):
            assert outcome(nmt_score, row, smooth) == outcome(nmt_oracle.formula, row, smooth), (row, smooth)


def test_types_of_the_six_values() -> None:
    for row in ([5, 6, 4, 2, 5, 4], [1, 9, 0, 0, 1, 0], [3, 1, 0, 0, 3, 2], [1, 1, 1, 0, 1, 0]):
        for smooth in (False, True):
            assert [type(value) for value in nmt_score(row, smooth)] == [float, list, float, float, int, int]


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize(
    ("row", "empty"),
    [
        ([0, 3, 0, 0, 0, 0], "translations"),
        ([3, 0, 0, 0, 3, 2], "shortest references"),
        ([0, 0, 0, 0, 0, 0], "shortest references"),
    ],
)
def test_lengths_of_0_are_divided_by(row: list[int], empty: str, smooth: bool) -> None:
    with pytest.raises(
        ZeroDivisionError, match=f"division by the length of the {empty}, which have no token"
    ):
        nmt_score(row, smooth)


def test_penalty() -> None:
    assert brevity_penalty(2.0) == brevity_penalty(1.0000000000000002) == brevity_penalty(1.0) == 1.0
    assert brevity_penalty(0.5) == math.exp(-1)
    assert 0 < brevity_penalty(1 / 700) < 1e-300
    assert brevity_penalty(1e-3) == 0.0


def test_the_shortest_reference_counts() -> None:
    matcher = nmt_matcher(get_tokenizer("none"), 1)
    assert count_corpus(matcher, ["a b c"], [["a b c", "a b c d", "x"]])[:2] == [3, 1]
    assert count_corpus(matcher, ["a b c"], [["a b c d", ""]])[:2] == [3, 0]


@pytest.mark.parametrize(
    ("hypotheses", "references", "error", "message"),
    [
        ([], [], ValueError, "mine is empty"),
        (["a"], [["a"], ["b"]], ValueError, "mine and yours must be of the same length, not 1 and 2"),
        ("a", [["a"]], TypeError, "mine must be a sequence of segments, not a bare str"),
        ([None], [["a"]], TypeError, r"mine\[0\] must be a str, not NoneType"),
        (["a"], [[]], ValueError, r"yours\[0\] must hold at least one reference"),
        (
            ["a", "b"],
            [["a"], "b"],
            TypeError,
            r"yours\[1\] must be a sequence of references, not a bare str: 'b'",
        ),
        (["a"], [[3]], TypeError, r"yours\[0\]\[0\] must be a str, not int: 3"),
        ([["a"]], [["a b"]], TypeError, r"yours\[0\]\[0\] must be a sequence of tokens, not str"),
    ],
)
def test_errors_name_what_the_caller_names(
    hypotheses: Any, references: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        count_corpus(nmt_matcher(get_tokenizer("none"), 2), hypotheses, references, ("mine", "yours"))


@pytest.mark.parametrize("order", [0, -1, True, 2.0, "4", None])
def test_max_order_is_checked(order: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="max_order must be"):
        nmt_matcher(get_tokenizer("none"), order)


@pytest.mark.parametrize("smooth", [False, True])
def test_the_core_has_options_that_equal_it(smooth: bool) -> None:
    bleu = BLEU(
        tokenize="none",
        reference_length="shortest",
        smooth_method="add-one" if smooth else "none",
        max_ngram_order=2,
    )
    hypotheses, references = ["a b c d", "a", "b b"], [["a b d", "a b c e f"], ["a c c"], ["c d", "b"]]
    row = read_corpus_per_segment(nmt_matcher(get_tokenizer("none"), 2), hypotheses, references).count().row
    found = bleu.corpus_score(hypotheses, bleu.prepare_segments(references))
    expected = nmt_score(row, smooth)
    assert found.score == pytest.approx(100 * expected[0], rel=1e-14)
    assert found.bp == pytest.approx(expected[2], rel=1e-14)
    assert (found.sys_len, found.ref_len) == expected[4:] == (7, 7)
