"""The GRPO script in examples/: a few steps of it, logged and drawn, and the log of all of them that the docs show."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from statistics import fmean

import pytest

from tests.support.modules import REPOSITORY

for host in ("torch", "transformers", "datasets", "trl", "matplotlib"):
    pytest.importorskip(host, reason=f"{host} is not installed", exc_type=ImportError)

SCRIPT = REPOSITORY / "examples" / "train_grpo.py"
BLEU = "rewards/bleu_reward/mean"


@pytest.mark.nightly
@pytest.mark.parametrize("with_data", [False, True])
def test_it_trains_logs_and_draws(tmp_path: Path, with_data: bool) -> None:
    environment = {name: value for name, value in os.environ.items() if with_data or name != "FASTBLEU_DATA"}
    if with_data and "FASTBLEU_DATA" not in environment:
        pytest.skip("the environment variable FASTBLEU_DATA does not name a folder that holds newstest2021")
    curve, log = tmp_path / "curve.png", tmp_path / "log.jsonl"
    command = [
        sys.executable,
        str(SCRIPT),
        str(curve),
        "--log",
        str(log),
        "--folder",
        str(tmp_path / "trainer"),
    ]
    command += ["--steps", "3", "--warm-up", "45"]
    ran = subprocess.run(command, capture_output=True, check=True, encoding="utf-8", env=environment)
    assert re.search(r"^reward: nrefs:var\|.*\|scale:1\|", ran.stdout, re.MULTILINE)
    losses = [float(loss) for loss in re.findall(r"^warm-up step +\d+  loss (.*)$", ran.stdout, re.MULTILINE)]
    assert losses[-1] < losses[0] / 5
    entries = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [entry["step"] for entry in entries] == [1, 2, 3]
    assert all(0.05 < entry[BLEU] < 1 for entry in entries)
    assert curve.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


@pytest.mark.parametrize(("name", "bleu"), [("grpo", BLEU), ("verl", "score")])
def test_bleu_rises_in_the_log_of_the_documentation(name: str, bleu: str) -> None:
    log = REPOSITORY / "docs" / "data" / f"train_{name}.jsonl"
    entries = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [entry["step"] for entry in entries] == list(range(1, 151))
    fifths = [fmean(entry[bleu] for entry in entries[i : i + 30]) for i in range(0, 150, 30)]
    assert fifths == sorted(fifths)
    assert fifths[-1] > 1.7 * fifths[0]
