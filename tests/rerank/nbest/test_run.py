"""The files of a run: read in step, with any size of blocks and number of threads, and refused if they differ."""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from fastbleu.inputs import files
from tests.support.nbest_lists import COMMANDS, POOLS, blocks, moses, refused, run, written
from tests.support.processes import python


def import_zstd() -> Any:
    return pytest.importorskip("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


def test_standard_input_and_compressed_files(folder: Path) -> None:
    zstd = import_zstd()
    plain = (folder / "moses").read_bytes()
    expected_output = written("mbr moses")
    half = len(plain) // 2
    two_members = gzip.compress(plain[:half]) + gzip.compress(plain[half:])
    two_frames = zstd.compress(plain[:half]) + zstd.compress(plain[half:])
    (folder / "moses.gz").write_bytes(two_members)
    (folder / "moses.zst").write_bytes(two_frames)
    for name in ("moses.gz", "moses.zst"):
        assert written(f"mbr {name}") == expected_output
    for data in (plain, two_members, two_frames):
        assert written("mbr", data) == expected_output
        assert written("mbr -", data) == expected_output
    # The ends of lines of Windows, and none at the end.
    assert written("mbr", plain.replace(b"\n", b"\r\n").rstrip()) == expected_output
    (folder / "ref.gz").write_bytes(gzip.compress((folder / "ref").read_bytes()))
    assert written("oracle moses.zst -r ref.gz") == written("oracle moses -r ref")


@pytest.mark.parametrize("arguments", [*COMMANDS, "oracle moses -r ref --level corpus"])
def test_neither_blocks_nor_threads_change_a_thing(arguments: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = written(arguments)
    for size in (1, 7, 100, 250):
        monkeypatch.setattr(files, "BLOCK_BYTES", size)
        assert written(arguments) == whole
        assert written(f"{arguments} --threads 3") == whole


def test_lines_before_a_broken_one_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "BLOCK_BYTES", 100)
    whole = written("mbr moses")
    data = moses(POOLS).encode() + b"broken\n"
    for threads in (1, 2):
        status, output, _ = run(f"mbr --threads {threads}", data)
        assert status == 1
        assert output
        assert whole.encode().startswith(output)
        assert output.endswith(b"\n")


@blocks(1 << 20, 20)
def test_references_of_another_number(folder: Path) -> None:
    text = "references and candidates are for different numbers of sources: "
    (folder / "few").write_bytes(b"a\nb\n")
    assert refused("oracle moses -r few") == (1, f"{text}few has 2 lines, moses has more sources")
    (folder / "many").write_bytes(b"a\n" * 77)
    assert refused("oracle moses -r many") == (1, f"{text}many has 77 lines, moses has 5 sources")
    (folder / "bad").write_bytes(b"a\nb\n\xff\nd\ne\n")
    message = "bad: line 3, byte offset 4: byte 0xff is not valid utf-8"
    assert refused("oracle moses -r bad") == (1, message)


@blocks(1 << 20, 100)
def test_evidence_of_other_sources(folder: Path) -> None:
    text = "evidence and candidates are for different "
    (folder / "few").write_bytes(moses(POOLS[:3]).encode())
    message = f"{text}numbers of sources: few has 3 sources, moses has more sources"
    for options in ("", " --skip-bad", " --threads 2"):
        assert refused(f"mbr moses --evidence few{options}") == (1, message)
    (folder / "many").write_bytes(moses([*POOLS, ["a"]]).encode())
    assert (
        refused("mbr moses --evidence many")[1]
        == f"{text}numbers of sources: many has 6 sources, moses has 5 sources"
    )
    (folder / "later").write_bytes(moses(POOLS, first=1).encode())
    assert (
        refused("mbr moses --evidence later")[1] == f"{text}sources: later begins with id 1, moses with id 0"
    )


@blocks(1 << 20, 60, 1)
def test_broken_lines_at_either_end_are_no_sources(folder: Path) -> None:
    whole = written("mbr moses")
    for name, junk in (("moses", f"{10**20} ||| broken\n" * 9), ("each", '{"id": null}\n' * 9)):
        text = junk + (folder / name).read_text(encoding="utf-8") + junk
        (folder / f"{name}-bad").write_bytes(text.encode())
    for name in ("moses", "each"):
        assert written(f"mbr moses --evidence {name}-bad --skip-bad") == whole
        assert written(f"mbr moses-bad --evidence {name} --skip-bad") == whole
        assert written(f"mbr moses-bad --evidence {name}-bad --skip-bad") == whole


@pytest.mark.parametrize(("name", "looks"), [("moses", "moses"), ("lists", "json"), ("each", "json")])
def test_what_looks_otherwise_is_no_plain_text(name: str, looks: str) -> None:
    status, said = refused(f"mbr {name} -n 2")
    assert status == 2
    assert said == (
        f"argument --candidates-per-source/-n: is for plain text, but {name} looks like {looks}; if it is "
        "plain text, name the format"
    )
    assert written(f"mbr {name} -n 1 --input-format text")


@pytest.mark.parametrize(("mark", "found"), [(b"\xef\xbb\xbf", "UTF-8 without a byte order mark, found one"),
                                           (b"\xff\xfe", "UTF-8, found UTF-16")])  # fmt: skip
def test_marks_of_other_encodings(mark: bytes, found: str, folder: Path) -> None:
    for name, arguments in (("moses", "mbr bad"), ("ref", "oracle moses -r bad")):
        (folder / "bad").write_bytes(mark + (folder / name).read_bytes())
        assert refused(arguments) == (1, f"bad: line 1: expected {found}")


def test_empty_input(folder: Path) -> None:
    (folder / "empty").write_bytes(b"")
    assert refused("mbr empty") == (1, "empty is empty")
    assert refused("mbr") == (1, "standard input is empty")
    assert refused("mbr --skip-bad --input-format moses", b"x\n") == (
        1,
        "standard input: expected candidates, found only broken lines",
    )


@pytest.mark.slow
@pytest.mark.unsanitized
@pytest.mark.parametrize("arguments", ["score -r long -r long", "mbr --evidence long"])
@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is asked of Linux")
def test_short_candidates_beside_long_texts_take_little_memory(arguments: str, folder: Path) -> None:
    sources = 60_000
    (folder / "short").write_bytes(b"the cat\n" * sources)
    with open(folder / "long", "wb") as file:
        file.writelines(b"%d %s\n" % (i, b"the cat sat on the mat " * 25) for i in range(sources))
    assert os.path.getsize("long") > 34_000_000
    program = (
        "import sys; from fastbleu.cli.rerank.command import main; status = main(sys.argv[1:]);"
        # Not getrusage: its peak of a new program is at least that of the process which started it.
        "print(status, *(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    command, *options = arguments.split()
    done = python("-c", program, command, "short", "-n", "1", *options, "-q", "-o", "out")
    status, peak = map(int, done.stdout.split())
    assert status == 0
    assert peak < 110 << 10  # kB
    assert (folder / "out").read_bytes().count(b"\n") == sources
