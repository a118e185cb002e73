"""Self-BLEU, compared with scoring each text against all the others, by sacreBLEU's formula and by NLTK."""

from __future__ import annotations

import random
import warnings
from math import fsum
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastbleu import BLEU, TokenIds
from fastbleu.inputs._text import text_column
from fastbleu.rerank import SelfBLEU, self_bleu
from tests.support import rerank_oracle
from tests.support.strategies import smoothings

tokens = st.lists(st.sampled_from(["a", "b", "c", "ab"]), max_size=9)
token_pools = st.lists(tokens, min_size=2, max_size=6)
METHODS = tuple(f"method{i}" for i in range(8))
NONE = BLEU(tokenize="none", effective_order=True)


def by_nltk(pool: list[list[str]], smoothing: str, weights: tuple[float, ...]) -> list[float]:
    bleu_score = pytest.importorskip("nltk.translate.bleu_score")
    smooth = getattr(bleu_score.SmoothingFunction(), smoothing)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [
            100 * bleu_score.sentence_bleu([*pool[:i], *pool[i + 1 :]], text, weights, smooth)
            for i, text in enumerate(pool)
        ]


# --- sacreBLEU's formula ------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(token_pools, smoothings, st.integers(1, 6), st.booleans())
def test_each_text_against_all_others(
    pool: list[list[str]], smoothing: tuple[str, float | None], order: int, effective_order: bool
) -> None:
    options = dict(zip(("smooth_method", "smooth_value"), smoothing, strict=True))
    options |= {"max_ngram_order": order, "effective_order": effective_order}
    whole = rerank_oracle.self_bleu(pool, tokenize=None, **options)
    for form in (
        pool,
        tuple(pool),
        [" ".join(text) for text in pool],
        text_column([" ".join(text) for text in pool]),
    ):
        found = self_bleu(form, metric=BLEU(tokenize="none", **options))
        assert isinstance(found, SelfBLEU)
        assert found.scores.tolist() == pytest.approx(whole, rel=1e-12)
        assert found.mean == fsum(found.scores.tolist()) / len(pool)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"tokenize": "char", "lowercase": True},
        {"reference_length": "shortest"},
        {"weights": (1, 2, 0, 0)},
        {"smooth_method": "add-one"},
        {"tokenize": str.split},
    ],
)
def test_options(options: dict[str, Any]) -> None:
    metric = BLEU(effective_order=True, **options)
    pool = ["The cat, sat.", "the Cat sat down", "dogs bark 1,000 times", "", "the cat sat"]
    found = self_bleu(pool, metric=metric)
    whole = [metric.sentence_score(text, pool[:i] + pool[i + 1 :]).score for i, text in enumerate(pool)]
    assert found.scores.tolist() == pytest.approx(whole, rel=1e-12)


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


@settings(deadline=None)
@given(token_pools, st.randoms(use_true_random=False), st.sampled_from(["sacrebleu", "nltk"]))
def test_a_permuted_pool_gives_permuted_scores(
    pool: list[list[str]], generator: random.Random, formula: str
) -> None:
    order = list(range(len(pool)))
    generator.shuffle(order)
    found, other = (self_bleu(texts, formula, metric=NONE) for texts in (pool, [pool[j] for j in order]))
    assert other.scores.tolist() == [found.scores[j] for j in order]
    assert other.mean == found.mean


@pytest.mark.slow
def test_equal_and_empty_texts() -> None:
    assert self_bleu(["a b", "a b"]).scores.tolist() == [100.00000000000004] * 2
    assert self_bleu(["a b", "a b"], "nltk").scores.tolist() == pytest.approx(
        by_nltk([["a", "b"]] * 2, "method1", (0.25,) * 4)
    )
    for formula in ("sacrebleu", "nltk"):
        found = self_bleu(["", "", ""], formula)
        assert (found.scores.tolist(), found.mean) == ([0.0] * 3, 0.0)


# --- NLTK's formula -----------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(
    token_pools,
    st.sampled_from(
        [
            (1.0,),
            (0.5, 0.5),
            (1 / 3,) * 3,
            (0.25,) * 4,
            (0.1, 0.2, 0.3, 0.4),
            (0.2,) * 5,
            (0.1,) * 4 + (0.3,) * 2,
        ]
    ),
)
def test_nltk(pool: list[list[str]], weights: tuple[float, ...]) -> None:
    metrics = [BLEU(tokenize="none", effective_order=True, max_ngram_order=len(weights), weights=weights)]
    if len(set(weights)) == 1:
        metrics.append(BLEU(tokenize="none", effective_order=True, max_ngram_order=len(weights)))
    for metric in metrics:
        for smoothing in METHODS:
            if smoothing == "method6" and len(weights) < 3:
                continue
            try:
                whole = by_nltk(pool, smoothing, weights)
            except AssertionError:  # method 6 without trigrams
                with pytest.raises(ValueError, match="smoothing='method6'"):
                    self_bleu(pool, "nltk", smoothing=smoothing, metric=metric)
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = self_bleu(pool, "nltk", smoothing=smoothing, metric=metric)
            assert found.scores.tolist() == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("smoothing", METHODS)
def test_nltk_on_real_pools(newstest: ModuleType, smoothing: str) -> None:
    systems = list(newstest.systems("en-de").values())
    metric = BLEU(effective_order=True)
    for i in range(0, 1002, 250):
        pool = [system[i] for system in systems]
        texts = [metric.tokenize(text) for text in pool]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = self_bleu(pool, "nltk", smoothing=smoothing)
        assert found.scores.tolist() == pytest.approx(by_nltk(texts, smoothing, (0.25,) * 4), rel=1e-12)


def test_weights_are_divided_by_their_sum() -> None:
    pool = [["a", "b", "c"], ["a", "b"], ["b", "c", "a"]]
    found = self_bleu(
        pool, "nltk", metric=BLEU(tokenize="none", max_ngram_order=2, weights=(2, 2), effective_order=True)
    )
    assert found.scores.tolist() == pytest.approx(by_nltk(pool, "method1", (0.5, 0.5)), rel=1e-12)


def test_the_default_smoothing_is_method1() -> None:
    pool = ["a b c d", "a b d c", "b a"]
    assert (
        self_bleu(pool, "nltk").scores.tolist()
        == self_bleu(pool, "nltk", smoothing="method1").scores.tolist()
    )
    with pytest.raises(ValueError, match="smoothing is for formula='nltk', got 'method3'; the metric has a"):
        self_bleu(pool, smoothing="method3")


def test_method0_warns_once() -> None:
    with pytest.warns(UserWarning, match="The hypothesis contains 0 counts of 2-gram overlaps") as caught:
        self_bleu(["a b", "b a", "a"], "nltk", smoothing="method0")
    assert len(caught) == 1


# --- Bad input ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pool", "options", "kind", "words"),
    [
        ([], {}, ValueError, "pool must hold at least 2 texts, so that each has a reference, got 0"),
        (["a"], {}, ValueError, "pool must hold at least 2 texts.*got 1"),
        ("ab", {}, TypeError, "pool must be a sequence of .*not a bare str: 'ab'"),
        (["a", None], {}, TypeError, r"pool\[1\] must be a str, not NoneType"),
        (["a", ["b"]], {}, TypeError, r"pool\[1\] must be a str, not list"),
        ([["a"], ["b"]], {}, ValueError, r"pool\[0\] is list: \['a'\].*tokenize='none'"),
        ({"a": 1}, {}, TypeError, "pool must be a sequence of .*not dict"),
        (["a", "b"], {"formula": "NLTK"}, ValueError, "formula must be one of sacrebleu, nltk, got 'NLTK'"),
        (
            ["a", "b"],
            {"formula": "nltk", "smoothing": "exp"},
            ValueError,
            "smoothing must be one of method0, .*, method7, got 'exp'",
        ),
        (
            ["a b c", "a b d"],
            {"formula": "nltk", "smoothing": "method6"},
            ValueError,
            r"pool\[0\] has no trigram in common with the others, which smoothing='method6' needs",
        ),
        (
            ["a b c", "a b d"],
            {
                "formula": "nltk",
                "smoothing": "method6",
                "metric": BLEU(max_ngram_order=2, effective_order=True),
            },
            ValueError,
            "smoothing='method6' needs trigrams, but max_ngram_order is 2",
        ),
    ],
)
def test_bad_input(pool: Any, options: dict[str, Any], kind: Any, words: str) -> None:
    with pytest.raises(kind, match=f"^{words}"):
        self_bleu(pool, **options)


def test_scores_are_those_of_the_scalar_formula() -> None:
    generator = random.Random(6)
    pool = [" ".join(generator.choices("abcde", k=generator.randrange(12))) for _ in range(40)]
    metric = BLEU(tokenize="none", effective_order=True)
    scores = [metric.sentence_score(text, pool[:i] + pool[i + 1 :]).score for i, text in enumerate(pool)]
    assert self_bleu(pool, metric=metric).scores.tolist() == scores


def test_effective_order_is_of_no_account_to_nltk(caplog: pytest.LogCaptureFixture) -> None:
    self_bleu(["a b", "b a"], "nltk", metric=BLEU())
    assert not caplog.records
