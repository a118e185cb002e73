"""Completions of token ids on the way to a metric: forms, prompts, ends, the vocabulary."""

import random
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, TokenIds
from fastbleu.rewards import BLEUReward
from fastbleu.rewards.completions.ids import checked_id_options, read_ids

ID_OPTIONS = checked_id_options(pad_id=0, eos_id=2)
MATRIX = np.array([[5, 6, 2, 0], [5, 6, 7, 8]])


def read(completions: Any, references: Any, id_options: Any = ID_OPTIONS) -> Any:
    batch = read_ids(completions, references, id_options)
    streams = [list(stream) for stream in batch.references]
    absent = sorted({*range(batch.number)} - {*batch.scored})
    return list(batch.hypotheses), streams, absent, batch.clipped


@pytest.mark.parametrize(
    "completions",
    [
        MATRIX,
        MATRIX.astype(np.int32),
        [[5, 6, 2], [5, 6, 7, 8]],
        ([5, 6, 2, 0], (5, 6, 7, 8)),
        list(MATRIX),
        np.array([[5, 6, 2], [5, 6, 7, 8]], dtype=object),
    ],
)
def test_forms_of_completions(completions: Any) -> None:
    assert read(completions, [[5, 2], [6, 7]]) == ([[5, 6], [5, 6, 7, 8]], [[[5], [6, 7]]], [], 1)


def test_tensors(torch: Any) -> None:
    expected: Any = ([[5, 6], [5, 6, 7, 8]], [[[5], [6, 7]]], [], 1)
    for completions in (torch.tensor(MATRIX), list(torch.tensor(MATRIX))):
        assert read(completions, torch.tensor([[5, 2], [6, 7]]).tolist()) == expected
        assert read(completions, list(torch.tensor([[5, 2], [6, 7]]))) == expected


@pytest.mark.parametrize(
    ("references", "streams", "absent"),
    [
        ([[5], [6, 2, 9]], [[[5], [6]]], []),
        ([[[5], [6]], [[7, 2]]], [[[5], [7]], [[6], None]], []),
        ([np.array([5]), np.array([[6, 2], [7, 0]])], [[[5], [6]], [None, [7]]], []),
        ([None, [6]], [[[6]]], [0]),
        ([[], [6]], [[[], [6]]], []),
        ([[None, [5]], [6]], [[None, [6]], [[5], None]], []),
    ],
)
def test_forms_of_references(references: Any, streams: Any, absent: list[int]) -> None:
    hypotheses, found, without, _ = read(MATRIX, references)
    assert (found, without) == (streams, absent)
    assert hypotheses == [row for i, row in enumerate([[5, 6], [5, 6, 7, 8]]) if i not in absent]


def test_references_in_one_array() -> None:
    references = np.array([[[5, 2], [6, 0]], [[7, 8], [9, 9]]])
    batch = read_ids(MATRIX, references, ID_OPTIONS)
    assert list(batch.references) == [[[5], [6]], [[7, 8], [9, 9]]]
    prepared = BLEU(tokenize="none").prepare([TokenIds([[5], [6]])])
    assert read_ids(MATRIX, prepared, ID_OPTIONS).references is prepared
    ids = TokenIds([[5], [6]])
    assert read_ids(MATRIX, ids, ID_OPTIONS).references is ids


def slow_clipped(rows: list[list[int]], pads: set[int], ends: set[int]) -> int:
    clipped = 0
    for given in rows:
        row = list(given)
        while row and row[0] in pads:
            row.pop(0)
        clipped += not ends & set(row)
    return clipped


@pytest.mark.parametrize("pad_id", [None, 0, 2, [0, 3], [2, 0]])
@pytest.mark.parametrize("eos_id", [2, [2, 3]])
def test_clipped(pad_id: Any, eos_id: Any) -> None:
    """Ids without an end were cut off; what may be padding at the start of a row does not end it."""
    draw = random.Random(3)
    rows = [[draw.choice([0, 2, 2, 3, 5, 6]) for _ in range(draw.randrange(1, 4))] * 2 for _ in range(300)]
    matrix = np.array([(row * 6)[:6] for row in rows])
    id_options = checked_id_options(pad_id=pad_id, eos_id=eos_id)
    pads = set() if pad_id is None else {pad_id} if isinstance(pad_id, int) else {*pad_id}
    ends = {eos_id} if isinstance(eos_id, int) else {*eos_id}
    references = [[5]] * len(rows)
    assert read(rows, references, id_options)[3] == slow_clipped(rows, pads, ends) > 0
    assert read(list(map(np.array, rows)), references, id_options)[3] == slow_clipped(rows, pads, ends)
    assert read(matrix, references, id_options)[3] == slow_clipped(matrix.tolist(), pads, ends) > 0


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((MATRIX, [[5]]), ValueError, "references has 1 item, but there are 2 completions"),
        ((MATRIX, MATRIX[:1]), ValueError, "references has 1 item, but there are 2 completions"),
        (
            (MATRIX, ["a", [5]]),
            TypeError,
            r"references\[0\] must be token ids, since completions are token ids, not str: 'a'",
        ),
        (
            (MATRIX, [[5], [None]]),
            ValueError,
            r"references\[1\] must hold at least one reference, or be None",
        ),
        (([[5], None], [[5], [5]]), TypeError, r"completions\[1\] must be a sequence of token ids, not None"),
        ((MATRIX, [[5], [[5], [-4]]]), ValueError, r"references\[1\]\[1\]"),
    ],
)
def test_errors(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        BLEUReward(pad_id=0, eos_id=2)(*arguments)


def test_padding_that_nobody_declared(caplog: pytest.LogCaptureFixture) -> None:
    padded = np.array([[5, 6, 0, 0], [5, 6, 7, 0], [5, 0, 0, 0]])
    reward = BLEUReward()
    for _ in range(2):
        reward(padded, [[5, 6], [5, 6, 7], [5]])
    assert [message[:27] for message in caplog.messages] == ["Most rows of hypotheses, a "]
    caplog.clear()
    BLEUReward(pad_id=0)(padded, [[5, 6], [5, 6, 7], [5]])
    assert caplog.messages == []
