"""`fastbleu.compat.nltk` without NLTK: its documented examples, its edge cases, figures that people hold."""

import copy
import math
import pickle
from collections import UserList, deque
from collections.abc import Iterator
from fractions import Fraction as Reduced
from functools import partial
from typing import Any

import pytest

from fastbleu.compat.nltk import (
    SmoothingFunction,
    closest_ref_length,
    corpus_bleu,
    corpus_chrf,
    corpus_gleu,
    modified_precision,
    sentence_bleu,
    sentence_gleu,
)
from fastbleu.scoring.nltk.unreduced_fractions import Fraction
from tests.support import papineni

words = str.split

UNIFORM = (0.25, 0.25, 0.25, 0.25)

LISTS = [list(map(words, papineni.GUIDE_REFERENCES)), [words(papineni.HISTORY_REFERENCE)]]
HYPOTHESES = [words(papineni.GUIDE), words(papineni.HISTORY)]

THE_CAT = [words("the cat is on the mat"), words("there is a cat on the mat")]
METHODS = [f"method{number}" for number in range(8)]
smoothed = [getattr(SmoothingFunction(), method) for method in METHODS]


def test_orders_beyond_every_segment_cost_nothing() -> None:
    assert corpus_gleu([THE_CAT], [["the"]], min_len=10**6, max_len=10**9) == 0.0
    precision = modified_precision(THE_CAT, ["the"], 10**10)
    assert (precision.numerator, precision.denominator) == (0, 1)


def test_nothing_is_changed() -> None:
    lists, hypotheses, weights = copy.deepcopy((LISTS, HYPOTHESES, [list(UNIFORM), [1.0]]))
    for function in smoothed:
        corpus_bleu(lists, hypotheses, weights, function)
        sentence_bleu(lists[0], hypotheses[0], weights, function)
    corpus_gleu(lists, hypotheses)
    assert (lists, hypotheses, weights) == (LISTS, HYPOTHESES, [list(UNIFORM), [1.0]])


def test_what_a_smoothing_function_is_given() -> None:
    given: list[Any] = []

    def smooth(p_n: Any, **options: Any) -> Any:
        given.append((p_n, options))
        return [0.5, Reduced(1, 4), 0, -1]

    found = corpus_bleu(LISTS, HYPOTHESES, smoothing_function=smooth)
    ((p_n, options),) = given
    assert options["references"] is LISTS[-1]
    assert options["hypothesis"] is HYPOTHESES[-1]
    assert options == {"references": LISTS[-1], "hypothesis": HYPOTHESES[-1], "hyp_len": 18 + 11}
    assert [(p.numerator, p.denominator) for p in p_n] == [(28, 29), (19, 27), (13, 25), (8, 23)]
    assert found == math.exp(math.fsum([0.25 * math.log(0.5), 0.25 * math.log(0.25)]))


def test_what_a_smoothing_function_of_a_sentence_is_given() -> None:
    given: list[Any] = []

    def smooth(p_n: Any, references: Any, hypothesis: Any, hyp_len: Any) -> Any:
        given.extend((p_n[:], references, hypothesis, hyp_len))
        return (p for p in p_n)  # a generator lasts for one weighting, as in NLTK

    references, hypothesis = ("ab", ["b"]), "abab"
    scores = sentence_bleu(references, hypothesis, [(1,), (0.5, 0.5)], smooth)
    assert given[1] is references
    assert given[2:] == [hypothesis, 4]
    assert [(p.numerator, p.denominator) for p in given[0]] == [(2, 4), (1, 3)]
    assert scores == [0.5, math.exp(0.5 * math.log(1 / 3))]

    def fail(*_: Any, **__: Any) -> Any:
        raise LookupError

    assert sentence_bleu(THE_CAT, ["x"], smoothing_function=fail) == 0
    with pytest.raises(LookupError):
        sentence_bleu(THE_CAT, ["the"], smoothing_function=fail)


def test_lists_and_fractions_that_methods_return() -> None:
    given = [Fraction(4, 6), Fraction(2, 6), Fraction(0, 4)]
    assert SmoothingFunction(epsilon=0.5).method1(given) == [*given[:2], 0.5 / 4]
    assert [(p.numerator, p.denominator) for p in smoothed[2](given)] == [(4, 6), (3, 7), (1, 5)]
    assert smoothed[3](given[:]) == [*given[:2], 1 / 8]
    for method in (smoothed[4], smoothed[7]):  # the hypothesis' length where none is given
        told = method(given[:], THE_CAT, THE_CAT[0], hyp_len=len(THE_CAT[0]))
        assert method(given[:], THE_CAT, THE_CAT[0]) == told


def test_a_part_of_method_7_that_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    hypothesis = words("a cat is on the red mat")
    expected = sentence_bleu(THE_CAT, hypothesis, smoothing_function=smoothed[5])
    own = SmoothingFunction()
    own.method4 = lambda p_n, *_: p_n  # type: ignore[method-assign]
    assert sentence_bleu(THE_CAT, hypothesis, smoothing_function=own.method7) == expected
    monkeypatch.setattr(SmoothingFunction, "method4", lambda _, p_n, *__: p_n)
    assert sentence_bleu(THE_CAT, hypothesis, smoothing_function=SmoothingFunction().method7) == expected


def test_constants() -> None:
    smoothing = SmoothingFunction()
    assert (smoothing.epsilon, smoothing.alpha, smoothing.k) == (0.1, 5, 5)
    again = pickle.loads(pickle.dumps(SmoothingFunction(0.2, 3, 4)))
    assert (again.epsilon, again.alpha, again.k) == (0.2, 3, 4)
    again.epsilon = 0.7  # constants may be changed, as in NLTK
    assert sentence_bleu([["a", "b"]], ["a", "c"], (0.5, 0.5), again.method1) == pytest.approx(0.35**0.5)
    with pytest.raises(ZeroDivisionError):
        sentence_bleu(THE_CAT, ["the", "dog"], smoothing_function=SmoothingFunction(k=0).method4)
    lists, hypotheses = [*LISTS, [["the"]]], [*HYPOTHESES, ["the"]]
    with pytest.raises(ZeroDivisionError):
        corpus_bleu(lists, hypotheses, smoothing_function=SmoothingFunction(alpha=0).method6)


@pytest.mark.parametrize(("numerator", "denominator"), [(4, 8), (0, 7), (6, 3)])
def test_fractions_keep_their_numbers_and_their_value(numerator: int, denominator: int) -> None:
    reduced, found = Reduced(numerator, denominator), Fraction(numerator, denominator)
    for same in (found, copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert (same.numerator, same.denominator) == (numerator, denominator)
        assert (float(same), bool(same)) == (float(reduced), bool(reduced))
        assert isinstance(same, Reduced)
    for other in (Reduced(2, 5), Fraction(3, 9), 0.75):
        assert float(found + other) == float(reduced + other)
        assert float(other - found) == float(other - reduced)
        assert float(found * other) == float(reduced * other)
        assert float(found / other) == float(reduced / other)
        assert (found > other) == (reduced > other)
    assert float(found**2) == float(reduced**2)
    with pytest.raises(ZeroDivisionError):
        Fraction(numerator, 0)


def test_sequences_and_tokens_of_any_kind() -> None:
    np = pytest.importorskip("numpy")
    pairs: list[tuple[list[list[Any]], list[Any]]] = [
        ([[1, 2, 4, 3], [2, 3, 4, 1]], [1, 2, 3, 4]),
        ([list("abcd"), list("abce")], list("abce")),
        ([[1, "1", (1,), None], ["\ud800", "", b"1", 2**70]], [True, "1", (1.0,), None]),
    ]
    for references, hypothesis in pairs:
        expected = sentence_bleu(references, hypothesis, (0.5, 0.5))
        for container in (tuple, UserList, deque, partial(np.array, dtype=object)):
            mixed = [references[0], container(references[1])]
            for some in (mixed, tuple(mixed), list(map(container, references))):
                assert sentence_bleu(some, container(hypothesis), (0.5, 0.5)) == expected
                assert corpus_bleu([some], [container(hypothesis)], (0.5, 0.5)) == expected
        assert sentence_bleu(set(map(tuple, references)), hypothesis, (0.5, 0.5)) == expected
    letters = np.array(list("abce"))
    references, hypothesis = pairs[1]
    expected = sentence_bleu(references, hypothesis, (0.5, 0.5))
    same: list[tuple[Any, Any]] = [(["abcd", letters], "abce"), ([b"abcd", b"abce"], b"abce")]
    for some, segment in (*same, ([letters[:1], letters], letters)):
        assert sentence_bleu(some, segment, (0.5, 0.5)) == expected
        assert corpus_bleu([some, some], [segment, segment], (0.5, 0.5)) == expected
    numbers = np.array(pairs[0][0])
    assert corpus_bleu(numbers[None], numbers[None, 1].astype(float)) == 1.0


def tokens() -> Iterator[str]:
    yield from "abc"


A = [["a"]]


@pytest.mark.parametrize(
    ("references", "hypothesis", "error", "message"),
    [
        (A, tokens(), TypeError, "hypothesis must be a sequence of tokens, not generator"),
        (A, A, TypeError, "must be a hashable token, not list"),
        ([A], ["a"], TypeError, "must be a hashable token, not list"),
        ([["a"], tokens()], ["a"], TypeError, r"references\[1\] must be a sequence of tokens, not generator"),
        ([["a"], None], ["a"], TypeError, r"references\[1\] must be a sequence of tokens, not NoneType"),
        (iter(A), ["a"], TypeError, "references must be a list of references, not list_iterator"),
        ("abc", "abc", TypeError, "references must be a list of references, not str: 'abc'"),
        ((), [], ValueError, "must hold at least one reference"),
    ],
)
def test_bad_input(references: Any, hypothesis: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        sentence_bleu(references, hypothesis)
    if not hasattr(references, "__next__"):
        for lists, segments in (([A, references], [["a"], hypothesis]), ([references, A], [hypothesis, "a"])):
            with pytest.raises(error):
                corpus_bleu(lists, segments)


def test_bad_corpora_name_the_place() -> None:
    tokens_wanted = "must be a sequence of tokens"
    for references, hypotheses, message in (
        ([A, A], [["a"], None], rf"hypotheses\[1\] {tokens_wanted}, not NoneType"),
        ([A, "abc"], [["a"], ["b"]], r"list_of_references\[1\] must be a list of references, not str: 'abc'"),
        ([A, [["a"], None]], [["a"], ["b"]], rf"list_of_references\[1\]\[1\] {tokens_wanted}"),
        ([A, [[["b"]]]], [["a"], ["b"]], r"^list_of_references\[1\]\[0\]\[0\] must be a hashable token"),
        *((wrong, [["a"]], "list_of_references must be a seq") for wrong in ("ab", iter([A]), None, {1, 2})),
        *(([A], wrong, "hypotheses must be a sequence of segments") for wrong in ("ab", iter(A), None, {1})),
    ):
        with pytest.raises(TypeError, match=message):
            corpus_bleu(references, hypotheses)
    for function in (corpus_bleu, corpus_gleu):
        with pytest.raises(AssertionError, match="must be of the same length"):
            function(LISTS, HYPOTHESES[:1])
    with pytest.raises(ZeroDivisionError):
        corpus_bleu([], [])


def test_bad_input_of_gleu() -> None:
    for bare in ("the cat", {"the": 1}, None):
        with pytest.raises(TypeError, match="must be a list of references"):
            sentence_gleu(bare, "the cat")
    with pytest.raises(TypeError, match=r"^references\[1\] must be a sequence of tokens, not int: 5"):
        sentence_gleu([["a"], 5], ["a"])
    assert sentence_gleu([], ["a"]) == 0.0
    for min_len, max_len in ((0, 4), (-1, 4), (1, 0), (1, -2)):
        with pytest.raises(ValueError, match="must be at least 1"):
            sentence_gleu(THE_CAT, ["the"], min_len, max_len)
    with pytest.raises(TypeError):
        sentence_gleu(THE_CAT, ["the"], 1, 2.0)
    for references, hypothesis in ((iter(THE_CAT), ["the"]), (THE_CAT, iter(["the"]))):
        with pytest.raises(TypeError, match="must be a"):
            sentence_gleu(references, hypothesis)


def test_one_list_of_references_for_all_is_scored_as_copies_of_it() -> None:
    references = [["the", "cat", "is", "here", "now"], ["here", "is", "a", "cat"]]
    hypotheses = [["the", "cat", "is", "here", "too"], ["a"], [], ["here", "is", "a", "cat", "or", "two"]]
    for more in ([], [["a", 3]], [("a",)]):
        one = [*references, *more]
        copies = [list(one) for _ in hypotheses]
        assert (
            corpus_bleu([one] * 4, hypotheses, (0.5, 0.5)) == corpus_bleu(copies, hypotheses, (0.5, 0.5)) > 0
        )
    for bad in (None, 3, [["a"]]):
        for lists in ([[*references, bad]] * 4, [[*references, bad] for _ in hypotheses]):
            with pytest.raises(TypeError, match=r"list_of_references\[0\]\[2\]"):
                corpus_bleu(lists, hypotheses)


def test_bad_options() -> None:
    with pytest.raises(AssertionError, match="requires non-zero precision for bigrams"):
        sentence_bleu(THE_CAT, ["the", "cat", "on", "mat"], smoothing_function=smoothed[6])
    with pytest.raises(IndexError):
        sentence_bleu(THE_CAT, THE_CAT[0], (0.5, 0.5), smoothed[6])
    for hypothesis in (THE_CAT[0], ["x"]):
        with pytest.raises(ValueError, match=r"^weights\[.*\] must be finite"):
            sentence_bleu(THE_CAT, hypothesis, (0.5, math.nan))
        with pytest.raises(TypeError, match="weights must be a sequence of numbers"):
            corpus_bleu([THE_CAT], [hypothesis], None)
    for n, error in ((0, ValueError), (1.5, TypeError)):
        with pytest.raises(error, match="n must be"):
            modified_precision(A, ["a"], n)
    short = modified_precision((["a"],), deque("a"), 2)
    assert (short.numerator, short.denominator) == (0, 1)
    far = modified_precision([["a"] * 100], ["a"] * 99, 90)  # more orders than matchers are kept for
    assert (far.numerator, far.denominator) == (10, 10)


def test_closest_reference_length() -> None:
    assert closest_ref_length((["a"] * length for length in (13, 11, 2)), 12.5) == 13
    with pytest.raises(ValueError, match="references must hold at least one reference"):
        closest_ref_length([], 3)
    with pytest.raises(TypeError):
        closest_ref_length([5], 3)


@pytest.mark.parametrize(
    ("hypothesis", "references", "message"),
    [
        (["the", "cat"], ["the cat"], r"references\[0\] is str: 'the cat'.*hypothesis has words"),
        ("the cat", [["the", "cat"]], r"hypothesis is str: 'the cat'.*references\[0\] has words"),
    ],
)
def test_text_beside_words(hypothesis: Any, references: Any, message: str) -> None:
    letters = [list(one) for one in references], list(hypothesis)
    for function in (partial(sentence_bleu, weights=(1,)), sentence_gleu):
        with pytest.warns(UserWarning, match=message):
            found = function(references, hypothesis)
        assert found == function(*letters)
    for of_corpus in (partial(corpus_bleu, weights=(1,)), corpus_gleu):
        with pytest.warns(UserWarning, match=r"of which each character is a token, but .*\[1\].* has words"):
            found = of_corpus([A, references], [["a"], hypothesis])
        assert found == of_corpus([A, letters[0]], [["a"], letters[1]])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((["a"], ["a", "b"]), AssertionError, "there are 2 hypotheses, but 1 references"),
        (([], []), ZeroDivisionError, "there is no segment"),
        ((["a"], ["a"], 3, 2), ZeroDivisionError, "min_len is above max_len"),
        ((["a"], ["a"], 0), ValueError, "min_len must be"),
        ((["a"], [3]), TypeError, r"hypotheses\[0\] must be a str or words, not int: 3"),
        (("a", ["a"]), TypeError, "references must be"),
    ],
)
def test_corpora_that_chrf_refuses(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        corpus_chrf(*arguments)
