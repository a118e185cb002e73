"""Files and standard input as bytes: decompression, pipes, and files that cannot be read."""

from __future__ import annotations

import gzip
import io
import os
import sys
import threading
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from fastbleu.inputs.decompressed_files import Input
from fastbleu.inputs.text_lines import read_lines

if TYPE_CHECKING:
    from pathlib import Path


def write(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return str(path)


def read_stdin(data: bytes) -> bytes:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        return Input(None).read_all()


def compress(form: str, data: bytes) -> bytes:
    if form == "gz":
        return gzip.compress(data, mtime=0)
    name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    compressed: bytes = pytest.importorskip(name).compress(data)
    return compressed


@pytest.mark.parametrize("form", ["gz", "zst"])
@pytest.mark.parametrize("name", ["file", "file.{form}"])
def test_what_is_compressed_is_decompressed(tmp_path: Path, form: str, name: str) -> None:
    # Two members or frames, as `cat a.gz b.gz` makes them.
    data = compress(form, b"the cat\n") + compress(form, b"the dog\n")
    path = write(tmp_path / name.format(form=form), data)
    assert list(read_lines(path)) == ["the cat", "the dog"]
    assert read_stdin(data) == b"the cat\nthe dog\n"
    with Input(path) as source:
        assert (source.read(3), source.read(9), source.read(100), source.read(1)) == (
            b"the",
            b" cat\nthe ",
            b"dog\n",
            b"",
        )
    if form == "zst":
        # A frame that is to be skipped comes first, as parallel compressors write it.
        path = write(tmp_path / "skip.zst", b"\x5f\x2a\x4d\x18\x02\x00\x00\x00xx" + data)
        assert list(read_lines(path)) == ["the cat", "the dog"]


@pytest.mark.parametrize(("form", "encoding"), [("gz", "utf-16-le"), ("zst", "latin-1")])
def test_text_of_another_encoding_may_look_compressed(tmp_path: Path, form: str, encoding: str) -> None:
    looks = {"gz": b"\x1f\x8b", "zst": b"\x28\xb5\x2f\xfd"}[form]
    text = looks.decode(encoding) + "a\n"
    assert list(read_lines(write(tmp_path / "file", text.encode(encoding)), encoding)) == [text.rstrip()]
    path = write(tmp_path / f"file.{form}", compress(form, text.encode(encoding)))
    assert list(read_lines(path, encoding)) == [text.rstrip()]


@pytest.mark.parametrize("form", ["gz", "zst"])
def test_bytes_from_a_pipe(tmp_path: Path, form: str) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("there are no named pipes")
    text = b"the cat\n" * 30_000
    for data in (text, compress(form, text), b"a"):
        path = tmp_path / f"pipe{len(data)}"
        os.mkfifo(path)
        writer = threading.Thread(target=path.write_bytes, args=(data,))
        writer.start()
        assert list(read_lines(path)) == (["a"] if data == b"a" else ["the cat"] * 30_000)
        writer.join()


@pytest.mark.slow
@pytest.mark.parametrize("form", ["gz", "zst"])
def test_memory_is_bounded_where_little_becomes_much(tmp_path: Path, form: str) -> None:
    size = 64 << 20
    path = write(tmp_path / "large", compress(form, b"a" * size) + compress(form, b"the end"))
    with Input(path) as source:
        tracemalloc.start()
        found, last = 0, b""
        for _ in range(5):
            found += len(source.read(1 << 20))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 8 << 20
        while data := source.read(1 << 22):
            found, last = found + len(data), data
    assert found == size + 7
    assert last.endswith(b"athe end")


@pytest.mark.parametrize("form", ["gz", "zst"])
def test_broken_compressed_files(tmp_path: Path, form: str) -> None:
    data = compress(form, b"".join(b"the cat %d\n" % i for i in range(1000)))
    name = {"gz": "gzip", "zst": "zstd"}[form]
    for broken in (data[:-9], data[: len(data) // 2], data[:15] + b"\xff" * 40, data + b"after"):
        path = write(tmp_path / f"file.{form}", broken)
        with pytest.raises(ValueError, match=rf"file\.{form}: not a valid {name} file: "):
            read_lines(path)
        with pytest.raises(ValueError, match=rf"standard input: not a valid {name} file: "):
            read_stdin(broken)
    # sacreBLEU reads a plain file named .zst as text.
    assert list(read_lines(write(tmp_path / "file.zst", b"the cat\n"))) == ["the cat"]
    path = write(tmp_path / "plain.gz", b"the cat\n")
    with pytest.raises(
        ValueError, match=r"plain\.gz: not a valid gzip file: it is not compressed by gzip; rename"
    ):
        read_lines(path)


def test_zstd_needs_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "file", b"\x28\xb5\x2f\xfd")
    monkeypatch.setitem(sys.modules, "compression" if sys.version_info >= (3, 14) else "backports", None)
    with pytest.raises(
        ImportError, match=r'file: reading zstd needs the package backports\.zstd: pip install ".*\[cli\]"$'
    ):
        Input(path)


def test_bytes_that_have_been_read_are_counted(tmp_path: Path) -> None:
    data = compress("gz", b"the cat\n" * 1000)
    for content in (data, b"the cat\n" * 1000):
        counted: list[int] = []
        with Input(write(tmp_path / "file", content)) as source:
            assert source.size == len(content)
            source.advance = counted.append
            while source.read(100):
                pass
        assert sum(counted) == len(content)
