"""Convert matplotlib figures to small SVG elements for an HTML page, in the page's colors.

Figures contain placeholders for the names of systems and groups, and the names are inserted here after drawing. So
matplotlib never interprets a name as mathematics, or looks for a glyph that its font does not have.
"""

from __future__ import annotations

import re
from threading import Lock
from xml.etree import ElementTree as ET

from ...explain.terminal import columns, cut_names, escaped
from ...system.extras import imports_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

#: The color that a figure uses for each CSS variable of the page; the variable's name replaces it in the SVG.
COLOURS = {
    "card": "#f10001",
    "rule": "#f10002",
    "text": "#f10003",
    "muted": "#f10004",
    "accent": "#f10005",
    **{f"line{k}": f"#f2000{k}" for k in range(1, 7)},
}

#: Points per inch. The unit of the SVG is a point.
POINTS = 72
#: The width of every plot, in points. A narrow phone shows it a little smaller.
WIDTH = 400
#: The largest width of a name in a plot, in columns: a wide character, such as a Chinese one, takes two.
NAME_COLUMNS = 18

_SETTINGS = {
    "svg.fonttype": "none",
    "font.size": 13,
    "text.parse_math": False,
    "text.color": COLOURS["text"],
    "axes.labelcolor": COLOURS["muted"],
    "axes.edgecolor": COLOURS["rule"],
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "xtick.labelcolor": COLOURS["muted"],
    "ytick.labelcolor": COLOURS["text"],
    "grid.color": COLOURS["rule"],
    "figure.facecolor": "none",
}

#: A lock that lets one thread draw at a time, because matplotlib's settings are global to the process.
_DRAWING = Lock()

_STYLE_SHEET = re.compile(rb"<style.*?</style>", re.DOTALL)
_NUMBER = re.compile(r"-?\d+\.\d{2,}")
_FAMILY = re.compile(r" *font-family: [^;]*;")
#: The tags of elements that other elements refer to by their `id`.
_REFERRED = ("clipPath", "path")
_XLINK = "{http://www.w3.org/1999/xlink}href"


def placeholders(names: Sequence[str], width: int = NAME_COLUMNS) -> dict[str, str]:
    """Return a dictionary from placeholders to the names in a plot, which are cut to `width` columns.

    matplotlib computes the layout from the placeholders, so they are about as wide as the names. A placeholder begins
    with a mark and a number, followed by the name without its first character. Non-ASCII characters, which matplotlib's
    font may lack, are replaced by ASCII characters that are at least as wide: by "@" if they have one column, and by
    "xx" if they have two.
    """
    shown = cut_names(list(map(escaped, names)), width)
    wide = ("", "@", "xx")
    return {
        f"\u00b7{k:0>3}{''.join(c if c.isascii() else wide[columns(c)] for c in name)[1:]}": name
        for k, name in enumerate(shown)
    }


def draw(
    identifier: str, description: str, height: float, names: dict[str, str], plot: Callable[[Any], None]
) -> str:
    """Draw a figure and return it as an `svg` element.

    Args:
        identifier: A name that is unique in a page; it makes the identifiers in the figure unique.
        description: A description of the plot, which screen readers read.
        height: The height, in points.
        names: The names that replace the placeholders in the figure, from `placeholders`.
        plot: A function that draws into a figure.

    Raises:
        ImportError: matplotlib is not installed.
    """
    from io import BytesIO

    with imports_of("report", "the page"):
        from matplotlib import style
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine

    file = BytesIO()
    # Start from matplotlib's defaults, so that the user's settings have no effect.
    with _DRAWING, style.context(["default", {**_SETTINGS, "svg.hashsalt": identifier}]):
        layout = ConstrainedLayoutEngine(w_pad=0.02, h_pad=0.02)
        figure = Figure(figsize=(WIDTH / POINTS, height / POINTS), layout=layout)
        plot(figure)
        FigureCanvasSVG(figure).print_svg(file, metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    root = ET.fromstring(_STYLE_SHEET.sub(b"", file.getvalue()))  # noqa: S314  # matplotlib wrote this XML, without any text from the data
    return _element(root, description, names)


def _element(root: Any, description: str, names: dict[str, str]) -> str:
    """Convert the root of matplotlib's SVG to an HTML element, with the names instead of the placeholders."""
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]  # Remove the namespace.
        element.tail = None
        element.text = names.get(element.text, element.text) if element.tag == "text" else None
        attributes = dict(_attributes(element))
        element.attrib.clear()
        element.attrib.update(attributes)
    for key in ("width", "height", "version"):
        root.attrib.pop(key, None)
    root.attrib.update({"class": "plot", "role": "img", "aria-label": description})
    return ET.tostring(root, encoding="unicode", method="html")


def _attributes(element: Any) -> Iterator[tuple[str, str]]:
    """Yield an element's attributes with rounded numbers, without classes and identifiers that nothing refers to."""
    for key, value in element.attrib.items():
        if key == "style":
            yield key, _style(value)
        elif key == _XLINK:
            yield "href", value
        elif (
            key != "class"
            and not value.startswith("rotate(-0 ")
            and (key != "id" or element.tag in _REFERRED)
        ):
            yield key, _NUMBER.sub(lambda match: f"{float(match[0]):.1f}", value)


def _style(style: str) -> str:
    """Replace the colors in a style by the page's CSS variables, and remove the font, so that the page's applies."""
    for name, colour in COLOURS.items():
        style = style.replace(colour, f"var(--{name})")
    return _FAMILY.sub("", style)
