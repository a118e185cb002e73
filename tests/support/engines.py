"""Tables for the engines, the programs of examples/engines, and what these must print."""

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

#: How a driver of a test's own begins that runs a program's `main`.
ENVIRONMENT = {"PYTHONPATH": os.pathsep.join([str(PROGRAMS), *sys.path])}


def sample() -> SimpleNamespace:
    """The names of `sample.py`: `pairs`, `pools`, `write`."""
    return SimpleNamespace(**runpy.run_path(str(PROGRAMS / "sample.py")))


def corpus_and_systems(table: Any) -> dict[str, float]:
    """Score all rows, under "corpus", and each system's rows, from lists on one machine."""
    import pyarrow.compute as pc

    parts = {"corpus": table}
    for system in sorted(table["system"].unique().to_pylist()):
        parts[system] = table.filter(pc.equal(table["system"], system))
    columns = {name: part.to_pydict() for name, part in parts.items()}
    return {
        name: BLEU().corpus_score(each["mt"], [each["ref_a"], each["ref_b"]]).score
        for name, each in columns.items()
    }


def run(program: str | Path, *arguments: str | Path, cwd: Path, **environment: str) -> str:
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
