"""A corpus for accumulators, one that has seen it, and the check that a refused call changes nothing."""

from collections.abc import Callable
from typing import Any

import pytest

from fastbleu import BLEU, BLEUScore
from fastbleu.metric.accumulator import Accumulator
from tests.support import oracle

HYPOTHESES = ["The cat sat on the mat.", "It rained all day, 1.5 inches.", "", "yes", "a b c d e f g"]
STREAMS: list[list[str | None]] = [
    ["The cat is sitting on the mat.", "It rained all day: 1.5 inches.", "Nothing.", "yes", "a b c x e f g"],
    ["On the mat sat the cat!", "All day it rained.", "", "no", "a b"],
]


def fields(score: BLEUScore) -> tuple[Any, ...]:
    return (*oracle.fields(score), str(score.signature))


def filled(metric: BLEU | None = None, keep_rows: bool = False, streams: Any = STREAMS) -> Accumulator:
    accumulator = Accumulator(metric or BLEU(), keep_rows)
    accumulator.update(HYPOTHESES, streams)
    return accumulator


def refused(
    accumulator: Accumulator, kind: type[Exception], message: str, action: Callable[[Accumulator], object]
) -> None:
    """The action fails with just that message, and nothing has changed."""
    before = accumulator.state_dict()
    with pytest.raises(kind) as caught:
        action(accumulator)
    assert str(caught.value) == message
    assert accumulator.state_dict() == before
