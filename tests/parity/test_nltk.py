"""`fastbleu.compat.nltk` beside the installed NLTK: values, types, exceptions' types and warnings, all `==`."""

import random
import warnings
from collections.abc import Callable
from typing import Any

import pytest

bleu_score = pytest.importorskip("nltk.translate.bleu_score", exc_type=ImportError)

from nltk.translate import chrf_score, gleu_score

from fastbleu.compat import nltk as compat
from tests.support.compared import compared

UNIFORM = (0.25, 0.25, 0.25, 0.25)
WEIGHTS: list[Any] = [
    UNIFORM,
    (1,),
    *((1 / order,) * order for order in (2, 3, 5, 6)),
    (0.1, 0.3, 0.5, 0.1),
    (0, 0, 1, 0),
    (0.6, -0.2, 0.3),
    [0.25, 0.25, 0.25, 0.25],
    (2, 3, 4),
    (),
    [UNIFORM],
    [UNIFORM, (1,), (0.5, 0.5), (0.1, 0.2, 0.3, 0.2, 0.1, 0.1)],
    [[0.5, 0.5], [1]],
    [(0.5, 0.5), ()],
    ((0.333, 0.333, 0.334), (0.25, 0.25, 0.25, 0.25)),
]

#: Method and constructor arguments.
SMOOTHING: list[tuple[int | None, dict[str, Any]]] = [
    (None, {}),
    *((number, {}) for number in range(8)),
    *((1, {"epsilon": epsilon}) for epsilon in (0.01, 0, 1, 0.5)),
    *((4, {"k": k}) for k in (1, 0.5, 10)),
    *((6, {"alpha": alpha}) for alpha in (0, 1, 2.5, 7, 0.0)),
    *((7, {"k": k}) for k in (1, 2.5)),
]


def smoothing(module: Any, method: int | None, arguments: dict[str, Any]) -> Any:
    return None if method is None else getattr(module.SmoothingFunction(**arguments), f"method{method}")


def typed(value: Any) -> Any:
    """A value with its type, so that 0 is not 0.0."""
    if isinstance(value, list):
        return [typed(each) for each in value]
    if hasattr(value, "numerator") and not isinstance(value, int):
        return "fraction", value.numerator, value.denominator, float(value)
    return type(value).__name__, value


def outcome(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Return the outcome of a call: its value or the type of its exception, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = typed(function(*arguments, **options))
        except Exception as error:  # noqa: BLE001  # any kind at all is compared
            value = next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins")
    said = [(warning.category.__name__, str(warning.message)) for warning in caught]
    # Only ours warns of text beside words.
    return value, [one for one in said if "each character is a token" not in one[1]]


def same(name: str, *arguments: Any) -> None:
    """Compare a call; a smoothing of `SMOOTHING` is each module's own."""
    results = []
    for module in (compat, gleu_score if "gleu" in name else bleu_score):
        own = [smoothing(module, *each) if isinstance(each, tuple) else each for each in arguments[3:]]
        results.append(outcome(getattr(module, name), *arguments[:3], *own))
    assert results[0] == results[1], (name, arguments)
    compared(f"nltk 3.10.4, {name}")


def random_segments(generator: random.Random) -> Callable[[], Any]:
    """Makes segments of one vocabulary and of one kind of token; related ones, so that long n-grams match."""
    vocabulary: list[Any] = generator.choice(
        (
            ["a"],
            ["the", "cat", "sat", "on"],
            [f"w{i}" for i in range(30)],
            [0, 1, 2],
            list(range(-5, 40)),
            [(0,), (1, "a"), (), ("a", 1)],
            ["1", 1, (1,), None, 2.5, True, b"1"],
            list("abcde"),
        )
    )
    longest = generator.choice((3, 6, 12, 40))
    base = generator.choices(vocabulary, k=longest)

    def segment() -> Any:
        length = generator.choice((0, 1, 2, 3, 4, generator.randint(0, longest)))
        if generator.random() < 0.7:
            start = generator.randrange(0, 3)
            tokens = [
                generator.choice(vocabulary) if generator.random() < 0.15 else token
                for token in base[start : start + length]
            ]
        else:
            tokens = generator.choices(vocabulary, k=length)
        kind = generator.random()
        if kind < 0.1 and all(isinstance(token, str) for token in vocabulary):
            return "".join(tokens)
        return tuple(tokens) if kind < 0.3 else tokens

    return segment


def random_options(generator: random.Random) -> tuple[Any, Any, bool]:
    return generator.choice(WEIGHTS), generator.choice(SMOOTHING), generator.random() < 0.5


def test_random_sentences() -> None:
    generator = random.Random(1)
    for _ in range(200):
        segment = random_segments(generator)
        hypothesis, references = segment(), [segment() for _ in range(generator.randint(1, 4))]
        for method in SMOOTHING[:9]:
            same("sentence_bleu", references, hypothesis, UNIFORM, method)
        for _ in range(4):
            same("sentence_bleu", references, hypothesis, *random_options(generator))
        for n in (1, 2, generator.randint(1, 8)):
            same("modified_precision", references, hypothesis, n)
        same("closest_ref_length", references, len(hypothesis))
        same("brevity_penalty", len(references[0]), len(hypothesis))
        limits = (generator.randint(1, 4), generator.choice((-1, 1, 2, 4, 6)))
        same("sentence_gleu", references, hypothesis)
        same("sentence_gleu", references, hypothesis, *limits)


def test_random_corpora() -> None:
    generator = random.Random(2)
    for _ in range(200):
        segment = random_segments(generator)
        hypotheses = [segment() for _ in range(generator.randint(0, 6))]
        references = [[segment() for _ in range(generator.randint(1, 4))] for _ in hypotheses]
        for _ in range(8):
            same("corpus_bleu", references, hypotheses, *random_options(generator))
        if hypotheses:
            generator.choice(references).clear()
        limits = (generator.randint(1, 3), generator.choice((-1, 1, 3, 5)))
        same("corpus_gleu", references, hypotheses)
        same("corpus_gleu", references, hypotheses, *limits)


def test_every_option_together() -> None:
    """The whole grid on a few corpora: matches of every order, of some, of none; too short; empty."""
    reference = ["the", "cat", "sat", "on", "the", "mat", "and", "slept"]
    corpora: list[tuple[Any, Any]] = [
        ([reference], [[reference, reference[2:]]]),
        ([reference[:4] + reference[5:]], [[reference, ["the", "mat"]]]),
        ([["the", "dog", "on", "mat"], reference[:2]], [[reference], [reference[:5], reference[3:]]]),
        ([reference[:3]], [[reference[:3]]]),
        ([reference[:1], []], [[reference[:2]], [reference]]),
        ([["dog"]], [[reference]]),
        ([[]], [[[]]]),
        ([], []),
    ]
    for hypotheses, references in corpora:
        for weights in WEIGHTS:
            for method in SMOOTHING:
                for auto_reweigh in (False, True):
                    arguments = (weights, method, auto_reweigh)
                    same("corpus_bleu", references, hypotheses, *arguments)
                    if len(hypotheses) == 1:
                        same("sentence_bleu", references[0], hypotheses[0], *arguments)
        for min_len in range(1, 6):
            for max_len in (-1, 1, 2, 3, 4, 5, 6):
                same("corpus_gleu", references, hypotheses, min_len, max_len)


CALLABLES: list[Callable[..., Any]] = [
    lambda p_n, **_: [1e-9 if p == 0 else p for p in p_n],
    lambda p_n, **_: [abs(p * p + 1) / 2 for p in p_n],
    lambda p_n, references, hypothesis, hyp_len: [
        p + len(references) + len(hypothesis) / hyp_len for p in p_n
    ],
    lambda p_n, **_: (p for p in p_n),
    lambda p_n, **_: [0] * len(p_n),
    lambda p_n, **_: [len(repr(p)) + hash(p) % 7 for p in p_n],
    lambda *_, **__: None,
]


def test_smoothing_of_ones_own_and_of_each_other() -> None:
    generator = random.Random(3)
    for _ in range(60):
        segment = random_segments(generator)
        hypothesis, references = segment(), [segment() for _ in range(generator.randint(1, 3))]
        weights = generator.choice(WEIGHTS)
        for function in CALLABLES:
            same("sentence_bleu", references, hypothesis, weights, function)
        for method, arguments in SMOOTHING[1:]:
            for function in (smoothing(module, method, arguments) for module in (compat, bleu_score)):
                same("sentence_bleu", references, hypothesis, weights, function)
                same("corpus_bleu", [references] * 2, [hypothesis] * 2, weights, function)


def test_what_both_refuse() -> None:
    wrong: Any
    for wrong in (5, None, [["a"]], [{}]):
        same("sentence_bleu", [["a"]], wrong)
        same("corpus_bleu", [[["a"]]], [wrong])
        same("corpus_gleu", [[["a"]]], [wrong])
    for wrong in ([5], [None], [[["a"]]]):
        same("sentence_bleu", wrong, ["a"])
        same("corpus_bleu", [wrong], [["a"]])
    for wrong in ([], None, iter([["a"]])):
        same("corpus_bleu", [[["a"]]], wrong)
        same("corpus_bleu", wrong, [["a"]])
    for wrong in (None, 0.5, (None,), ("x",)):
        same("sentence_bleu", [["a"]], ["a"], wrong)
    same("sentence_bleu", [["a"]], ["a"], (1,), 5)
    same("sentence_gleu", [["a"]], ["a"], 1, -2)
    same("closest_ref_length", [], 3)
    same("modified_precision", [["a"]], ["a"], -1)


@pytest.mark.parametrize("method", range(8))
def test_many_orders(method: int) -> None:
    generator = random.Random(method)
    for _ in range(12):
        order = generator.randint(9, 14)
        reference = generator.choices("abcdefgh", k=60)
        hypothesis = reference[generator.randint(0, 20) :]
        for _ in range(generator.choice([0, 1, 3])):
            hypothesis[generator.randrange(len(hypothesis))] = "z"
        weights = tuple(generator.random() for _ in range(order))
        same("sentence_bleu", [reference], hypothesis, weights, (method, {}))


@pytest.mark.nightly
@pytest.mark.parametrize("order", [16, 17])
def test_precisions_too_small_for_a_float(order: int) -> None:
    words = [f"{number}" for number in range(9000)]
    hypothesis = [*words[:3], *(f"other {word}" for word in words)]
    same("sentence_bleu", [words], hypothesis, (1 / order,) * order, (6, {}))


@pytest.mark.parametrize(
    "alphabet", ["ab", "the cat sat. ", "東 雨\u3000\xa0\x85\x1c\t\n\x1d", "\ud800a\U0001f600 b"]
)
def test_chrf(alphabet: str) -> None:
    choose = random.Random(7)

    def segment() -> Any:
        text = "".join(choose.choices(alphabet, k=choose.randrange(choose.choice([2, 6, 21, 61]))))
        return choose.choice([text, text, text.split(" ")])

    def outcome(score: Any, *arguments: Any) -> Any:
        try:
            return score(*arguments)
        except (AssertionError, ZeroDivisionError) as error:
            return type(error)

    for _ in range(300):
        references = [segment() for _ in range(choose.choice([0, 1, 1, 2, 5]))]
        hypotheses = [choose.choice([each, segment()]) for each in references]
        options = (
            choose.choice([1, 1, 2, 3]),
            choose.choice([6, 6, 1, 2, 9]),
            choose.choice([3.0, 1, 2, 0, 0.5, -1]),
            choose.random() < 0.6,
        )
        theirs = outcome(chrf_score.corpus_chrf, references, hypotheses, *options)
        compared("NLTK 3.10.4, chrF")
        assert outcome(compat.corpus_chrf, references, hypotheses, *options) == theirs
        if references:
            arguments = references[0], hypotheses[0], *options
            theirs = outcome(chrf_score.sentence_chrf, *arguments)
            assert outcome(compat.sentence_chrf, *arguments) == theirs
