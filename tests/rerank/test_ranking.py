"""Orderings: best first, ties in input order, in every form."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu.rerank import Ranking, expected, mbr, rank
from tests.support import rerank_oracle

values = st.lists(st.sampled_from([0.0, -0.0, 1.0, 2.5, -3.0, 100.00000000000004]), max_size=12)


@given(values, st.none() | st.integers(1, 14))
def test_one_pool(utilities: list[float], top_k: int | None) -> None:
    order = rerank_oracle.ordering(utilities)[:top_k]
    for form in (utilities, tuple(utilities), np.array(utilities)):
        found = rank(form, top_k=top_k)
        assert isinstance(found, Ranking)
        assert found.indices.tolist() == order
        assert found.scores.tolist() == [utilities[j] for j in order]
        assert (found.indices.dtype, found.scores.dtype) == (np.int64, np.float64)


@given(st.lists(values, min_size=1, max_size=5), st.none() | st.integers(1, 6))
def test_many_pools(pools: list[list[float]], top_k: int | None) -> None:
    orders = [rerank_oracle.ordering(pool)[:top_k] for pool in pools]
    for form in (pools, [np.array(pool) for pool in pools]):
        indices, scores = rank(form, top_k=top_k)
        assert [part.tolist() for part in indices] == orders
        assert [part.tolist() for part in scores] == [
            [pool[j] for j in order] for pool, order in zip(pools, orders, strict=True)
        ]


@given(st.integers(0, 4), st.integers(1, 5), st.none() | st.integers(1, 6), st.data())
def test_matrices(n: int, size: int, top_k: int | None, data: st.DataObject) -> None:
    row = st.lists(st.integers(0, 3), min_size=size, max_size=size)
    matrix = np.array(data.draw(st.lists(row, min_size=n, max_size=n)), dtype=np.float64).reshape(n, size)
    indices, scores = rank(matrix, top_k=top_k)
    assert indices.shape == scores.shape == (n, min(size, top_k or size))
    for utilities, order, best in zip(matrix.tolist(), indices.tolist(), scores.tolist(), strict=True):
        assert order == rerank_oracle.ordering(utilities)[:top_k]
        assert best == [utilities[j] for j in order]


def test_interpolation() -> None:
    utilities, scores = [40.0, 60.0, 50.0], [-1.0, -30.0, -5.0]
    weights: list[Any] = [0, 0.25, 0.5, 1, np.float32(0.5)]
    for weight in weights:
        mixed = [(1 - weight) * u + weight * s for u, s in zip(utilities, scores, strict=True)]
        order = rerank_oracle.ordering(mixed)
        found = rank(utilities, scores, weight)
        assert (found.indices.tolist(), found.scores.tolist()) == (order, [mixed[j] for j in order])
        lists = rank([utilities, utilities[:1]], [np.array(scores), scores[:1]], weight)
        assert [part.tolist() for part in lists.indices] == [order, [0]]
        matrix = rank(np.array([utilities] * 2), [scores] * 2, weight, top_k=2)
        assert matrix.indices.tolist() == [order[:2]] * 2


def test_nothing() -> None:
    none: list[float] = []
    assert [part.tolist() for part in rank(none)] == [[], []]
    assert [part.shape for part in rank(np.empty((0, 3)))] == [(0, 3), (0, 3)]
    assert [part.tolist() for part in rank([[], [1.0]]).indices] == [[], [0]]


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        (([1, math.nan],), ValueError, r"utilities\[1\] must be finite, got nan"),
        (([[1], [2, math.inf]],), ValueError, r"utilities\[1\]\[1\] must be finite, got inf"),
        ((np.array([[1, 2], [-math.inf, 1]]),), ValueError, r"utilities\[1\]\[0\] must be finite, got -inf"),
        (([1, 2], [0, math.nan], 0.5), ValueError, r"model_scores\[1\] must be finite, got nan"),
        (([[1], [2]], [[0], [-math.inf]], 0.5), ValueError, r"model_scores\[1\]\[0\] must be finite, got"),
        (([1, 2], [0, 1]), ValueError, r"interpolate must be given with model_scores: their"),
        (([1, 2], None, 0.5), ValueError, "interpolate is 0.5, but no model_scores are given"),
        (([1, 2], [0, 1], 1.5), ValueError, "interpolate must be within 0..1, got 1.5"),
        (([1, 2], [0, 1], "1"), TypeError, "interpolate must be a number, not str: '1'"),
        (([1, 2], [0], 0.5), ValueError, r"model_scores must have the shape \[2\], as utilities, not \[1\]"),
        (([[1], [2]], [[0]], 0.5), ValueError, "model_scores is for 1 source, but utilities has 2"),
        (([[1], [2]], [[0], [1, 2]], 0.5), ValueError, r"model_scores\[1\] has 2 numbers, but"),
        (([1, "2"],), TypeError, r"utilities\[1\] must be a number, not str: '2'"),
        (([[1], [None]],), TypeError, r"utilities\[1\]\[0\] must be a number, not NoneType"),
        (("12",), TypeError, "utilities must be a sequence of numbers, not str"),
        ((np.ones((1, 1, 1)),), ValueError, r"utilities must have 1 dimension, not the shape \[1, 1, 1\]"),
    ],
)
def test_bad_input(arguments: Any, kind: Any, words: str) -> None:
    with pytest.raises(kind, match=f"^{words}"):
        rank(*arguments)


def test_bad_options() -> None:
    for options, kind, words in (
        ({"top_k": 0}, ValueError, "top_k must be at least 1, got 0"),
        ({"top_k": 1.5}, TypeError, "top_k must be an int"),
    ):
        with pytest.raises(kind, match=words):
            rank([1.0, 2.0], **options)
    with pytest.raises(
        TypeError, match="utilities must be the utilities of all candidates, not a Selection; pass"
    ):
        rank(mbr([["a", "b"], ["c", "d"]]))


def test_columns_with_an_index_of_their_own() -> None:
    pandas = pytest.importorskip("pandas")

    def column(values: list[Any]) -> Any:
        return pandas.Series(values, index=range(5, 5 + len(values)))

    assert rank(column([1.0, 3.0])).indices.tolist() == [1, 0]
    found = rank(column([[1.0, 3.0], [2.0]]), column([[4.0, 0.0], [1.0]]), 1)
    assert [best.tolist() for best in found.indices] == [[0, 1], [0]]
    utilities = expected([["a", "b"], ["c"]], None, column([[1, 0], [2]]), weights_as="counts")
    assert [scores.round(9).tolist() for scores in utilities] == [[100.0, 0.0], [100.0]]
