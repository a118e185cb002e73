"""Slices and selections of TokenIds: those of the matrix, of ragged lists and of Arrow lists, with the same rule."""

from __future__ import annotations

import copy
import ctypes
import pickle
import random
from array import array
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, TokenIds
from tests.support.id_rows import Rule, kept, random_matrix

RULE = Rule(0, (2, 7))
SLICES = (
    slice(None),
    slice(2, 10),
    slice(None, None, 2),
    slice(None, None, -1),
    slice(9, 1, -3),
    slice(-3, None),
    slice(5, 5),
    slice(-100, 100),
    slice(100, None),
    slice(np.int64(3), np.int64(6)),
)
NUMBERS: tuple[Any, ...] = (
    [3],
    [],
    [0, -1, 3, 3, -12],
    np.array([11, 0, 5]),
    np.array([1, 2], dtype=np.uint8),
    np.array([1, 2], dtype=np.uint64),
    np.array([-1], dtype=np.int8),
    np.array([], dtype=int),
    np.array([True, False] * 6),
    [True] * 12,
    [False] * 12,
    array("i", [4, 5]),
    range(3, 9, 2),
)
COLUMNS = (
    slice(None),
    slice(5, None),
    slice(None, 5),
    slice(2, -2),
    slice(-4, None),
    slice(None, None, 3),
    slice(1, None, 2),
    slice(30, None),
    slice(4, 2),
)


def ids_of(held: Any, **options: Any) -> TokenIds:
    return TokenIds(held, pad_id=0, eos_id=(2, 7), **options)


def matrix(kind: str = "i8") -> np.ndarray[Any, Any]:
    return np.array(random_matrix(random.Random(1), RULE, 12, 15)).clip(0).astype(kind)


def of(row: list[int]) -> list[int]:
    return RULE.of(row)


def tokens(rows: np.ndarray[Any, Any] | list[list[int]]) -> list[list[int]]:
    return [of(list(map(int, row))) for row in rows]


def picked(index: Any, rows: list[Any]) -> list[Any]:
    """Rows by an index, slowly."""
    if isinstance(index, slice):
        return rows[index]
    listed = list(index)
    if listed and isinstance(listed[0], (bool, np.bool_)):
        return [row for row, wanted in zip(rows, listed, strict=True) if wanted]
    return [rows[int(i)] for i in listed]


# ----------------------------------------------------------------------------------------------------- matrices


@pytest.mark.parametrize("index", [*SLICES, *NUMBERS], ids=repr)
@pytest.mark.parametrize("kind", ["i8", ">i4", "u2"])
def test_rows_of_a_matrix(index: Any, kind: str) -> None:
    rows = matrix(kind)
    ids = ids_of(rows)
    part = ids[index]
    expected = picked(index, rows.tolist())
    assert list(part) == tokens(expected)
    assert (part.shape, part.rule) == ((len(expected), 15), ids.rule)
    # As what it is a part of: read, pickled, and cut again.
    assert (
        list(pickle.loads(pickle.dumps(part)))
        == list(copy.copy(part))
        == list(copy.deepcopy(part))
        == list(part)
    )
    assert list(part[::-1]) == list(part)[::-1]


@pytest.mark.parametrize("columns", [*COLUMNS, slice(None, None, -1), slice(8, 2, -2)], ids=repr)
def test_columns_of_a_matrix(columns: slice) -> None:
    rows = matrix()
    ids = ids_of(rows)
    assert list(ids[:, columns]) == tokens(rows[:, columns])
    assert list(ids[2:10:3, columns]) == tokens(rows[2:10:3, columns])
    assert list(ids[[3, -1, 3], columns]) == tokens(rows[[3, -1, 3]][:, columns])
    assert ids[4, columns] == of(rows[4, columns].tolist())
    assert ids[-1, columns] == of(rows[-1, columns].tolist())


@pytest.mark.parametrize("columns", COLUMNS, ids=repr)
@pytest.mark.parametrize("rows", [slice(None), slice(8, 2, -1), [3, 3, -1], np.arange(12) % 3 == 0], ids=repr)
def test_lengths(rows: Any, columns: slice) -> None:
    held = matrix()
    lengths = [random.Random(i).randint(0, 15) for i in range(12)]
    ids = ids_of(held, lengths=lengths)
    cut = [row[:length] for row, length in zip(held.tolist(), lengths, strict=True)]
    assert list(ids[rows]) == tokens(picked(rows, cut))
    # Columns count from the matrix' own ends, and what is after a row's length is not read.
    within = [
        [row[t] for t in range(*columns.indices(15)) if t < length]
        for row, length in zip(held.tolist(), lengths, strict=True)
    ]
    part = ids[rows, columns]
    assert list(part) == tokens(picked(rows, within))
    assert list(pickle.loads(pickle.dumps(part))) == list(part)
    assert ids[3, columns] == of(within[3])


def test_reversed_columns_have_no_lengths() -> None:
    ids = ids_of(matrix(), lengths=[3] * 12)
    with pytest.raises(
        ValueError, match=r"^index has columns in reverse order, where lengths have no meaning$"
    ):
        ids[:, ::-1]
    assert list(ids[::-1]) == list(ids)[::-1]


def test_slices_share_memory() -> None:
    rows = matrix()
    ids = ids_of(rows)
    parts = ids[2:10], ids[::-1], ids[:, 5:], ids[1::2, ::2]
    rows[:] = 9
    assert [list(part) for part in parts] == [[[9] * part.shape[1]] * part.shape[0] for part in parts]
    assert [part.shape for part in parts] == [(8, 15), (12, 15), (12, 10), (6, 8)]
    # Numbers select a copy, as in NumPy.
    copied = ids[[0, 1]]
    rows[:] = 8
    assert list(copied) == [[9] * 15] * 2


def test_references_of_each_segment() -> None:
    cube = np.array([random_matrix(random.Random(i), RULE, 3, 8) for i in range(6)]).clip(0)
    cube[2, 1] = cube[4, 0] = 0
    lengths = np.random.default_rng(1).integers(0, 9, (6, 3))
    ids, cut = ids_of(cube), ids_of(cube, lengths=lengths)
    for index in (slice(1, 5), slice(None, None, -2), [4, 2, 2], np.arange(6) > 2):
        assert list(ids[index]) == picked(index, list(ids))
        assert list(cut[index]) == picked(index, list(cut))
        assert ids[index].is_per_segment
    assert list(ids[:, 1:]) == list(ids_of(cube[:, 1:]))
    assert list(ids[:, :, 3:]) == list(ids_of(cube[:, :, 3:]))
    assert list(ids[1:4, ::2, :3]) == list(ids_of(cube[1:4, ::2, :3]))
    assert ids[-1, 1:] == ids_of(cube[-1:, 1:])[0]
    assert list(cut[:, 1:]) == list(ids_of(cube[:, 1:], lengths=lengths[:, 1:]))
    assert list(cut[:, :, 3:]) == list(ids_of(cube[:, :, 3:], lengths=(lengths - 3).clip(0)))
    assert list(cut[2:, :2, :3]) == list(ids_of(cube[2:, :2, :3], lengths=lengths[2:, :2].clip(0, 3)))
    bleu = BLEU(tokenize="none")
    samples = cube[:, 0]
    assert (
        bleu.statistics(samples[2:], ids[2:]).tolist()
        == bleu.statistics(samples, ids)[2:].tolist()
        == bleu.statistics(samples, bleu.prepare(ids))[2:].tolist()
    )


def test_other_buffers() -> None:
    flat = array("i", [5, 6, 2, 7, 2, 0, 8, 9, 0])
    view = memoryview(flat).cast("B").cast("i", (3, 3))
    row = ctypes.c_int32 * 3
    for held in (view, (row * 3)(row(5, 6, 2), row(7, 2, 0), row(8, 9, 0))):
        ids = TokenIds(held, pad_id=0, eos_id=2)
        assert list(ids[::-1]) == [[8, 9], [7], [5, 6]]
        assert list(ids[[2, 0], 1:]) == [[9], [6]]
    part = TokenIds(view)[1:]
    flat[3] = 4
    assert list(part) == [[4, 2, 0], [8, 9, 0]]


def test_torch() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed", exc_type=ImportError)
    rows = matrix()
    tensor = torch.tensor(rows)
    ids = ids_of(tensor)
    for index in (*SLICES, *NUMBERS):
        assert list(ids[index]) == tokens(picked(index, rows.tolist()))
    for columns in (*COLUMNS, slice(None, None, -1)):
        assert list(ids[1:, columns]) == tokens(rows[1:, columns])
    assert list(ids[torch.tensor([3, -1])]) == tokens(rows[[3, -1]])
    assert list(ids[torch.arange(12) > 8]) == tokens(rows[9:])
    assert ids[torch.tensor(3)] == of(rows[3].tolist())
    part = ids[2:4, 1:3]
    # The slice is a tensor still: its memory may move as that of the whole.
    tensor.share_memory_()
    tensor[:] = 9
    assert list(part) == [[9, 9]] * 2


# --------------------------------------------------------------------------------------------------- ragged rows


def ragged() -> list[Any]:
    generator = random.Random(2)
    return [row[: generator.randint(0, 15)] for row in matrix().tolist()]


@pytest.mark.parametrize("index", [*SLICES, *NUMBERS], ids=repr)
def test_rows_of_a_ragged_list(index: Any) -> None:
    rows = ragged()
    lengths = [len(row) // 2 for row in rows]
    for held in (
        rows,
        tuple(map(tuple, rows)),
        [np.array(row, dtype=int) for row in rows],
        [array("i", r) for r in rows],
    ):
        assert list(ids_of(held)[index]) == tokens(picked(index, rows))
        halves = [row[: len(row) // 2] for row in rows]
        assert list(ids_of(held, lengths=lengths)[index]) == tokens(picked(index, halves))


@pytest.mark.parametrize("columns", [*COLUMNS, slice(None, None, -1)], ids=repr)
def test_columns_of_a_ragged_list(columns: slice) -> None:
    """Each row is cut by itself: -4 is the fourth from its own end."""
    rows = ragged()
    for held in (rows, [np.array(row, dtype=int) for row in rows], [array("i", row) for row in rows]):
        assert list(ids_of(held)[:, columns]) == tokens([row[columns] for row in rows])
        assert list(ids_of(held)[[3, 0], columns]) == tokens([rows[3][columns], rows[0][columns]])
        assert ids_of(held)[3, columns] == of(rows[3][columns])
    if columns.step != -1:
        lengths = [len(row) // 2 for row in rows]
        expected = [[row[t] for t in range(*columns.indices(len(row))) if t < len(row) // 2] for row in rows]
        assert list(ids_of(rows, lengths=lengths)[:, columns]) == tokens(expected)
    torch = pytest.importorskip("torch", reason="torch is not installed", exc_type=ImportError)
    tensors = [torch.tensor(row, dtype=torch.int64) for row in rows]
    assert list(ids_of(tensors)[:, columns]) == tokens([row[columns] for row in rows])


def test_absent_references_of_a_ragged_list() -> None:
    ids = TokenIds([None, [5, 6], None, [7]])
    assert list(ids[1:][:, 1:]) == [[6], None, []]
    assert list(ids[[0, 3]]) == [None, [7]]


def test_lists_that_change_afterwards() -> None:
    rows = [[5], [6], [7]]
    ids = TokenIds(rows)
    rows.pop()
    rows[0] = [8]
    assert list(ids) == list(ids[:]) == list(pickle.loads(pickle.dumps(ids))) == [[5], [6], [7]]


# -------------------------------------------------------------------------------------------------- Arrow columns


@pytest.mark.parametrize("index", [*SLICES, *NUMBERS], ids=repr)
@pytest.mark.parametrize("form", ["one", "chunks", "part", "fixed"])
def test_rows_of_arrow_lists(index: Any, form: str) -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed", exc_type=ImportError)
    rows = matrix().tolist() if form == "fixed" else ragged()
    column = (
        pa.array(rows, pa.list_(pa.int32(), 15)) if form == "fixed" else pa.array(rows, pa.list_(pa.int32()))
    )
    if form == "chunks":
        column = pa.chunked_array([column[:5], column[5:6], column[6:]])
    elif form == "part":
        column = pa.array([[1, 2, 3], *rows, [4]])[1:-1]
    ids = ids_of(column)
    part = ids[index]
    assert list(part) == tokens(picked(index, rows))
    assert list(pickle.loads(pickle.dumps(part))) == list(part[::-1])[::-1] == list(part)
    lengths = [len(row) // 2 for row in rows]
    halves = [row[: len(row) // 2] for row in rows]
    assert list(ids_of(column, lengths=lengths)[index]) == tokens(picked(index, halves))
    bleu = BLEU(tokenize="none")
    expected = bleu.statistics(tokens(picked(index, rows)), [[[5, 6]] * len(part)]).tolist()
    assert bleu.statistics(part, [[[5, 6]] * len(part)]).tolist() == expected


@pytest.mark.parametrize("columns", [*COLUMNS, slice(None, None, -1)], ids=repr)
def test_columns_of_arrow_lists(columns: slice) -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed", exc_type=ImportError)
    rows: list[Any] = [*ragged(), None, [5, 6, 7]]
    ids = ids_of(pa.array(rows))
    cut = [None if row is None else row[columns] for row in rows]
    assert list(ids[:, columns]) == [None if row is None else of(row) for row in cut]
    assert list(ids[[-1, -2, 3], columns]) == [of(cut[-1]), None, of(cut[3])]
    assert ids[3, columns] == of(cut[3])
    if columns.step != -1:
        lengths = [0 if row is None else len(row) // 2 for row in rows]
        expected = [
            None
            if row is None
            else of([row[t] for t in range(*columns.indices(len(row))) if t < len(row) // 2])
            for row in rows
        ]
        assert list(ids_of(pa.array(rows), lengths=lengths)[:, columns]) == expected


def test_arrow_lists_far_apart_and_with_nulls() -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed", exc_type=ImportError)
    rows = [[i, i + 1, i + 2] for i in range(3000)]
    ids = TokenIds(pa.array(rows))
    for index in (slice(None, None, 500), [2999, 0, 1500], slice(None, None, -1)):
        assert list(ids[index]) == picked(index, rows)
    null = TokenIds(pa.array([[1], [2, None], [3]]))
    assert list(null[[2, 0]]) == [[3], [1]]
    with pytest.raises(TypeError, match=r"^hypotheses\[1\]\[1\] must be an int, not NoneType: None$"):
        BLEU(tokenize="none").statistics(null[[2, 1]], [[[1]] * 2])
    ended = pa.array([[5, 9, None], [6, None, 9], [7, 9, None]])
    assert list(TokenIds(ended, eos_id=9)[::2]) == [[5], [7]]
    assert list(TokenIds(ended, eos_id=9, lengths=[3, 1, 2])) == [[5], [6], [7]]
    with pytest.raises(TypeError, match=r"^ids\[1\]\[1\] must be an int, not NoneType: None$"):
        list(TokenIds(ended, eos_id=9))
    with pytest.raises(ValueError, match=r"^hypotheses\[0\]\[1\] is -5, and"):
        BLEU(tokenize="none").statistics(TokenIds(pa.array([[1], [2], [3, -5]]))[::-2], [[[1]] * 2])


# ------------------------------------------------------------------------------------------------------- refused


WRONG = "index must be an int, a slice, integers, or as many bools as there are segments, not "


@pytest.mark.parametrize(
    ("index", "error", "words"),
    [
        (12, IndexError, "index 12 is out of range for 12 segments"),
        ((-13, slice(3)), IndexError, "index -13 is out of range for 12 segments"),
        ([3, 12], IndexError, "index[1] is 12, out of range for 12 segments"),
        (
            np.array([2**64 - 1], dtype=np.uint64),
            IndexError,
            "index[0] is 18446744073709551615, out of range",
        ),
        ([True] * 11, IndexError, "index has 11 bools, but there are 12 segments"),
        ((slice(None), slice(3), slice(3)), IndexError, "index has 3 dimensions, but ids have 2"),
        *(
            (index, TypeError, WRONG + type(index).__name__)
            for index in ("a", True, 2.0, None, ..., (), {1: 2}, [2.0], np.array([0.5]), [[1], [2, 3]])
        ),
        ([True, 1], TypeError, "index mixes integers and bools"),
        ((slice(None), 3), TypeError, "index[1] must be a slice, not int: 3"),
        (slice("a"), TypeError, "slice indices must be integers"),
        (slice(None, None, 0), ValueError, "slice step cannot be zero"),
    ],
)
def test_wrong_indices(index: Any, error: type[Exception], words: str) -> None:
    column: list[Any] = []
    try:
        import pyarrow as pa
    except ImportError:
        pass
    else:
        column = [pa.array(matrix().tolist())]
    for held in (matrix(), matrix().tolist(), list(matrix()), *column):
        with pytest.raises(error) as caught:
            TokenIds(held)[index]
        assert str(caught.value).startswith(words)


def test_parts_are_scored_as_what_they_hold() -> None:
    generator = random.Random(7)
    rows = np.array(random_matrix(generator, RULE, 40, 20)).clip(0)
    ids = ids_of(rows)
    bleu = BLEU(tokenize="none", effective_order=True)
    for _ in range(20):
        index = np.array(generator.choices(range(40), k=17))
        start = generator.randint(0, 20)
        part = ids[index, start:]
        expected = [kept(row, *RULE[:3]) for row in rows[index][:, start:].tolist()]
        assert (
            bleu.sentence_scores(part, [expected]).tolist()
            == bleu.sentence_scores(expected, [expected]).tolist()
        )
        assert bleu.prefix_scores(part, part).shape == (17, 20 - start)
