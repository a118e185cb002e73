"""Pairs and expected utilities by NLTK's formula, compared with each row scored by itself."""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastbleu import BLEU, TokenIds
from fastbleu.inputs._text import text_column
from fastbleu.options import NLTK_SMOOTHINGS
from fastbleu.rerank import expected, mbr, pairwise, self_bleu, set_bleu
from fastbleu.rerank.pool_chunks import metric_and_formula
from fastbleu.scoring.nltk.nltk_formula import NLTKFormula
from tests.support import oracle
from tests.support.rerank_oracle import exact_means

if TYPE_CHECKING:
    from fastbleu.options import NLTKSmoothing

ORDINARY: tuple[NLTKSmoothing, ...] = tuple(name for name in NLTK_SMOOTHINGS if name != "method6")

tokens = st.lists(st.sampled_from(["a", "b", "c"]), max_size=9)
# Sums of these need more digits than a float and the errors of its additions have.
wide_weights = st.lists(
    st.sampled_from([0.0, 0.25, 0.33, 1.0, 3.0, 1e-9, 1e-22, 1e9, 0.1]), min_size=1, max_size=10
).filter(any)


def metric(weights: Sequence[float] | None = None, **options: Any) -> BLEU:
    order = len(weights) if weights is not None else options.pop("max_ngram_order", 4)
    return BLEU(tokenize="none", effective_order=True, weights=weights, max_ngram_order=order, **options)


def one_by_one(
    hypotheses: Sequence[Any], references: Sequence[Any], smoothing: NLTKSmoothing, weights: Sequence[float]
) -> list[list[float]]:
    formula = NLTKFormula(smoothing, weights)
    return [
        [formula.score(oracle.nltk_statistics(one, [other], formula.counted)) for other in references]
        for one in hypotheses
    ]


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(
    st.lists(tokens, min_size=1, max_size=6),
    st.none() | st.lists(tokens, min_size=1, max_size=6),
    st.sampled_from(ORDINARY),
    wide_weights,
)
@pytest.mark.filterwarnings(r"ignore:\s*The hypothesis contains 0 counts")
def test_pairs(hypotheses: Any, references: Any, smoothing: NLTKSmoothing, weights: list[float]) -> None:
    if smoothing in {"method5", "method7"}:  # precisions above 1 to the power of 1e9 are not floats
        weights = [min(weight, 3.0) for weight in weights]
    others = hypotheses if references is None else references
    found = pairwise(hypotheses, references, formula="nltk", smoothing=smoothing, metric=metric(weights))
    assert found.tolist() == one_by_one(hypotheses, others, smoothing, weights)


@pytest.mark.parametrize("smoothing", ORDINARY)
@pytest.mark.filterwarnings(r"ignore:\s*The hypothesis contains 0 counts")
def test_large_pools(smoothing: NLTKSmoothing) -> None:
    """Common and rare elements, texts too long for counts in bytes, and equal texts; both halves and one of them."""
    generator = random.Random(7)
    texts = [generator.choices("abcdefgh", k=generator.randrange(40)) for _ in range(100)]
    texts += [[f"w{generator.randrange(300)}" for _ in range(12)] for _ in range(60)]
    texts += [generator.choices("ab", k=length) for length in (255, 256, 300)] + [["a"] * 254, ["a"] * 256]
    texts += generator.choices(texts, k=20)
    generator.shuffle(texts)
    found = pairwise(texts, formula="nltk", smoothing=smoothing, metric=metric())
    some = generator.sample(range(len(texts)), 25)
    wanted = one_by_one([texts[i] for i in some], [texts[j] for j in some], smoothing, (0.25,) * 4)
    assert found[np.ix_(some, some)].tolist() == wanted
    assert pairwise(texts[:9], texts[9:], formula="nltk", smoothing=smoothing, metric=metric()).tolist() == (
        found[:9, 9:].tolist()
    )
    upper = pairwise(texts, formula="nltk", smoothing=smoothing, metric=metric(), upper_triangle=True)
    np.testing.assert_array_equal(np.triu(upper), np.triu(found))
    np.testing.assert_array_equal(upper, upper.T)


@pytest.mark.parametrize("formula", ["sacrebleu", "nltk"])
@pytest.mark.parametrize("threads", [1, 3])
def test_pairs_in_parts(formula: Any, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = random.Random(3)
    texts = [" ".join(generator.choices("abcde", k=generator.randrange(9))) for _ in range(150)]
    for number in range(20):
        found = pairwise(texts[:number], formula=formula, upper_triangle=True)
        whole = pairwise(texts[:number], formula=formula)
        np.testing.assert_array_equal(found, np.triu(whole) + np.triu(whole, 1).T)
    every = pairwise(texts, formula=formula)
    beside = pairwise(texts, texts[:40], formula=formula)
    whole = pairwise(texts, formula=formula, upper_triangle=True)
    np.testing.assert_array_equal(np.triu(whole), np.triu(every))
    np.testing.assert_array_equal(whole, whole.T)
    monkeypatch.setattr(sys.modules["fastbleu.rerank.mbr"], "_PAIRS_PER_BATCH", 200)
    monkeypatch.setattr(sys.modules["fastbleu.rerank.mbr"], "_MIN_BATCH", 4)
    found = pairwise(texts, formula=formula, upper_triangle=True, threads=threads)
    assert found.tolist() == whole.tolist()
    assert pairwise(text_column(texts), formula=formula, threads=threads).tolist() == every.tolist()
    assert pairwise(texts, texts[:40], formula=formula, threads=threads).tolist() == beside.tolist()


def test_text_is_tokenized_by_the_metric() -> None:
    texts = ["The cat, sat.", "the cat sat ."]
    scoring = BLEU(lowercase=True)
    lists = [scoring.tokenize(text) for text in texts]
    assert pairwise(texts, formula="nltk", metric=scoring).tolist() == (
        one_by_one(lists, lists, "method1", (0.25,) * 4)
    )
    ids = np.array([[3, 1, 2, 3, 0], [3, 1, 2, 3, 3]])
    assert pairwise(ids, formula="nltk", metric=metric()).tolist() == (
        one_by_one(ids.tolist(), ids.tolist(), "method1", (0.25,) * 4)
    )


@pytest.mark.filterwarnings(r"ignore:\s*The hypothesis contains 0 counts")
@pytest.mark.parametrize("smoothing", ORDINARY)
def test_expected_utilities(smoothing: NLTKSmoothing) -> None:
    generator = random.Random(4)
    pools = [
        [generator.choices("abcd", k=generator.randrange(9)) for _ in range(generator.randrange(2, 9))]
        for _ in range(12)
    ]
    evidence = [pool[:2] for pool in pools]
    weights = [[generator.choice([0.5, 1.0, 3.0]) for _ in pool] for pool in pools]
    options: Any = {"formula": "nltk", "smoothing": smoothing, "metric": metric()}

    plain, chosen = expected(pools, **options), mbr(pools, **options)
    weighted = expected(pools, None, weights, weights_as="counts", **options)
    apart, beside = expected(pools, exclude_self=True, **options), expected(pools, evidence, **options)
    for i, pool in enumerate(pools):
        rows = one_by_one(pool, pool, smoothing, (0.25,) * 4)
        ones = [1.0] * len(pool)
        assert plain[i].tolist() == exact_means(rows, ones)
        assert weighted[i].tolist() == exact_means(rows, weights[i])
        assert apart[i].tolist() == exact_means(rows, ones, exclude_self=True)
        others = one_by_one(pool, evidence[i], smoothing, (0.25,) * 4)
        assert beside[i].tolist() == exact_means(others, [1.0, 1.0])
        assert (chosen.utilities[i], chosen.indices[i]) == (max(plain[i]), np.argmax(plain[i]))


def test_ids_that_match_nothing() -> None:
    ids = TokenIds(np.array([[1, 2, 3, 9, 9], [1, 2, 3, 9, 9]]), unk_id=9)
    found = pairwise(ids, formula="nltk", metric=metric(), upper_triangle=True)
    assert found.tolist() == pairwise(ids, formula="nltk", metric=metric()).tolist()
    assert found[0, 0] == one_by_one(["abcde"], ["abcxy"], "method1", (0.25,) * 4)[0][0]


def test_method0_warns_once() -> None:
    texts, nine = ["a b c d e", "a b d c e", "b a", "q"], metric(max_ngram_order=9)
    options: dict[str, Any] = {"formula": "nltk", "smoothing": "method0", "metric": metric()}
    for order, call in (
        (2, lambda: pairwise(texts, **options)),
        (3, lambda: expected([texts[:2], ["x y z x", "x y z x"]], **options)),
        (7, lambda: pairwise(["a b c d e f"], **options | {"metric": nine})),
        (3, lambda: set_bleu(["a b c d", "a b d c"], ["a b x y"], **options)),
        (2, lambda: self_bleu(["a b", "b a", "a"], **options)),
    ):
        with pytest.warns(UserWarning, match=f"The hypothesis contains 0 counts of {order}-gram") as caught:
            call()
        assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pairwise(["a b c d e", "x y z x"], **options)
        pairwise([], formula="nltk", smoothing="method0")


def test_method6() -> None:
    texts = ["a b c d", "a b c e f", "q r s"]
    found = pairwise(texts, formula="nltk", smoothing="method6", metric=metric())
    lists = [text.split() for text in texts]
    assert found.tolist() == one_by_one(lists, lists, "method6", (0.25,) * 4)
    options: Any = {"formula": "nltk", "smoothing": "method6", "metric": metric()}
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: pairwise(["z", *texts], [*texts, "z c"], **options), r"hypotheses\[0\] and references\[3\]"),
        (lambda: pairwise([*texts, "b s c s t"], **options), r"hypotheses\[0\] and hypotheses\[3\]"),
        (lambda: expected([texts, ["z y x", "z x y"]], **options), r"pools\[1\]\[0\] and pools\[1\]\[1\]"),
        (lambda: mbr([texts], [["g", "c"]], **options), r"pools\[0\]\[0\] and evidence\[0\]\[1\]"),
    ]
    for call, words in calls:
        with pytest.raises(ValueError, match=f"^{words} have tokens in common, but no trigram, which smooth"):
            call()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: pairwise(["a"], formula="NLTK"), "formula must be one of sacrebleu, nltk, got 'NLTK'"),
        (lambda: expected([["a"]], formula="nltk", smoothing="exp"), "smoothing must be one of method0"),
        (lambda: mbr([["a"]], formula="nltk", method="aggregate"), "formula 'nltk' needs method='exact'"),
        (lambda: pairwise(["a"], ["a"], upper_triangle=True), "upper_triangle scores hypotheses"),
        (
            lambda: pairwise(["a"], formula="nltk", smoothing="method6", metric=metric((1, 1))),
            "smoothing 'method6' takes 3 to 12 orders, but max_ngram_order is 2",
        ),
    ],
)
def test_bad_options(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=f"^{words}"):
        call()
    with pytest.raises(TypeError, match=r"^upper_triangle must be True or False"):
        pairwise(["a"], upper_triangle="yes")


def test_effective_order_is_of_no_account_to_nltk(caplog: pytest.LogCaptureFixture) -> None:
    pairwise(["a b", "b a"], formula="nltk", metric=BLEU())
    self_bleu(["a b", "b a"], "nltk", metric=BLEU())
    assert not caplog.records
    assert metric_and_formula(BLEU(), "nltk", "method3")[1].smoothing == "method3"  # type: ignore[union-attr]
