"""The lines of files and of standard input, their encodings and their fields."""

from __future__ import annotations

import gzip
import io
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fastbleu.inputs import decompressed_files
from fastbleu.inputs._lines import FieldCountError, columns_of_fields
from fastbleu.inputs.decompressed_files import Input
from fastbleu.inputs.text_lines import (
    LineReader,
    UniversalLines,
    check_utf8,
    count_systems,
    read_lines,
    read_text,
)

if TYPE_CHECKING:
    from pathlib import Path

    from fastbleu.inputs._text import TextColumn

# Everything that some notion of a line, of a field or of white space could trip over.
PIECES = (
    *"\n\r\t \v\f\x1c\x1f\x85\u00a0\u2028\u3000\ufeff",
    *("\r\n", "", "\0", "a", "bc", "é", "語", "😀", "\u200b", " ."),
)
hurting_text = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


def write(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return str(path)


def read_fields(path: str | Path, n_fields: int) -> list[TextColumn]:
    with Input(path) as source:
        return columns_of_fields(LineReader(source).rest(), n_fields, True, source.name)


def read_stdin_systems(data: bytes) -> list[TextColumn]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        lines = LineReader(UniversalLines(Input(None)))
        n_fields = count_systems(lines.first_line())
        text = lines.rest()
    check_utf8(text, lines.name)
    return columns_of_fields(text, n_fields, False, lines.name)


def test_text_keeps_its_line_ends(tmp_path: Path) -> None:
    data = "\ufeffa\r\nb\rc\u2028 é \n".encode()
    assert read_text(write(tmp_path / "text", data)) == data.decode()
    assert read_text(write(tmp_path / "text.gz", gzip.compress(data))) == data.decode()
    with pytest.raises(ValueError, match="line 2, byte offset 2: byte 0xff is not valid utf-8"):
        read_text(write(tmp_path / "text", b"a\n\xff"))


@given(text=hurting_text)
@settings(deadline=None)
def test_standard_input_has_universal_newlines(text: str) -> None:
    rows = [
        line.rstrip().split("\t") for line in io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8")
    ]
    other = [number for number, row in enumerate(rows, 1) if len(row) != len(rows[0])]
    if other:
        found = len(rows[other[0] - 1])
        with pytest.raises(
            FieldCountError, match=f"line {other[0]}: expected {len(rows[0])} .*found {found}$"
        ):
            read_stdin_systems(text.encode())
    else:
        columns = read_stdin_systems(text.encode())
        expected = [[segment.rstrip() for segment in system] for system in zip(*rows, strict=True)] or [[]]
        assert [list(column) for column in columns] == expected


@given(
    data=st.lists(st.sampled_from([b"a", b"\xc3\xa9 ", b"\n", b"\r\n", b"bcd"]), max_size=30).map(b"".join),
    block=st.integers(1, 20),
    steps=st.lists(st.integers(0, 3), max_size=9),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_lines_are_taken_in_steps(tmp_path: Path, data: bytes, block: int, steps: list[int]) -> None:
    expected = list(read_lines(write(tmp_path / "file", data)))
    found: list[Any] = []
    with pytest.MonkeyPatch.context() as patch, Input(tmp_path / "file") as source:
        patch.setattr(decompressed_files, "BLOCK_BYTES", block)
        lines = LineReader(source)
        for step in [*steps, *(len(data) * [1])]:
            stop = lines.ready()
            if stop is None:
                break
            assert lines.taken < stop <= len(expected)
            found += lines.take(min(stop, lines.taken + step))
        assert lines.taken == len(found)
    assert found == expected


@pytest.mark.parametrize(
    "encoding", ["latin-1", "utf-16", "utf-16-le", "utf-8-sig", "UTF8", "shift_jis", "utf-7"]
)
def test_encodings(tmp_path: Path, encoding: str) -> None:
    text = "the cat ÿ\n\tthe dog\n" if encoding == "latin-1" else "the 猫\n\tthe 犬\n"
    path = write(tmp_path / "file", text.encode(encoding))
    assert list(read_lines(path, encoding)) == text.splitlines()


def test_a_lone_surrogate_of_another_encoding_is_kept(tmp_path: Path) -> None:
    path = write(tmp_path / "file", "a\ud800b\n".encode("utf-16-le", "surrogatepass"))
    with pytest.raises(ValueError, match=r"line 1, byte offset 2: byte 0x00 is not valid utf-16-le"):
        read_lines(path, "utf-16-le")
    path = write(tmp_path / "file", b"a+2AA-b\n")
    assert list(read_lines(path, "utf-7")) == ["a\ud800b"]


@pytest.mark.parametrize(
    ("data", "encoding", "message"),
    [
        (b"good\nth\xe9 cat\n", "utf-8", r"file: line 2, byte offset 7: byte 0xe9 is not valid utf-8"),
        (b"\xff", "utf-8", r"file: line 1, byte offset 0: byte 0xff is not valid utf-8"),
        (b"cut short \xe8\xaa", "utf-8", r"file: line 1, byte offset 10: byte 0xe8 is not valid utf-8"),
        ("a\n\ud800".encode("utf-8", "surrogatepass"), "utf-8", r"line 2, byte offset 2: byte 0xed is not"),
        (b"\xc0\x80", "utf-8", r"line 1, byte offset 0: byte 0xc0 is not valid utf-8"),
        (b"a\nb\xc3\xa9\n", "ascii", r"file: line 2, byte offset 3: byte 0xc3 is not valid ascii"),
        (b"a\x00\n\x00b", "utf-16-le", r"file: line 2, byte offset 4: byte 0x62 is not valid utf-16-le"),
    ],
)
def test_text_that_is_not_valid(tmp_path: Path, data: bytes, encoding: str, message: str) -> None:
    path = write(tmp_path / "file", data)
    with pytest.raises(ValueError, match=message):
        read_lines(path, encoding)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        read_lines(tmp_path / "absent")
    assert os.fspath(caught.value.filename) == str(tmp_path / "absent")
    with pytest.raises(PermissionError if sys.platform == "win32" else IsADirectoryError):
        read_fields(tmp_path, 2)


def test_a_wrong_number_of_fields_says_where(tmp_path: Path) -> None:
    path = write(tmp_path / "file", b"a\tb\nc\td\ne\t\n")
    with pytest.raises(FieldCountError, match=r"file: line 3: expected 2 tab-separated fields, found 1$"):
        read_fields(path, 2)
    with pytest.raises(
        FieldCountError, match=r"^standard input: line 3: expected 2 tab-separated fields, found 1$"
    ):
        read_stdin_systems(b"a\tb\nc\td\ne\t\n")
    with pytest.raises(
        FieldCountError, match=r"^standard input: line 2: expected 1 tab-separated field, found 3$"
    ):
        read_stdin_systems(b"a\nc\td\te\n")


def test_an_empty_file_has_no_segments(tmp_path: Path) -> None:
    path = write(tmp_path / "file", b"")
    assert list(read_lines(path)) == []
    assert [list(column) for column in read_fields(path, 3)] == [[], [], []]
    assert [list(column) for column in read_stdin_systems(b"")] == [[]]
