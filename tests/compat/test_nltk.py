"""`fastbleu.compat.nltk` without NLTK: its documented examples, its edge cases, figures that people hold."""

from __future__ import annotations

import copy
import inspect
import math
import random
import sys
from fractions import Fraction
from functools import partial
from typing import Any

import pytest

from fastbleu.compat import nltk as compat
from fastbleu.compat.nltk import (
    SmoothingFunction,
    brevity_penalty,
    closest_ref_length,
    corpus_bleu,
    corpus_gleu,
    modified_precision,
    sentence_bleu,
    sentence_gleu,
)
from tests.support import nltk_oracle

words = str.split

UNIFORM = (0.25, 0.25, 0.25, 0.25)

# Papineni et al. (2002), examples 1 and 2, as NLTK's documentation tokenizes them.
CANDIDATE_1 = words(
    "It is a guide to action which ensures that the military always obeys the commands of the party"
)
CANDIDATE_2 = words("It is to insure the troops forever hearing the activity guidebook that party direct")
REFERENCE_1 = words("It is a guide to action that ensures that the military will forever heed Party commands")
REFERENCE_2 = words(
    "It is the guiding principle which guarantees the military forces always being under the command of the Party"
)
REFERENCE_3 = words("It is the practical guide for the army always to heed the directions of the party")
REFERENCES = [REFERENCE_1, REFERENCE_2, REFERENCE_3]
HISTORY = words("he read the book because he was interested in world history")
HISTORY_REFERENCE = words("he was interested in world history because he read the book")
LISTS, HYPOTHESES = [REFERENCES, [HISTORY_REFERENCE]], [CANDIDATE_1, HISTORY]

THE_CAT = [words("the cat is on the mat"), words("there is a cat on the mat")]

unwarned = pytest.mark.filterwarnings("ignore::UserWarning")


def begins(value: float, digits: str) -> bool:
    """Return whether a float is printed with these digits first."""
    return repr(value).startswith(digits)


# NLTK's documented examples


def test_documented_sentences() -> None:
    assert begins(sentence_bleu(REFERENCES, CANDIDATE_1), "0.5045")
    with pytest.warns(UserWarning, match="0 counts of [34]-gram"):
        assert round(sentence_bleu(REFERENCES, CANDIDATE_2), 4) == 0.0
    method1 = SmoothingFunction().method1
    assert begins(sentence_bleu(REFERENCES, CANDIDATE_2, smoothing_function=method1), "0.0370")
    assert begins(sentence_bleu(REFERENCES, CANDIDATE_1, (0.2,) * 5), "0.3920")
    weights = [(1 / 2, 1 / 2), (1 / 3, 1 / 3, 1 / 3), UNIFORM]
    scores = sentence_bleu(REFERENCES, CANDIDATE_1, weights)
    assert [begins(*pair) for pair in zip(scores, ["0.7453", "0.6240", "0.5045"], strict=True)] == [True] * 3


def test_documented_corpora() -> None:
    assert begins(corpus_bleu(LISTS, HYPOTHESES), "0.5920")
    average = (sentence_bleu(LISTS[0], HYPOTHESES[0]) + sentence_bleu(LISTS[1], HYPOTHESES[1])) / 2
    assert begins(average, "0.6223")
    assert begins(corpus_bleu(LISTS, HYPOTHESES, weights=(0.1, 0.3, 0.5, 0.1)), "0.5818")
    weights = [(0.5, 0.5), (0.333, 0.333, 0.334), UNIFORM, (0.2,) * 5]
    scores = corpus_bleu(LISTS, HYPOTHESES, weights=weights)
    expected = ["0.8242", "0.7067", "0.5920", "0.4719"]
    assert [begins(*pair) for pair in zip(scores, expected, strict=True)] == [True] * 4


def test_documented_precisions() -> None:
    assert begins(float(modified_precision(THE_CAT, ["the"] * 7, n=1)), "0.2857")
    assert float(modified_precision(REFERENCES, ["of", "the"], n=1)) == 1.0
    assert float(modified_precision(REFERENCES, ["of", "the"], n=2)) == 1.0
    assert begins(float(modified_precision(REFERENCES, CANDIDATE_1, n=1)), "0.9444")
    assert begins(float(modified_precision(REFERENCES, CANDIDATE_2, n=1)), "0.5714")
    assert float(modified_precision(REFERENCES, CANDIDATE_1, n=2)) == 0.5882352941176471
    assert begins(float(modified_precision(REFERENCES, CANDIDATE_2, n=2)), "0.07692")


@pytest.mark.parametrize(
    ("reference_lengths", "length", "expected"),
    [
        ((12, 15, 17), 12, "1.0"),
        ((28, 28), 12, "0.2635971381157267"),
        ((13, 2), 12, "0.9200"),
        ((13, 11), 12, "1"),
        ((11, 13), 12, "1"),
        ((11, 8), 7, "0.8668"),
        ((11, 8, 6, 7), 7, "1.0"),
    ],
)
def test_documented_penalties(reference_lengths: tuple[int, ...], length: int, expected: str) -> None:
    closest = closest_ref_length((["a"] * each for each in reference_lengths), length)
    assert begins(brevity_penalty(closest, length), expected)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        *((method, "0.4118") for method in (None, 0, 1, 3, 4)),
        (2, "0.4452"),
        (5, "0.4905"),
        (6, "0.4135"),
        (7, "0.4905"),
    ],
)
def test_documented_smoothing(method: int | None, expected: str) -> None:
    function = None if method is None else getattr(SmoothingFunction(), f"method{method}")
    assert begins(sentence_bleu([REFERENCE_1], CANDIDATE_1, smoothing_function=function), expected)


def test_documented_gleu() -> None:
    assert begins(sentence_gleu(THE_CAT[:1], ["the"] * 7), "0.0909")
    assert begins(sentence_gleu([REFERENCE_1], CANDIDATE_1), "0.4393")
    assert begins(sentence_gleu([REFERENCE_1], CANDIDATE_2), "0.1206")
    assert begins(corpus_gleu(LISTS, HYPOTHESES), "0.5673")
    average = (sentence_gleu([REFERENCE_1], CANDIDATE_1) + sentence_gleu([HISTORY_REFERENCE], HISTORY)) / 2
    assert begins(average, "0.6144")


# Figures that are in circulation


@unwarned
def test_figures() -> None:
    assert sentence_bleu(THE_CAT, ["the"] * 8) == 1.2882297539194154e-231
    assert sentence_bleu(THE_CAT, words("the cat the cat on the mat")) == 0.4671379777282001
    ready, swapped = [words("are you ready ?")], words("you are ready ?")
    assert sentence_bleu(ready, swapped) == 1.133422688662942e-154
    method7 = SmoothingFunction().method7
    assert sentence_bleu(ready, swapped, smoothing_function=method7) == 0.3265309055565624
    for length, expected in ((1, "1.82e-231"), (2, "1.49e-154"), (3, "1.22e-77")):
        segment = ["a", "b", "c"][:length]
        assert f"{sentence_bleu([segment], segment):.3g}" == expected
    six = words("a b c d e f")
    assert f"{sentence_bleu([six], six, smoothing_function=SmoothingFunction().method5):.5g}" == "1.1167"
    assert f"{corpus_bleu([[six], [['g']]], [six, ['g']]):.4f}" == "0.8409"


@unwarned
def test_nothing_in_common_is_the_integer_0() -> None:
    for method in (None, *(getattr(SmoothingFunction(), f"method{i}") for i in range(8))):
        for hypothesis in ([], ["x"], ["x"] * 9):
            for weights, expected in (
                (UNIFORM, 0),
                ([UNIFORM], 0),
                ([(0.5, 0.5), (1,)], [0, 0]),
                ((), 0),
            ):
                found = sentence_bleu(THE_CAT, hypothesis, weights, method)
                assert found == expected
                assert type(found) is type(expected)
    assert sentence_bleu(THE_CAT, THE_CAT[0], ()) == 0
    assert corpus_bleu([], [], ()) == 0


def test_one_weighting_in_a_list_is_a_scalar() -> None:
    assert sentence_bleu(THE_CAT, THE_CAT[0], [UNIFORM]) == sentence_bleu(THE_CAT, THE_CAT[0]) == 1.0
    assert sentence_bleu(THE_CAT, THE_CAT[0], [[0.5, 0.5], [1.0]]) == [1.0, 1.0]


@unwarned
def test_equals_the_oracle() -> None:
    generator = random.Random(11)
    for _ in range(600):
        base = generator.choices(["the", "cat", "sat", "on"], k=9)
        hypotheses = [base[: generator.randint(0, 9)] for _ in range(generator.randint(1, 4))]
        lists = [[base[generator.randint(0, 2) :], base[:4]][: generator.randint(1, 2)] for _ in hypotheses]
        weights = generator.choice([UNIFORM, (0.5, 0.5), (0.1, 0.2, 0.3, 0.2, 0.2)])
        method = generator.choice([0, 1, 2, 3, 4, 5, 7])
        function = getattr(SmoothingFunction(), f"method{method}")
        expected = nltk_oracle.corpus_bleu(lists, hypotheses, weights, method)
        assert corpus_bleu(lists, hypotheses, weights, function) == expected
        assert sentence_bleu(lists[0], hypotheses[0], weights, function) == nltk_oracle.corpus_bleu(
            lists[:1], hypotheses[:1], weights, method
        )
        assert corpus_gleu(lists, hypotheses) == nltk_oracle.corpus_gleu(lists, hypotheses)


def test_only_unsmoothed_orders_warn() -> None:
    hypothesis = ["the", "dog", "on", "mat"]
    with pytest.warns(UserWarning, match="-gram overlaps") as caught:
        sentence_bleu(THE_CAT, hypothesis)
    assert [str(warning.message).split()[6] for warning in caught] == ["2-gram", "3-gram", "4-gram"]
    for number in (1, 2, 3, 4, 5, 7):  # warnings are errors here
        sentence_bleu(THE_CAT, hypothesis, smoothing_function=getattr(SmoothingFunction(), f"method{number}"))


def test_methods_5_to_7_see_the_last_segment() -> None:
    method5 = SmoothingFunction().method5
    there, back = (corpus_bleu(LISTS[::s], HYPOTHESES[::s], smoothing_function=method5) for s in (1, -1))
    assert there != back
    assert there == nltk_oracle.corpus_bleu(LISTS, HYPOTHESES, UNIFORM, 5)
    assert back == nltk_oracle.corpus_bleu(LISTS[::-1], HYPOTHESES[::-1], UNIFORM, 5)


@unwarned
def test_auto_reweigh() -> None:
    two = ["the", "cat"]
    assert sentence_bleu([two], two, auto_reweigh=True) == 1.0
    assert sentence_bleu([two], two) < 1e-100
    assert sentence_bleu([two], two, [0.25] * 4, auto_reweigh=True) < 1e-100  # a list is not NLTK's tuple
    assert corpus_bleu([[two], [two]], [two, two], auto_reweigh=True) < 1e-70  # four tokens together


# A smoothing function of one's own


def test_what_a_smoothing_function_is_given() -> None:
    given: list[Any] = []

    def smooth(p_n: Any, **options: Any) -> Any:
        given.append((p_n, options))
        return [0.5, Fraction(1, 4), 0, -1]

    found = corpus_bleu(LISTS, HYPOTHESES, smoothing_function=smooth)
    ((p_n, options),) = given
    assert options["references"] is LISTS[-1]
    assert options["hypothesis"] is HYPOTHESES[-1]
    assert options == {"references": LISTS[-1], "hypothesis": HYPOTHESES[-1], "hyp_len": 18 + 11}
    assert type(options["hyp_len"]) is int
    assert [(p.numerator, p.denominator) for p in p_n] == [(28, 29), (19, 27), (13, 25), (8, 23)]
    assert all(isinstance(p, Fraction) for p in p_n)
    assert isinstance(p_n, list)
    assert found == math.exp(math.fsum([0.25 * math.log(0.5), 0.25 * math.log(0.25)]))


def test_what_a_smoothing_function_of_a_sentence_is_given() -> None:
    given: list[Any] = []

    def smooth(p_n: Any, references: Any, hypothesis: Any, hyp_len: Any) -> Any:
        given.extend((p_n[:], references, hypothesis, hyp_len))
        return (p for p in p_n)  # a generator lasts for one weighting, as in NLTK

    references, hypothesis = ("ab", ["b"]), "abab"
    scores = sentence_bleu(references, hypothesis, [(1,), (0.5, 0.5)], smooth)
    assert given[1] is references
    assert given[2] is hypothesis
    assert [(p.numerator, p.denominator) for p in given[0]] == [(2, 4), (1, 3)]
    assert given[3] == 4
    assert scores == [0.5, math.exp(0.5 * math.log(1 / 3))]


def test_a_smoothing_function_is_called_for_counts_alone() -> None:
    def smooth(*_: Any, **__: Any) -> Any:
        raise LookupError

    assert sentence_bleu(THE_CAT, ["x"], smoothing_function=smooth) == 0
    with pytest.raises(LookupError):
        sentence_bleu(THE_CAT, ["the"], smoothing_function=smooth)


# Bad input


def test_other_numbers_of_hypotheses() -> None:
    for function in (corpus_bleu, corpus_gleu):
        with pytest.raises(AssertionError, match="The number of hypotheses and their reference"):
            function(LISTS, HYPOTHESES[:1])


def test_no_hypotheses() -> None:
    with pytest.raises(ZeroDivisionError):
        corpus_bleu([], [])
    assert corpus_gleu([], []) == 0.0
    assert type(corpus_gleu([], [])) is float


def test_method_6_needs_trigrams() -> None:
    method6 = SmoothingFunction().method6
    with pytest.raises(AssertionError, match="requires non-zero precision for bigrams"):
        sentence_bleu(THE_CAT, ["the", "cat", "on", "mat"], smoothing_function=method6)
    with pytest.raises(IndexError):
        sentence_bleu(THE_CAT, THE_CAT[0], (0.5, 0.5), method6)


def test_constants_that_divide_by_zero() -> None:
    hypothesis = ["the", "dog", "on", "mat"]
    with pytest.raises(ZeroDivisionError):
        sentence_bleu(THE_CAT, hypothesis, smoothing_function=SmoothingFunction(k=0).method4)
    lists, hypotheses = [*LISTS, [["the"]]], [*HYPOTHESES, ["the"]]
    for alpha in (0, 0.0):
        with pytest.raises(ZeroDivisionError):
            corpus_bleu(lists, hypotheses, smoothing_function=SmoothingFunction(alpha=alpha).method6)


@pytest.mark.parametrize("function", [sentence_bleu, sentence_gleu])
def test_bare_references_are_refused(function: Any) -> None:
    for bare in ("the cat", b"the cat", {"the": 1}, None, 3):
        with pytest.raises(TypeError, match="must be a list of references"):
            function(bare, "the cat")


def test_segments_without_references() -> None:
    for references, hypothesis in (([], ["a"]), ([], []), ((), "ab")):
        with pytest.raises(ValueError, match="must hold at least one reference"):
            sentence_bleu(references, hypothesis)
        with pytest.raises(ValueError, match="must hold at least one reference"):
            corpus_bleu([THE_CAT, references], [["the"], hypothesis])
        assert sentence_gleu(references, hypothesis) == 0.0


def test_iterators() -> None:
    for function in (sentence_bleu, corpus_bleu):
        with pytest.raises(TypeError):
            function(THE_CAT, iter(["the"]))
        with pytest.raises(TypeError):
            function(iter(THE_CAT), ["the"] * 2)
    with pytest.raises(TypeError):
        sentence_bleu([iter(["the"])], ["the"])
    assert sentence_gleu(iter([iter(THE_CAT[0])]), iter(["the"] * 7)) == sentence_gleu(
        THE_CAT[:1], ["the"] * 7
    )
    with pytest.raises(TypeError):
        corpus_gleu(iter([THE_CAT]), [["the"]])


@pytest.mark.parametrize("weights", [(0.5, math.nan), [(1,), (math.nan,)], [math.inf], (-math.inf,)])
def test_weights_that_are_not_finite(weights: Any) -> None:
    for hypothesis in (THE_CAT[0], ["x"]):
        with pytest.raises(ValueError, match="weights must be finite"):
            sentence_bleu(THE_CAT, hypothesis, weights)
        with pytest.raises(ValueError, match="weights must be finite"):
            corpus_bleu([THE_CAT], [hypothesis], weights)


def test_weights_of_other_kinds() -> None:
    for wrong in (None, 1, (None, None), ("a", "b"), [None]):
        with pytest.raises(TypeError):
            sentence_bleu(THE_CAT, THE_CAT[0], wrong)
    plain = sentence_bleu(THE_CAT, CANDIDATE_1, (0.5, 0.5), SmoothingFunction().method1)
    exact = (Fraction(1, 2), Fraction(1, 2))
    assert sentence_bleu(THE_CAT, CANDIDATE_1, exact, SmoothingFunction().method1) == plain


def test_negative_weights_are_taken() -> None:
    hypothesis = ["the", "cat", "sat"]
    expected = math.exp(1 - 6 / 3) * math.exp(math.fsum([0.5 * math.log(2 / 3), -0.5 * math.log(1 / 2)]))
    assert sentence_bleu(THE_CAT[:1], hypothesis, (0.5, -0.5)) == expected


@pytest.mark.parametrize(("min_len", "max_len"), [(0, 4), (-1, 4), (1, 0), (1, -2)])
def test_gleu_of_no_orders(min_len: int, max_len: int) -> None:
    with pytest.raises(ValueError, match="must be at least 1"):
        sentence_gleu(THE_CAT, ["the"], min_len, max_len)


def test_gleu_of_all_orders() -> None:
    hypothesis = ["a"] * 300
    assert sentence_gleu([["a"] * 300], hypothesis, max_len=-1) == 1.0
    assert sentence_gleu(["abcd"], "abcd", max_len=-1) == 1.0
    assert sentence_gleu([["a", "b"]], "abc", 2, -1) == 1 / 3
    assert sentence_gleu([[]], [], max_len=-1) == 0.0
    for wrong in (None, 2.0):
        with pytest.raises(TypeError):
            sentence_gleu(THE_CAT, ["the"], 1, wrong)


def test_nothing_is_changed() -> None:
    lists, hypotheses, weights = copy.deepcopy((LISTS, HYPOTHESES, [list(UNIFORM), [1.0]]))
    for number in range(8):
        corpus_bleu(lists, hypotheses, weights, getattr(SmoothingFunction(), f"method{number}"))
        sentence_bleu(lists[0], hypotheses[0], weights, getattr(SmoothingFunction(), f"method{number}"))
    corpus_gleu(lists, hypotheses)
    assert (lists, hypotheses, weights) == (LISTS, HYPOTHESES, [list(UNIFORM), [1.0]])


def test_names() -> None:
    assert compat.bleu is sentence_bleu
    assert compat.gleu is sentence_gleu
    assert set(compat.__all__) <= set(vars(compat))
    signature = inspect.signature(corpus_bleu)
    assert [(p.name, p.default) for p in signature.parameters.values()][2:] == [
        ("weights", UNIFORM),
        ("smoothing_function", None),
        ("auto_reweigh", False),
    ]


def test_smallest_float_is_what_an_order_without_a_match_has() -> None:
    with pytest.warns(UserWarning, match="2-gram"):
        found = sentence_bleu([["a", "c"]], ["a", "b"], (0, 1))
    assert found == math.exp(math.log(sys.float_info.min))


@pytest.mark.parametrize(
    ("hypothesis", "references", "words"),
    [
        (
            ["the", "cat"],
            ["the cat"],
            r"references\[0\] is str: 'the cat'.*hypothesis has words, such as 'the'",
        ),
        (["the", "cat"], ["the", "cat"], r"references\[0\] is str: 'the'"),
        ("the cat", [["the", "cat"]], r"hypothesis is str: 'the cat'.*references\[0\] has words"),
        ("the cat", ["the cat", ["a", "dog"]], r"references\[1\] has words, such as 'dog'"),
    ],
)
def test_text_beside_words(hypothesis: Any, references: Any, words: str) -> None:
    letters = [list(one) for one in references], list(hypothesis)
    with pytest.warns(UserWarning, match=words):
        found = compat.sentence_bleu(references, hypothesis, (1,))
    assert found == compat.sentence_bleu(*letters, (1,))
    for function in (partial(compat.corpus_bleu, weights=(1,)), compat.corpus_gleu):
        with pytest.warns(UserWarning, match=r"of which each character is a token, but .*\[1\].* has words"):
            found = function([[["a"]], references], [["a"], hypothesis])
        assert found == function([[["a"]], letters[0]], [["a"], letters[1]])


def test_letters_may_be_a_text_or_a_list() -> None:
    assert compat.sentence_bleu(["abcd"], list("abcd")) == 1.0
    assert compat.sentence_bleu([list("abcd")], "abcd") == 1.0


def test_orders_beyond_every_segment_cost_nothing() -> None:
    references, hypotheses = [[["the", "cat", "sat"]]] * 3, [["the", "cat", "is"]] * 3
    assert compat.corpus_gleu(references, hypotheses, max_len=10**9) == compat.corpus_gleu(
        references, hypotheses
    )
    assert compat.corpus_gleu(references, hypotheses, min_len=10**6, max_len=10**9) == 0.0
    precision = compat.modified_precision(references[0], hypotheses[0], 10**10)
    assert (precision.numerator, precision.denominator) == (0, 1)


@pytest.mark.parametrize(
    ("weights", "kind", "words"),
    [
        (0.25, TypeError, "weights must be a sequence of numbers, or of such sequences, not float: 0.25"),
        (None, TypeError, "not NoneType"),
        ("0.25", TypeError, "not str: '0.25'"),
        ({0: 0.5, 1: 0.5}, TypeError, "not dict"),
        ([{0: 0.5}], TypeError, "not list"),
        ((0.5, float("nan")), ValueError, "number 1 of .* is nan"),
        ([(1,), (0.5, float("inf"))], ValueError, "number 1 of .* is inf"),
    ],
)
def test_no_weights(weights: Any, kind: Any, words: str) -> None:
    with pytest.raises(kind, match=words):
        compat.sentence_bleu([["a", "b"]], ["a", "b"], weights)


def test_errors_of_corpora_name_their_argument() -> None:
    with pytest.raises(TypeError, match=r"^list_of_references\[1\]\[0\]\[0\] must be a hashable token"):
        compat.corpus_bleu([[["a"]], [[["b"]]]], [["a"], ["b"]])


def test_one_segment_of_gleu_names_its_own_arguments() -> None:
    with pytest.raises(TypeError, match=r"^hypothesis must be a sequence of tokens, not NoneType"):
        compat.sentence_gleu([["a"]], None)
    with pytest.raises(TypeError, match=r"^references\[1\] must be a sequence of tokens, not int: 5"):
        compat.sentence_gleu([["a"], 5], ["a"])
    with pytest.warns(
        UserWarning, match=r"references\[0\] is str: 'a cat'.*hypothesis has words, such as 'cat'"
    ):
        assert compat.sentence_gleu(["a cat"], ["cat", "a"]) == 1 / 14
