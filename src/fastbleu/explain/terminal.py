"""Format text for a terminal: escape, measure, truncate and wrap it, and make tables."""

from __future__ import annotations

from itertools import accumulate, takewhile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence
    from typing import TypeAlias

    #: The columns of a table: the heading of each column, which may contain soft hyphens, and its cells.
    Columns: TypeAlias = list[tuple[str, list[str]]]

_SOFT_HYPHEN = "\u00ad"

PLAIN_WIDTH = 100  # The width, in columns, of text that is printed to a file instead of a terminal.

#: Truncate headings that are wider than this number of columns.
_MAX_HEADING = 20

#: Do not make the column of names narrower than this number of columns.
_MIN_NAME = 8

#: Characters for which `str.isprintable` is false, but which are safe to print: spaces, and the zero-width non-joiner
#: and joiner, which are part of words in Persian and of emoji.
_SHOWN = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200c\u200d\u202f\u205f\u3000"


def shown(token: Hashable) -> str:
    r"""Return a token as text that is safe to print.

    Unprintable characters, such as control characters, lone surrogates and marks that change the writing direction,
    become backslash escapes. Empty tokens, tokens with white space, and tokens that are not str become their `repr`.

    Example:
        >>> shown("mat"), shown("\ud800"), shown("New York"), shown(7)
        ('mat', '\\ud800', "'New York'", '7')
    """
    text = token if isinstance(token, str) and token and not any(map(str.isspace, token)) else repr(token)
    return escaped(text)


def escaped(text: str) -> str:
    r"""Replace unprintable characters by backslash escapes; spaces of any width are kept.

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
    """Return the tokens of an n-gram as text that is safe to print, joined by spaces."""
    return " ".join(map(shown, tokens))


def columns(text: str) -> int:
    """Return the width of a text in terminal columns; a wide character has two columns, a combining mark none."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(
        0 if category(character) in ("Mn", "Me", "Cf") else 2 if east_asian_width(character) in "WF" else 1
        for character in text
    )


def cut(text: str, width: int) -> str:
    """Truncate a text to `width` columns; the end of a wider text is replaced by an ellipsis."""
    if columns(text) <= width:
        return text
    used = 1
    for position, character in enumerate(text):
        used += columns(character)
        if used > width:
            return f"{text[:position]}…"
    return text


def cut_inside(text: str, width: int) -> str:
    """Truncate a text to `width` columns; the middle of a wider text is replaced by an ellipsis."""
    if columns(text) <= width:
        return text
    head = cut(text, width // 2 + 1)
    tail = cut(text[::-1], width - columns(head) + 1)[-2::-1]
    return head + tail


def cut_names(names: Sequence[str], width: int) -> list[str]:
    """Truncate names to `width` columns, >= 8, so that different names stay different.

    The middle of a wider name is replaced by an ellipsis. If names would become equal, the part in which they differ is
    kept instead. If they are still equal, all names are numbered.

    Example:
        >>> cut_names(["big-model-of-may", "big-model-of-june", "base"], 10)
        ['big-m…-may', 'big-m…june', 'base']
        >>> cut_names(["model-7-averaged-again", "model-8-averaged-again"], 12)
        ['mod…7-avera…', 'mod…8-avera…']
    """
    truncated = {name: cut_inside(name, width) for name in names}
    names_by_head: dict[str, list[str]] = {}
    for name in truncated:
        if columns(name) > width:
            names_by_head.setdefault(cut(name, width // 3), []).append(name)
    for head, similar in names_by_head.items():
        if len({truncated[name] for name in similar}) < len(similar):
            start = _shared_length(similar)
            ends = [name[start:] for name in similar]
            stop = _shared_length([end[::-1] for end in ends])
            available = width - columns(head)
            fits = all(columns(end[: len(end) - stop]) < available for end in ends)
            shorten = cut if fits else cut_inside
            truncated |= {
                name: head + shorten(end, available) for name, end in zip(similar, ends, strict=True)
            }
    if len(set(truncated.values())) < len(truncated):
        truncated = {name: cut_inside(f"{k} {name}", width) for k, name in enumerate(truncated, 1)}
    return [truncated[name] for name in names]


def _shared_length(texts: Sequence[str]) -> int:
    """Return the length of the longest common prefix of the texts."""
    return sum(1 for _ in takewhile(lambda characters: len({*characters}) == 1, zip(*texts, strict=False)))


def padded(text: str, width: int) -> str:
    """Return the text, followed by spaces if it has fewer than `width` columns."""
    return text + " " * max(0, width - columns(text))


def wrapped(words: Iterable[str], width: int) -> list[str]:
    """Join words by spaces to lines of at most `width` columns; a word that is wider than a line is broken."""
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
    """Yield the lines of a table whose first column has names and whose other columns have numbers.

    If a name is too wide to leave room for the numbers in the same line, it is printed in separate lines above them.
    If there are too many columns for the width, the remaining columns are printed as further tables below the first.

    Args:
        table: The columns.
        width: The number of columns of the terminal; None to print each row in one line, however wide it is.
    """
    names, *_ = cells = [[escaped(cell) for cell in column] for _, column in table]
    full_headings = [_SOFT_HYPHEN.join(map(escaped, heading.split(_SOFT_HYPHEN))) for heading, _ in table]
    limit = width or PLAIN_WIDTH
    if width is not None:
        full_headings = cut_names(full_headings, _MAX_HEADING)
    # Break headings into lines only as far as necessary to make the table fit: at spaces, then also at hyphens.
    for level in range(3):
        headings = [
            _broken_heading(heading, level, max(map(columns, column), default=0))
            for heading, column in zip(full_headings, cells, strict=True)
        ]
        widths = [max(map(columns, (*lines, *column))) for lines, column in zip(headings, cells, strict=True)]
        available = limit - sum(widths[1:]) - 2 * (len(widths) - 1)
        if widths[0] <= available:
            break
    if width is not None and available < max(map(columns, headings[0])) and len(table) > 2:
        ends = accumulate(widths[1:], lambda end, column: end + column + 2, initial=_MIN_NAME)
        number = max(2, sum(end <= limit for end in ends))
        yield from table_lines(table[:number], width)
        yield ""
        yield from table_lines([table[0], *table[number:]], width)
        return
    widths[0] = max(
        map(columns, (*headings[0], *(name for name in names if width is None or columns(name) <= available)))
    )
    for level in range(-max(map(len, headings)), 0):
        yield _table_line([lines[level] if len(lines) >= -level else "" for lines in headings], widths)
    for name, *row in zip(*cells, strict=True):
        if columns(name) <= widths[0]:
            yield _table_line([name, *row], widths)
        else:
            yield from wrapped(name.split(" "), limit)
            yield _table_line(["", *row], widths)


def _broken_heading(heading: str, level: int, width: int) -> list[str]:
    """Break a heading into lines if it is wider than its column, and return the lines.

    Args:
        heading: The heading, which may contain soft hyphens.
        level: 0 to keep it in one line; 1 to break it at spaces; 2 to break it at spaces, hyphens and soft hyphens.
        width: The width of the column's cells.
    """
    plain = heading.replace(_SOFT_HYPHEN, "")
    if level == 0 or columns(plain) <= width:
        return [plain]
    words = (plain if level == 1 else heading.replace(_SOFT_HYPHEN, "-").replace("-", "- ")).split()
    return wrapped(words, max(width, *map(columns, words)))


def _table_line(row: Sequence[str], widths: Sequence[int]) -> str:
    """Return a line of a table: the first cell aligned to the left, the others to the right."""
    rest = (
        " " * max(0, width - columns(cell)) + cell for cell, width in zip(row[1:], widths[1:], strict=True)
    )
    return "  ".join((padded(row[0], widths[0]), *rest)).rstrip()
