"""Numbers and text as the page shows them."""

from __future__ import annotations

import math
import sys

import pytest

from fastbleu.compare.page.shown import agreement, count, decimals, interval, shown_text, signed


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("a b", "a b"),
        ("a\u00a0b\u3000c\u2009d", "a\u00a0b\u3000c\u2009d"),
        ("\ud800", "\\ud800"),
        ("a\0b\tc\nd", "a\\x00b\\tc\\nd"),
        ("\u2028\u2029", "\\u2028\\u2029"),
        ("\u202eevil", "\\u202eevil"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("\U000e0001", "\\U000e0001"),
        ("<b>&", "<b>&"),
    ],
)
def test_text(text: str, shown: str) -> None:
    assert shown_text(text) == shown


@pytest.mark.slow
def test_any_text_can_be_written() -> None:
    for character in map(chr, range(sys.maxunicode + 1)):
        shown = shown_text(character)
        assert shown == character or shown == ascii(character)[1:-1]
        assert not any("\ud800" <= one <= "\udfff" or ord(one) < 0x20 for one in shown)


@pytest.mark.parametrize(
    ("number", "digits", "plain", "with_sign"),
    [
        (0.0, 2, "0.00", "0.00"),
        (-0.0, 2, "0.00", "0.00"),
        (0.004, 2, "0.00", "0.00"),
        (-0.004, 2, "0.00", "0.00"),
        (1.256, 2, "1.26", "+1.26"),
        (-1.256, 2, "−1.26", "−1.26"),
        (100.0, 1, "100.0", "+100.0"),
        (math.nan, 1, "–", "–"),
    ],
)
def test_numbers(number: float, digits: int, plain: str, with_sign: str) -> None:
    assert decimals(number, digits) == plain
    assert signed(number, digits) == with_sign


def test_intervals_shares_and_counts() -> None:
    assert interval(-0.5, 1.25, 2) == "−0.50 to 1.25"
    assert [agreement(share) for share in (None, 0.5, 0.51, 0.883)] == ["–", "like a coin", "51 %", "88 %"]
    assert [count(number) for number in (0, 999, 1002, 1234567)] == ["0", "999", "1,002", "1,234,567"]
