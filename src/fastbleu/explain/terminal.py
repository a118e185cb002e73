"""Text for a terminal: printable tokens; text measured, cut and wrapped by columns; tables."""

from __future__ import annotations

from itertools import accumulate, takewhile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence
    from typing import TypeAlias

    #: The columns of a table: the heading of each, in which soft hyphens may be, and its cells.
    Columns: TypeAlias = list[tuple[str, list[str]]]

_SOFT_HYPHEN = "\u00ad"

PLAIN_WIDTH = 100  # The width in columns of text that is not printed to a terminal.

#: The largest width of a heading, and the least width of names beside numbers, in columns.
_MOST_HEADING = 20
_LEAST_NAME = 8

#: Characters that Python calls unprintable, but that are safe to show: spaces, and the zero-width non-joiner and
#: joiner, which are part of words in Persian and of emoji.
_SHOWN = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200c\u200d\u202f\u205f\u3000"


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
    r"""Return the text with unprintable characters as backslash escapes; spaces of any width are kept.

    Example:
        >>> escaped("a\u3000b\ud800\n")
        'a\u3000b\\ud800\\n'
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character in _SHOWN else ascii(character)[1:-1]
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


def cut_inside(text: str, width: int) -> str:
    """Return the text, cut in the middle to `width` columns including an ellipsis if it is wider."""
    if columns(text) <= width:
        return text
    head = cut(text, width // 2 + 1)
    tail = cut(text[::-1], width - columns(head) + 1)[-2::-1]
    return head + tail


def cut_names(names: Sequence[str], width: int) -> list[str]:
    """Return names cut to `width` columns, at least 8, so that different names stay different.

    They are cut in the middle. Of names that would become equal, the part in which they differ is kept. Where that is
    not enough, all names are numbered.

    Example:
        >>> cut_names(["big-model-of-may", "big-model-of-june", "base"], 10)
        ['big-m…-may', 'big-m…june', 'base']
        >>> cut_names(["model-7-averaged-again", "model-8-averaged-again"], 12)
        ['mod…7-avera…', 'mod…8-avera…']
    """
    shown = {name: cut_inside(name, width) for name in names}
    of_heads: dict[str, list[str]] = {}
    for name in shown:
        if columns(name) > width:
            of_heads.setdefault(cut(name, width // 3), []).append(name)
    for head, alike in of_heads.items():
        if len({shown[name] for name in alike}) < len(alike):
            start = _shared_length(alike)
            ends = [name[start:] for name in alike]
            stop = _shared_length([end[::-1] for end in ends])
            available = width - columns(head)
            is_early = all(columns(end[: len(end) - stop]) < available for end in ends)
            shorten = cut if is_early else cut_inside
            shown |= {name: head + shorten(end, available) for name, end in zip(alike, ends, strict=True)}
    if len(set(shown.values())) < len(shown):
        shown = {name: cut_inside(f"{k} {name}", width) for k, name in enumerate(shown, 1)}
    return [shown[name] for name in names]


def _shared_length(texts: Sequence[str]) -> int:
    """Return the number of characters that all texts begin with."""
    return sum(1 for _ in takewhile(lambda characters: len({*characters}) == 1, zip(*texts, strict=False)))


def padded(text: str, width: int) -> str:
    """Return the text followed by spaces, at least `width` columns wide."""
    return text + " " * max(0, width - columns(text))


def wrapped(words: Iterable[str], width: int) -> list[str]:
    """Return words joined by spaces, as lines of at most `width` columns; a wider word is broken."""
    lines: list[str] = []
    line = ""
    for word in words:
        longer = f"{line} {word}" if line else word
        if columns(longer) > width and line:
            lines.append(line)
            longer = word
        line = longer
        while columns(line) > width:
            lines.append(cut(line, width + 1)[:-1])
            line = line[len(lines[-1]) :]
    return [*lines, line]


def table_lines(table: Columns, width: int | None) -> Iterator[str]:
    """Yield the lines of a table. A name that leaves no space for the numbers has lines of its own, above them.

    If there are too many columns, those that do not fit make further tables below.

    Args:
        table: Its columns. The first one is text; the others are numbers, which are never cut.
        width: Columns of the terminal; None: each row has one line, and no name is cut.
    """
    names, *_ = cells = [[escaped(cell) for cell in column] for _, column in table]
    parts = [_SOFT_HYPHEN.join(map(escaped, heading.split(_SOFT_HYPHEN))) for heading, _ in table]
    limit = width or PLAIN_WIDTH
    if width is not None:
        parts = cut_names(parts, _MOST_HEADING)
    # Headings are stacked only as far as needed for the table to fit: first at spaces, then also at hyphens.
    for level in range(3):
        headings = [
            _stacked(heading, level, max(map(columns, column), default=0))
            for heading, column in zip(parts, cells, strict=True)
        ]
        widths = [max(map(columns, (*lines, *column))) for lines, column in zip(headings, cells, strict=True)]
        available = limit - sum(widths[1:]) - 2 * (len(widths) - 1)
        if widths[0] <= available:
            break
    if width is not None and available < max(map(columns, headings[0])) and len(table) > 2:
        ends = accumulate(widths[1:], lambda end, column: end + column + 2, initial=_LEAST_NAME)
        number = max(2, sum(end <= limit for end in ends))
        yield from table_lines(table[:number], width)
        yield ""
        yield from table_lines([table[0], *table[number:]], width)
        return
    widths[0] = max(
        map(columns, (*headings[0], *(name for name in names if width is None or columns(name) <= available)))
    )
    height = max(map(len, headings))
    for level in range(-height, 0):
        yield _table_line([lines[level] if len(lines) >= -level else "" for lines in headings], widths)
    for name, *row in zip(*cells, strict=True):
        if columns(name) <= widths[0]:
            yield _table_line([name, *row], widths)
        else:
            yield from wrapped(name.split(" "), limit)
            yield _table_line(["", *row], widths)


def _stacked(heading: str, level: int, width: int) -> list[str]:
    """Return the lines of a heading: broken at spaces from level 1, at hyphens from level 2, if wider than `width`."""
    plain = heading.replace(_SOFT_HYPHEN, "")
    if level == 0 or columns(plain) <= width:
        return [plain]
    parts = (plain if level == 1 else heading.replace(_SOFT_HYPHEN, "-").replace("-", "- ")).split()
    return wrapped(parts, max(width, *map(columns, parts)))


def _table_line(row: Sequence[str], widths: Sequence[int]) -> str:
    rest = (
        " " * max(0, width - columns(cell)) + cell for cell, width in zip(row[1:], widths[1:], strict=True)
    )
    return "  ".join((padded(row[0], widths[0]), *rest)).rstrip()
