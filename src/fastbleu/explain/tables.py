"""A table, and the ways to write it: as text for a terminal, as Markdown and as LaTeX."""

from __future__ import annotations

from .terminal import columns, cut, escaped, padded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

#: The width of the first column of a table, at most and at least.
_MOST_NAME = 40
_LEAST_NAME = 8

#: Heads that are wider than what stands below them: their words stand below each other.
_STACKED = {"brevity penalty", "length ratio", "judges agree", "better/ equal/ worse"}

#: Characters that mean something in Markdown or in HTML, and what stands for them.
_IN_MARKDOWN = str.maketrans({
    **{character: f"\\{character}" for character in "\\`*_{}[]#|~$@!"},
    "<": "&lt;", ">": "&gt;", "&": "&amp;",
})  # fmt: skip

#: Characters that mean something in LaTeX, and what stands for them.
_IN_LATEX = str.maketrans({
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}",
    "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}", '"': "\\char34{}",
})  # fmt: skip


class Table:
    """A table: the first cell of each row is text, the others are numbers.

    Attributes:
        head: The names of its columns.
        rows: Its rows, each with a cell for every column. A newline in a first cell is where it may be broken.
    """

    __slots__ = ("head", "rows")

    def __init__(self, head: list[str], rows: list[list[str]]) -> None:
        self.head = head
        self.rows = rows

    @classmethod
    def of(cls, items: Iterable[Any], columns: Sequence[tuple[str, Callable[[Any], str]] | None]) -> Table:
        """Make a table with a row for each item.

        Args:
            items: What the rows are about.
            columns: The name of each column, and what makes its cell of an item; None for one that is left out.
        """
        there = [column for column in columns if column is not None]
        return cls([name for name, _ in there], [[cell(item) for _, cell in there] for item in items])


# Text


def text_lines(table: Table, width: int) -> Iterator[str]:
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
    first = padded(cut(row[0], widths[0]), widths[0])
    rest = (
        " " * max(0, width - columns(cell)) + cell for cell, width in zip(row[1:], widths[1:], strict=True)
    )
    return "  ".join((first, *rest)).rstrip()


# Markdown


def as_markdown(text: str) -> str:
    r"""Text that shows as it is.

    Example:
        >>> print(as_markdown("a_b | <c> \x1b"))
        a\_b \| &lt;c&gt; \\x1b
    """
    return escaped(" ".join(text.split())).translate(_IN_MARKDOWN)


def markdown_lines(table: Table) -> Iterator[str]:
    """The lines of a table, as GitHub reads them."""
    yield _row(table.head)
    yield f"|{'|'.join([':--', *('--:' for _ in table.head[1:])])}|"
    yield from map(_row, table.rows)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(map(as_markdown, cells))} |"


# LaTeX


def as_latex(text: str) -> str:
    r"""Text that LaTeX sets as it is.

    Example:
        >>> print(as_latex("a_b & 5 %"))
        a\_b \& 5 \%
    """
    printable = "".join(each if each.isprintable() else " " for each in text)
    return printable.translate(_IN_LATEX)


def latex_table(table: Table, caption: str, label: str) -> str:
    """A floating table of cells that are LaTeX already; it needs the package booktabs."""
    lines = [
        "\\begin{table}",
        "\\centering",
        f"\\begin{{tabular}}{{l{'r' * (len(table.head) - 1)}}}",
        "\\toprule",
        f"{' & '.join(table.head)} \\\\",
        "\\midrule",
        *(f"{' & '.join(row)} \\\\" for row in table.rows),
        "\\bottomrule",
        "\\end{tabular}",
        f"\\caption{{{caption}}}",
        f"\\label{{tab:{label}}}",
        "\\end{table}",
    ]
    return "\n".join(lines) + "\n"
