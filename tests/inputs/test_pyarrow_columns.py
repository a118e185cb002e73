"""Columns that pyarrow has read: nulls, lists and broken text, in slices that begin anywhere."""

from __future__ import annotations

import itertools
import subprocess
import sys

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")

from fastbleu.inputs.pyarrow_columns import (
    are_valid,
    as_numbers,
    find_invalid_text,
    is_list,
    is_text,
    is_text_list,
    items_of,
)

TEXTS = ["a", None, "b", "", None, "c", "d", "e", None, "f", "g"]
LISTS = [["a"], None, [], ["b", None, "c"], None, ["d"], [None]]
SLICES = list(itertools.combinations(range(12), 2))


def test_types() -> None:
    for kind in (
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.dictionary(pa.int8(), pa.string()),
        pa.null(),
    ):
        assert is_text(kind)
        for wrap in (
            pa.list_,
            pa.large_list,
            pa.list_view,
            pa.large_list_view,
            lambda each: pa.list_(each, 2),
        ):
            assert is_list(wrap(kind))
            assert is_text_list(wrap(kind))
            assert not is_text(wrap(kind))
    for kind in (
        pa.binary(),
        pa.int64(),
        pa.dictionary(pa.int8(), pa.int64()),
        pa.struct([("a", pa.string())]),
    ):
        assert not is_text(kind)
        assert not is_text_list(pa.list_(kind))


@pytest.mark.parametrize("bounds", SLICES)
def test_nulls_and_numbers_of_slices(bounds: tuple[int, int]) -> None:
    start, stop = bounds
    column = pa.array(TEXTS).slice(start, stop - start)
    assert are_valid(column).tolist() == [text is not None for text in TEXTS[start:stop]]
    numbers = pa.array(range(11), pa.int32()).slice(start, stop - start)
    assert as_numbers(numbers, "int32").tolist() == list(range(11))[start:stop]
    assert are_valid(numbers).all()
    assert not are_valid(pa.nulls(3)).any()


@pytest.mark.parametrize(
    "kind", [pa.list_(pa.string()), pa.large_list(pa.large_string()), pa.list_view(pa.string())], ids=str
)
@pytest.mark.parametrize("bounds", list(itertools.combinations_with_replacement(range(8), 2)))
def test_lists_of_slices(kind: object, bounds: tuple[int, int]) -> None:
    start, stop = bounds
    items, places = items_of(pa.array(LISTS, kind).slice(start, stop - start))
    texts = items.to_pylist()
    found = [texts[a:b] for a, b in itertools.pairwise(places.tolist())]
    assert found == [each or [] for each in LISTS[start:stop]]


def test_offsets_that_fall() -> None:
    offsets = np.array([0, 2, 1, 3], dtype=np.int32)
    buffers = [None, pa.py_buffer(offsets)]
    lists = pa.Array.from_buffers(pa.list_(pa.string()), 3, buffers, children=[pa.array(["a", "b", "c"])])
    with pytest.raises(ValueError, match="the offsets of the lists fall"):
        items_of(lists)


def test_broken_text() -> None:
    data = pa.array([b"a", None, b"caf\xe9", b"\xff"])
    texts = pa.Array.from_buffers(pa.string(), 4, data.buffers())
    problem = "is not valid UTF-8: byte 0xe9 at byte offset 3"
    assert find_invalid_text(texts) == (2, problem)
    assert find_invalid_text(texts.slice(1)) == (1, problem)
    assert find_invalid_text(texts.slice(0, 2)) is None
    assert find_invalid_text(pa.nulls(2)) is None
    assert find_invalid_text(pa.array(["a", "é"]).dictionary_encode()) is None


def test_pandas_is_not_imported() -> None:
    program = (
        "import sys, pyarrow as pa\n"
        "from fastbleu.inputs.pyarrow_columns import are_valid, items_of\n"
        "bounds = pa.py_buffer(bytes(8 * 3))\n"
        "texts = pa.Array.from_buffers(pa.large_string(), 0, [None, bounds, bounds])\n"
        "lists = pa.Array.from_buffers(pa.large_list(pa.large_string()), 2, [None, bounds], children=[texts])\n"
        "are_valid(lists), items_of(lists)\n"
        "print('pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, timeout=60)
    assert done.stdout == b"False\n"
