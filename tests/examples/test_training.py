"""The training scripts in examples/: a few steps of each, and the logs of all steps that the docs show."""

import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from fastbleu.rewards.counts import COUNTED
from tests.support.modules import REPOSITORY

BLEU = "rewards/bleu_reward/mean"


def trained(folder: Path, script: str, *hosts: str) -> tuple[str, list[dict[str, Any]]]:
    """Run three steps of a script after a warm-up, and return what it printed and logged."""
    for host in hosts:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pytest.importorskip(host, reason=f"{host} is not installed", exc_type=ImportError)
    curve, log = folder / "curve.png", folder / "log.jsonl"
    command = [sys.executable, str(REPOSITORY / "examples" / script), str(curve), "--log", str(log)]
    command += ["--folder", str(folder / "model"), "--steps", "3", "--warm-up", "45"]
    ran = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")
    entries = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [entry["step"] for entry in entries] == [1, 2, 3]
    assert curve.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    return ran.stdout, entries


@pytest.mark.nightly
@pytest.mark.parametrize("with_data", [False, True])
def test_grpo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_data: bool) -> None:
    if not with_data:
        monkeypatch.delenv("FASTBLEU_DATA", raising=False)
    elif "FASTBLEU_DATA" not in os.environ:
        pytest.skip("the environment variable FASTBLEU_DATA does not name a folder that holds newstest2021")
    hosts = ("torch", "transformers", "datasets", "trl", "matplotlib")
    printed, entries = trained(tmp_path, "train_grpo.py", *hosts)
    assert re.search(r"^reward: nrefs:var\|.*\|scale:1\|", printed, re.MULTILINE)
    losses = [float(loss) for loss in re.findall(r"^warm-up step +\d+  loss (.*)$", printed, re.MULTILINE)]
    assert losses[-1] < losses[0] / 5
    assert all(0.05 < entry[BLEU] < 1 for entry in entries)


@pytest.mark.slow
def test_verl_with_its_ray_workers(tmp_path: Path) -> None:
    _, entries = trained(tmp_path, "train_verl.py", "torch", "transformers", "matplotlib", "verl")
    names = {"step", "loss", "score", *COUNTED[1:]}
    assert all(set(entry) == names and 0.05 < entry["score"] < 1 and not entry["errors"] for entry in entries)


@pytest.mark.parametrize(("name", "bleu"), [("grpo", BLEU), ("verl", "score")])
def test_bleu_rises_in_the_log_of_the_documentation(name: str, bleu: str) -> None:
    log = REPOSITORY / "docs" / "data" / f"train_{name}.jsonl"
    entries = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [entry["step"] for entry in entries] == list(range(1, 151))
    fifths = [fmean(entry[bleu] for entry in entries[i : i + 30]) for i in range(0, 150, 30)]
    assert fifths == sorted(fifths)
    assert fifths[-1] > 1.7 * fifths[0]
