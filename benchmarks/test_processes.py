"""Whole processes: the command line, what importing adds, and how much memory a million segments take."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks import data
from benchmarks.measures import Table, least, run

Compare = Callable[..., None]

SEGMENTS = 1_000_000


def test_command_line(compare: Compare, tmp_path: Path) -> None:
    pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed")
    hypotheses, reference = tmp_path / "hypotheses.de", tmp_path / "reference.de"
    for path, lines in ((hypotheses, data.system("en-de")), (reference, data.references("en-de")[0])):
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    arguments = (str(reference), "-i", str(hypotheses), "-m", "bleu", "-b", "-w", "4")
    assert run("-m", "fastbleu", *arguments) == run("-m", "sacrebleu", *arguments)
    compare(
        "fastbleu on one system, whole process",
        lambda: run("-m", "fastbleu", *arguments),
        "sacrebleu",
        lambda: run("-m", "sacrebleu", *arguments),
        4,
        8,
        rounds=10,
        ours_per_round=3,
    )


def test_import(benchmark: Any, table: Table) -> None:
    bare, ours = least(lambda: run("-c", "pass"), lambda: run("-c", "import fastbleu"), rounds=40)
    benchmark.pedantic(lambda: run("-c", "import fastbleu"), rounds=3)
    table.add(
        "import fastbleu",
        f"bare interpreter: {bare * 1e3:.1f} ms to {ours * 1e3:.1f} ms",
        (ours - bare) * 1e3,
        15,
        5,
        show="+{:.1f} ms".format,
    )


# Measures the peak of resident memory over one call, beyond what stood before it and beyond the result. The peak is
# reset through the kernel; every segment is a string of its own, so that anything kept in them shows.
MEMORY_PROGRAM = """
import gc, json, sys
from pathlib import Path
from fastbleu import BLEU

def status(field):
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024

what, count, lines_path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
lines, references = (json.loads(line) for line in open(lines_path, encoding="utf-8"))
n = len(lines)
hypotheses = [f"{lines[i % n]} {i}" for i in range(count)]
streams = [[f"{references[i % n]} {i}" for i in range(count)]]
del lines, references
# What is loaded once and for all is not part of the figure.
metric = BLEU(effective_order=True)
getattr(metric, what)(hypotheses[:5000], [streams[0][:5000]])
gc.collect()
before = status("VmRSS")
Path("/proc/self/clear_refs").write_text("5")
result = getattr(metric, what)(hypotheses, streams)
print(status("VmHWM") - before, getattr(result, "nbytes", 0))
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak is read from /proc")
@pytest.mark.parametrize("what", ["corpus_score", "statistics", "sentence_scores"])
def test_memory(benchmark: Any, table: Table, tmp_path: Path, what: str) -> None:
    path = tmp_path / "lines.json"
    sides = (data.system("en-de"), data.references("en-de")[0])
    path.write_text("\n".join(json.dumps(side) for side in sides), encoding="utf-8")
    arguments = ("-c", MEMORY_PROGRAM, what, str(SEGMENTS), str(path))
    peak, result = map(int, benchmark.pedantic(lambda: run(*arguments), rounds=1).split())
    table.add(
        f"memory of {what}, {SEGMENTS:,} segments",
        "above the input lists and the result",
        (peak - result) / 1e6,
        150,
        50,
        show="{:.0f} MB".format,
    )
