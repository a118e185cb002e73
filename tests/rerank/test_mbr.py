"""Expected utilities and minimum Bayes risk agree with scores that are computed pair by pair."""

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastbleu import BLEU
from fastbleu.rerank import Pools, Selection, expected, mbr, pairwise
from tests.support import rerank_oracle

texts = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=7).map(" ".join)
pools_of = st.lists(texts, min_size=1, max_size=6)


def test_no_pairs() -> None:
    assert pairwise([], ["a", "b"]).shape == (0, 2)
    assert pairwise(["a", "b", "c"], []).shape == (3, 0)
    assert pairwise([]).shape == pairwise([], []).shape == (0, 0)


@pytest.mark.parametrize(
    ("hypotheses", "references", "kind", "words"),
    [
        ("a", None, TypeError, "hypotheses must be a sequence of segments, not a bare str: 'a'"),
        (["a", None], None, TypeError, r"hypotheses\[1\] must be a str, not NoneType"),
        (["a"], ["a", None], TypeError, r"references\[1\] must be a str, not NoneType"),
        (["a"], [["b"]], TypeError, r"references\[0\] must be a str, not list"),
        ([["a"]], None, ValueError, r"hypotheses\[0\] is list: \['a'\].*tokenize='none'"),
        (np.array([[1, 2]]), None, ValueError, "hypotheses are token ids, which need tokenize='none'"),
    ],
)
def test_bad_segments(hypotheses: Any, references: Any, kind: Any, words: str) -> None:
    with pytest.raises(kind, match=f"^{words}"):
        pairwise(hypotheses, references)


def test_bad_tokens() -> None:
    for hypotheses, references, words in (
        ([["a"], "b"], None, r"hypotheses\[1\] must be a sequence of tokens, not str"),
        ([["a"]], [["b"], None], r"references\[1\] must be a sequence of tokens, not NoneType"),
        (np.array([[1]]), ["a"], r"references\[0\] must be token ids, like the other argument"),
    ):
        with pytest.raises(TypeError, match=f"^{words}"):
            pairwise(hypotheses, references, metric=BLEU(tokenize="none", effective_order=True))


def test_small_pools() -> None:
    whole = 100.00000000000004
    # An empty pool has no scores, whether its evidence is empty or not.
    for arguments, exclude_self, scores in (
        (([["a b"], [], [""], ["a", "a"], ["", ""]],), False, [[whole], [], [0.0], [whole] * 2, [0.0, 0.0]]),
        (([[], ["a"]], [["a"], ["a"]]), False, [[], [whole]]),
        (([[], ["a"]], [[], ["a"]]), False, [[], [whole]]),
        (([[], ["a", "a"]],), True, [[], [whole] * 2]),
        (([],), False, []),
    ):
        assert [found.tolist() for found in expected(*arguments, exclude_self=exclude_self)] == scores
    assert expected(Pools([], size=4)).shape == (0, 4)
    assert [scores.shape for scores in expected(Pools([], offsets=[0, 0, 0]))] == [(0,), (0,)]


def test_what_leaves_no_evidence() -> None:
    with pytest.raises(ValueError, match=r"pools\[1\] has one candidate, which has no evidence if"):
        expected([["a", "b"], ["a"]], exclude_self=True)
    with pytest.raises(ValueError, match="exclude_self is for candidates that are scored against each"):
        expected([["a", "b"]], [["a"]], exclude_self=True)


@pytest.mark.slow
@settings(deadline=None)
@given(
    st.lists(pools_of, min_size=1, max_size=4),
    st.booleans(),
    st.none() | st.just("counts"),
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


@given(st.lists(pools_of, max_size=4), st.integers(1, 8))
def test_k_best(pools: list[list[str]], k: int) -> None:
    found = mbr(pools, k=k)
    assert found.indices.shape == found.utilities.shape == (len(pools), k)
    assert (found.indices.dtype, found.utilities.dtype) == (np.int64, np.float64)
    for scores, indices, utilities in zip(expected(pools), *found, strict=True):
        order = rerank_oracle.ordering(scores.tolist())[:k]
        missing = k - len(order)
        assert indices.tolist() == [*order, *[-1] * missing]
        np.testing.assert_array_equal(utilities, [*scores[order], *[np.nan] * missing])


def test_aggregate_is_the_score_against_one_mean() -> None:
    # With one piece of evidence, both methods give the same utilities.
    pools = [["the cat sat", "a cat", "the cat sat down"], ["yes", "no"]]
    evidence = [["the cat sat there"], ["yes"]]
    exact, aggregate = (mbr(pools, evidence, method=method) for method in ("exact", "aggregate"))
    assert aggregate.indices.tolist() == exact.indices.tolist()
    assert aggregate.utilities.tolist() == pytest.approx(exact.utilities.tolist(), rel=1e-9)
    # Evidence that is repeated has the same mean, and evidence of weight 0 is ignored.
    double = mbr(pools, [some * 2 for some in evidence], method="aggregate")
    assert double.utilities.tolist() == pytest.approx(aggregate.utilities.tolist(), rel=1e-12)
    more, weights = [[*some, "dogs bark"] for some in evidence], [[3, 0], [1, 0]]
    weighted = mbr(pools, more, weights, method="aggregate", weights_as="counts")
    assert weighted.utilities.tolist() == pytest.approx(aggregate.utilities.tolist(), rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (([["a"], []],), {}, r"pools\[1\] has no candidates"),
        ((Pools(["a"], offsets=[0, 0, 1]),), {}, r"pools\[0\] has no candidates"),
        (([["a"]],), {"k": 0}, "k must be at least 1, got 0"),
        (([["a"]],), {"diversity": 0.5}, "diversity needs k, .*; got 0.5, but no k"),
        (([["a"]],), {"diversity": -1, "k": 2}, "diversity must be finite and at least 0, got -1"),
        (([["a"]],), {"method": "fast"}, "method must be one of exact, aggregate, got 'fast'"),
        (([["a", "b"]],), {"method": "aggregate", "exclude_self": True}, "exclude_self needs method="),
    ],
)
def test_bad_input(arguments: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=f"^{words}"):
        mbr(*arguments, **options)


def test_the_order_of_weighted_pools_changes_no_digit() -> None:
    generator = random.Random(8)
    for _ in range(100):
        pool = [" ".join(generator.choices("abc", k=generator.randrange(6))) for _ in range(9)]
        weights = [generator.random() * 10 ** generator.randrange(-6, 6) for _ in pool]
        order = generator.sample(range(9), 9)
        permuted = [[pool[i] for i in order]], None, [[weights[i] for i in order]]
        for method in ("exact", "aggregate"):
            one = mbr([pool], None, [weights], method=method, weights_as="counts")
            other = mbr(*permuted, method=method, weights_as="counts")
            assert one.utilities.tolist() == other.utilities.tolist()
