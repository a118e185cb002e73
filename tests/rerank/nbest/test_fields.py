"""Parse the ids, texts and scores of Moses n-best lists, and write output lines."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu.inputs._lines import raw, split_lines
from fastbleu.rerank.nbest._fields import (
    FEW_FIELDS,
    NO_NUMBER,
    NOT_FINITE,
    NOT_UTF8,
    group_by_id,
    id_of,
    join_lines,
    parse_fields,
)


def test_what_is_an_id() -> None:
    data = b"7 ||| a\n  8\t|||\tb\n9 |||\n0 | a\nx ||| a\n-1 ||| a\n0||| a\n0 |||a\n%d ||| a\n%d ||| a\n\n"
    lines, _ = split_lines(data % (10**18 - 1, 10**18), True)
    found = [id_of(lines, i) for i in range(len(lines))]
    assert found == [7, 8, 9, -1, -1, -1, -1, -1, 10**18 - 1, -1, -1]


@pytest.mark.parametrize(
    ("text", "at_end", "found"),
    [
        ("0 ||| a\nx\n0 ||| b\n1 ||| c\n", True, (4, [0, 2, 3], [0, 1], [0, 2, 3], 1)),
        # Two sources, 1 and 2, have no candidates.
        ("0 ||| a\n3 ||| b\n3 ||| c\n", True, (3, [0, 1, 2], [0, 3], [0, 1, 3], 0)),
        # An id is malformed, and the next line continues the source.
        ("0 ||| a\n99 ||| b\n0 ||| c\n1 ||| d\n", True, (4, [0, 2, 3], [0, 1], [0, 2, 3], 1)),
        # The next line would decide whether the id is malformed.
        ("0 ||| a\n3 ||| b\n", False, (0, [], [], [0], 0)),
        ("0 ||| a\n3 ||| b\n", True, (2, [0, 1], [0, 3], [0, 1, 2], 0)),
        # The id of an earlier source occurs again.
        ("0 ||| a\n1 ||| b\n0 ||| c\n2 ||| d\n", True, (4, [0, 1, 3], [0, 1, 2], [0, 1, 2, 3], 1)),
        # All lines are malformed, so none has to be read again.
        ("x\ny\n", False, (2, [], [], [0], 2)),
        # A skipped line of an incomplete source is read again together with the source.
        ("0 ||| a\nx\n1 ||| b\ny\n", False, (2, [0], [0], [0, 1], 1)),
    ],
)
def test_ids_that_do_not_fit_are_left_out(text: str, at_end: bool, found: object) -> None:
    lines, _ = split_lines(text.encode(), at_end)
    stop, numbers, ids, bounds, bad, broken = group_by_id(lines, 0, at_end, True)
    assert broken is None
    assert (stop, list(numbers), list(ids), list(bounds), bad) == found


def test_what_is_no_separator() -> None:
    lines, _ = split_lines(b"0 ||| a|||b |||| c || d |||e ||| f\n0 ||| ||| f\n0 |||\n", True)
    texts, _, problems = parse_fields(lines, -1)
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
    _, _, problems = parse_fields(lines, 2)
    assert problems is not None
    assert list(problems) == [0, code]


def test_other_trouble_within_a_line() -> None:
    data = b"0 ||| caf\xc3\xa9 ||| 1\n0 ||| caf\xc3 ||| 1\n0\n0 ||| a\n0 ||| \xff\n0 ||| b ||| -2e-3\n"
    lines, _ = split_lines(data, True)
    texts, scores, problems = parse_fields(lines, 2)
    assert problems is not None
    assert list(problems) == [0, NOT_UTF8, FEW_FIELDS, FEW_FIELDS, NOT_UTF8, 0]
    assert scores is not None
    assert (scores[0], scores[5], texts[0], texts[5]) == (1.0, -0.002, "café", "b")


@given(
    segments=st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r|"), max_size=8),
        min_size=1,
        max_size=6,
    ),
    decimals=st.integers(0, 17),
    values=st.lists(st.floats(-1e300, 1e300), min_size=6, max_size=6),
    indices=st.lists(st.integers(-(1 << 63), (1 << 63) - 1), min_size=6, max_size=6),
)
def test_lines_are_written_as_python_writes_them(
    segments: list[str], decimals: int, values: list[float], indices: list[int]
) -> None:
    lines, _ = split_lines("".join(f"{segment}\n" for segment in segments).encode(), True)
    number = len(segments)
    chosen, scores = np.arange(number)[::-1].copy(), np.array(values[:number])
    kept = [raw(lines, int(k)).decode() for k in chosen]
    numbers = np.array(indices[:number], dtype=np.int64)
    for index, rank in ((None, None), (numbers, None), (numbers, numbers)):
        expected = "".join(
            segment
            + (f" ||| index= {k}" if index is not None else "")
            + (f" ||| rank= {k}" if rank is not None else "")
            + f" ||| {score:.{decimals}f}\n"
            for segment, k, score in zip(kept, indices, scores, strict=False)
        )
        assert join_lines(lines, chosen, scores, decimals, index, rank).decode() == expected


def test_what_is_chosen_has_to_be_there() -> None:
    lines, _ = split_lines(b"a\nb\n", True)
    for number in (2, -1):
        with pytest.raises(IndexError, match=f"segment {number} is out of range for 2 segments"):
            join_lines(lines, np.array([number]), np.zeros(1), 0)
    for scores, indices, ranks, decimals, message in (
        (2, 1, 1, 0, "scores must hold 1 numbers, not 2"),
        (1, 2, 1, 0, "indices must hold 1 numbers, not 2"),
        (1, 1, 2, 0, "ranks must hold 1 numbers, not 2"),
        (1, 1, 1, 18, r"decimals must be in 0\.\.17, not 18"),
    ):
        columns = [np.zeros(size, dtype=np.int64) for size in (indices, ranks)]
        with pytest.raises(ValueError, match=message):
            join_lines(lines, np.array([0]), np.zeros(scores), decimals, *columns)
