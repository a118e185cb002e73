"""Lines of n-best lists as columns over bytes, and back."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu.rerank.nbest._lines import (
    FEW_FIELDS,
    NO_NUMBER,
    NOT_FINITE,
    NOT_UTF8,
    LineError,
    group_by_id,
    join_lines,
    joined,
    parse_fields,
    pick,
    raw,
    split_lines,
    start_of,
)

NO_LIMIT = 1 << 60

words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r|"), max_size=8)


def lines_of(data: bytes, at_end: bool = True) -> list[bytes]:
    lines, _ = split_lines(data, at_end)
    return [raw(lines, i) for i in range(len(lines))]


def grouped(
    text: str, expected: int = -1, at_end: bool = True, skip_bad: bool = False, until: int = NO_LIMIT
) -> tuple[int, list[int], list[int], list[int], int]:
    lines, _ = split_lines(text.encode(), at_end)
    stop, numbers, ids, bounds, bad = group_by_id(lines, expected, at_end, skip_bad, until)
    return stop, list(numbers), list(ids), list(bounds), bad


@given(data=st.binary(max_size=60) | st.lists(st.sampled_from([b"a", b"\r", b"\n", b" "])).map(b"".join))
def test_lines_are_those_between_newlines(data: bytes) -> None:
    expected = data.split(b"\n")
    if not expected[-1]:
        expected.pop()
    assert lines_of(data) == [line.removesuffix(b"\r") for line in expected]
    whole = data[: data.rfind(b"\n") + 1]
    lines, used = split_lines(data, False)
    assert (len(lines), used) == (whole.count(b"\n"), len(whole))
    assert [start_of(lines, i) for i in range(len(lines))] == [
        sum(map(len, whole.split(b"\n")[:i])) + i for i in range(len(lines))
    ]


@given(first=st.binary(), second=st.binary())
def test_bytes_are_joined(first: bytes, second: bytes) -> None:
    assert joined(first, second) == first + second


def test_more_lines_than_are_set_aside() -> None:
    data = b"".join(b"%d\n" % i for i in range(5000))
    assert lines_of(data) == [b"%d" % i for i in range(5000)]


def test_candidates_of_a_source_stand_together() -> None:
    text = "3 ||| a\n3 ||| b\n  4\t|||\tc\n5 |||\n5 ||| d ||| f ||| 1\n"
    assert grouped(text) == (5, [0, 1, 2, 3, 4], [3, 4, 5], [0, 2, 3, 5], 0)
    # More of the last one may follow.
    assert grouped(text, at_end=False) == (3, [0, 1, 2], [3, 4], [0, 2, 3], 0)
    assert grouped(text, until=4) == (2, [0, 1], [3], [0, 2], 0)
    assert grouped(text, until=4, at_end=False) == (2, [0, 1], [3], [0, 2], 0)
    assert grouped("7 ||| a\n", at_end=False) == (0, [], [], [0], 0)
    assert grouped("") == (0, [], [], [0], 0)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("0 ||| a\n2 ||| b\n", 1, "expected id 0 or 1, found 2: source 1 has no candidates"),
        ("1 ||| a\n", 0, "expected id 0, found 1: source 0 has no candidates"),
        (
            "0 ||| a\n1 ||| b\n0 ||| c\n",
            2,
            "expected id 1 or 2, found 0: ids must rise, and candidates of a source stand together",
        ),
        ("0 ||| a\n\n", 1, "expected 'id ||| text ||| features ||| score' with an id of digits, found ''"),
        ("0 | a\n", 0, "expected 'id ||| text ||| features ||| score' with an id of digits, found '0 | a'"),
        (
            "x ||| a\n",
            0,
            "expected 'id ||| text ||| features ||| score' with an id of digits, found 'x ||| a'",
        ),
        (
            "-1 ||| a\n",
            0,
            "expected 'id ||| text ||| features ||| score' with an id of digits, found '-1 ||| a'",
        ),
        ("0||| a\n", 0, "expected 'id ||| text ||| features ||| score' with an id of digits, found '0||| a'"),
        ("0 |||a\n", 0, "expected 'id ||| text ||| features ||| score' with an id of digits, found '0 |||a'"),
        (
            f"{10**18} ||| a\n",
            0,
            "expected 'id ||| text ||| features ||| score' with an id of digits, found '10000",
        ),
    ],
)
def test_ids_that_do_not_fit(text: str, line: int, message: str) -> None:
    with pytest.raises(LineError) as caught:
        grouped(text, expected=0)
    assert caught.value.line == line
    assert str(caught.value).startswith(message)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.line, str(copy)) == (line, str(caught.value))


def test_ids_that_do_not_fit_are_left_out() -> None:
    def found(text: str, at_end: bool = True) -> tuple[int, list[int], list[int], list[int], int]:
        return grouped(text, 0, at_end, skip_bad=True)

    assert found("0 ||| a\nx\n0 ||| b\n1 ||| c\n") == (4, [0, 2, 3], [0, 1], [0, 2, 3], 1)
    # A gap: the source has no candidates.
    assert found("0 ||| a\n3 ||| b\n3 ||| c\n") == (3, [0, 1, 2], [0, 3], [0, 1, 3], 0)
    # One id that is broken, and the source goes on.
    assert found("0 ||| a\n99 ||| b\n0 ||| c\n1 ||| d\n") == (4, [0, 2, 3], [0, 1], [0, 2, 3], 1)
    # The next line will tell.
    assert found("0 ||| a\n3 ||| b\n", at_end=False) == (0, [], [], [0], 0)
    assert found("0 ||| a\n3 ||| b\n") == (2, [0, 1], [0, 3], [0, 1, 2], 0)
    # A source that came before.
    assert found("0 ||| a\n1 ||| b\n0 ||| c\n2 ||| d\n") == (4, [0, 1, 3], [0, 1, 2], [0, 1, 2, 3], 1)
    # Nothing that fits: all of it has been looked at.
    assert found("x\ny\n", at_end=False) == (2, [], [], [0], 2)
    # What is left out within a source that is not complete is read again with it.
    assert found("0 ||| a\nx\n1 ||| b\ny\n", at_end=False) == (2, [0], [0], [0, 1], 1)


@given(fields=st.lists(words, min_size=1, max_size=5), score=st.floats(allow_nan=False, allow_infinity=False))
def test_fields_are_those_between_separators(fields: list[str], score: float) -> None:
    line = " ||| ".join(["0", *fields, repr(score)])
    lines, _ = split_lines(line.encode(), True)
    texts, scores, problems = parse_fields(lines, 1, len(fields) + 1)
    assert problems is None
    assert scores is not None
    assert list(scores) == [score]
    # Blanks around a field are of the separator; no tokenizer sees other white space at the end.
    assert list(texts) == [fields[0].rstrip().lstrip(" \t")]


def test_what_is_no_separator() -> None:
    lines, _ = split_lines(b"0 ||| a|||b |||| c || d |||e ||| f\n0 ||| ||| f\n0 |||\n", True)
    texts, _, problems = parse_fields(lines, 1, -1)
    assert problems is None
    assert list(texts) == ["a|||b |||| c || d |||e", "", ""]


@pytest.mark.parametrize(
    ("number", "code"),
    [
        *((text, NO_NUMBER) for text in ("", "x", "1 2", "0x1p3", "1,5", "--1", "1_0", "nan(1)", "1" * 70)),
        *((text, NOT_FINITE) for text in ("nan", "inf", "-inf", "Infinity", "NaN", "1e999")),
    ],
)
def test_what_is_no_number(number: str, code: int) -> None:
    lines, _ = split_lines(f"0 ||| a ||| 1\n0 ||| a ||| {number}\n".encode(), True)
    _, _, problems = parse_fields(lines, 1, 2)
    assert problems is not None
    assert list(problems) == [0, code]


def test_other_trouble_within_a_line() -> None:
    data = b"0 ||| caf\xc3\xa9 ||| 1\n0 ||| caf\xc3 ||| 1\n0\n0 ||| a\n0 ||| \xff\n0 ||| b ||| -2e-3\n"
    lines, _ = split_lines(data, True)
    texts, scores, problems = parse_fields(lines, 1, 2)
    assert problems is not None
    assert list(problems) == [0, NOT_UTF8, FEW_FIELDS, FEW_FIELDS, NOT_UTF8, 0]
    assert scores is not None
    assert (scores[0], scores[5], texts[0], texts[5]) == (1.0, -0.002, "café", "b")


@given(
    segments=st.lists(words, min_size=1, max_size=6),
    decimals=st.integers(0, 17),
    values=st.lists(st.floats(-1e300, 1e300), min_size=6, max_size=6),
)
def test_lines_are_written_as_python_writes_them(
    segments: list[str], decimals: int, values: list[float]
) -> None:
    lines, _ = split_lines("".join(f"{segment}\n" for segment in segments).encode(), True)
    chosen = np.arange(len(segments))[::-1].copy()
    scores = np.array(values[: len(segments)])
    written = join_lines(lines, chosen, scores, b" ||| ", decimals).decode()
    kept = [raw(lines, int(k)).decode() for k in chosen]
    expected = [f"{segment} ||| {score:.{decimals}f}\n" for segment, score in zip(kept, scores, strict=True)]
    assert written == "".join(expected)
    assert join_lines(lines, chosen, None, b"", 0).decode() == "".join(f"{segment}\n" for segment in kept)


def test_what_is_chosen_has_to_be_there() -> None:
    lines, _ = split_lines(b"a\nb\n", True)
    for numbers in ([2], [-1]):
        with pytest.raises(
            IndexError, match=f"segment {numbers[0]} is out of range for a column of 2 segments"
        ):
            join_lines(lines, np.array(numbers), None, b"", 0)
        with pytest.raises(IndexError, match="out of range"):
            pick(lines, np.array(numbers))
    with pytest.raises(ValueError, match="scores must hold 1 numbers, not 2"):
        join_lines(lines, np.array([0]), np.zeros(2), b"", 0)
    with pytest.raises(ValueError, match=r"decimals must be in 0\.\.17, not 18"):
        join_lines(lines, np.array([0]), np.zeros(1), b"", 18)
    assert list(pick(pick(lines, np.array([1, 0, 1])), np.array([2, 1]))) == ["b", "a"]
