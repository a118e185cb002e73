"""The history of the benchmarks, from runs that are made up."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

pytest.importorskip("tools.benchmark_history", reason="the project's scripts are not there")

from tools.benchmark_history import Run, curve, is_slower, line_of, main, page, read, run_of

TIMES: dict[str, Any] = {
    "machine_info": {"cpu": {"brand_raw": "A processor"}, "system": "Linux", "python_version": "3.13.1"},
    "datetime": "2026-03-01T01:30:00.123456+02:00",
    "benchmarks": [
        {
            "extra_info": {
                "workload": "corpus_score",
                "peer": "sacreBLEU",
                "peer_seconds": 1.0,
                "ratio": 123.4567,
            }
        },
        {"extra_info": {"workload": "corpus_score", "peer": "NLTK", "peer_seconds": 1.0, "ratio": 99}},
        {"extra_info": {}},
    ],
}
KEY = ("corpus_score", "sacreBLEU")


def runs(*ratios: float) -> list[Run]:
    return [
        Run(f"{i:040}", f"2026-01-{i + 1:02}T00:00:00Z", "here", {KEY: ratio})
        for i, ratio in enumerate(ratios)
    ]


def test_a_run_keeps_ratios_and_where_they_come_from() -> None:
    ratios = {KEY: 123.5, ("corpus_score", "NLTK"): 99.0}
    assert run_of(TIMES, "abc") == Run(
        "abc", "2026-02-28T23:30:00Z", "A processor, Linux, Python 3.13.1", ratios
    )


def test_runs_are_added_at_the_end_and_read_by_date(tmp_path: Path) -> None:
    history, times = tmp_path / "history.jsonl", tmp_path / "times.json"
    history.write_text("".join(f"{line_of(run)}\n" for run in runs(1, 2)), encoding="utf-8")
    times.write_text(json.dumps(TIMES), encoding="utf-8")
    assert main(["add", str(times), str(history), "--commit", "abc"]) == 0
    assert len(history.read_text(encoding="utf-8").splitlines()) == 3
    assert read(history) == [*runs(1, 2), run_of(TIMES, "abc")]
    assert main(["draw", str(history), str(tmp_path / "new" / "index.html")]) == 0
    drawn = (tmp_path / "new" / "index.html").read_text(encoding="utf-8")
    assert "3 runs" in drawn
    assert "1x to 123.5x" in drawn


def test_a_run_without_ratios_is_refused(tmp_path: Path) -> None:
    (tmp_path / "times.json").write_text(json.dumps(TIMES | {"benchmarks": []}), encoding="utf-8")
    assert (
        main(["add", str(tmp_path / "times.json"), str(tmp_path / "history.jsonl"), "--commit", "abc"]) == 1
    )
    assert not (tmp_path / "history.jsonl").exists()


@pytest.mark.parametrize(
    ("ratios", "slower"),
    [
        ([100, 100, 100, 79], True),
        ([100, 100, 100, 81], False),
        ([100, 100, 50], False),  # too few to tell
        ([50, 100, 100, 100, 60], True),
        ([100] * 5 + [50] * 11, False),  # it has been so for ten runs
        ([100], False),
    ],
)
def test_what_is_marked_as_slower(ratios: list[float], slower: bool) -> None:
    assert is_slower(ratios) is slower
    assert ("slower than before" in page(runs(*ratios))) is slower


def test_a_curve_has_a_point_for_each_run_and_begins_at_zero() -> None:
    picture = ET.fromstring(curve([0.0, 5.0, 10.0]))  # noqa: S314  # drawn here
    assert picture[0].get("points") == "4.0,32.0 120.0,18.0 236.0,4.0"
    assert ET.fromstring(curve([7.0]))[0].get("points") == "4.0,4.0"  # noqa: S314  # drawn here


def test_names_are_escaped_and_no_history_is_said() -> None:
    run = Run("<c>", "d", "<m>", {("<script>", "a & b"): 2.0})
    assert "<script" not in page([run])
    assert re.search("&lt;script&gt;.*a &amp; b", page([run]))
    assert "No run has been recorded." in page([])
