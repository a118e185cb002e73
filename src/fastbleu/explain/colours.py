"""The colours of pages, light and dark, and the style sheet that all pages share."""

from __future__ import annotations

from os.path import dirname, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: Colours of the surfaces, of the text, and of what was clipped.
LIGHT = {
    "page": "#f6f7f9",
    "card": "#ffffff",
    "rule": "#d9dee5",
    "text": "#17202b",
    "muted": "#566373",
    "accent": "#0f5fa8",
    "clipped": "#fff1cf",
    "clipped-line": "#7f4700",
}
DARK = {
    "page": "#10151b",
    "card": "#171e26",
    "rule": "#2e3946",
    "text": "#e9eef4",
    "muted": "#9fadbd",
    "accent": "#7cbcf5",
    "clipped": "#3d2e0c",
    "clipped-line": "#f6bd50",
}

#: Background and line of a token in a matched 1-gram, and of one in a matched n-gram of the longest order.
LIGHT_ORDERS = (("#dcecfa", "#6f93b5"), ("#6fb3ee", "#0a4f91"))
DARK_ORDERS = (("#1a3247", "#5d87ab"), ("#1b6cae", "#a9d6ff"))


def base_style(orders: Iterable[int], most: int) -> str:
    """The CSS that all pages share: their base, both colour schemes, and one class for each order of n-grams.

    Args:
        orders: The orders that occur on the page.
        most: The longest order, whose colour is the strongest.
    """
    orders = list(orders)
    with open(join(dirname(__file__), "base.css"), encoding="utf-8") as file:
        base = file.read()
    light, dark = _scheme(LIGHT, LIGHT_ORDERS, orders, most), _scheme(DARK, DARK_ORDERS, orders, most)
    schemes = (
        f":root {{ {light} }}\n@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
    )
    return f"{base}\n{schemes}{''.join(_order_class(n, most) for n in orders)}"


def _share(n: int, most: int) -> float:
    """How far an order is from the first (0) to the last (1)."""
    return (n - 1) / (most - 1) if most > 1 else 1.0


def order_colours(ends: tuple[tuple[str, str], tuple[str, str]], n: int, most: int) -> tuple[str, str]:
    """Background and line of tokens in an n-gram of order n, where `most` is the longest order; as #rrggbb."""
    share = _share(n, most)
    background, line = (_mixed(first, last, share) for first, last in zip(*ends, strict=True))
    return background, line


def _mixed(first: str, last: str, share: float) -> str:
    channels = (
        round(int(first[k : k + 2], 16) * (1 - share) + int(last[k : k + 2], 16) * share) for k in (1, 3, 5)
    )
    return "#{:02x}{:02x}{:02x}".format(*channels)


def _scheme(
    colours: dict[str, str], ends: tuple[tuple[str, str], tuple[str, str]], orders: list[int], most: int
) -> str:
    """A colour scheme as CSS variables."""
    variables = [f"--{name}: {colour};" for name, colour in colours.items()]
    for n in orders:
        background, line = order_colours(ends, n, most)
        variables.append(f"--n{n}: {background}; --n{n}-line: {line};")
    return " ".join(variables)


def _order_class(n: int, most: int) -> str:
    """The CSS class of an order: the longer the match, the stronger its colour and the line below it."""
    return (
        f".n{n} {{ background: var(--n{n}); "
        f"border-bottom: {1 + 3 * _share(n, most):.3g}px solid var(--n{n}-line); }} "
        f'.n{n}::after {{ content: "\\2060 {n}"; }}\n'
    )
