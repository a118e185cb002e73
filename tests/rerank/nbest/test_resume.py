"""`--resume`: an output that was cut anywhere is completed, and another one is refused."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

from fastbleu.inputs import files
from tests.support.nbest_lists import (
    COMMANDS,
    POOLS,
    environment,
    many_pools,
    moses,
    moses_lines,
    refused,
    run,
    written,
)


def cuts(whole: bytes) -> list[int]:
    """Return places to cut at: both ends of the first, a middle and the last line, within them, and beside these."""
    lines = whole.splitlines(keepends=True)
    places = set()
    for i in (0, len(lines) // 2, len(lines) - 1):
        start = sum(map(len, lines[:i]))
        stop = start + len(lines[i])
        places |= {start, start + 1, (start + stop) // 2, stop - 1, stop}
    return sorted(places)


def completed(arguments: str, folder: Path, sizes: Iterable[int], whole: bytes) -> None:
    for size in sizes:
        (folder / "out").write_bytes(whole[:size])
        assert run(f"{arguments} -o out --resume -q") == (0, b"", "")
        assert (folder / "out").read_bytes() == whole


@pytest.mark.slow
def test_what_was_cut_at_any_byte_is_completed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "BLOCK_BYTES", 120)
    (folder / "short").write_bytes(moses(POOLS[:2]).encode())
    whole = written("mbr short").encode()
    completed("mbr short", folder, range(len(whole) + 1), whole)


@pytest.mark.parametrize("arguments", COMMANDS)
def test_what_was_cut_is_completed(arguments: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "BLOCK_BYTES", 120)
    whole = written(arguments).encode()
    completed(arguments, folder, cuts(whole), whole)
    (folder / "out").unlink()
    assert run(f"{arguments} -o out --resume -q --threads 2") == (0, b"", "")
    assert (folder / "out").read_bytes() == whole


def test_what_was_cut_is_completed_from_compressed_input(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "BLOCK_BYTES", 120)
    (folder / "moses.gz").write_bytes(gzip.compress((folder / "moses").read_bytes()))
    whole = written("mbr moses --all").encode()
    completed("mbr moses.gz --all --threads 2", folder, cuts(whole), whole)


def test_what_was_cut_is_completed_where_bad_lines_were_left_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "BLOCK_BYTES", 120)
    lines = moses_lines(POOLS)
    lines[4] = "broken\n"
    del lines[9:11]
    (folder / "bad").write_bytes("".join(lines).encode())
    arguments = "oracle bad -r ref --skip-bad --all"
    whole = written(arguments).encode()
    completed(arguments, folder, cuts(whole), whole)


def test_the_summary_says_what_it_covers(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "BLOCK_BYTES", 120)
    whole = written("mbr moses").encode()
    (folder / "out").write_bytes(b"".join(whole.splitlines(keepends=True)[:3]))
    _, _, said = run("mbr moses -o out --resume")
    lines = said.splitlines()
    assert lines[0] == "fastbleu-rerank: 3 sources were there already; what follows is of the others"
    assert lines[1].startswith("fastbleu-rerank: 2 sources, 5 candidates; ")
    _, _, said = run("mbr moses -o out --resume")
    assert said.splitlines()[1].startswith("fastbleu-rerank: 0 sources, 0 candidates; 0 candidates per")


@pytest.mark.parametrize("size", [1 << 20, 120])
def test_an_output_of_something_else_is_refused(
    size: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "BLOCK_BYTES", size)
    whole = written("mbr moses").encode()
    start = "out: --resume: the file is not the output of this input with these options: "
    others = (
        (
            written("mbr moses -lc -tok char").encode(),
            "expected 'otes= 1 ||| 68.7324', found 'otes= 1 ||| 80.3538' from byte 76 of a line on",
        ),
        (whole[:100].replace(b"cat", b"dog"), "expected '0 ||| the cat sat on the mat |||"),
        (whole[:-5] + b"9.99\n", "expected '"),
        (whole + b"5 ||| more\n", "it has more lines"),
        (whole + b"x", "it has more lines"),
        (b"\n", "expected '0 ||| the cat sat on the mat |||"),
    )
    for other, message in others:
        (folder / "out").write_bytes(other)
        status, said = refused("mbr moses -o out --resume")
        assert status == 1
        assert said.startswith(start + message)
        assert (folder / "out").read_bytes() == other


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_process_that_was_killed_is_gone_on_with(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many_pools(folder, 30_000)
    monkeypatch.setattr(files, "BLOCK_BYTES", 1 << 16)
    program = (
        "import sys; from fastbleu.cli.rerank import command as cli; from fastbleu.inputs import files;"
        "files.BLOCK_BYTES = 1 << 16;"
        "sys.exit(cli.main(sys.argv[1:]))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, "mbr", "many", "--all", "-o", "out", "-q"], env=environment()
    ) as process:
        while not os.path.exists("out") or os.path.getsize("out") < 1 << 17:
            assert process.poll() is None
            time.sleep(0.002)
        process.kill()
    cut = os.path.getsize("out")
    assert run("mbr many --all -o out --resume -q --threads 2") == (0, b"", "")
    output = (folder / "out").read_bytes()
    assert output.decode() == written("mbr many --all")
    assert cut < len(output)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
def test_an_output_that_cannot_be_read_again_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    os.mkfifo(folder / "pipe")
    for name in ("pipe", "/dev/zero"):
        status, said = refused(f"mbr moses -o {name} --resume")
        assert (status, said) == (1, f"{name}: --resume needs a regular file, which can be read again")
