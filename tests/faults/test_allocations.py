"""Each allocation fails in turn: MemoryError and nothing else, the next call right, no memory lost.

The environment variable FASTBLEU_FAULTS=all tries every place, and not some hundred of each call.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.modules import REPOSITORY

pytest.importorskip("pyarrow")

SOURCE = Path(__file__).with_name("allocations.c")

# AddressSanitizer has an allocator of its own in the same place.
pytestmark = [pytest.mark.slow, pytest.mark.unsanitized]

Run = Callable[[str], dict[str, list[str]]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Tries all calls with failures of one kind, and returns by call what was wrong."""
    if not sys.platform.startswith("linux"):
        pytest.skip("replaces the allocator of Linux")
    library = tmp_path_factory.mktemp("allocations") / "allocations.so"
    command = [os.environ.get("CC", "cc").split()[-1], "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE), "-ldl"]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no compiler, or another C library: {error}")

    def run(kind: str) -> dict[str, list[str]]:
        environment = {**os.environ, "LD_PRELOAD": str(library), "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(REPOSITORY)}
        finished = subprocess.run(
            [sys.executable, "-m", "tests.faults.allocations", kind],
            env=environment,
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            check=False,
        )
        assert finished.returncode == 0, finished.stderr
        reports = map(json.loads, finished.stdout.splitlines())
        return {report["door"]: report["wrong"] for report in reports}

    return run


def test_memory_of_modules(run: Run) -> None:
    found = run("modules")
    assert len(found) > 40
    assert {door: wrong for door, wrong in found.items() if wrong} == {}


def test_memory_of_python_objects(run: Run) -> None:
    found = run("python")
    assert len(found) > 20
    assert {door: wrong for door, wrong in found.items() if wrong} == {}
