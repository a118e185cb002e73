"""Text for a terminal: printable tokens; text measured, cut and wrapped by columns; tables."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence
    from typing import TypeAlias

    #: The columns of a table: the heading of each, and its cells.
    Columns: TypeAlias = list[tuple[str, list[str]]]

#: The limits of the width of a table's first column.
_MOST_NAME = 40
_LEAST_NAME = 8

#: Headings wider than the cells below them. Their words are stacked, one per line.
_STACKED = {"brevity penalty", "length ratio", "judges agree", "better/ equal/ worse"}

#: Format characters that are part of words, in Persian or in emoji: the zero-width non-joiner and joiner.
_JOINERS = "\u200c\u200d"


def shown(token: Hashable) -> str:
    r"""Return a token as text that can be printed anywhere.

    Control characters, lone surrogates, marks that change the writing direction and the like become backslash escapes.
    An empty token, a token that contains white space, and one that is not a str become their repr.

    Example:
        >>> shown("mat"), shown("\ud800"), shown("New York"), shown(7)
        ('mat', '\\ud800', "'New York'", '7')
    """
    text = token if isinstance(token, str) and token and not any(map(str.isspace, token)) else repr(token)
    return escaped(text)


def escaped(text: str) -> str:
    """Return the text with unprintable characters as backslash escapes."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character in _JOINERS else ascii(character)[1:-1]
        for character in text
    )


def shown_ngram(tokens: Iterable[Hashable]) -> str:
    """Return an n-gram as text, its tokens joined by spaces."""
    return " ".join(map(shown, tokens))


def columns(text: str) -> int:
    """Return the width of a text in terminal columns: two for a wide character, none for a combining mark."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(
        0 if category(character) in ("Mn", "Me", "Cf") else 2 if east_asian_width(character) in "WF" else 1
        for character in text
    )


def cut(text: str, width: int) -> str:
    """Return the text, cut to `width` columns including an ellipsis if it is wider."""
    if columns(text) <= width:
        return text
    used = 1
    for position, character in enumerate(text):
        used += columns(character)
        if used > width:
            return f"{text[:position]}…"
    return text


def padded(text: str, width: int) -> str:
    """Return the text followed by spaces, at least `width` columns wide."""
    return text + " " * max(0, width - columns(text))


def wrapped(words: Iterable[str], width: int) -> list[str]:
    """Return words joined by spaces, as lines of at most `width` columns; a longer word is cut."""
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
    """Yield the lines of a table. Headings are stacked where that makes a column narrower; long names are wrapped.

    Args:
        table: Its columns. The first one is text, which may be wrapped at a newline; the others are numbers.
        width: Columns of the terminal.
    """
    names = [[escaped(line) for line in name.split("\n")] for name in table[0][1]]
    cells = [list(map(escaped, column)) for _, column in table[1:]]
    heads = [head.split() if head in _STACKED else [escaped(head)] for head, _ in table]
    widths = [max(map(columns, (*head, *column))) for head, column in zip(heads[1:], cells, strict=True)]
    available = max(min(_MOST_NAME, width - sum(widths) - 2 * len(widths)), _LEAST_NAME)
    if all(columns(" ".join(lines)) <= available for lines in names):
        names = [[" ".join(lines)] for lines in names]
    wide = max(columns(line) for line in (*(lines[0] for lines in names), *heads[0]))
    widths = [min(wide, available), *widths]
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
