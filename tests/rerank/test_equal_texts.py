"""Equal candidates: counted in the compiled loop as Python counts them, and told by every function that chooses."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu import BLEU, TokenIds
from fastbleu.inputs._text import text_column
from fastbleu.rerank import Pools, mbr, oracle, rank
from fastbleu.rerank._equal_texts import count_equal

WORDS = BLEU(tokenize="none", effective_order=True)

pools_of_texts = st.lists(
    st.lists(st.sampled_from(["", "a", "b", "a b", "é", "\ud800", "a\0", "x" * 300]), max_size=12), max_size=6
)


@given(pools=pools_of_texts)
def test_equal_texts_are_counted(pools: list[list[str]]) -> None:
    flat = [text for pool in pools for text in pool]
    bounds = np.cumsum([0, *map(len, pools)], dtype=np.int64)
    votes, firsts = count_equal(text_column(flat), bounds)
    assert list(votes) == [Counter(pool)[text] for pool in pools for text in pool]
    starts = bounds.tolist()
    expected = [start + pool.index(text) for start, pool in zip(starts, pools, strict=False) for text in pool]
    assert list(firsts) == expected


def test_arrays_have_to_fit() -> None:
    column = text_column(["a", "b"])
    for places in ([0, 3], [1, 0], [-1, 0]):
        with pytest.raises(ValueError, match=r"must hold places among 2|must not be below"):
            count_equal(column, np.array(places))


POOLS = [["a b", "c", "a b", "A b"], ["c d", "c d", "c d"], ["x"]]
TOKENS = [[text.split() for text in pool] for pool in POOLS]
IDS = [[[ord(token) for token in text] for text in pool] for pool in TOKENS]


def test_winners_have_votes() -> None:
    for pools in (POOLS, TOKENS, IDS):
        selection = mbr(pools, metric=WORDS)
        assert selection.indices.tolist() == [0, 0, 0]
        assert selection.votes.tolist() == [2, 3, 1]
        assert mbr(pools, method="aggregate", metric=WORDS).votes.tolist() == [2, 3, 1]
        references = [pools[0][1], pools[1][0], pools[2][0]]
        given = references if pools is POOLS else [[each] for each in references]
        for level in ("sentence", "corpus"):
            found = oracle(pools, given, level, metric=WORDS)
            assert (found.indices.tolist(), found.votes.tolist()) == ([1, 0, 0], [1, 3, 1])
    # As the metric reads them.
    assert mbr(POOLS, metric=BLEU(lowercase=True, effective_order=True)).votes.tolist() == [3, 3, 1]


def test_prepared_references_tell_all_tokens_apart() -> None:
    # None of these tokens is in the references, whose numbers tell nothing of them.
    pools = [[["p", "q"], ["r", "s"], ["p", "q"]], [["a"], ["b"]]]
    prepared = WORDS.prepare([[["a"], ["a"]]])
    assert oracle(pools, prepared, metric=WORDS).votes.tolist() == [2, 1]


def test_unknown_ids_equal_nothing() -> None:
    ids = TokenIds(np.array([[5, 0], [5, 0], [5, 6], [5, 6]]), unk_id=0)
    selection = mbr(Pools(ids, size=2), metric=WORDS)
    assert selection.votes.tolist() == [1, 2]
    assert oracle(Pools(ids, size=2), [[[5, 6]], [[5, 6]]], metric=WORDS).votes.tolist() == [1, 2]


def test_selections_are_still_tuples() -> None:
    selection = mbr(POOLS)
    indices, utilities = selection
    assert (indices is selection[0], utilities is selection.utilities, len(selection)) == (True, True, 2)
    chosen = oracle(POOLS, ["c", "c d", "x"])
    assert len(chosen) == 3
    for found in (selection, chosen, rank([1.0, 2.0], pools=["a", "a"]), rank([[1.0]], pools=[["a"]])):
        for again in (copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
            assert type(again) is type(found)
            assert [np.asarray(each).tolist() for each in (again.votes, again.indices)] == [
                np.asarray(each).tolist() for each in (found.votes, found.indices)
            ]


@given(pools_of_texts.filter(all), st.none() | st.integers(1, 4), st.data(), st.booleans())
def test_rank_keeps_one_of_equal_candidates(
    pools: list[list[str]], top_k: int | None, data: st.DataObject, unique: bool
) -> None:
    values = [
        data.draw(st.lists(st.sampled_from([1.0, 2.0, 3.0]), min_size=len(p), max_size=len(p))) for p in pools
    ]
    expected: list[tuple[list[int], list[float], list[int]]] = []
    for pool, numbers in zip(pools, values, strict=True):
        order: list[int] = np.argsort(-np.array(numbers), kind="stable").tolist()
        if unique:
            order = [k for i, k in enumerate(order) if pool[k] not in [pool[other] for other in order[:i]]]
        order = order[:top_k]
        expected.append((order, [numbers[k] for k in order], [pool.count(pool[k]) for k in order]))

    def listed(found: Any) -> list[tuple[list[int], list[float], list[int]]]:
        columns = zip(found.indices, found.scores, found.votes, strict=True)
        return [(a.tolist(), b.tolist(), c.tolist()) for a, b, c in columns]

    assert listed(rank(values, top_k=top_k, pools=pools, unique=unique)) == expected
    flat = [value for part in values for value in part]
    bounds = np.cumsum([0, *map(len, pools)], dtype=np.int64)
    texts = Pools([text for pool in pools for text in pool], offsets=bounds)
    found: Any = rank(flat, top_k=top_k, offsets=bounds, pools=texts, unique=unique)
    if unique:
        assert listed(found) == expected
    else:
        assert found.indices.tolist() == [k for order, _, _ in expected for k in order]
        assert found.votes.tolist() == [k for _, _, votes in expected for k in votes]
    for pool, numbers, (order, scores, votes) in zip(pools, values, expected, strict=True):
        one: Any = rank(numbers, top_k=top_k, pools=pool, unique=unique)
        assert (one.indices.tolist(), one.scores.tolist(), one.votes.tolist()) == (order, scores, votes)


def test_rank_of_a_matrix() -> None:
    matrix = np.array([[1.0, 2.0, 1.0], [3.0, 2.0, 1.0]])
    pools = Pools(["a", "b", "a", "c", "c", "c"], size=3)
    found: Any = rank(matrix, pools=pools, top_k=2)
    assert found.indices.tolist() == [[1, 0], [0, 1]]
    assert found.votes.tolist() == [[1, 2], [3, 3]]
    kept: Any = rank(matrix, pools=pools, unique=True)
    assert [each.tolist() for each in kept.indices] == [[1, 0], [0]]
    assert [each.tolist() for each in kept.votes] == [[1, 2], [3]]
    assert not hasattr(rank(matrix), "votes")
    nothing: Any = rank([], pools=[], unique=True)
    assert nothing.indices.tolist() == []


def test_rank_in_many_chunks() -> None:
    pools = [[f"{i}", "same", f"{i}"] for i in range(3000)]
    found: Any = rank([[1.0, 2.0, 1.0]] * 3000, pools=pools, unique=True)
    assert all(each.tolist() == [1, 0] for each in found.indices)
    assert all(each.tolist() == [1, 2] for each in found.votes)


def test_rank_refuses_what_does_not_fit() -> None:
    for utilities, options, kind, words in (
        ([1.0], {"unique": True}, ValueError, "unique=True needs pools: the candidates whose utilities"),
        ([1.0], {"pools": ["a", "b"]}, ValueError, "pools has 2 candidates, but there are utilities of 1"),
        ([[1.0], [2.0]], {"pools": [["a"]]}, ValueError, "pools is for 1 source, but there are utilities"),
        ([[1.0], [2, 3]], {"pools": [["a"], ["b"]]}, ValueError, r"pools\[1\] has 1 candidate, but there"),
        ([1.0, 2.0], {"pools": ["a", 3]}, TypeError, r"pools\[1\] must be a str, not int: 3"),
        ([1.0], {"pools": ["a"], "unique": "yes"}, TypeError, "unique must be"),
    ):
        with pytest.raises(kind, match=f"^{words}"):
            rank(utilities, **options)
