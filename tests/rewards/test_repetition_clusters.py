"""Shares of clusters; tests/parity/test_r_zero.py compares them with scikit-learn's."""

import random
import sys
from typing import Any

import numpy as np
import pytest

from fastbleu import TokenIds
from fastbleu.compat.nltk import SmoothingFunction, sentence_bleu
from fastbleu.rewards.repetition_clusters import bleu_distances, repetition_share
from tests.support.refusals import refusal

WORDS = ["what", "is", "the", "sum", "of", "3", "4", "prime", "x", "y", "?"]
BARE = "texts must be a sequence of segments, not a bare str: 'a b'; for one segment pass [texts]"
NEGATIVE = "if it is not a token, pass TokenIds(..., pad_id=-6)"


def questions(seed: int, n: int = 24) -> list[str]:
    """A few questions, each several times with changes, and some that resemble none."""
    draw = random.Random(seed)
    originals = [draw.choices(WORDS, k=draw.randrange(5, 16)) for _ in range(n // 4)]
    found = []
    for _ in range(n):
        words = list(draw.choice(originals))
        for _ in range(draw.randrange(3)):
            words[draw.randrange(len(words))] = draw.choice(WORDS)
        found.append(" ".join(words))
    return found


@pytest.mark.parametrize("seed", range(3))
def test_distances_are_nltks(seed: int) -> None:
    texts = [*questions(seed), "", " \t", "one", "\u2028x  y\x85"]
    found = bleu_distances(texts).tolist()
    method1 = SmoothingFunction().method1
    for i in range(len(texts)):
        for j in range(i, len(texts)):
            score = sentence_bleu([texts[j].split()], texts[i].split(), smoothing_function=method1)
            expected = 0.0 if i == j else 1 - score
            assert found[i][j] == found[j][i] == expected


def test_a_distance_equal_to_the_threshold_keeps_clusters_apart() -> None:
    pytest.importorskip("scipy", exc_type=ImportError)
    texts = ["a b c d", "a b c"]
    distance = float(bleu_distances(texts)[0, 1])
    assert repetition_share(texts, distance) == [0.5, 0.5]
    assert repetition_share(texts, float(np.nextafter(distance, 1))) == [1.0, 1.0]
    assert repetition_share(["a b c d"] * 3, 0) == [1 / 3] * 3  # also a distance of 0


def test_few_texts() -> None:
    assert repetition_share([]) == []
    assert repetition_share(["a"]) == [1.0]
    pytest.importorskip("scipy", exc_type=ImportError)
    assert repetition_share(["a b c d", "a b c d"]) == [1.0, 1.0]
    assert repetition_share(["", ""]) == [0.5, 0.5]  # nothing in common with anything
    assert repetition_share(["a b c d", "a b c d", "x"]) == [2 / 3, 2 / 3, 1 / 3]


@pytest.mark.parametrize("form", [list, lambda rows: [*map(np.array, rows)], TokenIds])
def test_ids_are_tokens(form: Any) -> None:
    pytest.importorskip("scipy", exc_type=ImportError)
    rows = [[5, 6, 7, 8], [9], [5, 6, 7, 8], []]
    assert repetition_share(form(rows)) == repetition_share([" ".join(map(str, row)) for row in rows])
    assert repetition_share(np.array([[5, 6, 7, 8]] * 2)) == [1.0, 1.0]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("a b",), TypeError, BARE),
        ((["a", None],), TypeError, "texts[1] must be a str, not NoneType: None"),
        ((["a", 7],), TypeError, "texts[1] must be a str, not int: 7"),
        (([[5, 6], [5, 6.0]],), TypeError, "texts[1][1] must be an int, not float: 6.0"),
        (([[True, False], [True]],), TypeError, "texts[0][0] must be an int, not bool: True"),
        (([[float("nan")] * 4] * 2,), TypeError, "texts[0][0] must be an int, not float: nan"),
        (([[5, -6]],), ValueError, "texts[0][1] is -6, and a token id must not be negative; " + NEGATIVE),
        ((["a"], -0.1), ValueError, "threshold must be at least 0, got -0.1"),
        ((["a"], float("nan")), ValueError, "threshold must be at least 0, got nan"),
        ((["a"], "0.5"), TypeError, "threshold must be a number, not str: '0.5'"),
        ((["a"], 0.5, "ward"), ValueError, "linkage must be one of average, complete, single, got 'ward'"),
    ],
)  # fmt: skip
def test_errors_say_where(arguments: Any, error: Any, message: str) -> None:
    assert refusal(repetition_share, *arguments) == f"{error.__name__}: {message}"


def test_without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("scipy.cluster", "scipy.spatial.distance"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(
        ImportError, match=r"needs the module scipy: pip install .fastbleu-metric\[rewards\].$"
    ):
        repetition_share(["a", "b"])
