"""Arguments of both tests: names, statistics, documents, seeds; and errors about bad ones."""

from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU
from fastbleu.scoring.significance import approximate_randomization, correct_p_values, paired_bootstrap
from tests.support.random_rows import random_rows
from tests.support.refusals import argument_error

A, B, C = (random_rows(40, seed) for seed in range(3))

pytestmark = pytest.mark.parametrize("test", [approximate_randomization, paired_bootstrap])


def test_names_and_statistics(test: Any) -> None:
    named = test({"a": A, "b": B, "c": C})
    assert test({"a": A.tolist(), "b": B.astype(np.uint16), "c": np.asfortranarray(C)}) == named
    assert [(pair.first, pair.second) for pair in named.pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [system.score for system in named.systems] == [
        BLEU().score_statistics(rows).score for rows in (A, B, C)
    ]
    for pair in named.pairs:
        scores = {system.name: system.score for system in named.systems}
        assert pair.difference == scores[pair.first] - scores[pair.second]
    baseline = test({"a": A, "b": B, "c": C}, pairs="baseline")
    assert (baseline.pairs, baseline.systems) == (named.pairs[:2], named.systems)
    there, back = named.pair("a", "b"), test({"b": B, "a": A}).pair("b", "a")
    assert (there.difference, there.p_value) == (-back.difference, back.p_value)


@pytest.mark.parametrize("n", [1, 2, 20, 100])
def test_equal_systems_do_not_differ(test: Any, n: int) -> None:
    for seed in range(5):
        pair = test({"a": random_rows(n, seed), "b": random_rows(n, seed)}).pair("a", "b")
        assert (pair.difference, pair.p_value, pair.corrected_p_value) == (0, 1, 1)
        assert pair.low in (None, 0)


def test_the_seed_decides(test: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(**options: Any) -> Any:
        return test({"a": A, "b": B}, None, 60, **options)

    assert run() == run(seed=12345)
    assert run(seed=np.int64(7)) == run(seed=7) != run(seed=8)
    assert run(seed=0).seed == "0"
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    assert run() == run(seed=7)
    monkeypatch.setenv("SACREBLEU_SEED", "None")
    assert {run().seed for _ in range(3)} == {"none"} == {run(seed="none").seed}
    assert len({run().pairs[0].extreme for _ in range(20)}) > 1


def test_documents_are_units(test: Any) -> None:
    """Segments of a document are drawn together, wherever they stand: as if each document were one segment."""
    documents = [str(i % 11) for i in range(40)]
    summed = {
        name: np.array([rows[i::11].sum(axis=0) for i in range(11)]) for name, rows in (("a", A), ("b", B))
    }
    by_document = test({"a": A, "b": B}, documents=documents)
    assert by_document == test(summed)
    assert by_document.units == 11
    assert test({"a": A, "b": B}, documents=np.arange(40)) == test({"a": A, "b": B})
    one = test({"a": A, "b": B}, documents=["one"] * 40).pairs[0]
    assert (one.difference != 0, one.p_value) == (True, 1)
    if test is paired_bootstrap:
        assert (one.low, one.high) == (pytest.approx(one.difference, rel=1e-5),) * 2


def test_a_pair_that_was_not_compared(test: Any) -> None:
    found = test({"a": A, "b": B, "c": C}, pairs="baseline")
    for first, second in [("b", "c"), ("a", "a"), ("a", "d")]:
        with pytest.raises(
            ValueError, match=f"^second is '{second}', which was not compared with '{first}'$"
        ):
            found.pair(first, second)


def test_p_values_are_corrected(test: Any) -> None:
    systems = {
        name: random_rows(300, seed, matched=1 - 0.2 * (seed // 2)) for seed, name in enumerate("abcde")
    }
    found = test(systems, correction="holm")
    p_values = [pair.p_value for pair in found.pairs]
    assert p_values == [pair.p_value for pair in test(systems).pairs]
    assert [pair.corrected_p_value for pair in found.pairs] == correct_p_values(p_values, "holm")


@pytest.mark.parametrize(
    ("statistics", "error", "place"),
    [
        ({"a": A}, ValueError, "statistics"),
        ({"a": A, "b": B[:-1]}, ValueError, "statistics['b']"),
        ({"a": A, "b": B[:, :-1]}, ValueError, "statistics['b']"),
        ({"a": A, "b": B.astype(float)}, TypeError, "statistics['b']"),
        ({"a": A, "b": -B}, ValueError, "statistics['b'][0][0]"),
        ({"a": A[:0], "b": B[:0]}, ValueError, "statistics['a']"),
        ({"a": A, 3: B}, TypeError, "statistics[3]"),
        ([("a", A), ("b", B)], TypeError, "statistics"),
        ({"a": A + (1 << 50), "b": B}, ValueError, "statistics['a']"),
    ],
)
def test_bad_statistics(test: Any, statistics: Any, error: type[Exception], place: str) -> None:
    with argument_error(error, place):
        test(statistics)


@pytest.mark.parametrize(
    ("options", "error", "place"),
    [
        ({"pairs": "some"}, ValueError, "pairs"),
        ({"correction": "bonferoni"}, ValueError, "correction"),
        ({"n_resamples": 10.0}, TypeError, "n_resamples"),
        ({"seed": 1.5}, TypeError, "seed"),
        ({"seed": "12"}, ValueError, "seed"),
        ({"n_resamples": 1}, ValueError, "n_resamples"),
        ({"documents": ["x"] * 39}, ValueError, "documents"),
        ({"documents": "x" * 40}, TypeError, "documents"),
        *(
            ({"documents": ["x"] * 39 + [bad]}, TypeError, "documents[39]")
            for bad in (None, float("nan"), ["y"])
        ),
        ({"metric": "BLEU"}, TypeError, "metric"),
    ],
)
def test_bad_options(test: Any, options: Any, error: type[Exception], place: str) -> None:
    with argument_error(error, place):
        test({"a": A, "b": B}, **options)
