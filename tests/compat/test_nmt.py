"""tensorflow/nmt's formula, its stand-in `fastbleu.compat.nmt`, and what this does with values that are not corpora."""

import itertools
import random
from collections import deque
from collections.abc import Hashable
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU
from fastbleu.compat.nmt import compute_bleu
from fastbleu.scoring.nmt_formula import nmt_score
from tests.support import nmt_oracle
from tests.support.nmt_oracle import outcome
from tests.support.random_corpora import random_corpus
from tests.support.refusals import argument_error

A = ["the", "cat", "sat", "on", "the", "mat"]
B = ["a", "cat", "sat", "on", "a", "mat"]


TOKENS: dict[str, list[Hashable]] = {
    "words": ["a", "b", "c", "d"],
    "integers": [0, 1, 2, 3],
    "equal numbers": [1, 1.0, True, 2],
    "tuples": [(1, 2), (2, 1), (), ("a",)],
    "mixed": ["1", 1, b"1", ("1",)],
    "same objects": [float("nan"), None, frozenset({1}), "nan"],
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", TOKENS)
def test_random_corpora(kind: str) -> None:
    generator = random.Random(kind)
    for _ in range(300):
        translations, references = random_corpus(
            generator,
            lambda: generator.choices(TOKENS[kind], k=generator.choice([0, 1, 2, 3, 4, 5, 8, 20])),
        )
        for order, smooth in itertools.product(range(1, 7), (False, True)):
            expected = outcome(nmt_oracle.compute_bleu, references, translations, order, smooth)
            assert outcome(compute_bleu, references, translations, order, smooth) == expected


def test_inputs_of_other_kinds() -> None:
    expected = compute_bleu([[A, B], [B]], [B, A])
    assert compute_bleu(((tuple(A), tuple(B)), (tuple(B),)), (tuple(B), tuple(A))) == expected
    assert compute_bleu(iter([[A, B], [B]]), (tokens for tokens in [B, A])) == expected
    ids = {token: i for i, token in enumerate({*A, *B})}
    a: Any = np.array([ids[token] for token in A])
    b: Any = np.array([ids[token] for token in B])
    assert compute_bleu([[a, b], [b]], [b, a]) == expected
    arrays: Any = [np.stack([a, b]), b[None]]
    assert compute_bleu(arrays, np.stack([b, a])) == expected
    assert compute_bleu(np.stack([a, b])[:, None], np.stack([b, a]), smooth=np.True_) == compute_bleu(
        [[A], [B]], [B, A], smooth=True
    )


@pytest.mark.parametrize("smooth", [False, True])
def test_no_tokens_are_a_division_by_zero(smooth: bool) -> None:
    for references, translations in (([[A]], [[]]), ([[A, []]], [A]), ([[[]]], [[]])):
        with pytest.raises(ZeroDivisionError, match="division by zero"):
            compute_bleu(references, translations, smooth=smooth)
    assert compute_bleu([[A], [B]], [A, []])[4:] == (6, 12)


@pytest.mark.parametrize(
    ("references", "translations", "error", "place"),
    [
        ([], [], ValueError, "translation_corpus"),
        ([[A]], [A, A], ValueError, "translation_corpus"),
        ([[]], [A], ValueError, "reference_corpus[0]"),
        ([[A]], ["abc"], TypeError, "translation_corpus[0]"),
        ([["abc"]], [A], TypeError, "reference_corpus[0][0]"),
        ([[A]], "abc", TypeError, "translation_corpus"),
        ([[A, None], [A]], [A, A], TypeError, "reference_corpus[0][1]"),
        ([iter([A])], [A], TypeError, "reference_corpus[0]"),
        ([[[["a"]]]], [A], TypeError, "reference_corpus[0][0][0]"),
    ],
)
def test_errors(references: Any, translations: Any, error: type[Exception], place: str) -> None:
    with argument_error(error, place):
        compute_bleu(references, translations)


def test_options_and_references_in_any_collection_are_checked() -> None:
    for options, error, message in (
        ({"max_order": 0}, ValueError, "max_order must be at least 1, got 0"),
        ({"smooth": "yes"}, TypeError, "smooth must be True or False, not str: 'yes'"),
    ):
        with pytest.raises(error, match=message):
            compute_bleu([[A]], [A], **options)
    with argument_error(TypeError, "reference_corpus[0][1]"):
        compute_bleu([deque([["a"], None])], [["a"]])  # type: ignore[list-item]
    assert compute_bleu([deque([["a"], ["b"]])], [["a"]], max_order=1)[0] == 1.0


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
    score = bleu.corpus_score(hypotheses, prepared)
    assert (score.score, score.bp) == pytest.approx((100 * expected[0], expected[2]), rel=1e-14)
    assert (score.sys_len, score.ref_len) == expected[4:] == (7, 7)
