"""Text for a terminal: tokens that can be printed anywhere, text measured, cut and wrapped by columns, and tables."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence
    from typing import TypeAlias

    #: The columns of a table: the head of each, and its cells.
    Columns: TypeAlias = list[tuple[str, list[str]]]

#: The width of the first column of a table, at most and at least.
_MOST_NAME = 40
_LEAST_NAME = 8

#: Heads that are wider than the cells below them: their words are written below each other.
_STACKED = {"brevity penalty", "length ratio", "judges agree", "better/ equal/ worse"}

#: Format characters that belong to words: the zero-width non-joiner and joiner, of Persian or of emoji.
_JOINERS = "\u200c\u200d"


def shown(token: Hashable) -> str:
    r"""A token as text that can be printed anywhere.

    Control characters, lone surrogates, marks that turn the direction of writing and the like become backslash
    escapes; an empty token, one with white space in it, and one that is not a str become their repr.

    Example:
        >>> shown("mat"), shown("\ud800"), shown("New York"), shown(7)
        ('mat', '\\ud800', "'New York'", '7')
    """
    text = token if isinstance(token, str) and token and not any(map(str.isspace, token)) else repr(token)
    return escaped(text)


def escaped(text: str) -> str:
    """Text in which characters that cannot be printed are backslash escapes."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character in _JOINERS else ascii(character)[1:-1]
        for character in text
    )


def shown_ngram(tokens: Iterable[Hashable]) -> str:
    """An n-gram as text, its tokens joined by spaces."""
    return " ".join(map(shown, tokens))


def columns(text: str) -> int:
    """Count the columns of a terminal that a text takes: two for wide characters, none for combining marks."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(
        0 if category(character) in ("Mn", "Me", "Cf") else 2 if east_asian_width(character) in "WF" else 1
        for character in text
    )


def cut(text: str, width: int) -> str:
    """The text; if it is wider, as much of it as fits into `width` columns with an ellipsis."""
    if columns(text) <= width:
        return text
    used = 1
    for position, character in enumerate(text):
        used += columns(character)
        if used > width:
            return f"{text[:position]}…"
    return text


def padded(text: str, width: int) -> str:
    """The text with spaces after it, `width` columns wide."""
    return text + " " * max(0, width - columns(text))


def wrapped(words: Iterable[str], width: int) -> list[str]:
    """Words joined by spaces, on lines of at most `width` columns; a longer word is cut."""
    lines: list[str] = []
    line = ""
    for word in (cut(word, width) for word in words):
        longer = f"{line} {word}" if line else word
        if columns(longer) > width:
            lines.append(line)
            longer = word
        line = longer
    return [*lines, line]


def table_lines(table: Columns, width: int) -> Iterator[str]:
    """Write a table. Its head is stacked where that makes it narrower; long names are broken.

    Args:
        table: Its columns. The first one is text, and may be broken at a newline; the others are numbers.
        width: Columns of the terminal.
    """
    names = [[escaped(line) for line in name.split("\n")] for name in table[0][1]]
    cells = [list(map(escaped, found)) for _, found in table[1:]]
    heads = [head.split() if head in _STACKED else [escaped(head)] for head, _ in table]
    widths = [max(map(columns, (*head, *found))) for head, found in zip(heads[1:], cells, strict=True)]
    room = max(min(_MOST_NAME, width - sum(widths) - 2 * len(widths)), _LEAST_NAME)
    if all(columns(" ".join(lines)) <= room for lines in names):
        names = [[" ".join(lines)] for lines in names]
    wide = max(columns(line) for line in (*(lines[0] for lines in names), *heads[0]))
    widths = [min(wide, room), *widths]
    height = max(map(len, heads))
    for level in range(-height, 0):
        yield _table_line([head[level] if len(head) >= -level else "" for head in heads], widths)
    for (first, *more), *row in zip(names, *cells, strict=True):
        yield _table_line([first, *row], widths)
        yield from (cut(f"  {line}", width) for line in more)


def _table_line(row: Sequence[str], widths: Sequence[int]) -> str:
    first = padded(cut(row[0], widths[0]), widths[0])
    rest = (
        " " * max(0, width - columns(cell)) + cell for cell, width in zip(row[1:], widths[1:], strict=True)
    )
    return "  ".join((first, *rest)).rstrip()
