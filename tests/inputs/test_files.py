"""Files and standard input as columns: which lines they have, and what is refused."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fastbleu.inputs._lines import FieldCountError
from fastbleu.inputs.files import read_fields, read_lines, read_stdin_systems

if TYPE_CHECKING:
    from pathlib import Path

# Everything that some notion of a line, of a field or of white space could trip over.
PIECES = (
    *(
        "\n",
        "\r",
        "\r\n",
        "\t",
        " ",
        "\v",
        "\f",
        "\x1c",
        "\x1f",
        "\x85",
        "\u00a0",
        "\u2028",
        "\u3000",
        "\ufeff",
    ),
    *("", "\0", "a", "bc", "é", "語", "😀", "\u200b", " ."),
)
hurting_text = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


def write(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return str(path)


@given(text=hurting_text)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_lines_are_those_of_a_text_file(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "file", text.encode())
    with open(path, encoding="utf-8", newline="\n") as file:
        expected = [line.rstrip() for line in file]
    assert list(read_lines(path)) == expected


@given(
    lines=st.lists(hurting_text.map(lambda text: text.replace("\n", " ")), max_size=5),
    n_fields=st.integers(1, 3),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_fields_are_those_of_a_line_split_at_tabs(tmp_path: Path, lines: list[str], n_fields: int) -> None:
    path = write(tmp_path / "file", "".join(f"{line}\n" for line in lines).encode())
    rows = [line.rstrip().split("\t", n_fields - 1) for line in lines]
    short = [number for number, row in enumerate(rows, 1) if len(row) != n_fields]
    if short:
        with pytest.raises(FieldCountError) as caught:
            read_fields(path, n_fields)
        found = len(rows[short[0] - 1])
        assert (caught.value.line, caught.value.found, caught.value.expected) == (short[0], found, n_fields)
    else:
        columns = read_fields(path, n_fields)
        expected = [[row[field].rstrip() for row in rows] for field in range(n_fields)]
        assert [list(column) for column in columns] == expected


@given(text=hurting_text)
@settings(deadline=None)
def test_standard_input_has_universal_newlines(text: str) -> None:
    rows = [
        line.rstrip().split("\t") for line in io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8")
    ]
    other = [number for number, row in enumerate(rows, 1) if len(row) != len(rows[0])]
    if other:
        with pytest.raises(FieldCountError) as caught:
            read_stdin_systems(io.BytesIO(text.encode()))
        found = len(rows[other[0] - 1])
        assert (caught.value.line, caught.value.found, caught.value.expected) == (
            other[0],
            found,
            len(rows[0]),
        )
    else:
        columns = read_stdin_systems(io.BytesIO(text.encode()))
        expected = [[segment.rstrip() for segment in system] for system in zip(*rows, strict=True)] or [[]]
        assert [list(column) for column in columns] == expected


def test_a_name_in_gz_is_decompressed(tmp_path: Path) -> None:
    # Two members, as `cat a.gz b.gz` makes them.
    path = write(tmp_path / "file.gz", gzip.compress(b"the cat\n", mtime=0) + gzip.compress(b"the dog\n"))
    assert list(read_lines(path)) == ["the cat", "the dog"]


def test_a_path_object_is_a_path(tmp_path: Path) -> None:
    write(tmp_path / "file", b"the cat\tthe dog\n")
    assert list(read_lines(tmp_path / "file")) == ["the cat\tthe dog"]
    assert [list(column) for column in read_fields(tmp_path / "file", 2)] == [["the cat"], ["the dog"]]


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
        (
            "a\n\ud800".encode("utf-8", "surrogatepass"),
            "utf-8",
            r"line 2, byte offset 2: byte 0xed is not valid",
        ),
        (b"\xc0\x80", "utf-8", r"line 1, byte offset 0: byte 0xc0 is not valid utf-8"),
        (b"a\nb\xc3\xa9\n", "ascii", r"file: line 2, byte offset 3: byte 0xc3 is not valid ascii"),
        (b"a\x00\n\x00b", "utf-16-le", r"file: line 2, byte offset 4: byte 0x62 is not valid utf-16-le"),
        (
            gzip.compress(b"text\n", mtime=0),
            "utf-8",
            r"byte 0x8b is not valid utf-8; this looks like a gzip file, .* \.gz$",
        ),
    ],
)
def test_text_that_is_not_valid(tmp_path: Path, data: bytes, encoding: str, message: str) -> None:
    path = write(tmp_path / "file", data)
    with pytest.raises(ValueError, match=message):
        read_lines(path, encoding)


def test_text_that_is_not_valid_in_standard_input() -> None:
    with pytest.raises(
        ValueError, match=r"^standard input: line 2, byte offset 5: byte 0xfe is not valid utf-8$"
    ):
        read_stdin_systems(io.BytesIO(b"good\n\xfe\n"))


@pytest.mark.parametrize(
    "data",
    [
        b"the cat\n",
        gzip.compress(b"the cat\n" * 100)[:-9],
        gzip.compress(b"the cat\n" * 100)[:15] + b"\xff" * 40,
    ],
    ids=["plain", "cut short", "damaged"],
)
def test_broken_gzip(tmp_path: Path, data: bytes) -> None:
    path = write(tmp_path / "file.gz", data)
    with pytest.raises(ValueError, match=r"file\.gz: not a valid gzip file: "):
        read_lines(path)


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
        read_stdin_systems(io.BytesIO(b"a\tb\nc\td\ne\t\n"))
    with pytest.raises(
        FieldCountError, match=r"^standard input: line 2: expected 1 tab-separated field, found 3$"
    ):
        read_stdin_systems(io.BytesIO(b"a\nc\td\te\n"))


def test_the_error_of_fields_survives_pickling() -> None:
    with pytest.raises(FieldCountError) as caught:
        read_stdin_systems(io.BytesIO(b"a\tb\nc\n"))
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.line, again.found, again.expected) == (2, 1, 2)


def test_values_that_make_no_sense(tmp_path: Path) -> None:
    path = write(tmp_path / "file", b"a\n")
    with pytest.raises(ValueError, match="n_fields must be at least 1, not 0"):
        read_fields(path, 0)
    with pytest.raises(LookupError, match="no-such-encoding"):
        read_lines(path, "no-such-encoding")


def test_an_empty_file_has_no_segments(tmp_path: Path) -> None:
    path = write(tmp_path / "file", b"")
    assert list(read_lines(path)) == []
    assert [list(column) for column in read_fields(path, 3)] == [[], [], []]
    assert [list(column) for column in read_stdin_systems(io.BytesIO(b""))] == [[]]
