"""Rewards token by token, against scores of each prefix on its own."""

from __future__ import annotations

import math
import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu import BLEU, TokenIds
from fastbleu.options import SMOOTH_DEFAULTS
from fastbleu.rewards.stepwise import stepwise_rewards

PAD, EOS = 0, 2

IDS = st.lists(st.integers(3, 6), max_size=8)


def by_prefix(metric: BLEU, tokens: list[Any], references: list[Any], scale: float) -> list[float]:
    """The score of each prefix of a list of tokens, less that of the prefix before."""
    streams = [[each] for each in references]
    prefixes = [tokens[:t] for t in range(1, len(tokens) + 1)]
    scores = [0.0, *(float(metric.sentence_scores([prefix], streams, scale=1)[0]) for prefix in prefixes)]
    return [after * scale - before * scale for before, after in pairwise(scores)]


@pytest.mark.parametrize("smoothing", SMOOTH_DEFAULTS)
@given(st.lists(IDS, min_size=1, max_size=4), st.data())
def test_ids_at_their_places(smoothing: Any, rows: list[list[int]], data: st.DataObject) -> None:
    metric = BLEU(tokenize="none", effective_order=True, smooth_method=smoothing)
    references = [data.draw(IDS) for _ in rows]
    left = [data.draw(st.integers(0, 3)) for _ in rows]
    matrix = np.full((len(rows), 13), PAD)
    for i, row in enumerate(rows):
        ended = [*row, EOS, 5] if data.draw(st.booleans()) else row
        matrix[i, left[i] : left[i] + len(ended)] = ended
    found = stepwise_rewards(metric, TokenIds(matrix, pad_id=PAD, eos_id=EOS), TokenIds(references), 2.0)
    assert isinstance(found, np.ndarray)
    for i, row in enumerate(rows):
        expected = np.zeros(13)
        expected[left[i] : left[i] + len(row)] = by_prefix(metric, row, [references[i]], 2.0)
        assert found[i].tolist() == expected.tolist()


@pytest.mark.parametrize("scale", [1.0, 100.0, 0.5])
def test_they_add_up_to_the_reward(scale: float) -> None:
    draw = random.Random(1)
    metric = BLEU(effective_order=True)
    words = ["the", "a", "cat", "dog", "sat", "on", "mat", ",", "."]
    hypotheses = [" ".join(draw.choices(words, k=draw.randrange(70))) for _ in range(50)]
    references = [
        [" ".join(draw.choices(words, k=draw.randrange(1, 70))) for _ in range(50)] for _ in range(2)
    ]
    rewards = metric.sentence_scores(hypotheses, references, scale=1) * scale
    steps = stepwise_rewards(metric, hypotheses, references, scale)
    assert [len(step) for step in steps] == [len(metric.tokenize(text)) for text in hypotheses]
    for reward, step in zip(rewards.tolist(), steps, strict=True):
        assert step.dtype == np.float64
        assert math.isclose(math.fsum(step.tolist()), reward, rel_tol=0, abs_tol=scale * 1e-14)


def test_text_by_its_tokens() -> None:
    metric = BLEU(effective_order=True, max_ngram_order=2)
    text, references = "Rain, rain and hail!", ["Rain, hail and rain!", "Rain."]
    found = stepwise_rewards(metric, [text], [[each] for each in references])
    split = BLEU(tokenize="none", effective_order=True, max_ngram_order=2)
    expected = by_prefix(split, metric.tokenize(text), [metric.tokenize(each) for each in references], 1.0)
    assert len(found) == 1
    assert found[0].tolist() == expected
    assert len(expected) == 6


def test_lists_of_ids_and_of_tokens() -> None:
    metric = BLEU(tokenize="none", effective_order=True)
    cases: list[tuple[list[Any], list[Any]]] = [
        ([[5, 6, 7], [], [9]], [[5, 6, 8], [4], [9]]),
        ([["a", "b"], ["c"]], [["a", "c"], ["c"]]),
    ]
    for rows, references in cases:
        found = stepwise_rewards(metric, rows, [references])
        expected = [
            by_prefix(metric, row, [reference], 1.0) for row, reference in zip(rows, references, strict=True)
        ]
        assert [each.tolist() for each in found] == expected


def test_prepared_references_and_nothing() -> None:
    metric = BLEU(tokenize="none", effective_order=True)
    matrix = np.array([[5, 6, 7], [5, 5, 5]])
    prepared = metric.prepare(np.array([[5, 6, 7], [5, 6, 7]]))
    assert np.array_equal(
        stepwise_rewards(metric, matrix, prepared), stepwise_rewards(metric, matrix, matrix[[0, 0]])
    )
    assert list(stepwise_rewards(metric, [], [[]])) == []
    empty = stepwise_rewards(metric, np.empty((0, 4), dtype=int), np.empty((0, 4), dtype=int))
    assert isinstance(empty, np.ndarray)
    assert empty.shape == (0, 4)
    nowhere = stepwise_rewards(metric, np.empty((2, 0), dtype=int), matrix)
    assert isinstance(nowhere, np.ndarray)
    assert nowhere.shape == (2, 0)
    assert [each.tolist() for each in stepwise_rewards(metric, ["", ""], [["a", ""]])] == [[], []]


def test_errors_are_those_of_the_metric() -> None:
    metric = BLEU(effective_order=True)
    with pytest.raises(ValueError, match=r"^references\[0\] has 2 segments, but there is 1 hypothesis"):
        stepwise_rewards(metric, ["a"], [["a", "b"]])
    with pytest.raises(TypeError, match=r"^hypotheses must be a sequence of segments, not a bare str: 'a'"):
        stepwise_rewards(metric, "a", [["a"]])
    with pytest.raises(TypeError, match=r"^hypotheses\[1\] must be a str, not int: 7"):
        stepwise_rewards(metric, ["a", 7], [["a", "b"]])
