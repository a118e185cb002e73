"""The script in examples/ that trains without references, and its log in the documentation."""

import json
import re
import subprocess
import sys
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from tests.support.modules import REPOSITORY

SCRIPT = REPOSITORY / "examples" / "train_consensus.py"


def check(log: list[dict[str, Any]]) -> None:
    """Check that BLEU rises and variety stays with both rewards, and that both fall by agreement alone."""
    for name, (both, alone) in {"bleu": (0.95, 0.2), "diversity": (0.6, 0.1)}.items():
        last = {run: fmean(each[name] for each in log if each["run"] == run) for run in ("both", "agreement")}
        assert last["both"] > both
        assert last["agreement"] < alone


def test_log_of_the_documentation() -> None:
    lines = (REPOSITORY / "docs" / "data" / "train_consensus.jsonl").read_text(encoding="utf-8").splitlines()
    log = [json.loads(line) for line in lines]
    assert [entry["run"] for entry in log] == ["both"] * 100 + ["agreement"] * 100
    assert all(round(log[i]["bleu"], 1) in (0.4, 0.5) for i in (0, 100))
    check(log[90:100] + log[190:])


@pytest.mark.nightly
def test_training(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed", exc_type=ImportError)
    pytest.importorskip("matplotlib", reason="matplotlib is not installed", exc_type=ImportError)
    command = [sys.executable, str(SCRIPT), str(tmp_path / "curve.png")]
    printed = subprocess.run(command, capture_output=True, check=True, encoding="utf-8").stdout
    lines = (tmp_path / "curve.jsonl").read_text(encoding="utf-8").splitlines()
    log = [json.loads(line) for line in lines]
    check(log[90:100] + log[190:])
    last = fmean(entry["bleu"] for entry in log[90:100])
    assert re.search(rf"^both, bleu: 0\.4\d, in the last ten steps {last:.2f}$", printed, re.MULTILINE)
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
