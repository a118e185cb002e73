"""A comparison as Markdown, with tables as GitHub reads them."""

from __future__ import annotations

from ...explain.text import escaped
from .contents import report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..comparison import Comparison
    from .contents import Part, Table

#: Characters that mean something in Markdown or in HTML, and what stands for them.
_ESCAPES = str.maketrans({
    **{character: f"\\{character}" for character in "\\`*_{}[]#|~$@!"},
    "<": "&lt;", ">": "&gt;", "&": "&amp;",
})  # fmt: skip


def markdown_report(comparison: Comparison) -> str:
    """Write a comparison out.

    Args:
        comparison: What to write.
    """
    lines = [line for part in report(comparison) for line in _part(part)]
    return "\n".join(["# Comparison of systems", *lines, ""])


def as_markdown(text: str) -> str:
    r"""Text that shows as it is.

    Example:
        >>> print(as_markdown("a_b | <c> \x1b"))
        a\_b \| &lt;c&gt; \\x1b
    """
    return escaped(" ".join(text.split())).translate(_ESCAPES)


def _part(part: Part) -> Iterator[str]:
    yield ""
    yield f"## {as_markdown(part.title)}"
    for sentence in part.sentences:
        yield ""
        yield as_markdown(sentence) if part.title == "Result" else f"- {as_markdown(sentence)}"
    for title, table in part.tables:
        yield ""
        if title:
            yield f"### {as_markdown(title)}"
            yield ""
        yield from _table(table)
    for example in part.examples:
        yield ""
        yield f"### {as_markdown(example.title)}"
        yield ""
        for name, text in example.texts:
            yield f"- **{as_markdown(name)}**: {as_markdown(text) or '(empty)'}"
    for note in part.notes:
        yield ""
        yield as_markdown(note)


def _table(table: Table) -> Iterator[str]:
    yield _row(table.head)
    yield f"|{'|'.join([':--', *('--:' for _ in table.head[1:])])}|"
    yield from map(_row, table.rows)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(map(as_markdown, cells))} |"
