"""Tables for the engines, the programs of examples/engines, and what these must print."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from fastbleu import BLEU
from tests.support.modules import REPOSITORY

PROGRAMS = REPOSITORY / "examples" / "engines"

#: Options of metrics that engines are tried with.
OPTIONS: list[dict[str, Any]] = [
    {},
    {"lowercase": True, "tokenize": "intl"},
    {"smooth_method": "floor", "smooth_value": 0.5},
    {"max_ngram_order": 2, "weights": [3, 1]},
    {"max_ngram_order": 6, "effective_order": True},
    {"reference_length": "shortest"},
    {"threads": 2},
]

#: How a driver of a test's own begins that runs a program's `main`.
ENVIRONMENT = {"PYTHONPATH": os.pathsep.join([str(PROGRAMS), *sys.path])}


def sample() -> SimpleNamespace:
    """The names of `sample.py`: `pairs`, `pools`, `write`."""
    return SimpleNamespace(**runpy.run_path(str(PROGRAMS / "sample.py")))


def corpus_score(table: Any, metric: BLEU | None = None) -> float:
    """The score of all rows together, from lists, on one machine."""
    columns = table.to_pydict()
    references = [columns[name] for name in columns if name.startswith("ref")]
    return (metric or BLEU()).corpus_score(columns["mt"], references).score


def corpus_and_systems(table: Any, metric: BLEU | None = None) -> dict[str, float]:
    """The score of all rows, under "corpus", and that of each system's rows."""
    import pyarrow.compute as pc

    systems = table["system"].unique().to_pylist()
    parts = {system: table.filter(pc.equal(table["system"], system)) for system in sorted(systems)}
    return {name: corpus_score(part, metric) for name, part in {"corpus": table, **parts}.items()}


def run(program: str | Path, *arguments: str | Path, cwd: Path, **environment: str) -> str:
    """Return the output of a program in a process of its own."""
    command = [sys.executable, str(PROGRAMS / program), *map(str, arguments)]
    done = subprocess.run(
        command,
        cwd=cwd,
        env=os.environ | ENVIRONMENT | environment,
        capture_output=True,
        check=False,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def printed(output: str) -> dict[str, float]:
    """The lines of a name and a number, as a program prints them: every digit is there."""
    return {name: float(score) for name, score in (line.rsplit(" ", 1) for line in output.splitlines())}
