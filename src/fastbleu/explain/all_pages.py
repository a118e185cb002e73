"""Parts shared by all HTML pages: the style sheet, its light and dark colors, and tokens colored by matches."""

from __future__ import annotations

from os.path import dirname, join

from .terminal import escaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: Escapes of the characters that have a meaning in HTML text or in quoted attributes.
ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})

#: For each color scheme, the background and underline colors of tokens in 1-gram matches and in matches of the longest
#: order.
ORDERS = {
    "light": (("#dcecfa", "#6f93b5"), ("#6fb3ee", "#0a4f91")),
    "dark": (("#1a3247", "#5d87ab"), ("#1b6cae", "#a9d6ff")),
}


# Style


def base_style(max_order: int) -> str:
    """Return the CSS shared by all pages: both color schemes, and one class for each order up to `max_order`."""
    orders = range(1, max_order + 1)
    style = file_beside(__file__, "all_pages.css")
    for scheme in ORDERS:
        colours = [(n, *order_colours(scheme, n, max_order)) for n in orders]
        variables = [f" --n{n}: {background}; --n{n}-line: {line};" for n, background, line in colours]
        style = style.replace(f"/* {scheme} orders */", "".join(variables))
    return style + "".join(_order_class(n, max_order) for n in orders)


def file_beside(module: str, name: str) -> str:
    """Return the text of a file in the folder of a module, given the module's `__file__`."""
    with open(join(dirname(module), name), encoding="utf-8") as file:
        return file.read()


def _share(n: int, max_order: int) -> float:
    """Return the position of an order between the first (0) and the last (1)."""
    return (n - 1) / (max_order - 1) if max_order > 1 else 1.0


def order_colours(scheme: str, n: int, max_order: int) -> list[str]:
    """Return the background and underline colors (#rrggbb) of matches of order n; `max_order` is the longest."""
    share = _share(n, max_order)
    colours = []
    for first, last in zip(*ORDERS[scheme], strict=True):
        channels = [(int(first[k : k + 2], 16), int(last[k : k + 2], 16)) for k in (1, 3, 5)]
        mixed = (round(low * (1 - share) + high * share) for low, high in channels)
        colours.append("#{:02x}{:02x}{:02x}".format(*mixed))
    return colours


def _order_class(n: int, max_order: int) -> str:
    """Return the CSS class of an order: the longer the match, the stronger its color and underline."""
    return (
        f".n{n} {{ background: var(--n{n}); "
        f"border-bottom: {1 + 3 * _share(n, max_order):.3g}px solid var(--n{n}-line); }} "
        f'.n{n}::after {{ content: "\\2060 {n}"; }}\n'
    )


# Tokens


def html_text(text: str) -> str:
    """Return text escaped for HTML; unprintable characters become backslash escapes."""
    return escaped(text).translate(ENTITIES)


def legend(max_order: int, with_also: bool = True) -> str:
    """Return the HTML list that explains each color, with a sample.

    Args:
        max_order: The longest order, which has the strongest color.
        with_also: Whether the page marks tokens that are clipped as 1-grams but count in a longer n-gram.
    """
    samples = [(f"match n{n}", f"in a {n}-gram that counts") for n in range(1, max_order + 1)]
    samples.append(("clipped", "clipped: in a reference, but not this often"))
    if with_also:
        samples.append(("also", "clipped by itself, but in a longer n-gram that counts"))
    items = "".join(f'<li><span class="{kind}">word</span>{meaning}</li>' for kind, meaning in samples)
    return f'<ul class="legend" aria-label="Legend">{items}<li><span>word</span>in no reference</li></ul>\n'


def marked_words(
    words: Iterable[str], orders: Iterable[int], joined: Iterable[bool], notes: Iterable[tuple[str, str]]
) -> Iterator[str]:
    """Yield tokens as HTML, with spaces in between; tokens of one match share a frame.

    Args:
        words: The tokens as text, not yet escaped for HTML.
        orders: For each token the order of the n-gram that it is part of, 0 if there is none.
        joined: For each token whether the next one is part of the same match.
        notes: For each token its CSS class and its title, each "" if it has none.
    """
    framed = False
    for i, (word, order, stays, (kind, title)) in enumerate(zip(words, orders, joined, notes, strict=True)):
        if i:
            yield " "
        if order and not framed:
            yield f'<span class="match n{order}">'
        attributes = f' class="{kind}"' if kind else ""
        if title:
            attributes += f' title="{title.translate(ENTITIES)}"'
        text = word.translate(ENTITIES)
        yield f"<span{attributes}>{text}</span>" if attributes else text
        framed = stays
        if order and not framed:
            yield "</span>"
