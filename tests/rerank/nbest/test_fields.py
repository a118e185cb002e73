"""Fields of the lines of n-best lists: ids, texts and scores."""

from __future__ import annotations

import pytest

from fastbleu.inputs._lines import split_lines
from fastbleu.rerank.nbest._fields import (
    FEW_FIELDS,
    NO_NUMBER,
    NOT_FINITE,
    NOT_UTF8,
    group_by_id,
    id_of,
    parse_fields,
)


def grouped(
    text: str, expected: int = -1, at_end: bool = True, skip_bad: bool = False
) -> tuple[int, list[int], list[int], list[int], int]:
    lines, _ = split_lines(text.encode(), at_end)
    stop, numbers, ids, bounds, bad, broken = group_by_id(lines, expected, at_end, skip_bad)
    assert broken is None
    return stop, list(numbers), list(ids), list(bounds), bad


def test_what_is_an_id() -> None:
    data = b"7 ||| a\n  8\t|||\tb\n9 |||\n0 | a\nx ||| a\n-1 ||| a\n0||| a\n0 |||a\n%d ||| a\n%d ||| a\n\n"
    lines, _ = split_lines(data % (10**18 - 1, 10**18), True)
    found = [id_of(lines, i) for i in range(len(lines))]
    assert found == [7, 8, 9, -1, -1, -1, -1, -1, 10**18 - 1, -1, -1]


def test_ids_that_do_not_fit_are_left_out() -> None:
    def found(text: str, at_end: bool = True) -> tuple[int, list[int], list[int], list[int], int]:
        return grouped(text, 0, at_end, skip_bad=True)

    assert found("0 ||| a\nx\n0 ||| b\n1 ||| c\n") == (4, [0, 2, 3], [0, 1], [0, 2, 3], 1)
    # A gap: the source has no candidates.
    assert found("0 ||| a\n3 ||| b\n3 ||| c\n") == (3, [0, 1, 2], [0, 3], [0, 1, 3], 0)
    # One id that is broken, and the source goes on.
    assert found("0 ||| a\n99 ||| b\n0 ||| c\n1 ||| d\n") == (4, [0, 2, 3], [0, 1], [0, 2, 3], 1)
    # The next line decides.
    assert found("0 ||| a\n3 ||| b\n", at_end=False) == (0, [], [], [0], 0)
    assert found("0 ||| a\n3 ||| b\n") == (2, [0, 1], [0, 3], [0, 1, 2], 0)
    # A source that came before.
    assert found("0 ||| a\n1 ||| b\n0 ||| c\n2 ||| d\n") == (4, [0, 1, 3], [0, 1, 2], [0, 1, 2, 3], 1)
    # Nothing that fits: all of it has been looked at.
    assert found("x\ny\n", at_end=False) == (2, [], [], [0], 2)
    # What is left out within a source that is not complete is read again with it.
    assert found("0 ||| a\nx\n1 ||| b\ny\n", at_end=False) == (2, [0], [0], [0, 1], 1)


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
