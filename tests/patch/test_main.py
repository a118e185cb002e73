"""`python -m fastbleu.patch`: a program runs as Python runs it, with its own arguments, folder and names."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import pickle, sys
from helper import VALUE
class Kept: pass
assert isinstance(pickle.loads(pickle.dumps(Kept())), Kept)
if __name__ == "__main__":
    print(sys.argv[1:], VALUE, __file__.rpartition("/")[2])
    from nltk.translate.bleu_score import sentence_bleu
    print(sentence_bleu(["abcd"], "abcd"))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pytest.importorskip("nltk")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "helper.py").write_text("VALUE = 3")
    (tmp_path / "inner" / "program.py").write_text(PROGRAM)
    return tmp_path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fastbleu.patch", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def test_a_file(folder: Path) -> None:
    finished = run(folder, "--report", "--peers", "nltk", "inner/program.py", "--peers", "x")
    assert finished.stdout.splitlines() == ["['--peers', 'x'] 3 program.py", "1.0"]
    (line,) = [each for each in finished.stderr.splitlines() if "bleu_score.sentence_bleu" in each]
    assert line.split()[3:] == ["replaced", "1", "0"]
    assert finished.returncode == 0


def test_a_module(folder: Path) -> None:
    finished = run(folder / "inner", "-m", "program", "y")
    assert finished.stdout.splitlines() == ["['y'] 3 program.py", "1.0"]
    assert not finished.stderr


def test_code(folder: Path) -> None:
    finished = run(folder, "--peers=nltk", "-c", "import sys; print(sys.argv, __name__); sys.exit(3)", "z")
    assert finished.stdout == "['-c', 'z'] __main__\n"
    assert finished.returncode == 3


def test_a_folder_and_standard_input(folder: Path) -> None:
    (folder / "inner" / "program.py").rename(folder / "inner" / "__main__.py")
    assert run(folder, "inner", "v").stdout.splitlines() == ["['v'] 3 __main__.py", "1.0"]
    command = [sys.executable, "-m", "fastbleu.patch", "-"]
    finished = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=folder, input="import sys; print(sys.argv)"
    )
    assert finished.stdout == "['-']\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "no program to run"),
        (("-m",), "no program to run"),
        (("--pear", "x.py"), "unknown option --pear"),
        (("--peers", "pear", "x.py"), "unknown peer 'pear'; choose one of"),
        (("missing.py",), "cannot open 'missing.py': No such file or directory"),
    ],
)
def test_errors(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    finished = run(folder, *arguments)
    assert finished.returncode == 2
    assert f"error: {message}" in finished.stderr
    assert finished.stderr.startswith("usage: python -m fastbleu.patch")


def test_help(folder: Path) -> None:
    finished = run(folder, "--help")
    assert finished.stdout.startswith("usage: python -m fastbleu.patch")
    assert finished.returncode == 0
