"""The reference length that each rule chooses, against an oracle that states the rule in one line of Python."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu import BLEU
from fastbleu.options import REFERENCE_LENGTHS as RULES
from tests.support import oracle

if TYPE_CHECKING:
    from fastbleu.options import ReferenceLength


def check(rule: ReferenceLength, lengths: list[int], hypothesis_lengths: list[int]) -> None:
    """Check plain and prepared references, and each prefix of the longest hypothesis."""
    bleu = BLEU(tokenize="none", reference_length=rule, effective_order=True, max_ngram_order=2)
    references = [["a " * length] for length in lengths]
    prepared = bleu.prepare(references)
    for length in hypothesis_lengths:
        wanted = oracle.reference_length(rule, length, lengths)
        for given_references in (references, prepared):
            assert bleu.statistics(["a " * length], given_references)[0, 1] == wanted
    longest = max(hypothesis_lengths)
    # All tokens are equal, so that only the brevity penalty and the clipping decide.
    wanted_scores = [
        oracle.score(
            [
                t,
                oracle.reference_length(rule, t, lengths),
                *(max(0, min(t, max(lengths)) - n) for n in range(2)),
                *(max(0, t - n) for n in range(2)),
            ],
            effective_order=True,
        ).score
        for t in range(1, longest + 1)
    ]
    for given_references in (references, prepared):
        assert bleu.prefix_scores(["a " * longest], given_references).tolist() == [wanted_scores]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    "lengths",
    [[4, 2], [2, 4], [4, 4, 2, 2], [0, 7], [7, 0, 3, 5, 1], [5, 1, 3, 9, 7, 1, 9], [66, 2, 70, 0, 68]],
)
def test_few_lengths(rule: ReferenceLength, lengths: list[int]) -> None:
    check(rule, lengths, [*range(1, 12), 67, 68, 69, 75])


@pytest.mark.parametrize("rule", RULES)
def test_many_different_lengths(rule: ReferenceLength) -> None:
    """Each odd length is in the middle between two even lengths. These are shuffled, and some occur twice."""
    n_lengths = 100
    generator = random.Random(n_lengths)
    lengths = [2 * k for k in range(1, n_lengths + 1)]
    lengths += generator.sample(lengths, 20)
    generator.shuffle(lengths)
    check(rule, lengths, [1, 2, 3, 101, 102, 2 * n_lengths + 3])


@pytest.mark.slow
@given(st.sampled_from(RULES), st.lists(st.integers(0, 40), min_size=1, max_size=30), st.integers(1, 45))
def test_generated_lengths(rule: ReferenceLength, lengths: list[int], length: int) -> None:
    check(rule, lengths, [length])
