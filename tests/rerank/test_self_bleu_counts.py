"""A pool of segments, each against all the others, compared with counting against the others one by one."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastbleu.counting.matcher import Matcher
from fastbleu.inputs._text import text_column
from fastbleu.options import REFERENCE_LENGTHS
from fastbleu.rerank._self_bleu import count_each_against_others
from fastbleu.rerank.pool_sources import as_pools, one_pool
from fastbleu.rerank.pools import Pools
from fastbleu.rerank.self_bleu import rows_against_others
from fastbleu.tokenizers._tokenize import TOKENIZE_IDS
from tests.support import newstest, oracle
from tests.support.matchers import matcher

TOKENS = st.lists(st.sampled_from(["a", "b", "c", "ab" * 20]), max_size=9)


def rows(counting: Matcher, pool: Any) -> list[list[int]]:
    found = rows_against_others(counting, one_pool(pool, "pool"), counting.max_ngram_order)
    return found.tolist()  # type: ignore[no-any-return]


def each_against_others(pool: list[Any], order: int, rule: str) -> list[list[int]]:
    return [oracle.statistics(text, pool[:i] + pool[i + 1 :], order, rule) for i, text in enumerate(pool)]


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@given(st.lists(TOKENS, min_size=2, max_size=7), st.integers(1, 6), st.sampled_from(list(REFERENCE_LENGTHS)))
def test_each_against_others(pool: list[list[str]], order: int, rule: str) -> None:
    expected = each_against_others(pool, order, rule)
    assert rows(matcher(order, rule), pool) == expected
    assert rows(matcher(order, rule), [" ".join(text) for text in pool]) == expected


@pytest.mark.slow
def test_large_pools() -> None:
    generator = random.Random(1)
    pool = [generator.choices("abcdefgh", k=generator.randrange(60)) for _ in range(150)]
    found = rows(matcher(5), pool)
    assert found == each_against_others(pool, 5, "closest")
    shuffled = list(range(150))
    generator.shuffle(shuffled)
    assert rows(matcher(5), [pool[i] for i in shuffled]) == [found[i] for i in shuffled]


def test_several_pools() -> None:
    texts = ["a b a", "b a", "c a a", "a", "a b", "b a c"]
    pools = as_pools(Pools(texts, offsets=[0, 3, 6]), "pools")
    found = rows_against_others(matcher(), pools, 2).tolist()
    assert found == rows(matcher(2), texts[:3]) + rows(matcher(2), texts[3:])


@pytest.mark.skipif(newstest.folder() is None, reason="the WMT 2021 news data is not there")
def test_real_pools() -> None:
    pool = next(iter(newstest.systems("en-de").values()))[:80]
    counting = matcher(name="13a")
    expected = [counting.count_one(text, pool[:i] + pool[i + 1 :])[0] for i, text in enumerate(pool)]
    assert rows(counting, pool) == expected


def test_equal_texts_match_each_other_wholly() -> None:
    assert rows(matcher(2), ["a a a"] * 2) == [[3, 3, 3, 2, 3, 2]] * 2
    assert rows(matcher(2), ["a a a", "a"]) == [
        [3, 1, 1, 0, 3, 2],
        [1, 3, 1, 0, 1, 0],
    ]


@pytest.mark.parametrize(
    ("pool", "kind", "words"),
    [
        ([], ValueError, "a pool needs at least 2 segments.*got 0"),
        (["a"], ValueError, "a pool needs at least 2 segments.*got 1"),
        (["a", None], TypeError, r"pool\[1\] must be a str, not NoneType"),
        ([["a"], ["b", []]], TypeError, r"pool\[1\]\[1\] must be a hashable token"),
        ("ab", TypeError, "pool must be a sequence of segments, not a bare str"),
    ],
)
def test_bad_pools(pool: Any, kind: Any, words: str) -> None:
    with pytest.raises(kind, match=words):
        rows(matcher(), pool)


def test_rows_of_another_shape() -> None:
    np = pytest.importorskip("numpy")
    with pytest.raises(ValueError, match=r"rows must have the shape \[2, 6\], not \[2, 8\]"):
        count_each_against_others(text_column(["a", "b"]), 0, 2, 0, np.zeros((2, 8), dtype=np.int64))
    with pytest.raises(ValueError, match="a pool needs at least 2 segments"):
        count_each_against_others(text_column(["a"]), 0, 2, 0, np.zeros((1, 6), dtype=np.int64))
    with pytest.raises(TypeError, match="segments must be ids"):
        count_each_against_others(
            text_column(["a", "b"]), TOKENIZE_IDS, 2, 0, np.zeros((2, 6), dtype=np.int64)
        )
