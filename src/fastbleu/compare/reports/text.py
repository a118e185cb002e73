"""A comparison as text for a terminal."""

from __future__ import annotations

from ...explain.text import columns, cut, escaped, wrapped
from ...options import check_integer
from .contents import report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..comparison import Comparison
    from .contents import Example, Part, Table

#: Tables need as much.
_LEAST_WIDTH = 70

#: The width of the first column of a table, at most and at least.
_MOST_NAME = 40
_LEAST_NAME = 8

#: Heads that are wider than what stands below them: their words stand below each other.
_STACKED = {"brevity penalty", "length ratio", "judges agree", "better/ equal/ worse"}


def text_report(comparison: Comparison, width: int) -> str:
    """Write a comparison out.

    Args:
        comparison: What to write.
        width: Columns of the terminal, at least 70.

    Raises:
        TypeError: `width` is not an integer.
        ValueError: It is too small.
    """
    width = check_integer("width", width, _LEAST_WIDTH)
    return "\n".join(line for part in report(comparison) for line in _part(part, width)).strip("\n")


def _part(part: Part, width: int) -> Iterator[str]:
    yield ""
    yield escaped(part.title)
    yield "=" * columns(escaped(part.title))
    for sentence in part.sentences:
        yield from _indented("- " if part.title != "Result" else "", sentence, width)
    for k, (title, table) in enumerate(part.tables):
        if title:
            if k:
                yield ""
            yield escaped(title)
        yield from _table(table, width)
    for example in part.examples:
        yield ""
        yield from _example(example, width)
    for note in part.notes:
        yield from _indented("", note, width)


def _indented(mark: str, text: str, width: int) -> Iterator[str]:
    for i, line in enumerate(wrapped(escaped(text).split(), width - len(mark))):
        yield f"{mark if i == 0 else ' ' * len(mark)}{line}"


def _example(example: Example, width: int) -> Iterator[str]:
    yield escaped(example.title)
    margin = min(max(columns(escaped(name)) for name, _ in example.texts), _MOST_NAME) + 4
    for name, text in example.texts:
        head = _padded(f"  {cut(escaped(name), _MOST_NAME)}", margin)
        for i, line in enumerate(wrapped(escaped(text).split() or ["(empty)"], width - margin)):
            yield f"{head if i == 0 else ' ' * margin}{line}"


def _table(table: Table, width: int) -> Iterator[str]:
    """The lines of a table. Its head is stacked where that makes it narrower; long names are broken."""
    names = [[escaped(line) for line in row[0].split("\n")] for row in table.rows]
    cells = [[escaped(cell) for cell in row[1:]] for row in table.rows]
    heads = [head.split() if head in _STACKED else [escaped(head)] for head in table.head]
    widths = [
        max([*map(columns, head), *(columns(row[k]) for row in cells)]) for k, head in enumerate(heads[1:])
    ]
    room = max(min(_MOST_NAME, width - sum(widths) - 2 * len(widths)), _LEAST_NAME)
    if all(columns(" ".join(lines)) <= room for lines in names):
        names = [[" ".join(lines)] for lines in names]
    wide = max(columns(line) for line in (*(lines[0] for lines in names), *heads[0]))
    widths = [min(wide, room), *widths]
    height = max(map(len, heads))
    for level in range(-height, 0):
        yield _line([head[level] if len(head) >= -level else "" for head in heads], widths)
    for (first, *more), row in zip(names, cells, strict=True):
        yield _line([first, *row], widths)
        yield from (cut(f"  {line}", width) for line in more)


def _line(row: list[str], widths: list[int]) -> str:
    first = _padded(cut(row[0], widths[0]), widths[0])
    rest = (
        " " * max(0, width - columns(cell)) + cell for cell, width in zip(row[1:], widths[1:], strict=True)
    )
    return "  ".join((first, *rest)).rstrip()


def _padded(text: str, width: int) -> str:
    return text + " " * max(0, width - columns(text))
