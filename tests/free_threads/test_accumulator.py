"""One accumulator in many threads has exactly the sum of all updates."""

import logging
import time
from functools import partial

import pytest

from fastbleu import BLEU
from fastbleu.metric.accumulator import Accumulator
from tests.support.entry_points import HYPOTHESES, STREAMS, plain
from tests.support.threads import SECONDS, THREADS, at_once, run_together


@pytest.mark.parametrize("keep_rows", [False, True])
def test_sums_are_exact(keep_rows: bool) -> None:
    bleu = BLEU()
    accumulator = bleu.accumulator(keep_rows)
    rows = bleu.statistics(HYPOTHESES, STREAMS)
    row = rows.sum(axis=0)
    batches = [0] * THREADS

    def work(number: int) -> None:
        stop = time.monotonic() + SECONDS
        while time.monotonic() < stop:
            if batches[number] % 2:
                accumulator.update(HYPOTHESES, STREAMS)
            else:
                accumulator.add_statistics(rows)
            batches[number] += 1

    run_together(*(lambda number=number: work(number) for number in range(THREADS)))
    assert len(accumulator) == len(HYPOTHESES) * sum(batches)
    assert accumulator.statistics.tolist() == (row * sum(batches)).tolist()
    if keep_rows:
        # The rows of each batch are consecutive.
        kept = accumulator.rows.reshape(sum(batches), *rows.shape)
        assert (kept == rows).all()


@pytest.mark.slow
@pytest.mark.parametrize("keep_rows", [False, True])
def test_no_reader_sees_a_part_of_a_batch(keep_rows: bool) -> None:
    """While some threads add, others read whole batches."""
    bleu = BLEU()
    accumulator = bleu.accumulator(keep_rows)
    rows = bleu.statistics(HYPOTHESES, STREAMS)
    row = rows.sum(axis=0).tolist()
    accumulator.update(HYPOTHESES, STREAMS)
    stop = time.monotonic() + 2 * SECONDS

    def change() -> None:
        while time.monotonic() < stop:
            accumulator.update(HYPOTHESES, STREAMS)
            accumulator.add_statistics(rows)

    def read() -> None:
        other = bleu.accumulator(keep_rows)
        while time.monotonic() < stop:
            state = accumulator.state_dict()
            times, rest = divmod(state["segments"], len(rows))
            assert (times > 0, rest) == (True, 0)
            assert state["statistics"] == [times * count for count in row]
            if keep_rows:
                assert state["rows"] == rows.tolist() * times
            other.merge(accumulator)
            other.reset()
            assert accumulator.compute().score > 0

    run_together(*[change] * (THREADS - 1), read)


def test_accumulators_of_their_own_add_up() -> None:
    bleu = BLEU()
    total = bleu.accumulator()
    made: list[Accumulator] = []

    def work() -> None:
        mine = bleu.accumulator()
        for _ in range(20):
            mine.update(HYPOTHESES, STREAMS)
        total.merge(mine)
        made.append(mine)

    run_together(*[work] * THREADS)
    together = sum(made, start=bleu.accumulator())
    assert plain(together.compute()) == plain(total.compute())
    assert len(total) == 20 * THREADS * len(HYPOTHESES)


def update_often(accumulator: Accumulator) -> None:
    for _ in range(60):
        accumulator.update(["a b ."], [["a b ."]])


def test_hypotheses_that_look_tokenized_are_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(10):
        caplog.clear()
        with caplog.at_level(logging.WARNING, "fastbleu"):
            at_once(partial(update_often, BLEU().accumulator()))
        assert len(caplog.messages) == 3, caplog.messages  # one warning of three lines
