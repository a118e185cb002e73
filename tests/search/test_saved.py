"""Indices in files."""

from __future__ import annotations

import json
import pickle
import struct
import zlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastbleu import BLEU, TokenIds
from fastbleu.inputs import files
from fastbleu.options import DIRECTIONS
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


#: Texts of each kind, some of them equal, empty, or with long tokens.
KINDS: dict[str, Any] = {
    "text": [*TEXTS, "the cat " * 70, "ä \ud800 " + "ä" * 20],
    "tokens": [["a", "b" * 20, 3], ["a", "b" * 20], [], ["a"]],
    "ids": [[1, 2, 3, 2**60], [1, 2, 3], [], [3, 1, 2]],
}
VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1,
    8,
    1.5,
    2**31,
    2**64,
    -(2**64),
    float("nan"),
    "",
    "ids",
    "a",
    [],
    [[]],
    {},
)


@cache
def contents(kind: str) -> tuple[bytes, str, bytes]:
    """Magic and version, header, and all that follows, of an index of two parts, whose seeds are always the same."""
    index = Index([], BLEU(tokenize="none", effective_order=True))
    index._seeds = (1, 2)
    for texts in (KINDS[kind], KINDS[kind][1:2]):
        index.add(texts)
    fixed, header, *body = map(bytes, index._pieces())
    return fixed[:24], header.decode(), b"".join(body)


def opened(fixed: bytes, header: str, body: bytes, verify: bool = False) -> Index:
    """The index of a file with these parts. The checksum of its header is right."""
    data = header.encode() + b" " * (-(32 + len(header)) % 8)
    data = fixed + struct.pack("=2I", len(data), zlib.crc32(data)) + data + body
    return Index._of_bytes(data, "index", None, 1, verify)


def test_headers_that_fit_the_file_but_are_damaged_are_refused() -> None:
    fixed, text, body = contents("text")
    header = json.loads(text)
    header["vocabulary"] = [0, 0, sum(header["vocabulary"])]
    assert refusal(opened, fixed, json.dumps(header), body).endswith("the keys of the vocabulary are damaged")
    assert "RecursionError" in refusal(opened, fixed, "[" * 100_000, body)


def damage_sizes(draw: Any, header: Any) -> None:
    """Move borders of arrays that follow each other."""
    sizes = draw.choice([header["vocabulary"], *header["parts"]])
    for _ in range(draw.randrange(3)):
        i = draw.randrange(len(sizes))
        step = draw.choice([1, 2, 8, 16, sizes[i]])
        sizes[i] -= step
        sizes[draw.randrange(len(sizes))] += step


def damage_header(draw: Any, header: Any) -> None:
    """Put another value in a place."""
    while True:
        key = draw.choice(sorted(header)) if isinstance(header, dict) else draw.randrange(len(header))
        if not isinstance(header[key], (dict, list)) or not header[key] or draw.random() < 0.3:
            break
        header = header[key]
    header[key] = draw.choice(VALUES)


def damage_body(draw: Any, body: bytearray) -> None:
    """Change a bit or a number, leave bytes out, or repeat some elsewhere."""
    place, other = sorted(draw.randrange(len(body) - 3) for _ in range(2))
    how = draw.randrange(6)
    if how == 0:
        body[place] ^= 1 << draw.randrange(8)
    elif how == 1:
        del body[place:other]
    elif how == 2:
        body[place:place] = body[other : other + 40]
    else:
        number = draw.choice([draw.randrange(10), draw.getrandbits(32)])
        struct.pack_into("=I", body, place // 4 * 4, number)


def use(index: Index, kind: str, direction: Any) -> None:
    for _ in range(2):
        index.nearest(KINDS[kind], 2, direction=direction)
        index.add(KINDS[kind])
        assert len(pickle.loads(pickle.dumps(index))) == len(index)
        assert index.nbytes > 0


@pytest.mark.slow
@settings(deadline=None, max_examples=1000)
@given(st.randoms(use_true_random=False))
def test_damage_does_no_harm(draw: Any) -> None:
    """It leads to an error or to other results, never anywhere else."""
    kind = draw.choice(sorted(KINDS))
    fixed, text, whole = contents(kind)
    header, body = json.loads(text), bytearray(whole)
    for damage, what in ((damage_sizes, header), (damage_header, header), (damage_body, body)):
        if draw.random() < 0.5:
            damage(draw, what)
    try:
        index = opened(fixed, json.dumps(header), body, draw.random() < 0.1)
    except ValueError:
        return
    with suppress(ValueError, TypeError):
        use(index, kind, draw.choice(DIRECTIONS))


def test_a_file_that_changes_while_it_is_mapped_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAPPED_BYTES", 0)
    path = tmp_path / "index"
    data = saved(path)
    index = Index.load(path)
    path.write_bytes(data[: len(data) // 2])
    assert "the file was changed while it was read" in refusal(index.nearest, QUERIES)
