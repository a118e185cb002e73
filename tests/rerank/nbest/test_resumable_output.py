"""An output appears when it is complete; `--resume` completes what was cut anywhere, and refuses other parts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fastbleu.inputs import files
from fastbleu.rerank.nbest.resumable_output import read_parts
from tests.support.nbest_lists import (
    COMMANDS,
    POOLS,
    blocks,
    command,
    many_pools,
    moses_lines,
    refused,
    run,
    written,
)
from tests.support.processes import environment

START = b"fastbleu parts 2\n"


def stopped(arguments: str, output: str = "out") -> bytes:
    """The parts that a run leaves that was stopped when all blocks were done."""

    def fail(*_: object) -> None:
        raise OSError(5, "stopped")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "replace", fail)
        status, _, said = run(f"{arguments} -o {output} -q")
    left = f"finished blocks are kept in {output}.part; --resume continues"
    assert (status, said) == (1, f"fastbleu-rerank: {output}: stopped\nfastbleu-rerank: {left}\n")
    assert not os.path.exists(output)
    return Path(f"{output}.part").read_bytes()


def completed(arguments: str, output: str, whole: bytes) -> None:
    """Whatever a stopped run has left, the result is that of a run that was never stopped."""
    parts = stopped(arguments, output)
    bounds = [end for _, end in read_parts(f"{output}.part")]
    cuts = {0, 1, len(START) - 1, len(START), *(end + k for end in bounds for k in (-1, 0, 1, 9, 20))}
    for size in sorted(cut for cut in cuts if cut <= len(parts)):
        Path(f"{output}.part").write_bytes(parts[:size])
        assert run(f"{arguments} -o {output} --resume -q --threads {1 + size % 2}") == (0, b"", "")
        assert Path(output).read_bytes() == whole
        assert not os.path.exists(f"{output}.part")


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "BLOCK_BYTES", 120)


@pytest.mark.slow
@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("arguments", [*COMMANDS, "oracle bad -r ref --skip-bad --all"])
def test_lines_that_were_cut_are_completed(arguments: str, folder: Path) -> None:
    lines = moses_lines(POOLS)
    lines[4] = "broken\n"
    del lines[9:11]
    (folder / "bad").write_bytes("".join(lines).encode())
    completed(arguments, "out", written(arguments).encode())


@pytest.mark.usefixtures("small_blocks")
def test_the_summary_says_what_it_covers(folder: Path) -> None:
    parts = stopped("mbr moses")
    ends = {sum(part.sources for part, _ in list(read_parts("out.part"))[: k + 1]): k for k in range(5)}
    (folder / "out.part").write_bytes(parts[: [end for _, end in read_parts("out.part")][ends[3]]])
    lines = run("mbr moses -o out --resume")[2].splitlines()
    assert (
        lines[0]
        == "fastbleu-rerank: 3 sources had been finished before; the following figures are for the rest"
    )
    assert lines[1].startswith("fastbleu-rerank: 2 sources, 5 candidates; ")


@blocks(1 << 20, 120)
def test_parts_of_something_else_are_refused(folder: Path) -> None:
    parts = stopped("mbr moses")
    foreign = "out.part: --resume: the file is not of this input with these options"
    another = "out.part: expected what an interrupted run has left, found another file"
    more = parts + parts[len(START) :]
    for other, message in ((parts[:-4] + b"9.9\n", foreign), (more, foreign), (b"a cat", another)):
        (folder / "out.part").write_bytes(other)
        assert refused("mbr moses -o out --resume") == (1, message)
        assert (folder / "out.part").read_bytes() == other
    (folder / "out.part").write_bytes(parts)
    assert refused("mbr moses -o out --resume -lc -tok char") == (1, foreign)
    # Without --resume, or without parts, it is written again.
    assert written("mbr moses -o out") == written("mbr moses -o out --resume") == ""
    assert (folder / "out").read_text() == written("mbr moses")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_process_that_was_killed_is_gone_on_with(folder: Path) -> None:
    many_pools(folder, 60_000)
    arguments = "mbr many --all -o out"
    with subprocess.Popen(command(f"{arguments} -q"), env=environment()) as process:
        part = folder / "out.part"
        while not part.exists() or part.stat().st_size < 3 << 20:  # beyond the first block
            assert process.poll() is None
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
    assert not (folder / "out").exists()
    status, _, said = run(f"{arguments} --resume --threads 2")
    assert (status, "sources had been finished before" in said) == (0, True)
    assert (folder / "out").read_text() == written("mbr many --all")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
def test_an_output_that_cannot_be_read_again_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    status, said = refused("mbr moses -o /dev/zero --resume")
    assert (status, said) == (1, "/dev/zero: --resume needs a regular file, which can be read again")
