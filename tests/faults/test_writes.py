"""Each write of the programs fails in turn: one line says which file, and no file looks whole that is not."""

import errno
import os
from pathlib import Path

import pytest

from fastbleu.cli.rerank.rerank_command import main as rerank
from fastbleu.inputs import decompressed_files
from tests.support.faults.commands import BLOCK_BYTES, Runs
from tests.support.faults.files import Outcome

# AddressSanitizer wants to be the first library that is loaded.
pytestmark = [pytest.mark.slow, pytest.mark.unsanitized]

FAILURES = ("ENOSPC", "EIO")

#: Reports and pages: a file has the whole one or what it had before.
REPORTS = (
    "fastbleu ref -i one --explain 1 --explain-html old.html",
    "fastbleu ref -i one --explain 1 --explain-html new.html",
    "fastbleu-compare ref -i one two --trials 16 -q -o old.txt",
    "fastbleu-compare ref -i one two --trials 16 -q -o new.json",
)
#: N-best lists: parts are left for `--resume`, and no output.
OUTPUTS = ("fastbleu-rerank mbr moses -q -o out", "fastbleu-rerank mbr moses -q -o begun --resume")
PRINTED = (
    "fastbleu ref -i one",
    "fastbleu ref -i one -sl",
    "fastbleu ref -i one two -q --format json",
    "fastbleu-compare ref -i one two --trials 16 -q",
    "fastbleu-rerank mbr moses -q",
    "fastbleu-rerank mbr lists -q",
)


def message(command: str, name: str, fault: str) -> str:
    return f"{command.split(maxsplit=1)[0]}: {name}: {os.strerror(getattr(errno, fault))}\n"


def check_short(whole: Outcome, outcome: Outcome) -> None:
    """Writes that take a part of their bytes each change nothing."""
    assert outcome["hit"]
    assert {**outcome, "hit": "", "place": 0} == whole


@pytest.mark.parametrize("command", REPORTS)
def test_reports(runs: Runs, command: str) -> None:
    whole, found = runs(command, "writes", (*FAILURES, "short"))
    output = command.rsplit(maxsplit=1)[-1]
    assert list(whole["files"]) == [output]
    check_short(whole, *found["short"])
    for fault in FAILURES:
        assert len(found[fault]) == 1
        for outcome in found[fault]:
            assert outcome["stderr"] == message(command, output, fault)
            assert (outcome["status"], outcome["files"], outcome["stdout"]) == (1, {}, "")


def test_a_page_of_a_comparison(runs: Runs) -> None:
    command = "fastbleu-compare ref -i one two --trials 16 -q -o old.html"
    whole, found = runs(command, "writes", ("ENOSPC",))
    assert whole["files"]["old.html"].startswith("<!DOCTYPE html>")
    (outcome,) = found["ENOSPC"]
    assert outcome["stderr"] == message(command, "old.html", "ENOSPC")
    assert (outcome["status"], outcome["files"]) == (1, {})


@pytest.mark.parametrize("command", OUTPUTS)
def test_outputs(runs: Runs, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, found = runs(command, "writes", (*FAILURES, "short"))
    ((output, content),) = whole["files"].items()
    parts = f"{output}.part"
    check_short(whole, *found["short"])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(decompressed_files, "BLOCK_BYTES", BLOCK_BYTES)
    (tmp_path / "moses").write_bytes((runs.folder / "moses").read_bytes())
    said = f"fastbleu-rerank: finished blocks are kept in {parts}; --resume continues\n"
    for fault in FAILURES:
        assert len(found[fault]) > 2
        for outcome in found[fault]:
            name = parts if outcome["hit"] == parts else output
            assert outcome["status"] == 1
            assert set(outcome["files"]) <= {parts}
            is_left = parts in outcome["files"] or "--resume" in command
            assert outcome["stderr"] == message(command, name, fault) + is_left * said
            if left := outcome["files"].get(parts):
                (tmp_path / parts).write_text(left, encoding="latin-1", newline="")
                assert rerank(["mbr", "moses", "-q", "-o", output, "--resume"]) == 0
                assert (tmp_path / output).read_bytes().decode("latin-1") == content


@pytest.mark.parametrize("command", PRINTED)
def test_standard_output(runs: Runs, command: str) -> None:
    whole, found = runs(command, "writes", (*FAILURES, "EPIPE", "short"))
    assert whole["stdout"]
    check_short(whole, *found["short"])
    for fault in FAILURES:
        assert found[fault]
        for outcome in found[fault]:
            assert (outcome["status"], outcome["stderr"]) == (1, message(command, "standard output", fault))
            assert whole["stdout"].startswith(outcome["stdout"])
    # A reader that has enough, as `| head` has, is not an error.
    (outcome,) = found["EPIPE"]
    assert (outcome["status"], outcome["stderr"], outcome["stdout"]) == (0, "", "")
