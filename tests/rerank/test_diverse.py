"""Diverse sets of candidates equal those of a greedy search that computes the objective of every set exactly."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu import BLEU, CHRF, TokenIds
from fastbleu.rerank import Pools, expected, mbr, pairwise

texts = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=7).map(" ".join)


def objective(chosen: list[int], utilities: Any, scores: Any, diversity: float) -> Fraction:
    """Return the exact objective: the mean utility, plus the weighted mean negative score of the ordered pairs."""
    size = len(chosen)
    pairs = [-Fraction(scores[i, j]) for i in chosen for j in chosen if i != j]
    mean = sum((Fraction(utilities[i]) for i in chosen), Fraction()) / size
    return mean + Fraction(diversity) * sum(pairs, Fraction()) / (size * max(1, size - 1))


@given(
    st.lists(st.lists(texts, min_size=1, max_size=6), min_size=1, max_size=3),
    st.integers(1, 7),
    st.sampled_from([0.0, 0.5, 4.0]),
    st.booleans(),
)
def test_each_step_is_the_best(pools: list[list[str]], k: int, diversity: float, by_chrf: bool) -> None:
    metric = CHRF() if by_chrf else BLEU(effective_order=True)
    evidence = [[*pool, "a b c"] for pool in pools]
    found = mbr(pools, evidence, k=k, diversity=diversity, metric=metric)
    every = expected(pools, evidence, metric=metric)
    for pool, utilities, indices, values in zip(pools, every, *found, strict=True):
        size = min(k, len(pool))
        chosen = indices[:size].tolist()
        assert (indices[size:] == -1).all()
        assert len({*chosen}) == size
        np.testing.assert_array_equal(values, [*utilities[chosen], *[np.nan] * (k - size)])
        assert sorted(chosen, key=lambda i: (-utilities[i], i)) == chosen
        scores, steps = pairwise(pool, metric=metric), list[int]()
        for _ in range(size):
            options = [[*steps, i] for i in range(len(pool)) if i not in steps]
            best = max(objective(option, utilities, scores, diversity) for option in options)
            # Rounding decides between sets that are almost equally good; follow the choice that was made.
            close = [
                o for o in options if objective(o, utilities, scores, diversity) >= best - Fraction(1, 10**9)
            ]
            steps = next((option for option in close if option[-1] in chosen), close[0])
        assert {*steps} == {*chosen}


def test_no_weight_chooses_the_best_and_a_large_one_the_different() -> None:
    pools = [["the cat sat down", "the cat sat there", "the cat sat", "a dog ran"], ["yes"]]
    assert mbr(pools, k=2, diversity=0).indices.tolist() == mbr(pools, k=2).indices.tolist()
    assert mbr(pools, k=2, diversity=1, threads=2).indices.tolist() == [[2, 3], [0, -1]]
    assert mbr([], k=2, diversity=1).indices.shape == (0, 2)


def test_equal_candidates_and_unknown_tokens() -> None:
    assert mbr([["a b", "a b", "c"]], k=2, diversity=1).indices.tolist() == [[0, 2]]
    # Unknown tokens match nothing, not even themselves, so that candidates of them alone are different.
    metric = BLEU(tokenize="none", effective_order=True)
    ids = TokenIds(np.array([[1, 2, 3], [1, 2, 3], [0, 0, 0]]), unk_id=0)
    assert mbr(Pools(ids, size=3), k=2, diversity=1, metric=metric).indices.tolist() == [[0, 2]]


def test_candidates_that_nltk_cannot_score() -> None:
    options: Any = {"formula": "nltk", "smoothing": "method6", "k": 2, "diversity": 1}
    with pytest.raises(ValueError, match=r"^pools\[1\]\[0\] and pools\[1\]\[1\] have tokens in common, but"):
        mbr([["a b c d"], ["a b x", "a y z"]], [["e"], ["f"]], **options)
