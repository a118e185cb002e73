"""Each read fails in turn, or returns less than was asked for: one line says which file, or nothing changes."""

import errno
import os

import pytest

from tests.support.faults.commands import Runs

# AddressSanitizer wants to be the first library that is loaded.
pytestmark = [pytest.mark.slow, pytest.mark.unsanitized]

COMMANDS = (
    "fastbleu ref -i one",
    "fastbleu ref.gz -i one.zst",
    "fastbleu ref.gz < one",
    "fastbleu ref < one.gz",
    "fastbleu-compare ref -i one two --trials 16 -q",
    "fastbleu-rerank mbr moses -q -r ref.gz",
    "fastbleu-rerank mbr moses.gz -q",
    "fastbleu-rerank mbr -q < moses",
    "fastbleu-rerank mbr moses -q -o begun --resume",
    "fastbleu-rerank mbr lists -q",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_read(runs: Runs, command: str) -> None:
    if ".zst" in command:
        pytest.importorskip("backports.zstd")
    line, _, stdin = command.partition(" < ")
    whole, found = runs(command, "reads", ("EIO", "short"))
    (outcome,) = found["short"]
    assert outcome["hit"]
    assert {**outcome, "hit": "", "place": 0} == whole
    assert len(found["EIO"]) > 2
    failed = 0
    for outcome in found["EIO"]:
        # Some files are looked at first, and that a look fails does not matter if reading works.
        if outcome["status"] == 0:
            assert {**outcome, "hit": "", "place": 0} == whole
            continue
        failed += 1
        name = "standard input" if outcome["hit"] == stdin else outcome["hit"]
        said = f"{line.split()[0]}: {name}: {os.strerror(errno.EIO)}"
        assert outcome["status"] == 1
        assert outcome["stderr"].splitlines()[0] == said
        assert not outcome["stdout"] or whole["stdout"].startswith(outcome["stdout"])
        # What `--resume` goes on with may be left, and no output that is not whole.
        assert all(name.endswith(".part") for name in outcome["files"])
    assert failed > len(found["EIO"]) / 2
