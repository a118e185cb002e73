"""Publish a run of the benchmarks: new figures in `docs/data/benchmarks.json`, then the tables and pictures from them.

    pip install -e ".[bench,torchmetrics,docs]"
    FASTBLEU_DATA=path/to/data python tools/plot_benchmarks.py --run

runs the benchmarks that have a figure, and publishes what they measured. A run that was made before is published by

    FASTBLEU_DATA=path/to/data pytest benchmarks --benchmark-json=times.json
    python tools/plot_benchmarks.py times.json

Several files may be given, such as that of a second environment with mbrs. A figure that no file holds keeps its
number and gets an asterisk, because an older run measured it. Without files, tables and pictures are made from the data
as it is. The tables are those of `docs/benchmarks.md` and of `README.md`, which has the figures with an entry `readme`.
The figures with an entry `overview` are the bars of the picture that README and the site begin with.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "docs" / "data" / "benchmarks.json"
IMAGES = ROOT / "docs" / "images"
PAGES = {"page": ROOT / "docs" / "benchmarks.md", "readme": ROOT / "README.md"}

#: Inches. Narrow, so that the text can still be read on a telephone.
WIDTH, BAR_HEIGHT, FOOT = 4.4, 0.52, 0.75

#: Okabe and Ito's blue (2008), as fastbleu has it in the other pictures.
BLUE, BLACK, GREY = "#0072B2", "#202020", "#5A5A5A"

#: The colours of bars and of text on a light and on a dark page.
THEMES = {"light": (BLUE, BLACK), "dark": ("#56B4E9", "#E6E6E6")}

#: The head of a table of figures, and the table below it.
_TABLE = re.compile(
    r"^\| workload \| compared with \| speedup \|\n\|---\|---\|---\|\n(?:\|.*\n)*", re.MULTILINE
)

#: The line of a page that says when and where the figures were measured.
MEASURED = re.compile(r"^Measured on \d.*\.$", re.MULTILINE)

Group = dict[str, Any]


class Measured(NamedTuple):
    """One benchmark of a run.

    Attributes:
        date: The day of the run, by ISO 8601.
        ratio: How many times faster fastbleu was than its peer.
        seconds: fastbleu's own shortest time.
        whole: The time of what it is a part of, if there is such a thing: a training step.
    """

    date: str
    ratio: float
    seconds: float
    whole: float | None


def run_of(times: Any) -> dict[str, Measured]:
    """Return the benchmarks with a peer that a JSON file of pytest-benchmark holds, by their names."""
    date = times["datetime"][:10]
    return {
        benchmark["fullname"]: Measured(date, info["ratio"], info["seconds"], info.get("whole"))
        for benchmark in times["benchmarks"]
        if "ratio" in (info := benchmark["extra_info"])
    }


def machine_of(times: Any) -> str:
    """Return a sentence with the day, the processor and the interpreter of a run."""
    info = times["machine_info"]
    processor = info["cpu"].get("brand_raw", info["machine"])
    return f"Measured on {times['datetime'][:10]} on an {processor} with Python {info['python_version']}."


def measured(groups: Sequence[Group]) -> Any:
    """Run the benchmarks that the figures name, and return the JSON of the run; one that fails measures nothing."""
    names = sorted({figure["benchmark"].partition("[")[0] for group in groups for figure in group["figures"]})
    with tempfile.TemporaryDirectory() as folder:
        times = Path(folder, "times.json")
        command = [sys.executable, "-m", "pytest", "-q", *names, f"--benchmark-json={times}"]
        subprocess.run(command, cwd=ROOT, check=False)
        return json.loads(times.read_text(encoding="utf-8"))


def round_number(value: float) -> float:
    """Keep two digits, and three from 20 on: what repeated runs agree on."""
    return float(f"{value:.3g}" if 20 <= value < 2000 else f"{value:.2g}")


def duration(seconds: float) -> str:
    """Return a time with two digits and its unit."""
    unit, value = next(
        each for each in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)) if seconds >= 0.0999 * each[1]
    )
    return f"{seconds / value:#.2g}".rstrip(".") + f" {unit}"


def updated(groups: Sequence[Group], run: Mapping[str, Measured]) -> list[Group]:
    """Return the groups with the figures that the run has measured.

    A figure names its benchmark as pytest does. Of one with parameters, the beginning is enough.
    """
    made = []
    for group in groups:
        figures = []
        for figure in group["figures"]:
            name = figure["benchmark"]
            found = [run[each] for each in run if each == name or ("[" in name and each.startswith(name))]
            if len(found) > 1:
                raise ValueError(f"{name} is the beginning of several benchmarks")
            changes = {}
            for date, ratio, seconds, whole in found:
                changes = {"times_faster": round_number(ratio), "date": date}
                if "seconds" in figure:
                    changes["seconds"] = float(f"{seconds / figure.get('parts', 1):.3g}")
                if whole is not None:
                    changes["whole"] = float(f"{whole:.3g}")
            figures.append(figure | changes)
        made.append(group | {"figures": figures})
    return made


def as_json(groups: Sequence[Group]) -> str:
    """Return the groups as JSON with a line for each figure."""
    parts = []
    for group in groups:
        figures = ",\n".join(f"      {json.dumps(figure, ensure_ascii=False)}" for figure in group["figures"])
        head = f'    "title": "{group["title"]}",\n    "picture": "{group["picture"]}",\n    "figures": ['
        parts.append(f"  {{\n{head}\n{figures}\n    ]\n  }}")
    return "[\n" + ",\n".join(parts) + "\n]\n"


def names(figure: Mapping[str, Any]) -> tuple[str, str]:
    """Return the workload of a figure as the page and as the README write it, with its times."""
    page, readme = figure["workload"], figure.get("readme", "")
    for word, key in (("TIME", "seconds"), ("WHOLE", "whole")):
        if key in figure:
            page, readme = (text.replace(word, duration(figure[key])) for text in (page, readme))
    return page, readme


def result(figure: Mapping[str, Any]) -> str:
    """Return how many times faster fastbleu was than what."""
    return f"{figure['times_faster']:,g}x {figure['against']}"


def latest(groups: Sequence[Group]) -> str:
    """Return the day of the latest run."""
    return max(str(figure["date"]) for group in groups for figure in group["figures"])


def table(figures: Sequence[Mapping[str, Any]], where: str, date: str) -> str:
    """Return figures as a table in Markdown.

    Args:
        figures: The rows.
        where: "page" or "readme": the words for the workloads.
        date: The day of the latest run; older figures get an asterisk.
    """
    rows = [
        f"| {names(figure)[where == 'readme']} | {figure['against']} | {figure['times_faster']:,g}x"
        f"{'' if figure['date'] == date else '*'} |\n"
        for figure in figures
    ]
    return "".join(["| workload | compared with | speedup |\n|---|---|---|\n", *rows])


def written(text: str, where: str, groups: Sequence[Group]) -> str:
    """Return the text of a page with the figures of the groups in its tables: one table for each group, or one in all.

    Raises:
        ValueError: The page has another number of such tables.
    """
    if where == "readme":
        chosen = [[figure for group in groups for figure in group["figures"] if "readme" in figure]]
    else:
        chosen = [group["figures"] for group in groups]
    tables = iter([table(figures, where, latest(groups)) for figures in chosen])
    if len(_TABLE.findall(text)) != len(chosen):
        raise ValueError(f"{PAGES[where].name} must have {len(chosen)} tables of figures")
    return _TABLE.sub(lambda _: next(tables), text)


def picture_of(height: float, name: str) -> tuple[Any, Any]:
    """Return a figure and its axes, for bars below each other."""
    from matplotlib import figure, rcParams

    rcParams["font.family"] = "sans-serif"
    rcParams["svg.fonttype"] = "none"  # text stays text, in the reader's own font
    rcParams["svg.hashsalt"] = name  # the same picture from the same numbers
    picture = figure.Figure(figsize=(WIDTH, height), layout="constrained")
    axes = picture.add_subplot()
    axes.set_yticks([])
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    return picture, axes


def draw(group: Group, path: Path) -> None:
    """Draw the figures of a group as bars on a logarithmic axis, with every decade at the top and at the bottom."""
    count = len(group["figures"])
    picture, axes = picture_of(FOOT + BAR_HEIGHT * count, path.name)
    axes.set_xscale("log")
    axes.set_xlim(1, 40_000)
    axes.set_ylim(count - 0.35, -0.75)
    for position, each in enumerate(group["figures"]):
        times_faster = each["times_faster"]
        axes.barh(position, times_faster - 1, left=1, height=0.3, color=BLUE)
        axes.text(1.06, position - 0.4, names(each)[0], fontsize=7.5, color=BLACK, va="center")
        text = result(each)
        axes.text(times_faster * 1.1, position, text, fontsize=7.5, color=GREY, va="center", clip_on=False)
    axes.set_xticks([1, 10, 100, 1000, 10_000], ["1x", "10x", "100x", "1,000x", "10,000x"])
    axes.tick_params(labelsize=7.5, top=True, labeltop=True)
    axes.xaxis.minorticks_off()
    axes.grid(visible=True, axis="x", color="#E4E4E4", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_xlabel("times faster than ... (each grid line is ten times the one before)", fontsize=8)
    picture.savefig(path, metadata={"Date": None})


def draw_overview(groups: Sequence[Group], theme: str, path: Path) -> None:
    """Draw the figures that have an entry `overview` as bars on a linear axis, the longest first."""
    colour, text_colour = THEMES[theme]
    figures = [each for group in groups for each in group["figures"] if "overview" in each]
    figures.sort(key=lambda each: each["times_faster"], reverse=True)
    picture, axes = picture_of(0.3 * len(figures) + 0.35, path.name)
    axes.barh(range(len(figures)), [each["times_faster"] for each in figures], height=0.62, color=colour)
    for position, each in enumerate(figures):
        text, end = f"{each['times_faster']:,g}x", each["times_faster"] + 0.01 * figures[0]["times_faster"]
        axes.text(end, position, text, fontsize=9, color=text_colour, va="center", weight="bold")
    axes.set_yticks(
        range(len(figures)), [each["overview"] for each in figures], fontsize=8, color=text_colour
    )
    axes.set_ylim(len(figures) - 0.45, -0.55)
    axes.set_xlim(0, figures[0]["times_faster"] * 1.15)
    axes.tick_params(length=0)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    axes.set_title("times faster than ...", fontsize=8, color=text_colour, loc="left")
    picture.savefig(path, metadata={"Date": None}, transparent=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Take the figures of runs, and write data, tables and pictures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("times", type=Path, nargs="*", help="what pytest wrote by --benchmark-json")
    parser.add_argument("--run", action="store_true", help="first run the benchmarks that have a figure")
    options = parser.parse_args(arguments)
    groups = json.loads(DATA.read_text(encoding="utf-8"))
    runs = [measured(groups)] if options.run else []
    runs += [json.loads(path.read_text(encoding="utf-8")) for path in options.times]
    for times in runs:
        groups = updated(groups, run_of(times))
    DATA.write_text(as_json(groups), encoding="utf-8")
    for where, page in PAGES.items():
        text = written(page.read_text(encoding="utf-8"), where, groups)
        if runs:
            text = MEASURED.sub(lambda _: machine_of(runs[0]), text)
        page.write_text(text, encoding="utf-8")
    for theme in THEMES:
        draw_overview(groups, theme, IMAGES / f"benchmarks-{theme}.svg")
    for group in groups:
        draw(group, IMAGES / group["picture"])
        for figure in group["figures"]:
            if figure["date"] != latest(groups):
                print(f"not measured on {latest(groups)}: {figure['benchmark']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
