"""Parts that all pages share: the style sheet with its colours, light and dark, and tokens coloured by matches."""

from __future__ import annotations

from os.path import dirname, join

from .terminal import escaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: The characters that mean something in HTML text or in quoted attributes, escaped.
ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})

#: Background and line of a token in a matched 1-gram, and of one in a matched n-gram of the longest order.
ORDERS = {
    "light": (("#dcecfa", "#6f93b5"), ("#6fb3ee", "#0a4f91")),
    "dark": (("#1a3247", "#5d87ab"), ("#1b6cae", "#a9d6ff")),
}


# Style


def base_style(most: int) -> str:
    """Return the CSS that all pages share: both colour schemes, and a class for each order up to `most`."""
    orders = range(1, most + 1)
    style = file_beside(__file__, "all_pages.css")
    for scheme in ORDERS:
        colours = [(n, *order_colours(scheme, n, most)) for n in orders]
        variables = [f" --n{n}: {background}; --n{n}-line: {line};" for n, background, line in colours]
        style = style.replace(f"/* {scheme} orders */", "".join(variables))
    return style + "".join(_order_class(n, most) for n in orders)


def file_beside(module: str, name: str) -> str:
    """The text of a file in the folder of a module, whose `__file__` is given."""
    with open(join(dirname(module), name), encoding="utf-8") as file:
        return file.read()


def _share(n: int, most: int) -> float:
    """Return the place of an order between the first (0) and the last (1)."""
    return (n - 1) / (most - 1) if most > 1 else 1.0


def order_colours(scheme: str, n: int, most: int) -> list[str]:
    """Background and line of tokens in an n-gram of order n, where `most` is the longest order; as #rrggbb."""
    share = _share(n, most)
    found = []
    for first, last in zip(*ORDERS[scheme], strict=True):
        channels = [(int(first[k : k + 2], 16), int(last[k : k + 2], 16)) for k in (1, 3, 5)]
        mixed = (round(low * (1 - share) + high * share) for low, high in channels)
        found.append("#{:02x}{:02x}{:02x}".format(*mixed))
    return found


def _order_class(n: int, most: int) -> str:
    """The CSS class of an order: the longer the match, the stronger its colour and the line below it."""
    return (
        f".n{n} {{ background: var(--n{n}); "
        f"border-bottom: {1 + 3 * _share(n, most):.3g}px solid var(--n{n}-line); }} "
        f'.n{n}::after {{ content: "\\2060 {n}"; }}\n'
    )


# Tokens


def html_text(text: str) -> str:
    """Text escaped for HTML; characters that cannot be shown become backslash escapes."""
    return escaped(text).translate(ENTITIES)


def legend(most: int, with_also: bool = True) -> str:
    """Make the list that says what each colour means, with a sample of each.

    Args:
        most: The longest order, whose colour is the strongest.
        with_also: Whether tokens are marked that are clipped by themselves, but not in a longer n-gram.
    """
    samples = [(f"match n{n}", f"in a {n}-gram that counts") for n in range(1, most + 1)]
    samples.append(("clipped", "clipped: in a reference, but not this often"))
    if with_also:
        samples.append(("also", "clipped by itself, but in a longer n-gram that counts"))
    items = "".join(f'<li><span class="{kind}">word</span>{meaning}</li>' for kind, meaning in samples)
    return f'<ul class="legend" aria-label="Legend">{items}<li><span>word</span>in no reference</li></ul>\n'


def marked_words(
    words: Iterable[str], orders: Iterable[int], joined: Iterable[bool], notes: Iterable[tuple[str, str]]
) -> Iterator[str]:
    """Each token as HTML; those of one match stand in one frame.

    Args:
        words: The tokens as they are to be read, not yet escaped for HTML.
        orders: The order of the n-gram that each is part of, 0 if there is none.
        joined: Whether the next token is part of the same match.
        notes: The CSS class of each token and its title, both "" where there is nothing to say.
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
