"""`fastbleu.compat.nltk` beside the installed NLTK: values, types, exceptions' types and warnings, all `==`."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

bleu_score = pytest.importorskip(
    "nltk.translate.bleu_score", reason="NLTK is not installed", exc_type=ImportError
)

from nltk.translate import gleu_score

from fastbleu.compat import nltk as compat
from tests.support import newstest
from tests.support.compared import compared

UNIFORM = (0.25, 0.25, 0.25, 0.25)
WEIGHTS: list[Any] = [
    UNIFORM,
    (1,),
    (0.5, 0.5),
    (1 / 3,) * 3,
    (0.2,) * 5,
    (1 / 6,) * 6,
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
    # Of text beside words ours alone warns.
    return value, [one for one in said if "each character is a token" not in one[1]]


class Comparison:
    """Compares calls and counts them."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()

    def same(self, name: str, *arguments: Any, **options: Any) -> None:
        module = gleu_score if "gleu" in name else bleu_score
        self.calls[name] += 1
        ours = outcome(getattr(compat, name), *arguments, **options)
        theirs = outcome(getattr(module, name), *arguments, **options)
        assert ours == theirs, (name, arguments, options)

    def same_score(
        self,
        name: str,
        references: Any,
        hypotheses: Any,
        weights: Any,
        method: tuple[int | None, dict[str, Any]],
        auto_reweigh: bool = False,
    ) -> None:
        self.calls[name] += 1
        ours, theirs = (
            outcome(
                getattr(module, name),
                references,
                hypotheses,
                weights,
                smoothing(module, *method),
                auto_reweigh=auto_reweigh,
            )
            for module in (compat, bleu_score)
        )
        assert ours == theirs, (name, references, hypotheses, weights, method, auto_reweigh)


@pytest.fixture
def comparison() -> Iterator[Comparison]:
    comparison = Comparison()
    yield comparison
    for name, calls in comparison.calls.items():
        compared(f"nltk 3.10.4, {name}", calls)


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


def random_method(generator: random.Random) -> tuple[int | None, dict[str, Any]]:
    return generator.choice(SMOOTHING)


def compare_random_sentence(comparison: Comparison, generator: random.Random) -> None:
    segment = random_segments(generator)
    hypothesis, references = segment(), [segment() for _ in range(generator.randint(1, 4))]
    for method in SMOOTHING[:9]:
        comparison.same_score("sentence_bleu", references, hypothesis, UNIFORM, method)
    for _ in range(4):
        comparison.same_score(
            "sentence_bleu",
            references,
            hypothesis,
            generator.choice(WEIGHTS),
            random_method(generator),
            generator.random() < 0.5,
        )
    for n in (1, 2, generator.randint(1, 8)):
        comparison.same("modified_precision", references, hypothesis, n)
    comparison.same("closest_ref_length", references, len(hypothesis))
    comparison.same("brevity_penalty", len(references[0]), len(hypothesis))
    limits = (generator.randint(1, 4), generator.choice((-1, 1, 2, 4, 6)))
    comparison.same("sentence_gleu", references, hypothesis)
    comparison.same("sentence_gleu", references, hypothesis, *limits)


def compare_random_corpus(comparison: Comparison, generator: random.Random) -> None:
    segment = random_segments(generator)
    hypotheses = [segment() for _ in range(generator.randint(0, 6))]
    references = [[segment() for _ in range(generator.randint(1, 4))] for _ in hypotheses]
    for _ in range(8):
        comparison.same_score(
            "corpus_bleu",
            references,
            hypotheses,
            generator.choice(WEIGHTS),
            random_method(generator),
            generator.random() < 0.5,
        )
    if hypotheses:
        generator.choice(references).clear()
    comparison.same("corpus_gleu", references, hypotheses)
    comparison.same(
        "corpus_gleu", references, hypotheses, generator.randint(1, 3), generator.choice((-1, 1, 3, 5))
    )


def test_random_sentences(comparison: Comparison) -> None:
    generator = random.Random(1)
    for _ in range(400):
        compare_random_sentence(comparison, generator)


def test_random_corpora(comparison: Comparison) -> None:
    generator = random.Random(2)
    for _ in range(400):
        compare_random_corpus(comparison, generator)


def test_every_option_together(comparison: Comparison) -> None:
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
                    comparison.same_score("corpus_bleu", references, hypotheses, *arguments)
                    if len(hypotheses) == 1:
                        comparison.same_score("sentence_bleu", references[0], hypotheses[0], *arguments)
        for min_len in range(1, 6):
            for max_len in (-1, 1, 2, 3, 4, 5, 6):
                comparison.same("corpus_gleu", references, hypotheses, min_len, max_len)


CALLABLES: list[Callable[..., Any]] = [
    lambda p_n, **_: [1e-9 if p == 0 else p for p in p_n],
    lambda p_n, **_: [p + 1 for p in p_n],
    lambda p_n, **_: [p * p for p in p_n],
    lambda p_n, **_: [abs(p) / 2 for p in p_n],
    lambda p_n, references, hypothesis, hyp_len: [
        p + len(references) + len(hypothesis) / hyp_len for p in p_n
    ],
    lambda p_n, **_: (p for p in p_n),
    lambda p_n, **_: [0] * len(p_n),
    lambda p_n, **_: [len(repr(p)) + hash(p) % 7 for p in p_n],
    lambda *_, **__: None,
]


def test_smoothing_of_ones_own_and_of_each_other(comparison: Comparison) -> None:
    generator = random.Random(3)
    for _ in range(60):
        segment = random_segments(generator)
        hypothesis, references = segment(), [segment() for _ in range(generator.randint(1, 3))]
        weights = generator.choice(WEIGHTS)
        for function in CALLABLES:
            comparison.same("sentence_bleu", references, hypothesis, weights, function)
        for method, arguments in SMOOTHING[1:]:
            for function in (smoothing(module, method, arguments) for module in (compat, bleu_score)):
                comparison.same("sentence_bleu", references, hypothesis, weights, function)
                comparison.same("corpus_bleu", [references] * 2, [hypothesis] * 2, weights, function)


#: What NLTK refuses with an exception of a kind that is meant, or that says enough.
REFUSED: list[tuple[str, tuple[Any, ...]]] = [
    ("corpus_bleu", ([], [["a"]])),
    ("corpus_bleu", ([[["a"]]], [])),
    ("corpus_bleu", ([], [])),
    ("corpus_bleu", ([[["a"]]], iter([["a"]]))),
    ("corpus_bleu", (iter([[["a"]]]), [["a"]])),
    ("corpus_bleu", (None, [["a"]])),
    ("corpus_bleu", ([[["a"]]], None)),
    ("corpus_bleu", ([None], [["a"]])),
    ("corpus_bleu", ([[None]], [["a"]])),
    ("corpus_bleu", ([[["a"], None]], [["a"]])),
    ("corpus_bleu", ([[["a"]]], [None])),
    ("corpus_bleu", ([[["a"]], [["a"], None]], [["a"], ["b"]])),
    ("sentence_bleu", ([["a"]], iter("a"))),
    ("sentence_bleu", ([["a"]], 5)),
    ("sentence_bleu", ([5], ["a"])),
    ("sentence_bleu", ([iter("a")], ["a"])),
    ("sentence_bleu", ([["a"]], [["a"]])),
    ("sentence_bleu", ([[["a"]]], ["a"])),
    ("sentence_bleu", ([["a"]], [{}])),
    ("sentence_bleu", ([], [])),
    ("sentence_bleu", ([["a"]], ["a"], None)),
    ("sentence_bleu", ([["a"]], ["a"], 0.5)),
    ("sentence_bleu", ([["a"]], ["a"], (None,))),
    ("sentence_bleu", ([["a"]], ["a"], ("x",))),
    ("sentence_bleu", ([["a"]], ["a"], (1,), 5)),
    ("closest_ref_length", ([], 3)),
    ("closest_ref_length", ([None], 3)),
    ("modified_precision", ([["a"]], ["a"], None)),
    ("modified_precision", ([["a"]], ["a"], -1)),
    ("modified_precision", ([["a"]], None, 1)),
    ("corpus_gleu", ([], [["a"]])),
    ("corpus_gleu", ([[["a"]]], iter([["a"]]))),
    ("sentence_gleu", ([["a"]], None)),
    ("sentence_gleu", (None, ["a"])),
    ("sentence_gleu", ([["a"]], [["a"]])),
    ("sentence_gleu", ([["a"]], ["a"], None)),
    ("sentence_gleu", ([["a"]], ["a"], 1, -2)),
]


@pytest.mark.parametrize(("name", "arguments"), REFUSED)
def test_what_both_refuse(name: str, arguments: tuple[Any, ...], comparison: Comparison) -> None:
    comparison.same(name, *arguments)


def test_arrays(comparison: Comparison) -> None:
    np = pytest.importorskip("numpy")
    generator = random.Random(4)
    for _ in range(200):
        hypothesis, *references = (
            np.array(generator.choices(range(5), k=generator.randint(1, 9))) for _ in range(3)
        )
        words = [list(map(str, segment)) for segment in references]
        pairs: list[tuple[Any, Any]] = [
            (references, hypothesis),
            (words, np.array(list(map(str, hypothesis)))),
        ]
        for some, segment in pairs:
            comparison.same("modified_precision", some, segment, 2)
            comparison.same("sentence_gleu", some, segment)
            for method in SMOOTHING[:9]:
                comparison.same_score("sentence_bleu", some, segment, generator.choice(WEIGHTS), method)
    square = np.arange(12).reshape(1, 3, 4) % 5
    comparison.same("corpus_bleu", square, square[:, 1] + 1)
    comparison.same("corpus_bleu", [square[0]], [square[0, 1]], np.array([0.5, 0.5]))
    comparison.same("sentence_bleu", square[0], square[0, 1], np.full((2, 3), 1 / 3))


@pytest.mark.skipif(newstest.folder() is None, reason="FASTBLEU_DATA does not name the data's folder")
@pytest.mark.parametrize("pair", newstest.PAIRS)
def test_real_text(pair: str, comparison: Comparison) -> None:
    generator = random.Random(pair)
    streams = list(newstest.references(pair).values())
    outputs = newstest.systems(pair)
    characters = pair in {"en-zh", "en-ja"}

    def tokens(line: str) -> Any:
        return line if characters else line.split()

    for system in generator.sample(sorted(outputs), 2):
        start = generator.randrange(len(outputs[system]) - 150)
        part = slice(start, start + 150)
        hypotheses = [tokens(line) for line in outputs[system][part]]
        chosen = generator.sample(streams, generator.randint(1, len(streams)))
        references = [
            [tokens(line) for line in lines] for lines in zip(*(s[part] for s in chosen), strict=True)
        ]
        references[0] = references[0] * 3  # as many as it likes
        for method in SMOOTHING[:9]:
            comparison.same_score("corpus_bleu", references, hypotheses, generator.choice(WEIGHTS), method)
            for some, hypothesis in zip(references[::3], hypotheses[::3], strict=True):
                comparison.same_score("sentence_bleu", some, hypothesis, UNIFORM, method)
        comparison.same_score("corpus_bleu", references, hypotheses, (1 / 6,) * 6, (None, {}))
        comparison.same("corpus_gleu", references, hypotheses)
        comparison.same("corpus_gleu", references, hypotheses, 2, 6)


@pytest.mark.parametrize("method", range(8))
def test_many_orders(comparison: Comparison, method: int) -> None:
    """Up to 14 orders; and 17, where under method 6 a precision is too small for a float."""
    generator = random.Random(method)
    for _ in range(12):
        order = generator.randint(9, 14)
        reference = generator.choices("abcdefgh", k=60)
        hypothesis = reference[generator.randint(0, 20) :]
        for _ in range(generator.choice([0, 1, 3])):
            hypothesis[generator.randrange(len(hypothesis))] = "z"
        weights = tuple(generator.random() for _ in range(order))
        comparison.same_score("sentence_bleu", [reference], hypothesis, weights, (method, {}))
    words = [f"{number}" for number in range(9000)]
    for order in (16, 17) if method == 6 else ():
        hypothesis = [*words[:3], *(f"other {word}" for word in words)]
        comparison.same_score("sentence_bleu", [words], hypothesis, (1 / order,) * order, (method, {}))
