"""Lines and fields of a file as columns, and where its bytes are not UTF-8."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fastbleu.inputs._lines import (
    FieldCountError,
    column_of_lines,
    columns_of_fields,
    find_invalid_utf8,
    has_tabs,
    raw,
    split_lines,
    start_of,
)
from tests.support.alphabet import SPACES

encodable = st.text(max_size=40)


def lines_of(data: bytes) -> list[str]:
    """The lines of a text file opened with newline="\\n", less their newline and the white space before it."""
    lines = data.decode("utf-8").split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.rstrip() for line in lines]


line_text = st.one_of(
    encodable, st.text(st.sampled_from(f"ab\n\n\r\t{SPACES}\u200b\u00e9\u4e2d\U0001f600"), max_size=60)
)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(line_text)
@example("")
@example("\n")
@example("a\n\n")
@example("a\r\nb\rc\x0bd\x0ce\x1cf\x85g\u2028h")
@example("a\u2009\nb\u0320\nc\u0300\n")
def test_lines(text: str) -> None:
    data = text.encode("utf-8")
    column = column_of_lines(data)
    assert [column[i] for i in range(len(column))] == lines_of(data)


@settings(max_examples=100, deadline=None)
@given(line_text)
@example("a\t")
@example("a\t\u3000\nb\n")
@example("\ta\n")
@example("a\n" * 10 + "a\tb")
def test_has_tabs(text: str) -> None:
    column = column_of_lines(text.encode("utf-8"))
    assert has_tabs(column) == any("\t" in line for line in lines_of(text.encode("utf-8")))


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(line_text, min_size=1, max_size=4), max_size=6), st.integers(1, 4), st.booleans())
def test_fields(rows: list[list[str]], n_fields: int, limit: bool) -> None:
    data = "\n".join("\t".join(row) for row in rows).encode("utf-8")
    expected = []
    for number, line in enumerate(lines_of(data), 1):
        fields = line.split("\t", n_fields - 1 if limit else -1)
        if len(fields) != n_fields:
            found = len(line.split("\t"))
            with pytest.raises(
                FieldCountError, match=f"^text: line {number}: expected {n_fields} .*, found {found}$"
            ):
                columns_of_fields(data, n_fields, limit)
            return
        expected.append([field.rstrip() for field in fields])
    columns = columns_of_fields(data, n_fields, limit)
    assert len(columns) == n_fields
    assert [[column[i] for column in columns] for i in range(len(columns[0]))] == expected


def invalid_at(data: bytes) -> int:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return -1


FRAGMENTS = [
    *(bytes([byte]) for byte in (0x00, 0x41, 0x7F, 0x80, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xED, 0xEF)),
    *(bytes([byte]) for byte in (0xF0, 0xF4, 0xF5, 0xF8, 0xFC, 0xFE, 0xFF, 0x8F, 0x90, 0x9F, 0xA0)),
    *(
        bytes.fromhex(h)
        for h in ("c280", "e0a080", "e09f80", "ed9fbf", "eda080", "f0908080", "f08f8080", "f48fbfbf")
    ),
    *(bytes.fromhex(h) for h in ("f4908080", "efbfbd", "c3a9", "e4b8ad", "f09f9880", "edbfbf", "eebfbf")),
    b"plain ascii text",
    b"12345678",
]


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@given(st.one_of(st.binary(max_size=40), st.lists(st.sampled_from(FRAGMENTS), max_size=20).map(b"".join)))
def test_invalid_utf8_is_found_where_python_finds_it(data: bytes) -> None:
    assert find_invalid_utf8(data) == invalid_at(data)


def test_invalid_utf8_of_every_two_and_three_bytes() -> None:
    """Every lead byte with every second byte, and a third at the borders, after ASCII runs that shift the words."""
    for first in range(0x80, 0x100):
        for second in range(0x100):
            for rest in (b"", b"\x80", b"\xbf", b"\x7f", b"\x80\x80", b"\xbf\xc0"):
                data = b"a" * (second % 9) + bytes((first, second)) + rest
                assert find_invalid_utf8(data) == invalid_at(data)


def test_invalid_utf8_in_text_that_is_checked_in_vectors() -> None:
    """Each fragment at every place of a few blocks, in front of more text and at the end."""
    for before in ("a", "aé", "猫", "a😀é"):
        start = (before * 120).encode()
        for length in range(56, 132):
            head = start[:length].decode(errors="ignore").encode()
            for fragment in FRAGMENTS:
                for data in (
                    head + fragment,
                    head + fragment + b"b" * 70,
                    head + fragment + "é".encode() * 40,
                ):
                    assert find_invalid_utf8(data) == invalid_at(data)


@given(data=st.binary(max_size=60) | st.lists(st.sampled_from([b"a", b"\r", b"\n", b" "])).map(b"".join))
def test_split_lines_are_those_between_newlines(data: bytes) -> None:
    expected = data.split(b"\n")
    if not expected[-1]:
        expected.pop()
    lines, _ = split_lines(data, True)
    assert [raw(lines, i) for i in range(len(lines))] == [line.removesuffix(b"\r") for line in expected]
    whole = data[: data.rfind(b"\n") + 1]
    lines, used = split_lines(data, False)
    assert (len(lines), used) == (whole.count(b"\n"), len(whole))
    assert [start_of(lines, i) for i in range(len(lines))] == [
        sum(map(len, whole.split(b"\n")[:i])) + i for i in range(len(lines))
    ]


def test_segments_are_picked_over_the_same_memory() -> None:
    lines, _ = split_lines(b"a\nb\n", True)
    assert list(lines.take(np.array([1, 0, 1])).take(np.array([2, 1]))) == ["b", "a"]
    for number in (2, -1):
        with pytest.raises(IndexError, match=f"segment {number} is out of range for 2 segments"):
            lines.take(np.array([number]))
