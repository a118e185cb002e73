"""An output appears when it is complete; `--resume` completes what was cut anywhere, and refuses other parts."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fastbleu.inputs import decompressed_files
from fastbleu.rerank.nbest.resumable_output import read_parts
from tests.support.nbest_lists import (
    COMMANDS,
    POOLS,
    blocks,
    command,
    figures,
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


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decompressed_files, "BLOCK_BYTES", 120)


@pytest.mark.slow
@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("arguments", [*COMMANDS, "oracle bad -r ref --skip-bad --all"])
def test_lines_that_were_cut_are_completed(arguments: str, folder: Path) -> None:
    lines = moses_lines(POOLS)
    lines[4] = "broken\n"
    del lines[9:11]
    (folder / "bad").write_bytes("".join(lines).encode())
    parts = stopped(arguments)
    bounds = [end for _, end in read_parts("out.part")]
    cuts = {0, 1, len(START) - 1, len(START), *(end + k for end in bounds for k in (-1, 0, 1, 9, 20))}
    for size in sorted(cut for cut in cuts if cut <= len(parts)):
        Path("out.part").write_bytes(parts[:size])
        assert run(f"{arguments} -o out --resume -q --threads {1 + size % 2}") == (0, b"", "")
        assert Path("out").read_text(encoding="utf-8") == written(arguments)
        assert not os.path.exists("out.part")


@pytest.mark.usefixtures("small_blocks")
def test_the_summary_says_what_it_covers(folder: Path) -> None:
    parts = stopped("mbr moses")
    ends = {sum(part.sources for part, _ in list(read_parts("out.part"))[: k + 1]): k for k in range(5)}
    (folder / "out.part").write_bytes(parts[: [end for _, end in read_parts("out.part")][ends[3]]])
    found = figures(run("mbr moses -o out --resume")[2])
    assert [found[name] for name in ("finished before", "sources", "candidates")] == ["3", "2", "5"]


@blocks(1 << 20, 120)
def test_parts_of_something_else_are_refused(folder: Path) -> None:
    parts = stopped("mbr moses")
    foreign = (
        "out.part: --resume: the earlier run had another input or other options; run without --resume to start from "
        "the beginning"
    )
    another = "out.part: expected the partial output of an earlier run, found another file"
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
def test_a_run_that_was_killed_again_and_again_is_completed(folder: Path) -> None:
    """FASTBLEU_SOURCES and FASTBLEU_KILLS are the number of sources, and of kills at random times."""
    sources, kills = (
        int(os.environ.get(f"FASTBLEU_{name}", default))
        for name, default in (("SOURCES", 60_000), ("KILLS", 3))
    )
    many_pools(folder, sources)
    start = time.perf_counter()
    arguments = "mbr many --all --threads 2"
    subprocess.run(command(f"{arguments} -q -o whole"), env=environment(), check=True)
    part, longest = folder / "out.part", (time.perf_counter() - start) / (2 * kills)
    rng = random.Random(sources)
    for k in range(kills):
        with subprocess.Popen(command(f"{arguments} -q -o out --resume"), env=environment()) as process:
            while not part.exists() or part.stat().st_size < 1 << 20:  # The first block takes a while.
                assert process.poll() is None
                time.sleep(0.002)
            time.sleep(rng.uniform(0, longest))
            process.send_signal(signal.SIGKILL)
        assert not (folder / "out").exists(), f"kill {k} was too late"
    status, _, said = run(f"{arguments} -o out --resume")
    assert (status, int(figures(said)["finished before"].replace(",", "")) > 0) == (0, True)
    assert (folder / "out").read_bytes() == (folder / "whole").read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
def test_a_device_is_written_directly_and_cannot_be_resumed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    reading, writing = os.pipe()
    written(f"mbr moses -o /dev/fd/{writing}")
    assert os.read(reading, 1 << 16) == written("mbr moses").encode()
    for end in (reading, writing):
        os.close(end)
    status, said = refused("mbr moses -o /dev/zero --resume")
    assert (status, said) == (1, "/dev/zero: --resume needs a regular file, which can be read again")
