"""The history of the benchmarks: a line of JSON for each run, and a page that shows how each ratio moved.

    pytest benchmarks --benchmark-json=times.json
    python tools/benchmark_history.py add times.json history.jsonl --commit "$(git rev-parse HEAD)"
    python tools/benchmark_history.py draw history.jsonl page/index.html

A ratio says how many times faster fastbleu is than its peer in the same process, so it depends less on the machine
than a time does. A workload whose latest ratio is below four fifths of the median of earlier runs is marked. The page
needs no script.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from datetime import datetime, timezone
from html import escape
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

#: A ratio below this share of the median of earlier runs is marked, and this many earlier runs are looked at.
SLOWER, EARLIER = 0.8, 10
#: The points of a curve at most, and its size in pixels.
POINTS, WIDTH, HEIGHT = 100, 240, 36

STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #8884; padding: .3rem .6rem; text-align: left; vertical-align: middle; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
polyline { fill: none; stroke: #0072b2; stroke-width: 1.5; }
circle { fill: #0072b2; }
tr.slower { background: #d55e0033; }
"""


class Run(NamedTuple):
    """One run of the benchmarks.

    Attributes:
        commit: The commit that was measured.
        date: When, in UTC, by ISO 8601.
        machine: Processor, system and Python.
        ratios: By workload and peer, how many times faster fastbleu was.
    """

    commit: str
    date: str
    machine: str
    ratios: dict[tuple[str, str], float]


def run_of(times: Any, commit: str) -> Run:
    """The run that a JSON file of pytest-benchmark holds; benchmarks without a peer have no ratio and are left out."""
    machine = times["machine_info"]
    processor = machine.get("cpu", {}).get("brand_raw") or machine.get("processor") or "unknown processor"
    ratios = {
        (info["workload"], info["peer"]): float(f"{info['ratio']:.4g}")
        for info in (benchmark["extra_info"] for benchmark in times["benchmarks"])
        if "ratio" in info
    }
    date = datetime.fromisoformat(times["datetime"]).astimezone(timezone.utc)
    place = f"{processor}, {machine['system']}, Python {machine['python_version']}"
    return Run(commit, date.strftime("%Y-%m-%dT%H:%M:%SZ"), place, ratios)


def line_of(run: Run) -> str:
    """A run as a line of JSON."""
    ratios = [
        {"workload": workload, "peer": peer, "ratio": ratio} for (workload, peer), ratio in run.ratios.items()
    ]
    return json.dumps(run._asdict() | {"ratios": ratios}, ensure_ascii=False)


def read(path: Path) -> list[Run]:
    """The runs of a history, oldest first."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    runs = []
    for fields in map(json.loads, lines):
        ratios = {(each["workload"], each["peer"]): float(each["ratio"]) for each in fields["ratios"]}
        runs.append(Run(fields["commit"], fields["date"], fields["machine"], ratios))
    return sorted(runs, key=lambda run: run.date)


def is_slower(ratios: Sequence[float]) -> bool:
    """Return whether the last ratio is clearly below those before it."""
    earlier = ratios[-1 - EARLIER : -1]
    return len(earlier) >= 3 and ratios[-1] < SLOWER * median(earlier)


def curve(ratios: Sequence[float]) -> str:
    """The latest ratios as a small picture; its axis begins at zero, so that heights can be compared."""
    shown = ratios[-POINTS:]
    step = (WIDTH - 8) / max(len(shown) - 1, 1)
    top = max(*shown, 1e-9)
    points = [(4 + i * step, HEIGHT - 4 - ratio / top * (HEIGHT - 8)) for i, ratio in enumerate(shown)]
    x, y = points[-1]
    label = f"{len(shown)} runs, {shown[0]:g} to {shown[-1]:g}"
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="{label}">'
        f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"/></svg>'
    )


def row(workload: str, peer: str, ratios: Sequence[float]) -> str:
    slower = is_slower(ratios)
    cells = (
        f"<td>{escape(workload)}{' (slower than before)' if slower else ''}</td><td>{escape(peer)}</td>",
        f'<td class="number">{ratios[-1]:,g}x</td><td>{curve(ratios)}</td>',
        f'<td class="number">{min(ratios):,g}x to {max(ratios):,g}x</td>',
    )
    return f"<tr{' class=slower' if slower else ''}>{''.join(cells)}</tr>"


def page(runs: Sequence[Run]) -> str:
    """The page: a row for each workload that the latest run has measured."""
    if runs:
        latest = runs[-1]
        about = (
            f"{len(runs)} runs. The latest one: commit {latest.commit[:12]}, {latest.date}, {latest.machine}."
        )
        rows = [
            row(*key, [run.ratios[key] for run in runs if key in run.ratios]) for key in sorted(latest.ratios)
        ]
    else:
        about, rows = "No run has been recorded.", []
    head = "<tr><th>workload<th>against<th>now<th>runs, oldest first<th>lowest to highest</tr>"
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>fastbleu: history of the benchmarks</title><style>{STYLE}</style>"
        f"<h1>History of the benchmarks</h1><p>How many times faster than the peer. {escape(about)}</p>"
        f'<div class="scroll"><table>{head}{"".join(rows)}</table></div></html>\n'
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Add a run to a history, or draw it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    add = commands.add_parser("add", help="add a run to the history")
    add.add_argument("times", type=Path, help="what pytest wrote by --benchmark-json")
    add.add_argument("history", type=Path)
    add.add_argument("--commit", required=True)
    draw = commands.add_parser("draw", help="draw the history as a page")
    draw.add_argument("history", type=Path)
    draw.add_argument("page", type=Path)
    options = parser.parse_args(arguments)
    if options.command == "add":
        run = run_of(json.loads(options.times.read_text(encoding="utf-8")), options.commit)
        if not run.ratios:
            print(f"{options.times} holds no ratio", file=sys.stderr)
            return 1
        with options.history.open("a", encoding="utf-8") as file:
            file.write(f"{line_of(run)}\n")
    else:
        options.page.parent.mkdir(parents=True, exist_ok=True)
        options.page.write_text(page(read(options.history)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
