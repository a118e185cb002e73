"""Draw the figures of `docs/data/benchmarks.json`, and print them as the tables of `docs/benchmarks.md`.

The file holds what `pytest benchmarks` has measured (its table at the end), in groups. Each group becomes a picture: a
horizontal bar for each workload, on a logarithmic axis. After a new run, change the numbers there, then

    pip install ".[docs]"
    python tools/plot_benchmarks.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).resolve().parent.parent / "docs"
DATA = DOCS / "data" / "benchmarks.json"

#: Inches. Narrow, so that the text can still be read on a telephone.
WIDTH, BAR_HEIGHT, FOOT = 4.4, 0.52, 0.75

#: Okabe and Ito's blue (2008), as fastbleu has it in the other pictures.
BLUE, BLACK, GREY = "#0072B2", "#202020", "#5A5A5A"


class Figure(NamedTuple):
    """One measurement."""

    workload: str
    against: str
    times_faster: float


class Group(NamedTuple):
    """Measurements that share a picture and a table."""

    title: str
    picture: str
    figures: list[Figure]


def read() -> list[Group]:
    groups = json.loads(DATA.read_text(encoding="utf-8"))
    return [
        Group(group["title"], group["picture"], [Figure(**figure) for figure in group["figures"]])
        for group in groups
    ]


def table(group: Group) -> str:
    """The group as a table in Markdown."""
    rows = [
        f"| {figure.workload} | {figure.against} | {figure.times_faster:,g}x |" for figure in group.figures
    ]
    return "\n".join(["| workload | against | faster |", "|---|---|---|", *rows])


def draw(group: Group, path: Path) -> None:
    from matplotlib import figure, rcParams

    rcParams["font.family"] = "sans-serif"
    rcParams["svg.fonttype"] = "none"  # text stays text, in the reader's own font
    rcParams["svg.hashsalt"] = path.name  # the same picture from the same numbers
    count = len(group.figures)
    picture = figure.Figure(figsize=(WIDTH, FOOT + BAR_HEIGHT * count), layout="constrained")
    axes = picture.add_subplot()
    axes.set_xscale("log")
    axes.set_xlim(1, 40_000)
    axes.set_ylim(count - 0.35, -0.75)
    for place, (workload, against, times_faster) in enumerate(group.figures):
        axes.barh(place, times_faster - 1, left=1, height=0.3, color=BLUE)
        axes.text(1.06, place - 0.4, workload, fontsize=7.5, color=BLACK, va="center")
        axes.text(
            times_faster * 1.1,
            place,
            f"{times_faster:,g}x {against}",
            fontsize=7.5,
            color=GREY,
            va="center",
            clip_on=False,
        )
    axes.set_xticks([1, 10, 100, 1000, 10_000], ["1x", "10x", "100x", "1,000x", "10,000x"])
    axes.xaxis.minorticks_off()
    axes.tick_params(labelsize=7.5)
    axes.set_yticks([])
    axes.grid(visible=True, axis="x", color="#E4E4E4", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.set_xlabel("times faster than ...", fontsize=8)
    picture.savefig(path, metadata={"Date": None})


def main() -> int:
    """Draw all groups, and print their tables."""
    for group in read():
        draw(group, DOCS / "images" / group.picture)
        print(f"## {group.title}\n\n{table(group)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
