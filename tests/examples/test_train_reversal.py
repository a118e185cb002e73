"""The training script in examples/: it learns, logs its BLEU, and draws it."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed", exc_type=ImportError)
pytest.importorskip("matplotlib", reason="matplotlib is not installed", exc_type=ImportError)

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "train_reversal.py"


@pytest.mark.nightly
def test_bleu_rises_and_is_drawn(tmp_path: Path) -> None:
    curve = tmp_path / "curve.png"
    command = [sys.executable, str(SCRIPT), str(curve), "--steps", "120"]
    printed = subprocess.run(command, capture_output=True, check=True, encoding="utf-8").stdout
    logged = re.findall(r"^step +(\d+)  loss (\d\.\d{3})  BLEU +(\d+\.\d\d)$", printed, re.MULTILINE)
    steps, losses, scores = ([float(number) for number in numbers] for numbers in zip(*logged, strict=True))
    assert steps == [0, 20, 40, 60, 80, 100, 120]
    assert scores[0] < 2
    assert scores[-1] > 40
    assert scores[0] < scores[2] < scores[-1]
    assert losses[-1] < losses[0] / 2
    times = re.search(
        r"^a training step: (\d+\.\d+) ms.*\n  fastbleu +(\d+\.\d+) ms, +(\d+\.\d)% of both$",
        printed,
        re.MULTILINE,
    )
    assert times, printed
    step, metric, share = map(float, times.groups())
    assert share == pytest.approx(100 * metric / (step + metric), abs=0.1 + 100 * 0.005 / step)
    png = curve.read_bytes()
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert len(png) > 10_000


@pytest.mark.slow
def test_a_few_steps(tmp_path: Path) -> None:
    torch.manual_seed(1)
    script = runpy.run_path(str(SCRIPT))
    model, curve = script["Reverser"](), tmp_path / "curve.png"
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    losses = [script["train_step"](model, optimizer)[0] for _ in range(5)]
    assert losses[-1] < losses[0]
    script["plot"]([(0, losses[0], 0.5), (20, losses[-1], 40.0)], curve)
    assert curve.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
