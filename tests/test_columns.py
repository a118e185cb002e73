"""Columns: what goes in comes out again, in text, lines, fields and ids."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fastbleu import _columns
from fastbleu._columns import FieldCountError, TextColumn, text_column
from tests.alphabet import ENCODING_EDGES, SPACES
from tests.strategies import any_character, texts

# The copying loops take 8 and 16 characters at a time, and stop in the middle where one is not ASCII.
STRIDES = (0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129)

any_texts = st.one_of(texts(), st.text(any_character, max_size=80))
encodable = st.text(max_size=40)


def mixed_runs() -> Iterator[str]:
    """ASCII runs of every stride with one other character before, in, or behind them."""
    for length in STRIDES:
        for other in ("", *ENCODING_EDGES):
            for position in {0, length // 2, length}:
                yield "A" * position + other + "z" * (length - position)


@settings(max_examples=500, deadline=None)
@given(st.lists(any_texts, max_size=12))
def test_text_comes_back(strings: list[str]) -> None:
    column = text_column(strings)
    assert len(column) == len(strings)
    assert [column[i] for i in range(len(column))] == strings
    assert [column[i - len(strings)] for i in range(len(column))] == strings


def test_text_of_every_width_comes_back() -> None:
    strings = list(mixed_runs())
    column = text_column(strings)
    assert [column[i] for i in range(len(column))] == strings


def test_every_code_point_comes_back() -> None:
    strings = [chr(code) for code in range(0x110000)]
    column = text_column(strings)
    assert all(column[i] == string for i, string in enumerate(strings))
    together = "".join(strings)
    assert text_column([together])[0] == together


@settings(max_examples=300, deadline=None)
@given(st.lists(any_texts, max_size=8))
@example(["\u0130I\u03a3", "ABYZ@[`{\u212a", "\u03a3", "a\u03a3", "\u03a3\u03a3 \u03a3"])
def test_lowercase(strings: list[str]) -> None:
    expected = [string.lower() for string in strings]
    copied = text_column(strings, lowercase=True)
    assert [copied[i] for i in range(len(copied))] == expected
    lowered = text_column(strings).lowered()
    assert [lowered[i] for i in range(len(lowered))] == expected


def test_lowercase_of_every_code_point() -> None:
    strings = [f"A{chr(code)}Z" for code in range(0x110000)]
    column = text_column(strings, lowercase=True)
    assert all(column[i] == string.lower() for i, string in enumerate(strings))
    for length in STRIDES:
        string = ("@AMZ[`amz{\x00\x7f" * 20)[:length]
        assert text_column([string], lowercase=True)[0] == string.lower()


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(texts(5), st.none()), max_size=10), st.data())
def test_absent_segments_and_slices(strings: list[str | None], data: st.DataObject) -> None:
    column = text_column(strings, may_be_absent=True)
    start = data.draw(st.integers(0, len(strings)))
    stop = data.draw(st.integers(start, len(strings)))
    part = column.slice(start, stop)
    assert [part[i] for i in range(len(part))] == strings[start:stop]
    again = part.slice(0, len(part)).lowered()
    assert [again[i] for i in range(len(again))] == [
        None if string is None else string.lower() for string in strings[start:stop]
    ]
    for copied in (pickle.loads(pickle.dumps(part)), copy.deepcopy(part)):
        assert [copied[i] for i in range(len(copied))] == strings[start:stop]


def test_a_slice_keeps_its_column_alive() -> None:
    part = text_column([f"segment {i}" for i in range(100)]).slice(40, 42)
    assert [part[0], part[1]] == ["segment 40", "segment 41"]


@pytest.mark.parametrize("bad", [1, 1.5, b"bytes", ["a"], None, object()])
def test_what_is_no_text_is_named(bad: Any) -> None:
    with pytest.raises(TypeError, match=r"column\[2\] must be a str, not " + type(bad).__name__):
        text_column(["a", "b", bad, "c"])


@pytest.mark.parametrize("index", [3, -4, 1 << 40])
def test_index_out_of_range(index: int) -> None:
    column = text_column(["a", "b", "c"])
    with pytest.raises(IndexError, match=str(index)):
        column[index]


@pytest.mark.parametrize(("start", "stop"), [(-1, 1), (2, 1), (0, 4), (4, 4)])
def test_slice_out_of_range(start: int, stop: int) -> None:
    with pytest.raises(IndexError, match="out of range"):
        text_column(["a", "b", "c"]).slice(start, stop)


def test_nothing_is_kept_in_the_callers_strings() -> None:
    """`PyUnicode_AsUTF8` would leave a second copy of the text in each string."""
    strings = [f"caf\u00e9 {i}" for i in range(100)]
    sizes = [string.__sizeof__() for string in strings]
    text_column(strings)
    assert [string.__sizeof__() for string in strings] == sizes


def lines_of(data: bytes) -> list[str]:
    """The lines of a text file opened with newline="\\n", less their newline and the white space before it."""
    lines = data.decode("utf-8").split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.rstrip() for line in lines]


line_text = st.one_of(
    encodable,
    st.text(st.sampled_from(f"ab\n\n\r\t{SPACES}\u200b\u00e9\u4e2d\U0001f600"), max_size=60),
)


@settings(max_examples=500, deadline=None)
@given(line_text)
@example("")
@example("\n")
@example("a\n\n")
@example("a\r\nb\rc\x0bd\x0ce\x1cf\x85g\u2028h")
@example("a\u2009\nb\u0320\nc\u0300\n")
def test_lines(text: str) -> None:
    data = text.encode("utf-8")
    column = TextColumn.from_lines(data)
    assert [column[i] for i in range(len(column))] == lines_of(data)


@settings(max_examples=500, deadline=None)
@given(st.lists(st.lists(line_text, min_size=1, max_size=4), max_size=6), st.integers(1, 4), st.booleans())
def test_fields(rows: list[list[str]], n_fields: int, limit: bool) -> None:
    data = "\n".join("\t".join(row) for row in rows).encode("utf-8")
    expected = []
    for number, line in enumerate(lines_of(data), 1):
        fields = line.split("\t", n_fields - 1 if limit else -1)
        if len(fields) != n_fields:
            with pytest.raises(FieldCountError) as error:
                TextColumn.from_fields(data, n_fields, limit)
            assert (error.value.line, error.value.expected) == (number, n_fields)
            assert error.value.found == len(line.split("\t"))
            assert str(number) in str(error.value)
            return
        expected.append([field.rstrip() for field in fields])
    columns = TextColumn.from_fields(data, n_fields, limit)
    assert len(columns) == n_fields
    assert [[column[i] for column in columns] for i in range(len(columns[0]))] == expected


def test_the_error_of_a_line_pickles() -> None:
    error = pickle.loads(pickle.dumps(FieldCountError(3, 1, 2)))
    assert (type(error), error.line, error.found, error.expected) == (FieldCountError, 3, 1, 2)


def test_borrowed_memory_is_kept_alive() -> None:
    column = TextColumn.from_lines(b"".join(b"line %d\n" % i for i in range(1000)))
    columns = TextColumn.from_fields(b"".join(b"a %d\tb %d\n" % (i, i) for i in range(1000)), 2)
    assert column[999] == "line 999"
    assert (columns[0][999], columns[1][999]) == ("a 999", "b 999")


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


@settings(max_examples=2_000, deadline=None)
@given(st.one_of(st.binary(max_size=40), st.lists(st.sampled_from(FRAGMENTS), max_size=20).map(b"".join)))
def test_invalid_utf8_is_found_where_python_finds_it(data: bytes) -> None:
    assert _columns.find_invalid_utf8(data) == invalid_at(data)


def test_invalid_utf8_of_every_two_and_three_bytes() -> None:
    """Every lead byte with every second byte, and a third at the borders, after ASCII runs that shift the words."""
    for first in range(0x80, 0x100):
        for second in range(0x100):
            for rest in (b"", b"\x80", b"\xbf", b"\x7f", b"\x80\x80", b"\xbf\xc0"):
                data = b"a" * (second % 9) + bytes((first, second)) + rest
                assert _columns.find_invalid_utf8(data) == invalid_at(data)
