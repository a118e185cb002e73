"""All lists of the fuzzers' doors are equal, and any bytes go through each."""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

import pytest

fuzz_tool = pytest.importorskip("tools.fuzz", reason="the project's scripts are not there")

REPOSITORY = Path(__file__).resolve().parents[2]
DOORS = tuple(fuzz_tool.DOORS)


def test_doors_are_the_same_everywhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["fuzz.py", "--list"])
    fuzz_tool.main()
    assert capsys.readouterr().out.split() == list(DOORS)
    nightly = REPOSITORY / ".github" / "workflows" / "nightly.yml"
    if nightly.exists():
        found = re.search(r"^ *door: \[(.*)\]$", nightly.read_text(encoding="utf-8"), re.MULTILINE)
        assert found is not None
        assert tuple(found[1].split(", ")) == DOORS


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a door, or all"),
        (["tables"], "invalid choice: 'tables'"),
        (["text", "--minutes", "ten"], "argument --minutes: invalid float value: 'ten'"),
        (["text", "--minutes", "0"], "argument --minutes: must be above 0, not 0.0"),
        (["text", "--input", "no/such/file"], "argument --input: no/such/file is not a file"),
    ],
)
def test_wrong_options_are_refused(
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["fuzz.py", *arguments])
    with pytest.raises(SystemExit) as error:
        fuzz_tool.main()
    assert error.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("door", DOORS)
def test_any_bytes_go_through_a_door(door: str) -> None:
    if door == "text":
        pytest.importorskip("sacrebleu")
    generator = random.Random(door)
    check = fuzz_tool.check_of(door)
    # Bytes that make no values give None.
    assert any(check(generator.randbytes(generator.randint(0, 2000))) is not None for _ in range(20))
