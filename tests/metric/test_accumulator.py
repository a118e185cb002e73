"""Accumulators: any split into batches, rows and threads scores like one corpus; and their errors."""

import json
import logging
import operator
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastbleu import BLEU
from fastbleu.metric.accumulator import Accumulator
from fastbleu.scoring.sacrebleu_messages import LOOKS_TOKENIZED
from tests.support import oracle
from tests.support.accumulators import HYPOTHESES, STREAMS, fields, filled, refused
from tests.support.refusals import refusal
from tests.support.strategies import Corpus, corpora, orders, smoothings


def part(streams: list[list[str | None]], segments: list[int] | slice | range) -> list[list[str | None]]:
    if isinstance(segments, slice):
        return [stream[segments] for stream in streams]
    return [[stream[i] for i in segments] for stream in streams]


@st.composite
def splits(draw: st.DrawFn) -> tuple[Corpus, list[list[int]]]:
    """A corpus, and its segments in batches of any size and order, empty ones among them."""
    corpus = draw(corpora(max_segments=8))
    numbers = draw(st.permutations(range(len(corpus.hypotheses))))
    cuts = sorted(draw(st.lists(st.integers(0, len(numbers)), max_size=5)))
    return corpus, [list(numbers[i:j]) for i, j in zip([0, *cuts], [*cuts, len(numbers)], strict=True)]


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(splits(), orders, smoothings, st.booleans(), st.booleans())
def test_any_split_scores_as_the_whole(
    split: tuple[Corpus, list[list[int]]],
    order: int,
    smoothing: tuple[str, float | None],
    effective_order: bool,
    keep_rows: bool,
) -> None:
    (hypotheses, streams), batches = split
    method, value = smoothing
    metric = BLEU(
        tokenize="none",
        max_ngram_order=order,
        smooth_method=method,
        smooth_value=value,
        effective_order=effective_order,
    )
    expected = fields(metric.corpus_score(hypotheses, streams))
    rows = oracle.corpus_statistics(hypotheses, streams, tokenize="none", max_ngram_order=order)

    one = Accumulator(metric, keep_rows)
    parts = []
    for batch in batches:
        segments = [hypotheses[i] for i in batch]
        one.update(segments, part(streams, batch))
        parts.append(Accumulator(metric, keep_rows))
        parts[-1].update(segments, part(streams, batch))
    for whole in (one, sum(parts), sum(parts[1:], parts[0]), pickle.loads(pickle.dumps(one))):
        assert isinstance(whole, Accumulator)
        assert len(whole) == len(hypotheses)
        assert fields(whole.compute()) == expected
        assert fields(whole.compute()) == expected  # computing changes nothing
        assert whole.statistics.tolist() == oracle.add_up(rows)
        if keep_rows:
            assert whole.rows.tolist() == [rows[i] for batch in batches for i in batch]
    assert [len(each) for each in parts] == [len(batch) for batch in batches]

    plain = Accumulator(metric)
    for batch in batches:
        plain.add_statistics(metric.statistics([hypotheses[i] for i in batch], part(streams, batch)))
    score = plain.compute()
    assert score.signature is None
    assert fields(score)[:-1] == expected[:-1]


@pytest.mark.parametrize("keep_rows", [False, True])
def test_references_of_the_metric_and_prepared_ones(keep_rows: bool) -> None:
    metric = BLEU(tokenize="none", references=STREAMS)
    expected = fields(metric.corpus_score(HYPOTHESES, STREAMS))
    rows = metric.statistics(HYPOTHESES, STREAMS)
    prepared = metric.prepare(STREAMS)
    for size, references in ((5, None), (5, prepared), (2, prepared)):
        accumulator = Accumulator(metric, keep_rows)
        for start in range(0, 5, size):
            batch = slice(start, start + size)
            accumulator.update(HYPOTHESES[batch], None if references is None else references[batch])
        assert fields(accumulator.compute()) == expected
        assert not keep_rows or (accumulator.rows == rows).all()


@pytest.mark.parametrize("keep_rows", [False, True])
def test_empty_batches_change_nothing(keep_rows: bool) -> None:
    metric = BLEU(references=[[]])
    accumulator = filled(metric, keep_rows)
    before = accumulator.state_dict()
    accumulator.update([], [[], []])
    accumulator.update([], None)
    accumulator.update((), metric.prepare([[]]))
    accumulator.add_statistics(metric.statistics([], [[]]))
    accumulator.add_statistics([])
    accumulator.add_statistics([0] * 10, segments=0) if not keep_rows else None
    accumulator.merge(Accumulator(metric, keep_rows))
    accumulator += Accumulator(metric, keep_rows)
    assert accumulator.state_dict() == before
    accumulator = sum([accumulator])  # type: ignore[assignment]
    assert accumulator.state_dict() == before
    # The first batch of an accumulator may be empty.
    first = Accumulator(metric, keep_rows)
    first.update([], [[]])
    assert (len(first), first.statistics.tolist()) == (0, [0] * 10)
    first.update(["a"], [["a"]])
    assert "nrefs:1|" in str(first.compute().signature)


def test_the_number_of_references() -> None:
    metric = BLEU()

    def signature(accumulator: Accumulator) -> str | None:
        found = accumulator.compute().signature
        return None if found is None else str(found).partition("|")[0]

    one, two, differing = Accumulator(metric), filled(metric), Accumulator(metric)
    one.update(["a"], [["a"]])
    differing.update(["a", "b"], [["a", "b"], ["b", None]])
    plain = Accumulator(metric)
    plain.add_statistics(one.statistics)
    assert [signature(each) for each in (one, two, differing, plain)] == [
        "nrefs:1",
        "nrefs:2",
        "nrefs:var",
        None,
    ]
    assert signature(two + two) == "nrefs:2"
    assert signature(one + two) == signature(two + one) == signature(two + differing) == "nrefs:var"
    assert signature(two + plain) is None
    assert signature(differing + differing) == "nrefs:var"


def test_the_signature_is_the_metrics_latest() -> None:
    metric = BLEU()
    accumulator = filled(metric)
    repr(accumulator)
    with pytest.raises(ValueError, match="not known yet"):
        metric.get_signature()
    signature = str(accumulator.compute().signature)
    assert signature == str(metric.get_signature()) == str(metric.corpus_score(HYPOTHESES, STREAMS).signature)


def test_rows_that_are_kept_are_arrays_and_copies() -> None:
    metric = BLEU()
    accumulator = Accumulator(metric, keep_rows=True)
    expected = metric.statistics(HYPOTHESES, STREAMS)
    for _ in range(100):
        for i in range(len(HYPOTHESES)):
            accumulator.update(HYPOTHESES[i : i + 1], part(STREAMS, [i]))
    assert accumulator.rows.tolist() == expected.tolist() * 100
    rows = accumulator.rows
    rows[:] = -1
    accumulator.statistics[:] = -1
    assert accumulator.rows.tolist() == expected.tolist() * 100
    accumulator.merge(accumulator)
    assert accumulator.rows.tolist() == expected.tolist() * 200
    for dtype in (np.uint8, np.int16, np.uint64):
        accumulator.add_statistics(expected.astype(dtype))
    assert accumulator.rows.tolist() == expected.tolist() * 203
    accumulator.reset()
    assert (len(accumulator), accumulator.rows.shape) == (0, (0, 10))
    accumulator.add_statistics(expected[1])
    assert accumulator.rows.tolist() == [expected[1].tolist()]


def test_rows_are_kept_where_both_keep_them() -> None:
    metric = BLEU()
    with_rows, without = filled(metric, keep_rows=True), filled(metric)
    assert (with_rows + with_rows).rows.tolist() == with_rows.rows.tolist() * 2
    for mixed in (with_rows + without, without + with_rows):
        assert not mixed.keep_rows
    without += with_rows
    assert without.statistics.tolist() == (2 * with_rows.statistics).tolist()
    message = "other keeps no rows, but this accumulator does: create both with keep_rows=True"
    refused(with_rows, ValueError, message, lambda each: each.merge(without))


def test_huge_counts() -> None:
    metric = BLEU(max_ngram_order=1)
    accumulator = Accumulator(metric)
    accumulator.add_statistics([2**62, 2**62, 2**61, 2**62])
    assert accumulator.statistics.tolist() == [2**62, 2**62, 2**61, 2**62]
    accumulator.add_statistics([[2**62, 2**62, 2**61, 2**62]] * 3)
    accumulator.add_statistics(np.array([2**64 - 1, 0, 0, 2**64 - 1], dtype=np.uint64))
    assert accumulator.state_dict()["statistics"] == [2**65 - 1, 2**64, 2**63, 2**65 - 1]
    with pytest.raises(OverflowError) as caught:
        _ = accumulator.statistics
    assert str(caught.value) == f"sys_len is {2**65 - 1}, which does not fit int64; read it from state_dict()"
    for _ in range(70):
        accumulator += accumulator
    assert accumulator.compute().score == pytest.approx(25.0, rel=1e-12)
    assert accumulator.compute().ref_len == 2**134
    assert repr(accumulator).startswith(f"<Accumulator of {5 * 2**70} segments: BLEU = 25.00")
    again = Accumulator(metric)
    again.load_state_dict(json.loads(json.dumps(accumulator.state_dict())))
    assert again.state_dict() == accumulator.state_dict()


def test_repr() -> None:
    metric = BLEU(max_ngram_order=2)
    accumulator = Accumulator(metric, keep_rows=True)
    assert repr(accumulator) == "<Accumulator of 0 segments, rows kept>"
    accumulator.update(["the cat sat"], [["the cat sat"]])
    assert repr(accumulator) == (
        "<Accumulator of 1 segment, rows kept: "
        "BLEU = 100.00 100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 3 ref_len = 3)>"
    )
    assert accumulator.metric is metric


def test_nothing_to_score() -> None:
    message = (
        "nothing has been accumulated, and a corpus score needs at least one segment: call "
        "update(hypotheses, references) or add_statistics(rows) first"
    )
    accumulator = Accumulator(BLEU())
    refused(accumulator, ValueError, message, Accumulator.compute)
    accumulator.update(["a"], [["a"]])
    accumulator.reset()
    refused(accumulator, ValueError, message, Accumulator.compute)


NO_REFERENCE = (
    "references hold nothing but None for segment 3000: it has no reference in any stream; give it one, "
    'or "" for an empty one'
)


@pytest.mark.parametrize("keep_rows", [False, True])
def test_a_batch_that_fails_adds_nothing(keep_rows: bool) -> None:
    accumulator = filled(keep_rows=keep_rows)
    many = ["a"] * 3000  # several chunks, of which the first are good
    late: list[Any] = [*many, 5]
    cases: list[tuple[Any, Any, type[Exception], str]] = [
        (late, [[*many, "b"]], TypeError, "hypotheses[3000] must be a str, not int: 5"),
        ([*many, "a"], [[*many, None]], ValueError, NO_REFERENCE),
        (["a"], None, ValueError, "references is None, and none were given to BLEU(references=...)"),
    ]
    for hypotheses, references, kind, message in cases:
        assert refusal(BLEU().statistics, hypotheses, references) == f"{kind.__name__}: {message}"
        refused(accumulator, kind, message, lambda each: each.update(hypotheses, references))  # noqa: B023


ROW = [3, 3, 2, 1, 3, 2]


def test_segments_that_rows_represent() -> None:
    accumulator = Accumulator(BLEU(max_ngram_order=2))
    message = "statistics[1] has 3 correct n-grams of order 2 among 2"
    refused(accumulator, ValueError, message, lambda each: each.add_statistics([ROW, [3, 3, 2, 3, 3, 2]]))
    accumulator.add_statistics([6, 6, 4, 2, 6, 4], segments=2)
    assert len(accumulator) == 2
    for segments, kind, message in (
        (-1, ValueError, "segments must be at least 0, got -1"),
        (True, TypeError, "segments must be an int, not bool: True"),
        (1.0, TypeError, "segments must be an int, not float: 1.0"),
        (0, ValueError, "segments is 0, but statistics has counts above 0"),
    ):
        refused(
            accumulator,
            kind,
            message,
            lambda each: each.add_statistics(ROW, segments=segments),  # noqa: B023
        )
    message = "this accumulator keeps no rows; create it with keep_rows=True"
    refused(accumulator, ValueError, message, lambda each: each.rows)
    kept = filled(BLEU(max_ngram_order=2), keep_rows=True)
    message = "segments is 2, but with keep_rows=True there must be a row for each, not 1"
    refused(kept, ValueError, message, lambda each: each.add_statistics(ROW, segments=2))
    kept.add_statistics([ROW, ROW], segments=2)
    assert kept.rows[-2:].tolist() == [ROW, ROW]
    message = f"statistics holds {2**63}, which does not fit int64"
    huge = np.array([2**63, 0, 0, 0, 0, 0], dtype=np.uint64)
    refused(kept, ValueError, message, lambda each: each.add_statistics(huge))


def test_other_types() -> None:
    accumulator: Any = filled()
    operations: list[Callable[[Any, Any], Any]] = [operator.add, operator.iadd]
    others: list[Any] = [None, 1, 1.5, False, 0.0, "a", [accumulator], BLEU()]
    for other in others:
        for operation in operations:
            before = accumulator.state_dict()
            with pytest.raises(TypeError):
                operation(accumulator, other)
            with pytest.raises(TypeError):
                operation(other, accumulator)
            assert accumulator.state_dict() == before
    # Only 0, with which `sum` starts, can be added.
    assert (0 + accumulator).state_dict() == accumulator.state_dict()
    for operation in operations:
        with pytest.raises(TypeError):
            operation(accumulator, 0)
    with pytest.raises(TypeError):
        sum([accumulator], 1)
    refused(accumulator, TypeError, "other must be an Accumulator, not int: 5", lambda each: each.merge(5))
    with pytest.raises(TypeError, match=r"^keep_rows must be True or False, not str: 'yes'$"):
        Accumulator(BLEU(), keep_rows="yes")


def test_hypotheses_that_look_tokenized_are_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    """The hundredth such hypothesis causes the warning, for any batches."""
    accumulator = BLEU().accumulator()
    for batch in (60, 39):
        accumulator.update(["it rained ."] * batch, [["it rained ."] * batch])
    assert not caplog.records
    for _ in range(3):
        accumulator.update(["it rained ."], [["it rained ."]])
    assert caplog.record_tuples == [("fastbleu", logging.WARNING, text) for text in LOOKS_TOKENIZED]
    assert caplog.messages[0] == "That's 100 lines that end in a tokenized period ('.')"
