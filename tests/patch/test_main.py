"""`python -m fastbleu.patch`: a program runs as Python runs it, with its own arguments, folder and names."""

from pathlib import Path

import pytest

from fastbleu import patch
from fastbleu.patch.__main__ import main
from tests.support.processes import python

PROGRAM = """
import pickle, sys
from helper import VALUE
class Kept: pass
assert isinstance(pickle.loads(pickle.dumps(Kept())), Kept)
if __name__ == "__main__":
    print(sys.argv[1:], VALUE, __file__.rpartition("/")[2])
    from sacrebleu.metrics.bleu import BLEU
    print(BLEU().corpus_score(["a b c d"], [["a b c d"]]).score)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pytest.importorskip("sacrebleu")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "helper.py").write_text("VALUE = 3")
    (tmp_path / "inner" / "program.py").write_text(PROGRAM)
    return tmp_path


@pytest.mark.slow
def test_a_file(folder: Path) -> None:
    arguments = "-m fastbleu.patch --report --peers sacrebleu inner/program.py --peers x"
    finished = python(*arguments.split(), cwd=folder)
    assert finished.stdout.splitlines() == ["['--peers', 'x'] 3 program.py", "100.00000000000004"]
    (line,) = [each for each in finished.stderr.splitlines() if ".corpus_score" in each]
    assert line.split()[3:] == ["replaced", "1", "0"]
    assert finished.returncode == 0


@pytest.mark.slow
def test_a_module(folder: Path) -> None:
    finished = python("-m", "fastbleu.patch", "-m", "program", "y", cwd=folder / "inner")
    assert finished.stdout.splitlines() == ["['y'] 3 program.py", "100.00000000000004"]
    assert not finished.stderr


@pytest.mark.slow
def test_code(folder: Path) -> None:
    program = "import sys; print(sys.argv, __name__); sys.exit(3)"
    finished = python("-m", "fastbleu.patch", "--peers=sacrebleu", "-c", program, "z", cwd=folder)
    assert finished.stdout == "['-c', 'z'] __main__\n"
    assert finished.returncode == 3


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
def test_errors(arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    patch.uninstall()
    said = capsys.readouterr().err
    assert (ended.value.code, said.startswith("usage: python -m fastbleu.patch")) == (2, True)
    assert f"error: {message}" in said


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--help"])
    assert capsys.readouterr().out.startswith("usage: python -m fastbleu.patch")
