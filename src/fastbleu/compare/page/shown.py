"""Numbers and text as a page shows them."""

from __future__ import annotations

import re
from math import isnan

from ...explain.text import escaped
from ..human import as_percent

#: Spaces other than U+0020, which show nothing that could mislead. (Lines and tabs are not among them.)
_SPACES = re.compile("([\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+)")


def shown_text(text: str) -> str:
    r"""Text in which characters that cannot be shown are backslash escapes; spaces of all widths stay.

    Example:
        >>> shown_text("a\u3000b\ud800\n")
        'a\u3000b\\ud800\\n'
    """
    if text.isprintable():
        return text
    return "".join(part if k % 2 else escaped(part) for k, part in enumerate(_SPACES.split(text)))


def decimals(number: float | None, digits: int = 1) -> str:
    r"""A number with this many decimals and a typographic minus sign; a dash for None and NaN.

    Example:
        >>> decimals(31.25, 1), decimals(-0.5, 2), decimals(-0.001, 2), decimals(float("nan"))
        ('31.2', '−0.50', '0.00', '–')
    """
    if number is None or isnan(number):
        return "–"
    text = f"{number:.{digits}f}"
    return text.replace("-", "\u2212") if float(text) else text.removeprefix("-")


def signed(number: float, digits: int = 2) -> str:
    """A difference with its sign, none if it is shown as 0.

    Example:
        >>> signed(1.234), signed(-1.234), signed(0.001)
        ('+1.23', '−1.23', '0.00')
    """
    text = decimals(number, digits)
    return f"+{text}" if text[0].isdigit() and float(text) else text


def interval(low: float, high: float, digits: int = 1) -> str:
    """An interval as its lower end and its upper end."""
    return f"{decimals(low, digits)} to {decimals(high, digits)}"


def agreement(share: float | None) -> str:
    """How often human judges agreed, in per cent; no more often than a coin is said in words.

    Example:
        >>> agreement(0.72), agreement(0.44), agreement(None)
        ('72 %', 'like a coin', '–')
    """
    return as_percent(share, "–")


def count(number: int) -> str:
    """A whole number with commas between thousands."""
    return f"{number:,}"
