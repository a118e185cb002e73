"""Self-BLEU equals the scores of single texts against all other texts, by the scalar formula and by NLTK."""

import random
import warnings
from math import fsum
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastbleu import BLEU, TokenIds
from fastbleu.counting.matcher import Matcher
from fastbleu.inputs._text import text_column
from fastbleu.options import REFERENCE_LENGTHS
from fastbleu.rerank import Pools, SelfBLEU, self_bleu
from fastbleu.rerank._self_bleu import count_each_against_others
from fastbleu.rerank.pool_sources import as_pools, one_pool
from fastbleu.rerank.self_bleu import rows_against_others
from fastbleu.tokenizers._tokenize import TOKENIZE_IDS
from tests.support import oracle
from tests.support.matchers import matcher

tokens = st.lists(st.sampled_from(["a", "b", "c", "ab" * 20]), max_size=9)
token_pools = st.lists(tokens, min_size=2, max_size=6)
NONE = BLEU(tokenize="none", effective_order=True)


def rows(counting: Matcher, pool: Any) -> list[list[int]]:
    found = rows_against_others(counting, one_pool(pool, "pool"), counting.max_ngram_order)
    return found.tolist()


def each_against_others(pool: list[Any], order: int, rule: str) -> list[list[int]]:
    return [oracle.statistics(text, pool[:i] + pool[i + 1 :], order, rule) for i, text in enumerate(pool)]


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(token_pools, st.integers(1, 6), st.sampled_from(list(REFERENCE_LENGTHS)))
def test_each_against_others(pool: list[list[str]], order: int, rule: str) -> None:
    expected = each_against_others(pool, order, rule)
    assert rows(matcher(order, rule), pool) == expected
    assert rows(matcher(order, rule), [" ".join(text) for text in pool]) == expected


@pytest.mark.slow
def test_large_pools() -> None:
    generator = random.Random(1)
    pool = [generator.choices("abcdefgh", k=generator.randrange(60)) for _ in range(70)]
    found = rows(matcher(5), pool)
    assert found == each_against_others(pool, 5, "closest")
    shuffled = list(range(70))
    generator.shuffle(shuffled)
    assert rows(matcher(5), [pool[i] for i in shuffled]) == [found[i] for i in shuffled]


def test_several_pools() -> None:
    texts = ["a b a", "b a", "c a a", "a", "a b", "b a c"]
    pools = as_pools(Pools(texts, offsets=[0, 3, 6]), "pools")
    found = rows_against_others(matcher(), pools, 2).tolist()
    assert found == rows(matcher(2), texts[:3]) + rows(matcher(2), texts[3:])


def test_rows_of_another_shape() -> None:
    with pytest.raises(ValueError, match=r"rows must have the shape \[2, 6\], not \[2, 8\]"):
        count_each_against_others(text_column(["a", "b"]), 0, 2, 0, np.zeros((2, 8), dtype=np.int64))
    with pytest.raises(ValueError, match="a pool needs at least 2 segments"):
        count_each_against_others(text_column(["a"]), 0, 2, 0, np.zeros((1, 6), dtype=np.int64))
    with pytest.raises(TypeError, match="segments must be ids"):
        count_each_against_others(
            text_column(["a", "b"]), TOKENIZE_IDS, 2, 0, np.zeros((2, 6), dtype=np.int64)
        )


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"tokenize": "char", "lowercase": True},
        {"reference_length": "shortest", "weights": (1, 2, 0, 0)},
        {"smooth_method": "add-one", "tokenize": str.split},
        {"effective_order": False, "max_ngram_order": 6, "smooth_method": "floor"},
    ],
)
def test_scores_are_those_of_the_scalar_formula(options: dict[str, Any]) -> None:
    metric = BLEU(**{"effective_order": True, **options})
    metric.warnings.of_order.is_over = True
    generator = random.Random(6)
    pool = ["The cat, sat.", "the Cat sat down", "dogs bark 1,000 times", "", "the cat sat"]
    pool += [" ".join(generator.choices("abcde", k=generator.randrange(12))) for _ in range(40)]
    whole = [metric.sentence_score(text, pool[:i] + pool[i + 1 :]).score for i, text in enumerate(pool)]
    for form in (pool, tuple(pool), text_column(pool)):
        found = self_bleu(form, metric=metric)
        assert isinstance(found, SelfBLEU)
        if "weights" in options:
            assert found.scores.tolist() == pytest.approx(whole, rel=1e-12)
        else:
            assert found.scores.tolist() == whole
        assert found.mean == fsum(found.scores.tolist()) / len(pool)


def test_ids() -> None:
    matrix = np.array([[5, 6, 7, 8], [5, 6, 7, 0], [9, 5, 6, 0], [0, 0, 0, 0]])
    whole = self_bleu([[5, 6, 7, 8], [5, 6, 7], [9, 5, 6], []], metric=NONE).scores.tolist()
    ids = TokenIds(matrix, pad_id=0)
    for form in (
        ids,
        np.where(matrix == 0, -100, matrix),
        [np.array(row) for row in ([5, 6, 7, 8], [5, 6, 7], [9, 5, 6])] + [np.array([], int)],
    ):
        assert self_bleu(form, metric=NONE).scores.tolist() == whole


@pytest.mark.slow
def test_equal_and_empty_texts() -> None:
    assert self_bleu(["a b", "a b"]).scores.tolist() == [100.00000000000004] * 2
    # The default smoothing is method 1.
    nltk_scores = pytest.importorskip("tests.support.nltk_scores", exc_type=ImportError)
    expected = nltk_scores.against_others([["a", "b"]] * 2, "method1")
    assert self_bleu(["a b", "a b"], "nltk").scores.tolist() == pytest.approx(expected.tolist())
    for formula in ("sacrebleu", "nltk"):
        found = self_bleu(["", "", ""], formula)
        assert (found.scores.tolist(), found.mean) == ([0.0] * 3, 0.0)


@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(token_pools, st.sampled_from([(1.0,), (0.25,) * 4, (0.1, 0.2, 0.3, 0.4), (0.1,) * 4 + (0.3,) * 2]))
def test_nltk(pool: list[list[str]], weights: tuple[float, ...]) -> None:
    nltk_scores = pytest.importorskip("tests.support.nltk_scores", exc_type=ImportError)
    # Self-BLEU divides weights by their sum, so doubled weights give the same scores.
    twice = [2 * weight for weight in weights]
    metrics = [BLEU(tokenize="none", effective_order=True, max_ngram_order=len(weights), weights=twice)]
    if len(set(weights)) == 1:
        metrics.append(BLEU(tokenize="none", effective_order=True, max_ngram_order=len(weights)))
    for metric in metrics:
        for smoothing in (f"method{i}" for i in range(8)):
            if smoothing == "method6" and len(weights) < 3:
                continue
            whole = nltk_scores.against_others(pool, smoothing, weights)
            if whole is None:  # method 6 without trigrams
                with pytest.raises(ValueError, match="smoothing='method6'"):
                    self_bleu(pool, "nltk", smoothing=smoothing, metric=metric)
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = self_bleu(pool, "nltk", smoothing=smoothing, metric=metric)
            assert found.scores.tolist() == pytest.approx(whole.tolist(), rel=1e-12)


METHOD6: dict[str, Any] = {"formula": "nltk", "smoothing": "method6"}


@pytest.mark.parametrize(
    ("pool", "options", "kind", "words"),
    [
        ([], {}, ValueError, "pool must hold at least 2 texts, so that each has a reference, got 0"),
        ("ab", {}, TypeError, "pool must be a sequence of .*not a bare str: 'ab'"),
        (["a", None], {}, TypeError, r"pool\[1\] must be a str, not NoneType"),
        (["a", ["b"]], {}, TypeError, r"pool\[1\] must be a str, not list"),
        ([["a"], ["b"]], {}, ValueError, r"pool\[0\] is list: \['a'\].*tokenize='none'"),
        ({"a": 1}, {}, TypeError, "pool must be a sequence of .*not dict"),
        ([["a"], ["b", []]], {"metric": NONE}, TypeError, r"pool\[1\]\[1\] must be a hashable token"),
        (["a b c", "a b d"], METHOD6, ValueError, r"pool\[0\] has no trigram in common with the others"),
        (["a", "b"], METHOD6 | {"metric": BLEU(max_ngram_order=2)}, ValueError, "smoothing 'method6' takes"),
    ],
)
def test_bad_input(pool: Any, options: dict[str, Any], kind: Any, words: str) -> None:
    with pytest.raises(kind, match=f"^{words}"):
        self_bleu(pool, **options)
