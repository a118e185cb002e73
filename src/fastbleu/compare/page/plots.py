"""Draw the plots of a comparison as SVG. They are readable without color: markers and line styles differ as well."""

from __future__ import annotations

from .svg import COLOURS, draw, placeholders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy import float64
    from numpy.typing import NDArray

    from ..results import Breakdown, Pair, System

#: The distance between two rows of a plot, in points.
_ROW = 22
#: The height of the space above and below the rows of a plot together, in points.
_MARGIN = 54

#: The largest number of systems that have different markers and line styles. More could not be told apart.
MOST_LINES = 6
_DASHES: tuple[Any, ...] = ("-", *((0, dash) for dash in (
    (5, 2), (1, 1.5), (6, 2, 1, 2), (2, 2), (8, 2, 1, 2, 1, 2),
)))  # fmt: skip
_MARKERS = ("o", "s", "^", "D", "v", "P")

#: The number of bins of a histogram of scores, which are 0..100.
_BINS = 40
#: The number of cells along each axis of the plot of a pair, whose scores are 0..100.
_CELLS = 25
#: The kinds of breakdowns whose groups have an order.
_ORDERED = ("length", "frequency")
#: The distance between the markers of two systems in one group, as a share of the distance between two groups.
_MARKER_DISTANCE = 0.07
#: The number of characters that fit below a plot as labels of groups.
_TICK_COLUMNS = 40
#: The left, bottom, width and height of the axes in the plot of a pair, as shares of the plot's width and height.
_PAIR_AXES = (0.13, 0.13, 0.84, 0.84)
#: The corners (x, y) of a square with sides of length 2 around the origin.
_SQUARE = ((-1, -1), (1, -1), (1, 1), (-1, 1))
#: The smallest area of a square in the plot of a pair, as a share of the largest area.
_SMALLEST = 0.02


def score_plot(identifier: str, systems: Sequence[System]) -> str:
    """Draw each system's score and confidence interval, one row per system, with a line between clusters."""

    def mark(axes: Any) -> None:
        _draw_intervals(axes, systems)
        scores = [system.bleu for system in systems]
        axes.plot(scores, range(len(systems)), "o", color=COLOURS["accent"], markersize=6)
        for row in range(1, len(systems)):
            if systems[row].cluster != systems[row - 1].cluster:
                axes.axhline(row - 0.5, color=COLOURS["muted"], linewidth=1, linestyle=(0, (4, 3)))
        axes.set_xlabel("BLEU")

    description = f"Scores of {len(systems)} systems with their intervals, the best at the top."
    return _draw_rows(identifier, description, [system.name for system in systems], mark)


def difference_plot(identifier: str, pairs: Sequence[Pair], labels: Sequence[str]) -> str:
    """Draw the difference of each pair with its confidence interval, and a line at 0."""

    def mark(axes: Any) -> None:
        axes.axvline(0, color=COLOURS["muted"], linewidth=1.2)
        _draw_intervals(axes, pairs)
        differences = [pair.difference for pair in pairs]
        inside = [COLOURS["accent" if pair.is_significant else "card"] for pair in pairs]
        style = {"facecolors": inside, "edgecolors": COLOURS["accent"], "linewidths": 1.6, "zorder": 3}
        axes.scatter(differences, range(len(pairs)), 49, **style)
        axes.set_xlabel("difference in BLEU")

    description = (
        f"Differences of {len(pairs)} pairs with their intervals. Filled marks are significant differences."
    )
    return _draw_rows(identifier, description, labels, mark)


def distribution_plot(identifier: str, systems: Sequence[System], scores: NDArray[float64]) -> str:
    """Draw a small histogram of the segment scores of each system, and the median of these scores."""
    import numpy as np

    edges = np.linspace(0, 100, _BINS + 1)
    counts = np.array([np.histogram(row, edges)[0] for row in scores], np.float64)
    heights = 0.85 * counts / counts.max(initial=1)
    floors = np.arange(len(scores)) + 0.45

    def mark(axes: Any) -> None:
        filled = {"fill": True, "color": COLOURS["accent"], "alpha": 0.55, "linewidth": 0}
        for floor, of_system in zip(floors, heights, strict=True):
            axes.stairs(floor - of_system, edges, baseline=floor, **filled)
        axes.vlines(np.median(scores, axis=1), floors - 0.85, floors, color=COLOURS["text"], linewidth=2)
        axes.set(xlim=(0, 100), xlabel="segment score")

    description = f"Histograms of the segment scores of {len(systems)} systems, with their medians."
    return _draw_rows(identifier, description, [system.name for system in systems], mark)


def _draw_intervals(axes: Any, rows: Sequence[System | Pair]) -> None:
    """Draw the confidence interval of each system or pair in its row."""
    lows, highs = [row.low for row in rows], [row.high for row in rows]
    axes.hlines(range(len(rows)), lows, highs, color=COLOURS["accent"], linewidth=2)


def _draw_rows(identifier: str, description: str, labels: Sequence[str], mark: Callable[[Any], None]) -> str:
    """Draw a plot that has one row per label, the first at the top. The function `mark` draws into the axes."""
    names = placeholders(labels)

    def plot(figure: Any) -> None:
        axes = figure.add_subplot()
        axes.set_yticks(range(len(labels)), list(names))
        axes.set_ylim(len(labels) - 0.4, -0.6)
        axes.spines["left"].set_visible(False)
        axes.grid(axis="x")
        mark(axes)

    return draw(identifier, description, _MARGIN + _ROW * len(labels), names, plot)


def breakdown_plot(identifier: str, breakdown: Breakdown, systems: Sequence[System]) -> str:
    """Draw the score of each system for each group of a breakdown.

    Each of the best systems has its own marker, and its name in the legend; the other systems are grey. If the groups
    have an order (lengths and frequencies), lines connect the scores of a system.
    """
    shown = min(len(systems), MOST_LINES)
    names = placeholders([*(system.name for system in systems[:shown]), *breakdown.groups], 14)
    labels = list(names)
    is_ordered = breakdown.kind in _ORDERED
    is_wide = sum(map(len, labels[shown:])) > _TICK_COLUMNS

    def plot(figure: Any) -> None:
        axes = figure.add_subplot()
        positions = range(len(breakdown.groups))
        for values in breakdown.values[shown:]:
            axes.plot(positions, values, "-" if is_ordered else ".", color=COLOURS["rule"], linewidth=1)
        for k, values in enumerate(breakdown.values[:shown]):
            # If no lines connect a system's markers, draw the markers of a group side by side, so that none is hidden.
            offset = 0 if is_ordered else (k - (shown - 1) / 2) * _MARKER_DISTANCE
            axes.plot(
                [position + offset for position in positions],
                values,
                color=COLOURS[f"line{k + 1}"],
                linestyle=_DASHES[k] if is_ordered else "none",
                marker=_MARKERS[k],
                markersize=6,
                linewidth=1.8,
                label=labels[k],
            )
        axes.set_xticks(positions, labels[shown:], rotation=45 if is_wide else 0)
        axes.margins(x=0.05 if is_ordered else 0.2)
        axes.tick_params(axis="y", labelcolor=COLOURS["muted"])
        axes.grid(axis="y")
        axes.set_ylabel(breakdown.value)
        figure.legend(loc="outside upper left", ncols=2, frameon=False, fontsize=10, handlelength=2.6)

    description = f"{breakdown.value} of {shown} systems in {len(breakdown.groups)} groups."
    return draw(identifier, description, 300, names, plot)


def pair_plot(identifier: str, names_of_pair: tuple[str, str], scores: tuple[Any, Any]) -> str:
    """Plot the segment scores of two systems against each other; the area of a square shows its number of segments."""
    import numpy as np

    names = placeholders(names_of_pair, 22)
    other, system = names
    counts, _, _ = np.histogram2d(*scores, bins=_CELLS, range=((0, 100), (0, 100)))
    half = 50 / _CELLS
    # Areas are proportional to counts, but large enough that a single segment is visible.
    sizes = half * np.sqrt(np.maximum(counts / counts.max(initial=1), _SMALLEST))

    def plot(figure: Any) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        # The axes have a fixed position, because computing a layout takes as long as drawing.
        figure.set_layout_engine("none")
        axes = figure.add_axes(_PAIR_AXES)
        occupied = np.argwhere(counts)
        corners = _SQUARE * sizes[tuple(occupied.T)][:, None, None]
        squares = Path.make_compound_path_from_polys((2 * occupied[:, None] + 1) * half + corners)
        axes.add_artist(PathPatch(squares, facecolor=COLOURS["accent"], linewidth=0))
        for width, colour in ((3, "card"), (1.2, "text")):
            axes.plot([0, 100], [0, 100], color=COLOURS[colour], linewidth=width, linestyle=(0, (4, 3)))
        ticks = range(0, 101, 20)
        axes.set(xlim=(0, 100), ylim=(0, 100), xticks=ticks, yticks=ticks, xlabel=other, ylabel=system)
        axes.tick_params(axis="y", labelcolor=COLOURS["muted"])

    description = "Segment scores of two systems against each other; on the dashed line both have the same."
    return draw(identifier, description, 400, names, plot)
