"""Figures of benchmarks: the pages have those of the data, and a run replaces what it has measured."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

plot = pytest.importorskip("tools.plot_benchmarks", reason="the project's scripts are not there")

GROUPS = json.loads(plot.DATA.read_text(encoding="utf-8"))
FIGURES = [
    {
        "workload": "short",
        "against": "NLTK",
        "benchmark": "test_a.py::test_one",
        "times_faster": 7,
        "date": "2026-01-01",
    },
    {
        "workload": "long (TIME each)",
        "readme": "`long` (TIME of WHOLE)",
        "against": "NLTK",
        "benchmark": "test_a.py::test_two[x",
        "parts": 10,
        "seconds": 0.1,
        "whole": 0.2,
        "times_faster": 8,
        "date": "2026-01-01",
    },
]


def benchmark(name: str, **info: Any) -> dict[str, Any]:
    return {"fullname": name, "extra_info": info}


@pytest.mark.parametrize("where", ["page", "readme"])
def test_the_pages_have_the_figures_of_the_data(where: str) -> None:
    text = plot.PAGES[where].read_text(encoding="utf-8")
    assert plot.written(text, where, GROUPS) == text


def test_every_figure_names_a_benchmark_that_exists() -> None:
    for group in GROUPS:
        for figure in group["figures"]:
            path, _, name = figure["benchmark"].partition("::")
            source = (plot.ROOT / path).read_text(encoding="utf-8")
            assert f"def {name.partition('[')[0]}(" in source, figure


def test_a_run_replaces_what_it_has_measured() -> None:
    times = {
        "datetime": "2026-02-03T04:05:06.789+00:00",
        "benchmarks": [
            benchmark("test_a.py::test_two[x-1]", ratio=123.456, seconds=0.0123, whole=0.045),
            benchmark("test_a.py::test_one_more", ratio=5.0, seconds=1.0),
            benchmark("test_a.py::test_three"),
        ],
    }
    (group,) = plot.updated([{"title": "", "picture": "", "figures": FIGURES}], plot.run_of(times))
    assert json.loads(plot.as_json([group])) == [group]
    head = "# A\n\n| workload | compared with | speedup |\n|---|---|---|\n"
    assert plot.written(f"{head}| old | rows | 1x |\n\nB\n", "page", [group]) == (
        f"{head}| short | NLTK | 7x* |\n| long (1.2 ms each) | NLTK | 123x |\n\nB\n"
    )
    assert plot.written(head, "readme", [group]) == f"{head}| `long` (1.2 ms of 45 ms) | NLTK | 123x |\n"
    with pytest.raises(ValueError, match="must have 1 tables of figures"):
        plot.written("no table", "page", [group])
    with pytest.raises(ValueError, match="several benchmarks"):
        plot.updated([group], {"test_a.py::test_two[x-1]": None, "test_a.py::test_two[x-2]": None})


def test_the_sentence_on_the_machine_of_a_run() -> None:
    machine = {"cpu": {"brand_raw": "AMD EPYC"}, "machine": "x86_64", "python_version": "3.11.7"}
    sentence = plot.machine_of({"datetime": "2026-02-03T04:05:06.789+00:00", "machine_info": machine})
    assert sentence == "Measured on 2026-02-03 on an AMD EPYC with Python 3.11.7."
    assert all(plot.MEASURED.search(page.read_text(encoding="utf-8")) for page in plot.PAGES.values())


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0006, "0.60 ms"), (2.13e-6, "2.1 us"), (0.2, "0.20 s"), (0.031, "31 ms")]
)
def test_durations(seconds: float, text: str) -> None:
    assert plot.duration(seconds) == text


def test_the_pictures_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot.draw(GROUPS[1], tmp_path / "training.svg")
    assert texts(tmp_path / "training.svg").count("1,000x") == 2  # every decade, at the top and at the bottom
    plot.draw_overview(GROUPS, "dark", tmp_path / "dark.svg")
    assert "sacreBLEU, a corpus" in texts(tmp_path / "dark.svg")


def test_the_pictures_have_the_figures_of_the_data() -> None:
    for group in GROUPS:
        drawn = texts(plot.IMAGES / group["picture"])
        assert [text for text in drawn if "x " in text and text[0].isdigit()] == [
            plot.result(figure) for figure in group["figures"]
        ]
    overview = {
        f"{each['times_faster']:,g}x" for group in GROUPS for each in group["figures"] if "overview" in each
    }
    for theme in plot.THEMES:
        drawn = texts(plot.IMAGES / f"benchmarks-{theme}.svg")
        assert {text for text in drawn if text.endswith("x")} == overview


def texts(picture: Path) -> list[str]:
    return [text.strip() for text in re.findall(r">([^<>]+)</text>", picture.read_text(encoding="utf-8"))]
