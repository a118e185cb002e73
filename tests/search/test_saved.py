"""Indices in files."""

from __future__ import annotations

import json
import pickle
import struct
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastbleu import BLEU, TokenIds
from fastbleu.inputs import files
from fastbleu.search import Index
from tests.support.refusals import refusal

TEXTS = ["the cat sat on the mat", "a dog", "", "the cat sat", "a dog", "donaudampfschifffahrtsgesellschaft"]
QUERIES = ["the cat sat on a mat", "dog", "donaudampfschifffahrtsgesellschaft"]


def saved(path: Path, index: Index | None = None) -> bytes:
    (the_index() if index is None else index).save(path)
    return path.read_bytes()


@cache
def the_index() -> Index:
    """One for all examples of a test: how many numbers another one has depends on its seeds."""
    return Index(TEXTS)


def found(index: Index, queries: Any = QUERIES) -> Any:
    return [each.tolist() for each in index.nearest(queries, 2)]


@pytest.mark.parametrize("mapped_from", [0, 1 << 24])
def test_a_loaded_index_finds_what_was_saved_and_grows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mapped_from: int
) -> None:
    monkeypatch.setattr(files, "MAPPED_BYTES", mapped_from)
    index = Index(TEXTS, BLEU(lowercase=True, effective_order=True, smooth_method="floor", smooth_value=0.2))
    index.save(tmp_path / "index")
    loaded = Index.load(tmp_path / "index")
    assert found(loaded) == found(index)
    assert repr(loaded.metric) == repr(index.metric)
    for one in (index, loaded):
        one.add(["dog and cat", "A dog"] * 20)
    assert found(loaded) == found(index)
    assert saved(tmp_path / "again", loaded) == saved(tmp_path / "again", index)


@pytest.mark.parametrize(
    ("texts", "queries"),
    [
        ([["a", "b", "c"], ["a", 3]], [["a", "b", "x"], [3]]),
        (TokenIds([[1, 2, 3], [4, 5, 6]]), TokenIds([[1, 2, 6]])),
        ([], ["a"]),
    ],
)
def test_each_kind_of_texts_is_saved(tmp_path: Path, texts: Any, queries: Any) -> None:
    metric = BLEU(tokenize="none", effective_order=True)
    index = Index(texts, metric)
    index.save(tmp_path / "index")
    np.testing.assert_equal(found(Index.load(tmp_path / "index"), queries), found(index, queries))


def test_an_index_is_pickled() -> None:
    index = Index(TEXTS, threads=2)
    assert found(pickle.loads(pickle.dumps(index))) == found(index)


def letters(text: str) -> list[str]:
    return [*text]


def test_a_callable_must_be_given_again(tmp_path: Path) -> None:
    metric = BLEU(tokenize=letters, effective_order=True)
    index = Index(TEXTS, metric)
    index.save(tmp_path / "index")
    assert found(Index.load(tmp_path / "index", metric)) == found(index)
    assert "give the metric that it was made with" in refusal(Index.load, tmp_path / "index")


def test_other_options_are_refused(tmp_path: Path) -> None:
    saved(tmp_path / "index")
    assert refusal(Index.load, tmp_path / "index", BLEU(lowercase=True)).endswith(
        "the index was made with lowercase=False, but the metric has lowercase=True"
    )


def test_names_that_promise_another_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="an index is not compressed"):
        Index(["a"]).save(tmp_path / "texts.gz")
    for call in (Index(["a"]).save, Index.load):
        with pytest.raises(TypeError, match="not NoneType"):
            call(None)
    assert not list(tmp_path.iterdir())


def test_tokens_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    index = Index([["a", (1, 2)]], BLEU(tokenize="none"))
    assert refusal(index.save, tmp_path / "index") == (
        "ValueError: only tokens that are str or int can be saved, but one is tuple: (1, 2)"
    )
    assert not (tmp_path / "index").exists()


def test_every_cut_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "index"
    data = saved(path)
    for size in range(0, len(data), 7):
        path.write_bytes(data[:size])
        assert refusal(Index.load, path).startswith("ValueError: "), size
    path.write_bytes(data + b"\0")
    assert f"the index must have {len(data)} bytes, but {len(data) + 1} are there" in refusal(
        Index.load, path
    )


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (0, b"X", "is not an index of fastbleu.search"),
        (16, struct.pack("=I", 2), "has version 2 of the format; this release reads 1"),
        (20, struct.pack("=I", 0x04030201), "was written on a machine of another byte order than"),
        (40, b"X", "the checksum of its header is wrong"),
    ],
)
def test_a_wrong_header_is_named(tmp_path: Path, place: int, value: bytes, message: str) -> None:
    path = tmp_path / "index"
    data = saved(path)
    path.write_bytes(data[:place] + value + data[place + len(value) :])
    assert message in refusal(Index.load, path)


@pytest.mark.parametrize("mapped_from", [0, 1 << 24])
def test_every_change_is_noticed_if_the_whole_file_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mapped_from: int
) -> None:
    monkeypatch.setattr(files, "MAPPED_BYTES", mapped_from)
    path = tmp_path / "index"
    index = Index(TEXTS)
    index.add(["a cat", "two dogs"])
    data = saved(path, index)
    assert found(Index.load(path, verify=True)) == found(index)
    for place in range(0, len(data), 3):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        assert refusal(Index.load, path, verify=True).startswith("ValueError: "), place
    first_token = 32 + struct.unpack_from("=I", data, 24)[0] + 16
    path.write_bytes(data[:first_token] + b"X" + data[first_token + 1 :])
    Index.load(path)
    assert refusal(Index.load, path, verify=True).endswith(
        "the index was changed after it was saved: the checksum of its contents is wrong"
    )


def try_to_search(path: Path) -> None:
    """Damaged numbers lead to an error or to other results, never anywhere else."""
    try:
        index = Index.load(path)
        for direction in ("query-as-hypothesis", "max"):
            index.nearest(QUERIES, 2, direction=direction)
        index.add(["the cat"])
    except (ValueError, TypeError, OSError):
        pass


@pytest.mark.slow
@settings(deadline=None, max_examples=300)
@given(st.data())
def test_damaged_numbers_do_no_harm(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = tmp_path_factory.mktemp("damaged") / "index"
    whole = bytearray(saved(path))
    start = 32 + struct.unpack_from("=I", whole, 24)[0]
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(start // 4 + 1, len(whole) // 4 - 1)) * 4
        struct.pack_into("=I", whole, place, data.draw(st.integers(0, 2**32 - 1) | st.integers(0, 40)))
    path.write_bytes(whole)
    try_to_search(path)


@pytest.mark.slow
@settings(deadline=None, max_examples=200)
@given(st.data())
def test_damaged_sizes_do_no_harm(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = tmp_path_factory.mktemp("damaged") / "index"
    whole = saved(path)
    *fixed, length, _ = struct.unpack_from("=16s4I", whole)
    header = json.loads(whole[32 : 32 + length])
    numbers = st.integers(-1, 60) | st.integers(-(2**65), 2**65) | st.none() | st.text(max_size=3)
    key = data.draw(st.sampled_from(sorted(header)))
    if isinstance(header[key], list) and header[key]:
        inner = header[key][0] if isinstance(header[key][0], list) else header[key]
        inner[data.draw(st.integers(0, len(inner) - 1))] = data.draw(numbers)
    else:
        header[key] = data.draw(numbers)
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("=16s4I", *fixed, len(text), zlib.crc32(text)) + text + whole[32 + length :])
    try_to_search(path)


def test_a_file_that_changes_while_it_is_mapped_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAPPED_BYTES", 0)
    path = tmp_path / "index"
    data = saved(path)
    index = Index.load(path)
    path.write_bytes(data[: len(data) // 2])
    assert "the file was changed while it was read" in refusal(index.nearest, QUERIES)
