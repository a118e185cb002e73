"""Values that are saved and read again: states of accumulators with any values, rows, damaged columns, pickles."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np

from fastbleu import BLEU
from fastbleu.counting.references import References
from fastbleu.inputs._column import IdColumn, rebuild
from fastbleu.inputs._text import text_column
from fastbleu.metric.accumulator import Accumulator
from tests.support import oracle
from tests.support.fuzzed_data import FuzzedData

_OPTIONS: tuple[dict[str, Any], ...] = (
    {"max_ngram_order": 1},
    {"max_ngram_order": 2, "smooth_method": "floor"},
    {"smooth_method": "add-k", "smooth_value": 0.25},
    {"smooth_method": "none", "effective_order": True},
    {"effective_order": True},
)
_METRICS = [BLEU(tokenize="none", force=True, **options) for options in _OPTIONS]
_ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1, 1.0, float("nan"), "", "1", b"1", [], {}, (), [1], [[1, 1]], {"a": 1}, 1 << 63,
    1 << 70, np.int64(3), np.array([1, 2]), {1}, [None], [[None]], [[0, 1]], [[-1, 2]], [[-2, 1]],
    "fastbleu.Accumulator",
)  # fmt: skip


def check(data: bytes) -> None:
    """Tries one of the ways to read what was saved."""
    fuzzed = FuzzedData(data)
    metric = fuzzed.choice(_METRICS)
    fuzzed.choice((_check_sums, _check_state, _check_scores, _check_column, _check_references))(
        fuzzed, metric
    )


def _row(fuzzed: FuzzedData, order: int) -> list[int]:
    """A row as counting might give it, of small numbers or of large ones."""
    largest = fuzzed.choice((3, 40, 1 << 20, 1 << 52, 1 << 62))
    length = fuzzed.integer(0, largest)
    totals = [max(0, length - n) for n in range(order)]
    correct = [fuzzed.integer(0, total) for total in totals]
    return [length, fuzzed.integer(0, largest), *correct, *totals]


def _check_sums(fuzzed: FuzzedData, metric: BLEU) -> None:
    """An accumulator beside plain sums of Python's integers."""
    order = metric.max_ngram_order
    found = Accumulator(metric, keep_rows=fuzzed.byte() % 4 == 0)
    total, segments = [0] * (2 + 2 * order), 0
    held: list[list[int]] = []
    while fuzzed.left:
        what = fuzzed.byte() % 6
        if what == 0:
            rows = [_row(fuzzed, order) for _ in range(fuzzed.integer(0, 3))]
            found.add_statistics(rows)
            held += rows
        elif what == 1 and held and not found.keep_rows:
            row = held.pop(fuzzed.byte() % len(held))
            found.subtract_statistics(row)
        elif what == 2 and held and not found.keep_rows:
            place, row = fuzzed.byte() % len(held), _row(fuzzed, order)
            found.replace(held[place], row)
            held[place] = row
        elif what == 3:
            found = found + copy.deepcopy(found)
            held = held * 2
            if len(held) > 200:
                return
        elif what == 4:
            found = pickle.loads(pickle.dumps(found))
        else:
            state = json.loads(json.dumps(found.state_dict()))
            found = Accumulator(metric, found.keep_rows)
            found.load_state_dict(state)
        total, segments = oracle.add_up(held) if held else [0] * (2 + 2 * order), len(held)
        saved = found.state_dict()
        assert (saved["statistics"], saved["segments"], len(found)) == (total, segments, segments)
        if found.keep_rows:
            assert found.rows.tolist() == held
    if segments and max(total) < 1 << 63:
        assert found.compute().score == metric.score_statistics(total).score


def _check_state(fuzzed: FuzzedData, metric: BLEU) -> None:
    """A state in which some values are others: refused, or held as it is."""
    first = Accumulator(metric, keep_rows=fuzzed.flag())
    first.add_statistics([_row(fuzzed, metric.max_ngram_order) for _ in range(fuzzed.integer(0, 3))])
    first.update(["a b"], [["a"]])
    state: Any = first.state_dict()
    for _ in range(fuzzed.integer(0, 3)):
        _change(fuzzed, state)
    second = Accumulator(metric, keep_rows=fuzzed.flag())
    before = second.state_dict()
    given = copy.deepcopy(state)
    try:
        second.load_state_dict(state)
    except (TypeError, ValueError):
        assert second.state_dict() == before
        return
    after = second.state_dict()
    assert after["segments"] == given["segments"]
    assert after["statistics"] == list(given["statistics"])
    assert sorted(map(list, given["num_references"])) == after["num_references"]
    if second.keep_rows:
        assert after["rows"] == np.asarray(given["rows"]).tolist()
    if after["segments"]:
        assert 0 <= second.compute().score <= 100 + 1e-9
    # What was loaded can be saved, loaded, and added to.
    third = Accumulator(metric)
    third.load_state_dict(after)
    third.update(["a"], [["a"]])
    assert len(third) == after["segments"] + 1


def _change(fuzzed: FuzzedData, value: Any) -> None:
    """Puts an odd value somewhere into dictionaries and lists."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        key = fuzzed.choice(keys) if keys else None
        inner = None if key is None else value[key]
        if isinstance(inner, (dict, list)) and inner and fuzzed.byte() % 4:
            value = inner
            continue
        break
    what = fuzzed.byte() % 4
    other = fuzzed.number() if what == 3 else fuzzed.choice(_ODD)
    if what == 0 and key is not None:
        del value[key]
    elif what == 1 and isinstance(value, dict):
        value[fuzzed.choice(("rows", "x", 1))] = other
    elif what == 1:
        value.append(other)
    elif key is not None:
        value[key] = other


def _check_scores(fuzzed: FuzzedData, metric: BLEU) -> None:
    """Scores of rows: one by one, together, and by the plain formula."""
    order = metric.max_ngram_order
    rows = [_row(fuzzed, order) for _ in range(fuzzed.integer(1, 5))]
    options = {
        "smooth_method": metric.smooth_method,
        "smooth_value": metric.smooth_value,
        "effective_order": metric.effective_order,
    }
    wanted = [oracle.score(row, **options) for row in rows]
    found = [metric.score_statistics(row) for row in rows]
    assert [each.score for each in found] == [each.score for each in wanted]
    assert [each.precisions for each in found] == [each.precisions for each in wanted]
    assert [each.bp for each in found] == [each.bp for each in wanted]
    if max(map(max, rows)) < 1 << 53:
        assert metric.formula.score_rows(np.array(rows)).tolist() == [each.score for each in wanted]
    if max(map(max, rows)) * len(rows) < 1 << 53:
        without = [[*rows[:i], *rows[i + 1 :]] for i in range(len(rows))]
        if len(rows) > 1:
            assert metric.jackknife(rows).tolist() == [
                oracle.score(oracle.add_up(others), **options).score for others in without
            ]


def _check_column(fuzzed: FuzzedData, metric: BLEU) -> None:
    """A column out of damaged bytes: refused, or counted like the plain lists that it holds."""
    is_text = fuzzed.flag()
    column = _column(fuzzed, is_text)
    kind, content, offsets, absent = column.__reduce__()[1]
    parts = [bytearray(content), bytearray(offsets), None if absent is None else bytearray(absent)]
    for _ in range(fuzzed.integer(0, 3)):
        _damage(fuzzed, fuzzed.choice([part for part in parts if part is not None]))
    try:
        found = rebuild(kind, *(None if part is None else bytes(part) for part in parts))
    except ValueError:
        return
    try:
        held = list(found)
    except UnicodeDecodeError:
        held = None
    counter = metric.matcher.counter if is_text else metric.matcher.id_counter
    try:
        rows = np.empty((len(found), 2 + 2 * metric.max_ngram_order), dtype=np.int64)
        counter.count(found, [found], 0, rows)
    except ValueError:
        assert held is None or None in held
        return
    if held is not None:
        lines = [each.split() if is_text else each for each in held]
        assert rows.tolist() == [oracle.statistics(each, [each], metric.max_ngram_order) for each in lines]


def _column(fuzzed: FuzzedData, is_text: bool) -> Any:
    if is_text:
        texts = [None if fuzzed.byte() > 230 else fuzzed.text(20) for _ in range(fuzzed.integer(0, 5))]
        return text_column(texts, may_be_absent=True)
    lists = [fuzzed.tokens(10) for _ in range(fuzzed.integer(0, 5))]
    sizes = np.cumsum([0, *map(len, lists)], dtype=np.int64).tobytes()
    return rebuild(
        IdColumn, np.array([each for some in lists for each in some], dtype=np.int64).tobytes(), sizes, None
    )


def _damage(fuzzed: FuzzedData, part: bytearray) -> None:
    what = fuzzed.byte() % 4
    if what == 0 and part:
        part[fuzzed.byte() % len(part)] = fuzzed.byte()
    elif what == 1:
        del part[fuzzed.byte() :]
    elif what == 2:
        part += fuzzed.raw(9)
    elif len(part) >= 8:
        place = fuzzed.byte() * 8 % (len(part) // 8 * 8)
        part[place : place + 8] = (fuzzed.number() & (1 << 64) - 1).to_bytes(8, "little")


def _check_references(fuzzed: FuzzedData, metric: BLEU) -> None:
    """References that were pickled, sliced or put together from damaged parts."""
    streams = [[fuzzed.text(12) for _ in range(2)] for _ in range(fuzzed.integer(1, 3))]
    references = metric.prepare(streams)
    chosen = [fuzzed.byte() % 2 for _ in range(fuzzed.integer(0, 4))]
    hypotheses = [fuzzed.text(12) for _ in chosen]
    wanted = metric.statistics(hypotheses, [[stream[k] for k in chosen] for stream in streams]).tolist()
    part = references[chosen]
    assert metric.statistics(hypotheses, part).tolist() == wanted
    assert metric.statistics(hypotheses, pickle.loads(pickle.dumps(part))).tolist() == wanted

    identity, kind, counter, column, ranges, vocabulary = part.__reduce__()[1]
    places = list(ranges)
    for _ in range(fuzzed.integer(0, 2)):
        places[fuzzed.byte() % len(places)] = fuzzed.number()
    if fuzzed.flag():
        column = _column(fuzzed, fuzzed.byte() % 4 > 0)
    try:
        damaged = References(identity, kind, counter, column, np.array(places, dtype=np.int64), vocabulary)
    except (ValueError, TypeError, IndexError):
        return
    found = metric.statistics(hypotheses[: len(damaged)], damaged[: len(hypotheses)])
    assert len(found) == min(len(hypotheses), len(damaged))
