"""Convert matplotlib figures to SVG for inclusion in a page: small, in the page's colors, without names from the data.

matplotlib never sees a name: figures contain placeholders, which are replaced here. So no name is read as mathematics,
and none makes matplotlib look for a glyph that its font does not have.
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

#: For each CSS variable of the page, the color that represents it in a figure.
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
#: The largest width of a name in a plot, in columns.
NAME_COLUMNS = 18

_SETTINGS = {
    "svg.fonttype": "none",
    "svg.hashsalt": "fastbleu",
    "font.size": 13,
    "text.parse_math": False,
    "text.color": COLOURS["text"],
    "axes.labelcolor": COLOURS["muted"],
    "axes.edgecolor": COLOURS["rule"],
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "xtick.color": COLOURS["rule"],
    "ytick.color": COLOURS["rule"],
    "xtick.labelcolor": COLOURS["muted"],
    "ytick.labelcolor": COLOURS["text"],
    "grid.color": COLOURS["rule"],
    "grid.linewidth": 0.8,
    "figure.facecolor": "none",
    "path.simplify": False,
}

#: matplotlib's settings are global to the process, so one thread draws at a time.
_DRAWING = Lock()

_NUMBER = re.compile(r"-?\d+\.\d{2,}")
_FAMILY = re.compile(r" *font-family: [^;]*;")
_XLINK = "{http://www.w3.org/1999/xlink}href"


class Names:
    """Names in a plot, cut to `width` columns, and for each a placeholder of about the same width in a plot."""

    def __init__(self, names: Sequence[str], width: int = NAME_COLUMNS) -> None:
        self.shown = cut_names(list(map(escaped, names)), width)
        # The font may lack other letters than ASCII's. "m" and "xx" are as wide as the widest of them.
        self.placeholders = [
            f"\u00b7{k:0>3}" + "".join(c if c.isascii() else ("", "m", "xx")[columns(c)] for c in name)[2:]
            for k, name in enumerate(self.shown)
        ]

    def restored(self, text: str) -> str:
        """Return a text of a figure with its placeholder replaced."""
        if not text.startswith("\u00b7"):
            return text
        return self.shown[self.placeholders.index(text)]


def draw(identifier: str, description: str, height: float, names: Names, plot: Callable[[Any], None]) -> str:
    """Draw a figure and return it as an `svg` element.

    Args:
        identifier: The prefix of all identifiers in the figure, unique in a page.
        description: The content of the plot in words, for those who cannot see it.
        height: The height, in points.
        names: The names whose placeholders the figure contains.
        plot: Draws into the figure that is passed to it.

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
    # Start from matplotlib's defaults, so that the user's own settings have no effect.
    with _DRAWING, style.context(["default", _SETTINGS]):
        layout = ConstrainedLayoutEngine(w_pad=0.02, h_pad=0.02)
        figure = Figure(figsize=(WIDTH / POINTS, height / POINTS), layout=layout)
        plot(figure)
        FigureCanvasSVG(figure).print_svg(file, metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    root = ET.fromstring(file.getvalue())  # noqa: S314  # matplotlib wrote it, from no text of the user's
    return _element(root, identifier, description, names)


def _element(root: Any, identifier: str, description: str, names: Names) -> str:
    """Return the figure as an HTML element, with unique identifiers and without matplotlib's style sheet."""
    for parent in list(root.iter()):
        for style in [child for child in parent if _local(child.tag) == "style"]:
            parent.remove(style)
    for element in root.iter():
        element.tag = _local(element.tag)
        element.tail = None
        element.text = names.restored(element.text or "") if element.tag == "text" else None
        attributes = dict(_attributes(element, identifier))
        element.attrib.clear()
        element.attrib.update(attributes)
    for key in ("width", "height", "version"):
        root.attrib.pop(key, None)
    root.attrib.update({"class": "plot", "role": "img", "aria-label": description})
    return ET.tostring(root, encoding="unicode", method="html")


def _local(tag: str) -> str:
    """Return a tag without its namespace."""
    return tag.rpartition("}")[2]


def _attributes(element: Any, identifier: str) -> Iterator[tuple[str, str]]:
    """Yield an element's attributes, shortened, with identifiers that are unique in the page."""
    for key, value in element.attrib.items():
        if key == "id":
            yield key, f"{identifier}-{value}"
        elif key == "style":
            yield key, _style(value)
        elif key == _XLINK:
            yield "href", f"#{identifier}-{value[1:]}"
        elif key == "clip-path":
            yield key, value.replace("#", f"#{identifier}-")
        elif key != "class" and not value.startswith("rotate(-0 "):
            yield key, _NUMBER.sub(lambda match: f"{float(match[0]):.1f}", value)


def _style(style: str) -> str:
    """Return a style with the page's colors and without a font, so that the page's font applies."""
    for name, colour in COLOURS.items():
        style = style.replace(colour, f"var(--{name})")
    return _FAMILY.sub("", style)
