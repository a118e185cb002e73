"""Pairs, expected utilities and minimum Bayes risk, compared with every pair scored by itself."""

from __future__ import annotations

import random
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastbleu import BLEU
from fastbleu.inputs._text import text_column
from fastbleu.rerank import Pools, Selection, expected, mbr, pairwise
from tests.support import rerank_oracle
from tests.support.strategies import smoothings

texts = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=7).map(" ".join)
pools_of = st.lists(texts, min_size=1, max_size=6)


def metric(**options: Any) -> BLEU:
    return BLEU(**{"tokenize": "none", "effective_order": True, **options})


# --- Pairs --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(deadline=None)
@given(
    st.lists(texts, max_size=6),
    st.none() | st.lists(texts, max_size=6),
    smoothings,
    st.integers(1, 6),
    st.booleans(),
)
def test_pairs(
    hypotheses: list[str],
    references: list[str] | None,
    smoothing: tuple[str, float | None],
    order: int,
    effective_order: bool,
) -> None:
    options = dict(zip(("smooth_method", "smooth_value"), smoothing, strict=True))
    options |= {"max_ngram_order": order, "effective_order": effective_order}
    found = pairwise(hypotheses, references, metric=metric(**options))
    number = len(hypotheses if references is None else references)
    assert found.shape == (len(hypotheses), number)
    whole = rerank_oracle.pairwise(hypotheses, references, tokenize="none", **options)
    assert found.tolist() == [pytest.approx(row, rel=1e-12) for row in whole]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"tokenize": "13a", "lowercase": True},
        {"tokenize": "char"},
        {"weights": (0.1, 0.2, 0.3, 0.4)},
        {"weights": (1, 0, 0, 0), "smooth_method": "floor"},
        {"smooth_method": "add-one"},
        {"smooth_method": "add-one-above-first", "effective_order": False},
        {"reference_length": "shortest"},
        {"threads": 2},
    ],
)
def test_pairs_are_sentence_scores(options: dict[str, Any]) -> None:
    scoring = metric(**options)
    hypotheses = [
        "The cat, sat on the mat.",
        "the cat sat",
        "",
        "dogs 1,000.5 bark",
        "The cat sat on the mat .",
    ]
    references = ["The cat sat on the mat.", "", "Dogs bark", "cat"]
    found = pairwise(hypotheses, references, metric=scoring)
    whole = [[scoring.sentence_score(one, [other]).score for other in references] for one in hypotheses]
    assert found.tolist() == [pytest.approx(row, rel=1e-12) for row in whole]


def test_no_pairs() -> None:
    assert pairwise([], ["a", "b"]).shape == (0, 2)
    assert pairwise(["a", "b", "c"], []).shape == (3, 0)
    assert pairwise([]).shape == pairwise([], []).shape == (0, 0)


@pytest.mark.parametrize("threads", [1, 3])
def test_pairs_in_chunks(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = random.Random(2)
    hypotheses = [" ".join(generator.choices("abcde", k=generator.randrange(9))) for _ in range(150)]
    references = [" ".join(generator.choices("abcde", k=generator.randrange(9))) for _ in range(40)]
    whole = pairwise(hypotheses, references), pairwise(hypotheses)
    monkeypatch.setattr(sys.modules["fastbleu.rerank.mbr"], "_PAIRS_AT_ONCE", 200)
    monkeypatch.setattr(sys.modules["fastbleu.rerank.mbr"], "_FEWEST_HYPOTHESES", 4)
    assert pairwise(hypotheses, references, threads=threads).tolist() == whole[0].tolist()
    assert pairwise(text_column(hypotheses), threads=threads).tolist() == whole[1].tolist()


@pytest.mark.parametrize(
    ("hypotheses", "references", "kind", "words"),
    [
        ("a", None, TypeError, "hypotheses must be a sequence of segments, not a bare str: 'a'"),
        (["a"], "a", TypeError, "references must be a sequence of segments, not a bare str: 'a'"),
        (["a", None], None, TypeError, r"hypotheses\[1\] must be a str, not NoneType"),
        (["a"], ["a", None], TypeError, r"references\[1\] must be a str, not NoneType"),
        (["a"], [["b"]], TypeError, r"references\[0\] must be a str, not list"),
        ([["a"]], None, ValueError, r"hypotheses\[0\] is list: \['a'\].*tokenize='none'"),
        (np.array([[1, 2]]), None, ValueError, "hypotheses are token ids, which need tokenize='none'"),
        (3, None, TypeError, "hypotheses must be a sequence of segments, not int"),
    ],
)
def test_bad_segments(hypotheses: Any, references: Any, kind: Any, words: str) -> None:
    with pytest.raises(kind, match=f"^{words}"):
        pairwise(hypotheses, references)


def test_bad_tokens() -> None:
    for hypotheses, references, words in (
        ([["a"], "b"], None, r"hypotheses\[1\] must be a sequence of tokens, not str"),
        ([["a"]], [["b"], None], r"references\[1\] must be a sequence of tokens, not NoneType"),
        (np.array([[1]]), ["a"], r"references\[0\] must be token ids, as what it is compared with"),
    ):
        with pytest.raises(TypeError, match=f"^{words}"):
            pairwise(hypotheses, references, metric=metric())


# --- Expected utilities -------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(pools_of, min_size=1, max_size=4), st.data())
def test_expected_utilities(pools: list[list[str]], data: st.DataObject) -> None:
    evidence = [data.draw(pools_of) for _ in pools]
    scoring = metric()
    for others in (None, evidence):
        found = expected(pools, others, metric=scoring)
        for pool, some, scores in zip(pools, others or pools, found, strict=True):
            whole = rerank_oracle.expected(pool, some, tokenize="none")
            assert scores.tolist() == pytest.approx(whole, rel=1e-12)
    larger = [pool for pool in pools if len(pool) > 1]
    for pool, scores in zip(larger, expected(larger, exclude_self=True, metric=scoring), strict=True):
        whole = rerank_oracle.expected(pool, None, None, True, tokenize="none")
        assert scores.tolist() == pytest.approx(whole, rel=1e-12)


@pytest.mark.slow
@settings(deadline=None)
@given(pools_of, st.randoms(use_true_random=False), st.sampled_from(["exact", "aggregate"]))
def test_a_permuted_pool_gives_permuted_scores(
    pool: list[str], generator: random.Random, method: str
) -> None:
    order = list(range(len(pool)))
    generator.shuffle(order)
    permuted = [pool[j] for j in order]
    (scores,), (others,) = expected([pool]), expected([permuted])
    assert others.tolist() == [scores[j] for j in order]
    one, other = mbr([pool], method=method), mbr([permuted], method=method)
    assert other.utilities.tolist() == pytest.approx(one.utilities.tolist(), rel=1e-12)
    if method == "exact":
        assert other.indices.tolist() == [permuted.index(permuted[rerank_oracle.best(others.tolist())])]


@settings(deadline=None)
@given(pools_of, st.integers(0, 5))
def test_a_duplicate_counts_as_two(pool: list[str], j: int) -> None:
    j %= len(pool)
    (scores,) = expected([[*pool, pool[j]]])
    weights = [[2 if k == j else 1 for k in range(len(pool))]]
    (weighted,) = expected([pool], None, weights, weights_as="counts")
    assert scores.tolist() == pytest.approx([*weighted, weighted[j]], rel=1e-12)
    assert scores[-1] == scores[j]


def test_small_pools() -> None:
    assert [scores.tolist() for scores in expected([["a b"], [], [""], ["a", "a"], ["", ""]])] == [
        [100.00000000000004],
        [],
        [0.0],
        [100.00000000000004] * 2,
        [0.0, 0.0],
    ]
    assert expected([]) == []
    assert expected(Pools([], size=4)).shape == (0, 4)
    assert [scores.shape for scores in expected(Pools([], offsets=[0, 0, 0]))] == [(0,), (0,)]
    # Nothing is scored of an empty pool, whatever there is to score it against.
    assert [scores.tolist() for scores in expected([[], ["a"]], [["a"], ["a"]])] == [[], [100.00000000000004]]
    assert [scores.tolist() for scores in expected([[], ["a"]], [[], ["a"]])] == [[], [100.00000000000004]]
    assert [scores.tolist() for scores in expected([[], ["a", "a"]], exclude_self=True)] == [
        [],
        [100.00000000000004] * 2,
    ]


def test_what_leaves_no_evidence() -> None:
    with pytest.raises(
        ValueError, match=r"pools\[1\] has one candidate, and with exclude_self there is no evidence"
    ):
        expected([["a", "b"], ["a"]], exclude_self=True)
    with pytest.raises(
        ValueError, match="exclude_self is for pools that are their own evidence, but evidence is given"
    ):
        expected([["a", "b"]], [["a"]], exclude_self=True)


# --- Minimum Bayes risk -------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(deadline=None)
@given(
    st.lists(pools_of, min_size=1, max_size=4),
    st.booleans(),
    st.sampled_from([None, "counts"]),
    st.integers(1, 3),
)
def test_the_best_is_the_first_of_the_highest(
    pools: list[list[str]], with_evidence: bool, weights_as: str | None, threads: int
) -> None:
    evidence = [[*pool[::-1], "a b c"] for pool in pools] if with_evidence else None
    weights = [[1 + k % 3 for k in range(len(some))] for some in evidence or pools] if weights_as else None
    options = {"weights_as": weights_as, "threads": threads}
    scores = expected(pools, evidence, weights, **options)
    found = mbr(pools, evidence, weights, **options)
    assert isinstance(found, Selection)
    assert (found.indices.dtype, found.utilities.dtype) == (np.int64, np.float64)
    assert found.indices.tolist() == [rerank_oracle.best(some.tolist()) for some in scores]
    assert found.utilities.tolist() == [max(some) for some in scores]


def test_no_sources() -> None:
    found = mbr([])
    assert [found.indices.tolist(), found.utilities.tolist()] == [[], []]
    assert found.indices.dtype == np.int64


def test_aggregate_is_the_score_against_one_mean() -> None:
    # Against one text both are the same.
    pools = [["the cat sat", "a cat", "the cat sat down"], ["yes", "no"]]
    evidence = [["the cat sat there"], ["yes"]]
    exact, aggregate = (mbr(pools, evidence, method=method) for method in ("exact", "aggregate"))
    assert aggregate.indices.tolist() == exact.indices.tolist()
    assert aggregate.utilities.tolist() == pytest.approx(exact.utilities.tolist(), rel=1e-9)
    # Doubled evidence has the same mean; weights of 0 leave evidence out.
    double = mbr(pools, [some * 2 for some in evidence], method="aggregate")
    assert double.utilities.tolist() == pytest.approx(aggregate.utilities.tolist(), rel=1e-12)
    weighted = mbr(
        pools,
        [[*some, "dogs bark"] for some in evidence],
        [[3, 0], [1, 0]],
        method="aggregate",
        weights_as="counts",
    )
    assert weighted.utilities.tolist() == pytest.approx(aggregate.utilities.tolist(), rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (([["a"], []],), {}, r"pools\[1\] has no candidates"),
        ((Pools(["a"], offsets=[0, 0, 1]),), {}, r"pools\[0\] has no candidates"),
        (([["a"]],), {"method": "fast"}, "method must be one of exact, aggregate, got 'fast'"),
        (
            ([["a", "b"]],),
            {"method": "aggregate", "exclude_self": True},
            "exclude_self is for method='exact'",
        ),
        (([["a"]],), {"exclude_self": True}, r"pools\[0\] has one candidate"),
    ],
)
def test_bad_input(arguments: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=f"^{words}"):
        mbr(*arguments, **options)


def test_real_pools(newstest: ModuleType) -> None:
    systems = list(newstest.systems("en-de").values())
    pools = [[system[i] for system in systems] for i in range(0, 1002, 100)]
    metric = BLEU(effective_order=True)
    flat = [text for pool in pools for text in pool]
    scores = [
        [[metric.sentence_score(one, [other]).score for other in pool] for one in pool] for pool in pools
    ]
    for pool, whole, found in zip(pools, scores, expected(Pools(flat, size=len(systems))), strict=True):
        assert pairwise(pool).tolist() == [pytest.approx(row, rel=1e-12) for row in whole]
        assert found.tolist() == pytest.approx([sum(row) / len(row) for row in whole], rel=1e-12)
    found = mbr(pools, threads=2)
    best = [rerank_oracle.best([sum(row) for row in whole]) for whole in scores]
    assert found.indices.tolist() == best


def test_the_order_of_weighted_pools_changes_no_digit() -> None:
    generator = random.Random(8)
    for _ in range(100):
        pool = [" ".join(generator.choices("abc", k=generator.randrange(6))) for _ in range(9)]
        weights = [generator.random() * 10 ** generator.randrange(-6, 6) for _ in pool]
        order = generator.sample(range(9), 9)
        for method in ("exact", "aggregate"):
            one = mbr([pool], None, [weights], method=method, weights_as="counts")
            other = mbr(
                [[pool[i] for i in order]],
                None,
                [[weights[i] for i in order]],
                method=method,
                weights_as="counts",
            )
            assert one.utilities.tolist() == other.utilities.tolist()
