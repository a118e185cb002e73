"""Errors of arguments: their messages, what they carry, and their other names."""

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, CHRF, TokenIds
from fastbleu.compat import nltk
from fastbleu.errors import (
    ArgumentError,
    ArgumentTypeError,
    ArgumentValueError,
    Location,
    describe,
    locate,
    show,
    wrong_type,
    wrong_value,
)
from fastbleu.rerank import (
    Pools,
    expected,
    mbr,
    oracle,
    pairwise,
    rank,
    set_bleu,
)
from fastbleu.scoring.significance import correct_p_values, paired_bootstrap


def test_places() -> None:
    references = Location("references")
    for found, words in (
        (references, "references"),
        (references[3], "references[3]"),
        (references[3][1], "references[3][1]"),
        (references[3, 1], "references[3][1]"),
        (references[()], "references"),
        (references.before(1), "references"),
        (references.before(1)[3], "references[3][1]"),
        (references.before(1)[3, 0], "references[3][1][0]"),
        (references[2].before(1)[3], "references[2][3][1]"),
        (Location("weights")["a"], "weights['a']"),
        (locate("references", 3), "references[3]"),
        (locate(references[3]), "references[3]"),
    ):
        assert str(found) == words


@pytest.mark.parametrize("kind", [ArgumentTypeError, ArgumentValueError])
@pytest.mark.parametrize("where", ["lengths", Location("lengths"), Location("lengths")[3]])
def test_an_error_is_copied_with_its_message_and_location(kind: type[ArgumentError], where: Any) -> None:
    error = kind(where, "has no ", " at all", value=(7 for _ in ()))
    name = str(where)
    assert str(error) == f"{name} has no {name} at all"
    for same in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(same) is kind
        assert (str(same), same.argument, same.indices) == (str(error), "lengths", error.indices)
        assert same.value is None  # a generator cannot be pickled
    assert error.args == (str(error),)


def test_an_error_under_another_name() -> None:
    error = wrong_type(Location("ids")[3][1], "an int", 2.5)
    assert str(error) == "ids[3][1] must be an int, not float: 2.5"
    other = error.at(Location("references")[0][error.indices])
    assert (str(other), other.value) == ("references[0][3][1] must be an int, not float: 2.5", 2.5)
    assert isinstance(other, TypeError)
    assert str(error.renamed(ids="labels", size="width")) == "labels[3][1] must be an int, not float: 2.5"
    assert str(error.renamed(size="width")) == str(error)
    assert str(wrong_value("size", "at least 1", 0)) == "size must be at least 1, got 0"


METRIC = BLEU(tokenize="none")
UNIGRAMS = BLEU(max_ngram_order=1)
POOL = [["a", "b"]]
TEXT: Any = "b"
NONE: Any = None
ARRAY: Any = np.array([1.5])
NAN: Any = pytest.approx(math.nan, nan_ok=True)
METHOD_6: Any = {"formula": "nltk", "smoothing": "method6"}


def refuse_state(**changes: Any) -> None:
    accumulator = UNIGRAMS.accumulator()
    accumulator.load_state_dict({**accumulator.state_dict(), **changes})


def weigh(weights: Any, weights_as: Any = "counts", **options: Any) -> None:
    expected(POOL, None, weights, weights_as=weights_as, **options)


@pytest.mark.parametrize(
    ("call", "kind", "argument", "indices", "value"),
    [
        (lambda: BLEU().corpus_score(["a", 7], [["a", "b"]]), TypeError, "hypotheses", (1,), 7),
        (lambda: BLEU().corpus_score(["a", "b"], [["a", "b"], ["a", 7]]), TypeError, "references", (1, 1), 7),
        (lambda: BLEU().prepare_segments([["a"], ["b", 7]]), TypeError, "references", (1, 1), 7),
        (lambda: BLEU().sentence_score("a", ["b", 7]), TypeError, "references", (1,), 7),
        (lambda: METRIC.corpus_score([[1, []]], [[[1]]]), TypeError, "hypotheses", (0, 1), []),
        (lambda: TokenIds([[1], "b"]), TypeError, "ids", (1,), "b"),
        (lambda: METRIC.statistics([[1]], np.array([[[1, -5]]])), ValueError, "references", (0, 0, 1), -5),
        (lambda: BLEU(weights=[1, 1, float("inf"), 1]), ValueError, "weights", (2,), float("inf")),
        (lambda: BLEU(max_ngram_order=0), ValueError, "max_ngram_order", (), 0),
        (lambda: BLEU(lowercase="no"), TypeError, "lowercase", (), "no"),
        (lambda: BLEU(max_ngram_order=ARRAY), TypeError, "max_ngram_order", (), ARRAY),
        (lambda: BLEU(smooth_method="floor", smooth_value=ARRAY), TypeError, "smooth_value", (), ARRAY),
        (lambda: BLEU().signature_for(NONE), TypeError, "num_references", (), None),
        (lambda: BLEU.compute_bleu(NONE, [1] * 4, 1, 1), TypeError, "correct", (), None),
        (lambda: BLEU(tokenize="x"), ValueError, "tokenize", (), "x"),
        (lambda: BLEU().tokenize(NONE), TypeError, "text", (), None),
        (lambda: BLEU.for_language("de", tokenize="13a"), ValueError, "tokenize", (), "13a"),
        (lambda: BLEU().sentence_scores(["a"], [["a"]], math.nan), ValueError, "scale", (), NAN),
        (lambda: BLEU().corpus_score([], [[]]), ValueError, "hypotheses", (), []),
        (lambda: CHRF(char_order=0), ValueError, "char_order", (), 0),
        (lambda: CHRF(beta=1e200), ValueError, "beta", (), 1e200),
        (lambda: BLEU.compute_bleu([2], [1], 1, 1, max_ngram_order=1), ValueError, "correct", (0,), 2),
        (lambda: BLEU.compute_bleu([TEXT], [1], 1, 1, max_ngram_order=1), TypeError, "correct", (0,), TEXT),
        (lambda: BLEU.compute_bleu([1], [math.nan], 1, 1, max_ngram_order=1), ValueError, "total", (0,), NAN),
        (lambda: UNIGRAMS.score_statistics([1, 2]), ValueError, "statistics", (), [1, 2]),
        (lambda: UNIGRAMS.score_statistics([[3, 3, -1, 3]]), ValueError, "statistics", (0, 2), -1),
        (lambda: UNIGRAMS.score_statistics([[3, 3, 4, 3]]), ValueError, "statistics", (0,), [3, 3, 4, 3]),
        (lambda: UNIGRAMS.accumulator().add_statistics([1] * 4, segments=0), ValueError, "segments", (), 0),
        (lambda: refuse_state(version=2), ValueError, "state", ("version",), 2),
        (lambda: refuse_state(statistics=[3, 3, 4, 3]), ValueError, "state", ("statistics",), [3, 3, 4, 3]),
        (lambda: refuse_state(num_references=[[1, -1]]), ValueError, "state", ("num_references", 0), [1, -1]),
        (lambda: refuse_state(beta=2), ValueError, "state", (), "beta"),
        (lambda: UNIGRAMS.accumulator().merge(BLEU().accumulator()), ValueError, "other", (), 4),
        (lambda: paired_bootstrap({"a": [1] * 10}), ValueError, "statistics", (), {"a": [1] * 10}),
        (lambda: correct_p_values([0.5, 2], "holm"), ValueError, "p_values", (1,), 2),
        (lambda: nltk.sentence_bleu([["a"]], ["a"], (math.nan,)), ValueError, "weights", (0,), NAN),
        (lambda: nltk.sentence_bleu([["a"]], ["a"], 3), TypeError, "weights", (), 3),
        (lambda: pairwise(["a"], metric="13a"), TypeError, "metric", (), "13a"),
        (lambda: pairwise(["a"], formula="nltk", metric=CHRF()), ValueError, "formula", (), "nltk"),
        (lambda: pairwise(["b", "a"], ["a"], **METHOD_6), ValueError, "hypotheses", (1,), None),
        (lambda: mbr([["a"], []]), ValueError, "pools", (1,), []),
        (lambda: mbr([["a"]], exclude_self=True), ValueError, "pools", (0,), None),
        (lambda: weigh([[1, 0]], exclude_self=True), ValueError, "pools", (0, 0), None),
        (lambda: weigh([[1, math.nan]]), ValueError, "weights", (0, 1), NAN),
        (lambda: weigh([[1, "b"]]), TypeError, "weights", (0, 1), "b"),
        (lambda: weigh(3), TypeError, "weights", (), 3),
        (lambda: weigh([[0, 1]], "log-probabilities"), ValueError, "weights", (0, 1), 1),
        (lambda: oracle([], []), ValueError, "pools", (), []),
        (lambda: oracle(POOL, [[None]]), ValueError, "references", (0,), None),
        (lambda: rank([1, math.nan]), ValueError, "utilities", (1,), NAN),
        (lambda: rank([1], [math.inf], 0.5), ValueError, "model_scores", (0,), math.inf),
        (lambda: Pools(["a"], offsets=[0, 2]), ValueError, "offsets", (), [0, 2]),
        (lambda: Pools(["a"], offsets=[[0], [1, 2]]), TypeError, "offsets", (), [[0], [1, 2]]),
        (lambda: set_bleu(["a"], []), ValueError, "references", (), []),
    ],
)
def test_errors_name_the_argument_and_the_problem(
    call: Any, kind: type[Exception], argument: str, indices: tuple[int, ...], value: Any
) -> None:
    with pytest.raises(kind) as caught:
        call()
    error = caught.value
    assert isinstance(error, ArgumentError)
    assert (error.argument, error.indices, error.value) == (argument, indices, value)
    assert str(error).startswith(str(Location(argument, indices)))


class Unshown:
    def __repr__(self) -> str:
        raise AttributeError("not set up")


def test_values_in_messages() -> None:
    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    for value in (nested, Unshown()):
        assert show(value) == "(its repr raises an error)"
    assert describe(nested) == "list: (its repr raises an error)"
    assert describe([1]) == "list: [1]"
    assert describe("a" * 60) == f"str: '{'a' * 59}..."
    assert str(wrong_value("name", "short", "a" * 1_000_000)) == f"name must be short, got '{'a' * 59}..."
