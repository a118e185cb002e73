"""Functions shared by all HTML pages: the style sheet, the legend, and tokens colored by matches."""

from __future__ import annotations

import os
from html import escape
from os.path import dirname, join

from ..errors import ArgumentValueError
from .terminal import escaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike


def base_style(max_order: int) -> str:
    """Return the CSS shared by all pages, which includes a class for matches of each order 1..max_order."""
    classes = (_order_class(n, max_order) for n in range(1, max_order + 1))
    return file_beside(__file__, "html_pages.css") + "".join(classes)


def file_beside(module: str, name: str) -> str:
    """Return the text of a file in the same folder as a module.

    Args:
        module: The path of the module, its `__file__`.
        name: The name of the file.
    """
    with open(join(dirname(module), name), encoding="utf-8") as file:
        return file.read()


def _order_class(n: int, max_order: int) -> str:
    """Return the CSS class for matches of order `n`, whose color and underline are stronger for longer matches."""
    share = (n - 1) / (max_order - 1) if max_order > 1 else 1.0
    mixed = f"color-mix(in srgb, var(--longest) {100 * share:.3g}%, var(--single))"
    line = mixed.replace("longest", "longest-line").replace("single", "single-line")
    return (
        f".n{n} {{ background: {mixed}; border-bottom: {1 + 3 * share:.3g}px solid {line}; }} "
        f'.n{n}::after {{ content: "\\2060 {n}"; }}\n'
    )


def check_page_name(path: str | PathLike[str]) -> None:
    """Check that the name of an HTML file ends in .html or .htm.

    Raises:
        ValueError: The name has another ending.
    """
    if not os.fspath(path).lower().endswith((".html", ".htm")):
        raise ArgumentValueError("path", f"must end in .html or .htm, not {os.fspath(path)!r}", value=path)


def html_text(text: str) -> str:
    """Escape text for HTML, and replace unprintable characters by backslash escapes."""
    return escape(escaped(text))


def legend(max_order: int, with_also: bool = True) -> str:
    """Return an HTML list that explains the colors of tokens.

    Args:
        max_order: The largest order of n-grams on the page.
        with_also: Whether the page marks tokens that are clipped as 1-grams but count in a longer n-gram.
    """
    samples = [(f"match n{n}", f"in a matched {n}-gram") for n in range(1, max_order + 1)]
    samples.append(("clipped", "clipped: in a reference, but less often than here"))
    if with_also:
        samples.append(("also", "clipped as a 1-gram, but in a longer matched n-gram"))
    items = "".join(f'<li><span class="{kind}">word</span>{meaning}</li>' for kind, meaning in samples)
    return f'<ul class="legend" aria-label="Legend">{items}<li><span>word</span>in no reference</li></ul>\n'


def marked_words(
    words: Iterable[str], orders: Iterable[int], joined: Iterable[bool], notes: Iterable[tuple[str, str]]
) -> Iterator[str]:
    """Yield tokens as HTML, separated by spaces; adjacent tokens of one match are in one colored frame.

    Args:
        words: The tokens as text that is not yet escaped for HTML.
        orders: For each token, the order of the matching n-gram that contains it, or 0 if none does.
        joined: For each token, whether the next token is part of the same match.
        notes: For each token, its CSS class and its title, each "" if there is none.
    """
    in_frame = False
    for i, (word, order, is_joined, (kind, title)) in enumerate(
        zip(words, orders, joined, notes, strict=True)
    ):
        if i:
            yield " "
        if order and not in_frame:
            yield f'<span class="match n{order}">'
        attributes = f' class="{kind}"' if kind else ""
        if title:
            attributes += f' title="{escape(title)}"'
        text = escape(word)
        yield f"<span{attributes}>{text}</span>" if attributes else text
        in_frame = is_joined
        if order and not in_frame:
            yield "</span>"
