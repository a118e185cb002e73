"""Programs of the shapes that public ones have, with the patch and without: the same results, whoever holds what."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed")
pytest.importorskip("nltk", reason="NLTK is not installed")

from fastbleu import patch
from tests.support.public_programs import PROGRAMS, run


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("CRITICAL", "sacrebleu")


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_with_and_without(name: str) -> None:
    without = run(name)
    with patch.install("sacrebleu", "nltk"):
        assert run(name) == without
    assert run(name) == without


def test_next_to_all_calls_are_answered() -> None:
    def calls() -> tuple[int, int]:
        lines = [line for line in patch.report() if line.peer in ("sacrebleu", "nltk")]
        return sum(line.taken for line in lines), sum(line.left for line in lines)

    with patch.install("sacrebleu", "nltk"):
        taken, left = calls()
        for name in PROGRAMS:
            run(name)
    now_taken, now_left = calls()
    assert now_taken - taken > 50
    # Those of a subclass with a step of its own, and those that sacreBLEU refuses, by its function and its method.
    assert now_left - left < 30


SWAPPED = """
import json, logging, sys
import fastbleu.compat.sacrebleu
sys.modules["sacrebleu"] = fastbleu.compat.sacrebleu
logging.disable(logging.CRITICAL)
from tests.support import public_programs
print(json.dumps({name: public_programs.run(name) for name in public_programs.PROGRAMS}))
"""


@pytest.mark.slow
def test_the_same_in_the_place_of_sacrebleu() -> None:
    finished = subprocess.run(
        [sys.executable, "-W", "error", "-c", SWAPPED], capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr
    assert json.loads(finished.stdout) == {name: run(name) for name in PROGRAMS}
