"""Errors of arguments: their messages, what they carry, and their other names."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, TokenIds
from fastbleu.errors import (
    ArgumentError,
    ArgumentTypeError,
    ArgumentValueError,
    Place,
    describe,
    place,
    show,
    wrong_type,
    wrong_value,
)


def test_places() -> None:
    references = Place("references")
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
        (Place("weights")["a"], "weights['a']"),
        (place("references", 3), "references[3]"),
        (place(references[3]), "references[3]"),
    ):
        assert str(found) == words


@pytest.mark.parametrize("kind", [ArgumentTypeError, ArgumentValueError])
@pytest.mark.parametrize("where", ["lengths", Place("lengths"), Place("lengths")[3]])
def test_an_error_is_copied_with_its_message_and_place(kind: type[ArgumentError], where: Any) -> None:
    error = kind(where, "has no ", " at all", value=(7 for _ in ()))
    name = str(where)
    assert str(error) == f"{name} has no {name} at all"
    for same in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(same) is kind
        assert (str(same), same.argument, same.indices) == (str(error), "lengths", error.indices)
        assert same.value is None  # a generator cannot be pickled
    assert error.args == (str(error),)


def test_an_error_under_another_name() -> None:
    error = wrong_type(Place("ids")[3][1], "an int", 2.5)
    assert str(error) == "ids[3][1] must be an int, not float: 2.5"
    other = error.at(Place("references")[0][error.indices])
    assert (str(other), other.value) == ("references[0][3][1] must be an int, not float: 2.5", 2.5)
    assert isinstance(other, TypeError)
    assert str(error.renamed(ids="labels", size="width")) == "labels[3][1] must be an int, not float: 2.5"
    assert str(error.renamed(size="width")) == str(error)
    assert str(wrong_value("size", "at least 1", 0)) == "size must be at least 1, got 0"


METRIC = BLEU(tokenize="none")


@pytest.mark.parametrize(
    ("call", "kind", "argument", "indices", "value"),
    [
        (lambda: BLEU().corpus_score(["a", 7], [["a", "b"]]), TypeError, "hypotheses", (1,), 7),
        (lambda: BLEU().corpus_score(["a", "b"], [["a", "b"], ["a", 7]]), TypeError, "references", (1, 1), 7),
        (lambda: BLEU().prepare_segments([["a"], ["b", 7]]), TypeError, "references", (1, 1), 7),
        (lambda: BLEU().sentence_score("a", ["b", 7]), TypeError, "references", (1,), 7),
        (lambda: METRIC.corpus_score([[1, []]], [[[1]]]), TypeError, "hypotheses", (0, 1), []),
        (
            lambda: METRIC.corpus_score(TokenIds([[1], [2, -5]]), [[[1], [2]]]),
            ValueError,
            "hypotheses",
            (1, 1),
            -5,
        ),
        (
            lambda: METRIC.statistics([[1], [2]], np.array([[[1, 1]], [[2, -5]]])),
            ValueError,
            "references",
            (1, 0, 1),
            -5,
        ),
        (lambda: TokenIds([[1], "b"]), TypeError, "ids", (1,), "b"),
        (lambda: BLEU(weights=[1, 1, float("inf"), 1]), ValueError, "weights", (2,), float("inf")),
        (lambda: BLEU(max_ngram_order=0), ValueError, "max_ngram_order", (), 0),
        (lambda: BLEU(lowercase="no"), TypeError, "lowercase", (), "no"),
    ],
)
def test_errors_say_what_is_wrong_where(
    call: Any, kind: type[Exception], argument: str, indices: tuple[int, ...], value: Any
) -> None:
    with pytest.raises(kind) as caught:
        call()
    error = caught.value
    assert isinstance(error, ArgumentError)
    assert (error.argument, error.indices, error.value) == (argument, indices, value)
    assert str(error).startswith(str(Place(argument, indices)))


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
