"""fast-bleu with and without the patch: the same floats, which are not quite NLTK's."""

from functools import partial
from random import Random
from typing import Any

import pytest

pytest.importorskip("fast_bleu", reason="fast-bleu is not installed", exc_type=ImportError)

from fast_bleu import BLEU, SelfBLEU

from fastbleu import patch
from fastbleu.compat.fast_bleu import BLEU as NLTKBLEU
from tests.support.patched_calls import calls_of

calls = partial(calls_of, "fast_bleu")

REFERENCES = [["the", "cat", "is", "on", "the", "mat"], ["there", "is", "a", "cat", "on", "the", "mat"]]
HYPOTHESES = [["a", "cat", "sat", "on", "the", "mat"], ["dogs"], []]
WEIGHTS = {"bigram": (0.5, 0.5), "trigram": (1 / 3, 1 / 3, 1 / 3)}


TOKENS = ["a", "b", "c", "d", "e", "", "Ä", "日", "x y", "a\0b", "\t", " ", 3, None]
_OFTEN = [20, 20, 10, 10, 10, 1, 2, 2, 0.1, 0.1, 1, 0.1, 1, 1]

WEIGHTINGS: list[dict[Any, Any]] = [
    {4: (0.25,) * 4},
    {2: (0.5, 0.5), 3: (1 / 3,) * 3},
    {"a": (0.1, 0.2, 0.3, 0.4)},
    {5: [0.2] * 5, 2: [1.0, 0.0]},
    {1: (0.3, 0.7), "x": (0.6, 0.4), 7: (1 / 7,) * 7},
    {1: (1.0,)},
    {2: (0.5, 0.6)},
]


def random_call(random: Random) -> tuple[list[Any], list[Any], dict[str, Any]]:
    references = [_line(random) for _ in range(random.choice([1, 1, 2, 3, 5]))]
    hypotheses = [_line(random) for _ in range(random.choice([0, 1, 4, 20]))]
    if random.random() < 0.2:
        hypotheses += references
    options = {
        "weights": random.choice(WEIGHTINGS),
        "smoothing_func": random.choice([0, 1, 1, 1, 2]),
        "auto_reweight": random.random() < 0.3,
    }
    return references, hypotheses, options


def _line(random: Random) -> Any:
    tokens = random.choices(TOKENS, _OFTEN, k=random.choice([0, 1, 2, 3, 4, 5, 8, 12, 30]))
    return random.choice([tokens, tokens, tokens, tuple(tokens), "".join(map(str, tokens))])


def outcome(references: list[Any], hypotheses: list[Any], options: dict[str, Any]) -> Any:
    try:
        return repr(BLEU(references, **options).get_score(hypotheses))
    except Exception as error:  # noqa: BLE001  # whatever fast-bleu raises
        return type(error), str(error)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_random_calls(seed: int) -> None:
    random = Random(seed)
    called = [random_call(random) for _ in range(200)]
    without = [outcome(*call) for call in called]
    with patch.install("fast_bleu"):
        before = calls("get_score")[0]
        assert [outcome(*call) for call in called] == without
        assert calls("get_score")[0] - before > 80


def test_objects_outlive_the_patch() -> None:
    before = BLEU(REFERENCES, WEIGHTS)
    scores = before.get_score(HYPOTHESES)
    assert scores["trigram"] != NLTKBLEU(REFERENCES, WEIGHTS).get_score(HYPOTHESES)["trigram"]
    with patch.install("fast_bleu"):
        assert before.get_score(HYPOTHESES) == scores
        during = BLEU(REFERENCES, WEIGHTS)
        assert (type(during), during.get_score(HYPOTHESES)) == (BLEU, scores)
    assert during.get_score(HYPOTHESES) == scores
    assert during.get_score([["cat\0s"], ["cat"]]) == before.get_score([["cat\0s"], ["cat"]])
    assert during.get_score([]) == before.get_score([]) == {"bigram": [], "trigram": []}


def test_what_is_read_once_is_left_alone() -> None:
    with patch.install("fast_bleu"):
        left = calls("__init__")[1]
        scores = BLEU(iter(REFERENCES), WEIGHTS).get_score(iter(HYPOTHESES))
        assert calls("__init__")[1] == left + 1
    assert scores == BLEU(REFERENCES, WEIGHTS).get_score(HYPOTHESES)


@pytest.mark.parametrize(
    ("references", "options"),
    [
        ([["a b", "c"]], {}),
        ([["a\0b", "c"]], {}),
        (REFERENCES, {"weights": {2: [1, 0]}}),
        (REFERENCES, {"weights": {5: (0.25, 0.0, 0.0, 0.0, 0.75)}, "auto_reweight": True}),
    ],
)
def test_what_is_left_alone(references: list[list[str]], options: dict[str, object]) -> None:
    with patch.install("fast_bleu"):
        left = calls("__init__")[1]
        BLEU(references, **options)
        assert calls("__init__")[1] == left + 1


def test_self_bleu_is_its_own() -> None:
    code = SelfBLEU.get_score.__code__
    with patch.install("fast_bleu"):
        assert SelfBLEU.get_score.__code__ is code
