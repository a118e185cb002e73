"""Errors about the rows of a batch."""

from __future__ import annotations

import pytest

from fastbleu.engines.batches import of_batch
from fastbleu.errors import ArgumentTypeError, ArgumentValueError, Place


@pytest.mark.parametrize("kind", [ArgumentTypeError, ArgumentValueError])
def test_message(kind: type[ArgumentTypeError | ArgumentValueError]) -> None:
    found = of_batch(kind(Place("hypotheses")[1], "is wrong"))
    assert type(found) is kind
    assert str(found) == "hypotheses[1] is wrong (rows are those of this batch, from 0)"
