"""`SmoothingFunction` over fractions, and over counts."""

from __future__ import annotations

import pickle
import random
import re
import subprocess
import sys
from fractions import Fraction as ReducedFraction
from functools import partial
from typing import Any

import pytest

from fastbleu.compat.nltk import SmoothingFunction, corpus_bleu, modified_precision, sentence_bleu
from fastbleu.compat.nltk.smoothing import method_of
from fastbleu.compat.nltk.unreduced import Fraction
from tests.support import nltk_oracle

words = str.split

REFERENCES = [words("the cat is on the mat now"), words("there is a cat on the mat")]
HYPOTHESIS = words("a cat is on the red mat")
METHODS = [f"method{number}" for number in range(8)]


def p_n() -> list[Any]:
    return [modified_precision(REFERENCES, HYPOTHESIS, n) for n in range(1, 5)]


def through_fractions(smoothing: SmoothingFunction, method: str) -> Any:
    """The method in a function of another name, so that nothing knows it."""

    def wrapped(*arguments: Any, **options: Any) -> Any:
        return getattr(smoothing, method)(*arguments, **options)

    return wrapped


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("method", METHODS)
def test_with_and_without_fractions(method: str) -> None:
    generator = random.Random(method)
    words = ["the", "cat", "sat", "on", "a", "mat"]
    smoothing = SmoothingFunction()
    for _ in range(500):
        base = generator.choices(words, k=12)
        hypotheses = [base[: generator.randint(1, 12)] for _ in range(generator.randint(1, 3))]
        references = [[base[generator.randint(0, 2) :]] for _ in hypotheses]
        weights = (1 / 3,) * 3 if generator.random() < 0.3 else (0.2,) * 5
        scored = partial(corpus_bleu, references, hypotheses, weights)
        function = getattr(smoothing, method)
        try:
            expected = scored(through_fractions(smoothing, method))
        except AssertionError as error:
            with pytest.raises(AssertionError, match=re.escape(str(error))):
                scored(function)
        else:
            assert scored(function) == expected


def test_our_methods_are_known_and_no_others() -> None:
    smoothing = SmoothingFunction()

    class Mine(SmoothingFunction):
        def method3(self, p_n: Any, *_args: Any, **_kwargs: Any) -> Any:
            return p_n

    for method in METHODS:
        assert method_of(getattr(smoothing, method)) == method
        assert method_of(getattr(Mine(), method)) == ("" if method == "method3" else method)
    assert method_of(None) == "method0"
    assert method_of(through_fractions(smoothing, "method1")) == ""


@pytest.mark.parametrize("method", ["method0", "method1", "method2"])
def test_first_methods_return_a_new_list(method: str) -> None:
    given = p_n()
    before = given[:]
    found = getattr(SmoothingFunction(), method)(given)
    assert given == before
    assert found is not given
    assert isinstance(found, list)


@pytest.mark.parametrize("method", ["method3", "method4", "method5", "method7"])
def test_other_methods_change_the_list_they_are_given(method: str) -> None:
    given = p_n()
    assert getattr(SmoothingFunction(), method)(given, REFERENCES, HYPOTHESIS, len(HYPOTHESIS)) is given


def test_fractions_stay_fractions_where_they_can() -> None:
    smoothing = SmoothingFunction(epsilon=0.5)
    given = [Fraction(4, 6), Fraction(2, 6), Fraction(0, 4)]
    assert smoothing.method1(given) == [*given[:2], 0.5 / 4]
    assert [(p.numerator, p.denominator) for p in smoothing.method2(given)] == [(4, 6), (3, 7), (1, 5)]
    assert smoothing.method3(given[:]) == [*given[:2], 1 / 8]
    averages = smoothing.method5(given[:], REFERENCES, HYPOTHESIS)
    assert all(isinstance(p, ReducedFraction) for p in averages)
    assert float(averages[0]) == (2 / 3 + 1 + 2 / 3 + 1 / 3) / 3


def test_length_of_the_hypothesis_where_none_is_given() -> None:
    smoothing = SmoothingFunction()
    given = [Fraction(4, 6), Fraction(0, 5)]
    for method in ("method4", "method7"):
        function = getattr(smoothing, method)
        told = function(given[:], REFERENCES, HYPOTHESIS, hyp_len=len(HYPOTHESIS))
        assert function(given[:], REFERENCES, HYPOTHESIS) == told
        assert function(given[:], references=REFERENCES, hypothesis=HYPOTHESIS, hyp_len=0) == told


def test_method_4_leaves_a_single_token_alone() -> None:
    given = [Fraction(1, 1), Fraction(0, 1)]
    assert SmoothingFunction().method4(given[:], REFERENCES, ["the"]) == given


def test_a_subclass_that_overrides_a_part_of_method_7() -> None:
    class Nothing(SmoothingFunction):
        def method4(self, p_n: Any, *_args: Any, **_kwargs: Any) -> Any:
            return p_n

    changed = Nothing().method7
    assert sentence_bleu(REFERENCES, HYPOTHESIS, smoothing_function=changed) == sentence_bleu(
        REFERENCES, HYPOTHESIS, smoothing_function=SmoothingFunction().method5
    )


def test_a_method_set_on_the_instance_or_on_the_class(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = sentence_bleu(REFERENCES, HYPOTHESIS, smoothing_function=SmoothingFunction().method5)
    smoothing = SmoothingFunction()
    smoothing.method4 = lambda p_n, *_: p_n  # type: ignore[method-assign]
    assert sentence_bleu(REFERENCES, HYPOTHESIS, smoothing_function=smoothing.method7) == expected
    monkeypatch.setattr(SmoothingFunction, "method4", lambda _, p_n, *__: p_n)
    other = SmoothingFunction()
    assert sentence_bleu(REFERENCES, HYPOTHESIS, smoothing_function=other.method7) == expected


@pytest.mark.parametrize("alpha", [5, 2.5, ReducedFraction(5, 2)])
def test_constants_of_any_number_type(alpha: Any) -> None:
    hypothesis = words("the cat is on a mat")
    expected = nltk_oracle.corpus_bleu([REFERENCES], [hypothesis], (0.25,) * 4, 6, alpha=alpha)
    found = sentence_bleu(REFERENCES, hypothesis, smoothing_function=SmoothingFunction(alpha=alpha).method6)
    assert found == expected


def test_constants() -> None:
    smoothing = SmoothingFunction()
    assert (smoothing.epsilon, smoothing.alpha, smoothing.k) == (0.1, 5, 5)
    smoothing = SmoothingFunction(0.2, 3, 4)
    again = pickle.loads(pickle.dumps(smoothing))
    assert (again.epsilon, again.alpha, again.k) == (0.2, 3, 4)
    again.epsilon = 0.7  # constants may be changed, as in NLTK
    assert sentence_bleu([["a", "b"]], ["a", "c"], (0.5, 0.5), again.method1) == pytest.approx(0.35**0.5)


def test_importing_stays_cheap() -> None:
    code = "import sys, fastbleu.compat.nltk; print(*sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    rare = {"numpy", "nltk", "fractions", "decimal", "re", "typing", "dataclasses", "json", "logging"}
    assert not rare & set(loaded)
