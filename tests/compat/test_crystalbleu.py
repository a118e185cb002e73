"""crystalbleu's functions: its own numbers where it is installed, and NLTK's where nothing is ignored."""

import importlib.util
import itertools
import warnings
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from fastbleu.compat import crystalbleu, nltk

REFERENCES, HYPOTHESIS = [["f", "(", "x", ",", "y", ")", ";"]], ["f", "(", "z", ",", "y", ")", ";"]
TOKENS = ["a", "b", "c", "(", ")", ";", "x", "="]
NGRAMS = [ngram for n in range(1, 6) for ngram in itertools.product("a();", repeat=n)]


def test_what_is_ignored_does_not_count() -> None:
    ignoring = {("(",), (",",), (")",), (";",), (")", ";")}
    for form in (ignoring, dict.fromkeys(ignoring), list(map(list, ignoring))):
        found = crystalbleu.sentence_bleu(REFERENCES, HYPOTHESIS, (0.5, 0.5), ignoring=form)
        # f and y of f, z, y; of five other pairs (f, "("), (",", y) and (y, ")").
        assert found == pytest.approx((2 / 3 * 3 / 5) ** 0.5, abs=0, rel=1e-15)
    assert crystalbleu.sentence_bleu(REFERENCES, HYPOTHESIS, (1.0,), ignoring={("f",), *ignoring}) == 0.5
    assert crystalbleu.sentence_bleu(REFERENCES, HYPOTHESIS, ignoring=set(zip(HYPOTHESIS, strict=True))) == 0


def test_nothing_is_ignored() -> None:
    hypotheses, lists = [HYPOTHESIS, ["a", "b"]], [REFERENCES, [["a", "b"], ["a"]]]
    for method in (None, "method1", "method3", "method5", "method7"):
        smoothing = method and getattr(crystalbleu.SmoothingFunction(), method)
        options: dict[str, Any] = {"weights": (0.3, 0.3, 0.4), "smoothing_function": smoothing}
        nothing: list[Any] = [None, {}, {("no such token",)}]
        for ignoring in nothing:
            found = crystalbleu.corpus_bleu(lists, hypotheses, **options, ignoring=ignoring)
            assert found == nltk.corpus_bleu(lists, hypotheses, **options)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"weights": [(1,), (0.5, 0.5)]}, TypeError, "weights must be one weighting"),
        ({"ignoring": "f ("}, TypeError, "ignoring must hold tuples of tokens, not be a str: 'f \\('"),
        ({"smoothing_function": lambda *_, **__: [0.0] * 4}, ValueError, r"must be above 0, got \[0.0, 0.0"),
    ],
)
def test_errors(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        crystalbleu.sentence_bleu(REFERENCES, HYPOTHESIS, **options)


def test_warnings_are_those_of_the_peer() -> None:
    peer = pytest.importorskip("crystalbleu")
    caught = []
    for module in (crystalbleu, peer):
        for smoothing in (None, module.SmoothingFunction().method0):
            with warnings.catch_warnings(record=True) as of_module:
                warnings.simplefilter("always")
                module.sentence_bleu([["a", "b"]], ["a", "c"], (0.5, 0.5), smoothing)
            caught.append([(str(each.message), each.filename, each.lineno) for each in of_module])
    assert caught == [caught[0]] * 4
    assert caught[0][0][1] == peer.__file__


def outcome(call: Callable[[], float]) -> Any:
    try:
        return call()
    except Exception as error:  # noqa: BLE001  # of either
        return type(error)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(4))
def test_beside_the_peer(seed: int) -> None:
    if importlib.util.find_spec("crystalbleu") is None:
        pytest.skip("crystalbleu is not installed")
    peer = importlib.import_module("crystalbleu")  # an error where it lacks NLTK, which it needs
    random = Random(seed)

    def tokens() -> list[str]:
        return random.choices(TOKENS, k=random.choice([0, 1, 2, 3, 5, 8, 14]))

    for _ in range(300):
        number = random.choice([1, 1, 2, 4])
        hypotheses = [tokens() for _ in range(number)]
        lists = [[tokens() for _ in range(random.choice([1, 2, 3]))] for _ in range(number)]
        ignoring = random.choice(
            [None, {}, dict.fromkeys(random.sample(NGRAMS, 60)), random.sample(NGRAMS, 9)]
        )
        weights = random.choice([(0.25,) * 4, (0.5, 0.5), (1,), (0.2,) * 5])
        method, epsilon, reweighs = random.randrange(8), random.choice([0.1, 0.0]), random.random() < 0.2

        def score(module: Any) -> Any:
            smoothing = getattr(module.SmoothingFunction(epsilon), f"method{method}")  # noqa: B023
            return module.corpus_bleu(lists, hypotheses, weights, smoothing, reweighs, ignoring)  # noqa: B023

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert outcome(lambda: score(crystalbleu)) == outcome(lambda: score(peer))
