"""The verl script in examples/: a few steps of it with verl's Ray workers, logged and drawn."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from tests.support.modules import REPOSITORY

for host in ("torch", "transformers", "matplotlib"):
    pytest.importorskip(host, reason=f"{host} is not installed", exc_type=ImportError)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("verl", reason="verl is not installed", exc_type=ImportError)

SCRIPT = REPOSITORY / "examples" / "train_verl.py"


@pytest.mark.slow
def test_it_trains_logs_and_draws(tmp_path: Path) -> None:
    curve, log = tmp_path / "curve.png", tmp_path / "log.jsonl"
    command = [
        sys.executable,
        str(SCRIPT),
        str(curve),
        "--log",
        str(log),
        "--folder",
        str(tmp_path / "model"),
    ]
    command += ["--steps", "3", "--warm-up", "45"]
    subprocess.run(command, capture_output=True, check=True)
    entries = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [entry["step"] for entry in entries] == [1, 2, 3]
    names = {"step", "loss", "score", "empty", "clipped", "too_long", "errors"}
    assert all(set(entry) == names and 0.05 < entry["score"] < 1 and not entry["errors"] for entry in entries)
    assert curve.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
