"""All lists of fuzz targets are equal, and each target accepts any bytes."""

import random
import re
import sys
from pathlib import Path

import pytest

fuzz_tool = pytest.importorskip("tools.fuzz", reason="the project's scripts are missing")

REPOSITORY = Path(__file__).resolve().parents[2]
TARGETS = tuple(fuzz_tool.TARGETS)


def test_targets_are_the_same_everywhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["fuzz.py", "--list"])
    fuzz_tool.main()
    assert capsys.readouterr().out.split() == list(TARGETS)
    nightly = REPOSITORY / ".github" / "workflows" / "nightly.yml"
    if nightly.exists():
        matrix = re.search(r"^ *target: \[(.*)\]$", nightly.read_text(encoding="utf-8"), re.MULTILINE)
        assert matrix is not None
        assert tuple(matrix[1].split(", ")) == TARGETS


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a target, or all"),
        (["tables"], "invalid choice: 'tables'"),
        (["text", "--minutes", "ten"], "argument --minutes: invalid float value: 'ten'"),
        (["text", "--minutes", "0"], "argument --minutes: must be above 0, not 0.0"),
        (["text", "--input", "no/such/file"], "argument --input: no/such/file is not a file"),
    ],
)
def test_wrong_options_are_refused(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["fuzz.py", *arguments])
    with pytest.raises(SystemExit) as error:
        fuzz_tool.main()
    assert error.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_a_target_accepts_any_bytes(target: str) -> None:
    if target == "text":
        pytest.importorskip("sacrebleu")
    generator = random.Random(target)
    check = fuzz_tool.check_of(target)
    # The result is None if Hypothesis generates no values from the bytes.
    assert any(check(generator.randbytes(generator.randint(0, 2000))) is not None for _ in range(20))
