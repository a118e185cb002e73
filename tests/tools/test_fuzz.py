"""Messages of the fuzzers' script before it fuzzes anything; and all lists of doors are equal."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

fuzz_tool = pytest.importorskip("tools.fuzz", reason="the project's scripts are not there")

REPOSITORY = Path(__file__).resolve().parents[2]
DOORS = tuple(fuzz_tool.DOORS)


@pytest.fixture
def building(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to build in, and no compiler named."""
    monkeypatch.setattr(fuzz_tool, "BUILD", tmp_path)
    monkeypatch.delenv("CC", raising=False)
    return tmp_path


Ended = Callable[..., str]


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ended:
    """Return the message with which a call of the script ends, or the script itself with some options."""

    def message(*options: str, call: Callable[[], object] = fuzz_tool.main) -> str:
        monkeypatch.setattr(sys, "argv", ["fuzz.py", *options])
        with pytest.raises(SystemExit) as error:
            call()
        assert error.value.code == 2
        return capsys.readouterr().err

    return message


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
def test_wrong_options_are_refused(ended: Ended, arguments: list[str], message: str) -> None:
    assert message in ended(*arguments)


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ({"atheris"}, "fuzz.py: Atheris is missing: pip install atheris\n"),
        ({"Cython", "sacrebleu"}, "fuzz.py: these packages are missing: pip install Cython sacrebleu\n"),
    ],
)
def test_missing_packages_are_named(
    monkeypatch: pytest.MonkeyPatch, ended: Ended, missing: set[str], message: str
) -> None:
    there = find_spec("pytest")
    monkeypatch.setattr(fuzz_tool, "find_spec", lambda name: None if name in missing else there)
    assert ended("text") == message


def test_atheris_without_sanitizer_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ended: Ended
) -> None:
    (tmp_path / "atheris").mkdir()
    (tmp_path / "atheris" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "atheris", raising=False)
    assert f"{tmp_path / 'asan_with_fuzzer.so'} is missing" in ended(call=fuzz_tool.preloaded)
    (tmp_path / "asan_with_fuzzer.so").touch()
    assert fuzz_tool.preloaded() == tmp_path / "asan_with_fuzzer.so"


@pytest.mark.parametrize(
    ("compiler", "message"),
    [
        (None, "clang was not found: install it (apt install clang), or name another clang in CC"),
        ("ccache clang-99", "ccache was not found"),
        ("gcc", "only clang builds for libFuzzer, and CC is 'gcc': set CC=clang"),
    ],
)
@pytest.mark.usefixtures("building")
def test_missing_clang_is_named(
    monkeypatch: pytest.MonkeyPatch, ended: Ended, compiler: str | None, message: str
) -> None:
    monkeypatch.setenv("PATH", "")
    if compiler is not None:
        monkeypatch.setenv("CC", compiler)
    assert message in ended(call=fuzz_tool.build)


def test_clang_without_its_runtime_is_refused(
    building: Path, monkeypatch: pytest.MonkeyPatch, ended: Ended
) -> None:
    monkeypatch.setattr(subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 1))
    monkeypatch.setattr(fuzz_tool.shutil, "which", lambda _: "/usr/bin/clang")
    assert "install its runtime (apt install libclang-rt-dev)" in ended(call=fuzz_tool.build)
    assert not (building / "sources").exists()


def test_end_without_an_input_is_no_finding_of_its_own(
    building: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A finding with an input says how to repeat it."""
    monkeypatch.setattr(fuzz_tool, "REPOSITORY", building)
    status, finding = 1, ""

    def run(door: str, *_: str) -> int:
        if finding:
            (building / "findings" / door / finding).write_bytes(b"x")
        return status

    monkeypatch.setattr(fuzz_tool, "run", run)
    assert not fuzz_tool.fuzz("text", 1)
    assert "It wrote no input" in capsys.readouterr().out
    finding = "crash-1"
    assert not fuzz_tool.fuzz("text", 1)
    path = Path("findings", "text", "crash-1")
    assert f"python tools/fuzz.py text --input {path}\n" in capsys.readouterr().out
    status, finding = 0, ""
    assert fuzz_tool.fuzz("text", 1)
    assert capsys.readouterr().out == "text: nothing found\n"


@pytest.mark.slow
@pytest.mark.parametrize("door", DOORS)
def test_any_bytes_go_through_a_door(door: str) -> None:
    if door == "text":
        pytest.importorskip("sacrebleu")
    generator = random.Random(door)
    check = fuzz_tool.check_of(door)
    # Bytes that make no values give None.
    assert any(check(generator.randbytes(generator.randint(0, 2000))) is not None for _ in range(20))
