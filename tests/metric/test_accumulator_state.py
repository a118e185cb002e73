"""The state of an accumulator: complete copies, errors that name the damaged key, and a check of the options."""

import copy
import json
import operator
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU
from fastbleu.metric.accumulator import Accumulator
from tests.support import oracle
from tests.support.accumulators import HYPOTHESES, STREAMS, fields, filled, refused


def through_json(accumulator: Accumulator) -> Accumulator:
    again = Accumulator(accumulator.metric, accumulator.keep_rows)
    again.load_state_dict(json.loads(json.dumps(accumulator.state_dict())))
    return again


def test_state_is_plain_and_small() -> None:
    accumulator = filled(
        BLEU(weights=np.array([1, 2, 3, 4]), smooth_method="floor", smooth_value=np.float64(0.5))
    )
    accumulator.update(["a"], [["a"]])
    accumulator.add_statistics([1, 1, 1, 0, 0, 0, 1, 0, 0, 0])
    one = [1, 1, 1, 0, 0, 0, 1, 0, 0, 0]
    rows = [*oracle.corpus_statistics(HYPOTHESES, STREAMS), one, one]
    assert accumulator.state_dict() == {
        "format": "fastbleu.Accumulator",
        "version": 1,
        "options": {
            "tokenizer": "13a",
            "lowercase": False,
            "max_ngram_order": 4,
            "reference_length": "closest",
            "smooth_method": "floor",
            "smooth_value": 0.5,
            "effective_order": False,
            "weights": [1.0, 2.0, 3.0, 4.0],
        },
        "statistics": oracle.add_up(rows),
        "segments": 7,
        "num_references": [[0, 1], [1, 1], [2, 5]],
    }

    def check(value: Any) -> None:
        if isinstance(value, (dict, list)):
            for each in value.values() if isinstance(value, dict) else value:
                check(each)
        else:
            assert type(value) in (int, float, str, bool, type(None))

    check(accumulator.state_dict())
    check(filled(keep_rows=True).state_dict())
    assert filled(keep_rows=True).state_dict()["rows"] == BLEU().statistics(HYPOTHESES, STREAMS).tolist()


COPIES: dict[str, Callable[[Accumulator], Accumulator]] = {
    "pickle": lambda each: pickle.loads(pickle.dumps(each)),
    "pickle, latest": lambda each: pickle.loads(pickle.dumps(each, pickle.HIGHEST_PROTOCOL)),
    "pickle, second": lambda each: pickle.loads(pickle.dumps(each, 2)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "state": through_json,
}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("keep_rows", [False, True])
def test_copies_are_complete_and_independent(way: str, keep_rows: bool) -> None:
    metric = BLEU(lowercase=True, weights=[1, 2, 3, 4], references=STREAMS)
    accumulator = filled(metric, keep_rows)
    accumulator.update(["a"], [["a"]])
    before, score = accumulator.state_dict(), fields(accumulator.compute())
    again = COPIES[way](accumulator)
    assert again.state_dict() == before
    assert fields(again.compute()) == score
    again.update(HYPOTHESES, None)  # the copy contains the metric and its references
    accumulator.update(["b"], [["c"]])
    assert len(again) == 11
    assert len(accumulator) == 7
    row = metric.statistics(["b"], [["c"]])
    twice = filled(metric).statistics + before["statistics"]
    assert again.statistics.tolist() == twice.tolist()
    assert accumulator.statistics.tolist() == (before["statistics"] + row[0]).tolist()
    if keep_rows:
        assert accumulator.rows.tolist() == [*before["rows"], *row.tolist()]
        assert again.rows.tolist() == [*before["rows"], *before["rows"][:5]]
    again.merge(accumulator)
    assert len(again) == 18


def test_a_state_replaces_all_counts() -> None:
    metric = BLEU()
    state = filled(metric, keep_rows=True).state_dict()
    for keep_rows in (True, False):
        accumulator = filled(metric, keep_rows)
        accumulator.update(["something"], [["else"]])
        accumulator.load_state_dict(state)
        # An accumulator that stores no rows ignores those of the state.
        assert accumulator.state_dict() == filled(metric, keep_rows).state_dict()
        accumulator.load_state_dict(Accumulator(metric, keep_rows).state_dict())
        assert len(accumulator) == 0
    as_tuples = {**state, "statistics": tuple(state["statistics"]), "num_references": ((2, 5),)}
    accumulator.load_state_dict(as_tuples)
    assert accumulator.state_dict() == filled(metric).state_dict()
    # Loading copies the values of the state.
    keeper, rows = Accumulator(metric, keep_rows=True), np.array(state["rows"])
    keeper.load_state_dict({**state, "rows": rows})
    rows[:] = 0
    assert keeper.state_dict() == state
    state["statistics"][0] = state["rows"][0][0] = 99
    assert accumulator.state_dict() == filled(metric).state_dict()


def letters(text: str) -> list[str]:
    return list(text)


def other_letters(text: str) -> list[str]:
    return list(text)


other_letters.__qualname__ = letters.__qualname__


@pytest.mark.parametrize(
    ("options", "name", "theirs", "own"),
    [
        ({"tokenize": "intl"}, "tokenizer", "intl", "13a"),
        ({"lowercase": True}, "lowercase", True, False),
        ({"max_ngram_order": 2}, "max_ngram_order", 2, 4),
        ({"reference_length": "shortest"}, "reference_length", "shortest", "closest"),
        ({"smooth_method": "floor", "smooth_value": 0.2}, "smooth_method", "floor", "exp"),
        ({"effective_order": True}, "effective_order", True, False),
        ({"weights": [1, 1, 1, 1]}, "weights", [1.0] * 4, None),
        # The first one that differs is named.
        ({"weights": [1], "max_ngram_order": 1}, "max_ngram_order", 1, 4),
    ],
)
def test_other_options(options: dict[str, Any], name: str, theirs: Any, own: Any) -> None:
    message = f"{name}={theirs!r}, but this accumulator has {name}={own!r}"
    accumulator, other = filled(), filled(BLEU(**options))
    for action in (operator.add, operator.iadd, Accumulator.merge):
        refused(accumulator, ValueError, f"other has {message}", lambda each: action(each, other))  # noqa: B023
    state = other.state_dict()
    refused(accumulator, ValueError, f"state has {message}", lambda each: each.load_state_dict(state))


def test_options_that_change_no_score_may_differ() -> None:
    metric = BLEU(tokenize="zh")
    for other in (
        BLEU(tokenize="zh", threads=2, force=True, references=STREAMS),
        BLEU(trg_lang="zh"),
        pickle.loads(pickle.dumps(metric)),
    ):
        assert len(filled(metric) + filled(other)) == 10
    smoothed = [BLEU(smooth_method="add-k", smooth_value=value) for value in (None, 1, 1.0)]
    assert len(sum([filled(each) for each in smoothed], filled(smoothed[0]))) == 20
    message = "other has smooth_value=2, but this accumulator has smooth_value=1"
    doubled = filled(BLEU(smooth_method="add-k", smooth_value=2))
    refused(filled(smoothed[0]), ValueError, message, lambda each: each.merge(doubled))


def test_callables_of_one_name() -> None:
    metric, other = BLEU(tokenize=letters), BLEU(tokenize=other_letters)
    accumulator = filled(metric)
    same = pickle.loads(pickle.dumps(accumulator))
    assert len(accumulator + same) == 10
    refused(
        accumulator,
        ValueError,
        f"other has a different callable tokenizer of the same name: {other_letters!r}, but this accumulator has "
        f"{letters!r}; if they do the same, load its state_dict(), which identifies a callable by its name",
        lambda each: each.merge(filled(other)),
    )
    # The remedy that the message names works.
    renamed = Accumulator(metric)
    renamed.load_state_dict(filled(other).state_dict())
    accumulator.merge(renamed)
    assert len(accumulator) == 10


def damaged(**changes: Any) -> dict[str, Any]:
    state = filled(BLEU(max_ngram_order=2), keep_rows=True).state_dict()
    for key, value in changes.items():
        if value is KeyError:
            del state[key]
        else:
            state[key] = value
    return state


GOOD = damaged()
KEYS = ("format", "version", "options", "statistics", "segments", "num_references")
ENTRY = "state['num_references']"


DAMAGE: list[tuple[dict[str, Any], str]] = [
    *(({key: KeyError}, f"state['{key}'] is missing") for key in KEYS),
    ({"metric": 1}, "state has an unknown key, 'metric'"),
    ({"format": "torch"}, "state['format'] must be 'fastbleu.Accumulator', got 'torch'"),
    ({"version": 2}, "state['version'] must be 1 for this release, got 2"),
    ({"options": []}, "state['options'] must be a dict, not list: []"),
    ({"options": {}}, "state['options']['tokenizer'] is missing"),
    ({"options": {**GOOD["options"], "beta": 3}}, "state['options'] has an unknown key, 'beta'"),
    ({"statistics": 5}, "state['statistics'] must be a list of int, not int: 5"),
    ({"statistics": [1] * 5}, "state['statistics'] must hold 6 int, not 5"),
    ({"statistics": [*GOOD["statistics"][:5], -1]}, "state['statistics'][5] must be at least 0, got -1"),
    ({"statistics": [*GOOD["statistics"][:5], 1.5]}, "state['statistics'][5] must be an int, not float: 1.5"),
    ({"statistics": [5, 5, 3, 5, 3, 4]}, "state['statistics'] has 5 correct n-grams of order 2 among 4"),
    ({"segments": -1}, "state['segments'] must be at least 0, got -1"),
    ({"segments": 0}, "state['segments'] is 0, but state['statistics'] has counts above 0"),
    ({"segments": 4}, f"{ENTRY} counts 5 segments, but state['segments'] is 4"),
    ({"num_references": 7}, f"{ENTRY} must be a list of pairs, not int: 7"),
    ({"num_references": [7]}, f"{ENTRY}[0] must be a list of int, not int: 7"),
    ({"num_references": [[2]]}, f"{ENTRY}[0] must hold 2 int, not 1"),
    *(
        (
            {"num_references": [[1, 2], entry]},
            f"{ENTRY}[1] must be a number of references and how many segments have it, got {entry}",
        )
        for entry in ([1, 3], [2, 0])
    ),
    ({"rows": KeyError}, "state['rows'] is missing, but this accumulator was made with keep_rows=True"),
    ({"rows": GOOD["rows"][1:]}, "state['rows'] holds 4 rows, but state['segments'] is 5"),
    (
        {"rows": [GOOD["rows"][0]] * 5},
        f"state['rows'] adds up to {[35, 35, 35, 20, 35, 30]}, but state['statistics'] is {GOOD['statistics']}",
    ),
    ({"rows": [[1.5] * 6]}, f"state['rows'] must be integers, not list: {[[1.5] * 6]}"),
]


@pytest.mark.parametrize(("changes", "message"), DAMAGE)
def test_damaged_states(changes: dict[str, Any], message: str) -> None:
    accumulator = filled(BLEU(max_ngram_order=2), keep_rows=True)
    accumulator.update(["more"], [["more"]])
    kind = TypeError if ", not " in message and "hold" not in message else ValueError
    refused(accumulator, kind, message, lambda each: each.load_state_dict(damaged(**changes)))
    message = "state must be a dict, as state_dict() returns it, not NoneType: None"
    refused(accumulator, TypeError, message, lambda each: each.load_state_dict(None))
