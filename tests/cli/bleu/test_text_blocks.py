"""Text is read in blocks: their size and the number of threads make no difference."""

import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from fastbleu.inputs import decompressed_files
from tests.support.commands import run, write_lines

REFERENCE = ["The cat sat on the mat .", "It is raining, isn't it?", "", "A dog!", "Grüße aus Köln"] * 7
OTHER = ["A cat sat on a mat.", "It rains, doesn't it?", "Nothing.", "One dog!", "Grüße von Köln"] * 7
SYSTEM = ["The cat sat on a mat.", "It is raining, is it?", "Nothing", "A cat!  ", "Gruß aus Köln"] * 7
SECOND = ["A mat sat on the cat.", "It rains.", "", "A dog!", "Grüße"] * 7


@pytest.fixture(autouse=True)
def files_of_text() -> None:
    both = [f"{one}\t{other}" for one, other in zip(REFERENCE, OTHER, strict=True)]
    write_lines(a=REFERENCE, b=OTHER, s1=SYSTEM, s2=SECOND, both=both)


def in_blocks(arguments: str, block: int, stdin: bytes = b"") -> tuple[int, str, str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decompressed_files, "BLOCK_BYTES", block)
        return run(arguments, stdin)


ARGUMENTS = [
    "a -i s1", "a b -i s1 -f text", "both -nr 2 -i s1", "a -i s1 -sl", "a b -i s1 -sl -b -w 6", "a -i s1 s2",
    "a b -i s2 s1 -f json -w 5", "a -i s1 -ci -cin 30 -f text", "a -i s1 -ci -cin 30",
    "a -i s1 -tok intl -lc -sh -f text", "a -i s1 -e latin-1", "a -i s1 --explain 2",
]  # fmt: skip


@pytest.mark.parametrize("arguments", ARGUMENTS)
@pytest.mark.parametrize("block", [1, 333])
@pytest.mark.parametrize("threads", [1, 3])
def test_blocks_make_no_difference(arguments: str, block: int, threads: int) -> None:
    expected = run(arguments)
    assert expected[0] == 0
    assert in_blocks(f"{arguments} --threads {threads}", block) == expected


@pytest.mark.parametrize(("block", "threads"), [(1, 1), (50, 3)])
def test_lines_with_tabs_are_warned_of_once(block: int, threads: int) -> None:
    write_lines(ends=[f"{line}\t " for line in SYSTEM], last=[*SYSTEM[:-1], "Gruß\taus Köln"])
    warning = "has lines with tabs; each whole line is scored as one segment, as sacreBLEU does\n"
    for arguments, said in (
        ("a -i both -q", f"fastbleu: both {warning}"),
        ("both -nr 1 -i s1", f"fastbleu: both {warning}"),
        ("a -i last", f"fastbleu: last {warning}"),
        ("both -nr 2 -i s1", ""),
        ("a -i ends", ""),
    ):
        expected = run(arguments)
        assert expected[2] == said
        assert in_blocks(f"{arguments} --threads {threads}", block) == expected
    write_lines(three=[f"{line}\tx\ty" for line in REFERENCE])
    expected = run("three -nr 2 -i s1")
    assert expected[2] == (
        "fastbleu: three has lines with more than 2 fields; the last one keeps the tabs, as in sacreBLEU\n"
    )
    assert in_blocks(f"three -nr 2 -i s1 --threads {threads}", block) == expected


def test_a_last_line_that_is_empty_is_named() -> None:
    write_lines(longer=[*SYSTEM, " "])
    message = "longer has 36 lines, a has 35 lines; the last line of longer is empty\n"
    assert run("a -i longer")[2].endswith(message)
    assert run("a -i s1 longer -pbs")[2].endswith(message)


def test_a_byte_order_mark_is_warned_of_once() -> None:
    write_lines(marked=[f"\ufeff{SYSTEM[0]}", *SYSTEM[1:]])
    warning = (
        "fastbleu: marked begins with a byte order mark, which is scored as part of the first word, as sacreBLEU "
        "does; --encoding utf-8-sig removes it\n"
    )
    assert in_blocks("a -i marked -q", 50)[2] == warning
    assert run("a -i marked -b -e utf-8-sig") == run("a -i s1 -b")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("block", [1, 2, 7, 100, 1 << 20])
def test_standard_input(end: str, block: int) -> None:
    one = "".join(f"{line}{end}" for line in SYSTEM).encode()
    expected = run("a b -i s1 -f text")
    assert in_blocks("a b -f text", block, one) == expected
    assert in_blocks("a b -f text", block, one.removesuffix(end.encode())) == expected
    second = [line or "Something" for line in SECOND]
    write_lines(s2=second)
    two = "".join(f"{line}\t{other}{end}" for line, other in zip(SYSTEM, second, strict=True)).encode()
    status, out, said = in_blocks("a -w 4", block, two)
    assert (status, said) == (0, "fastbleu: Found 2 systems.\n")
    whole = run("a -i s1 s2 -w 4")[1]
    assert out == whole.replace('"s1"', '"System 1"').replace('"s2"', '"System 2"')


@pytest.mark.parametrize("block", [1, 60])
@pytest.mark.parametrize(
    ("change", "arguments"),
    [
        ({"s1": SYSTEM[:3]}, "a b -i s1"),
        ({"s1": []}, "a b -i s1"),
        ({"s2": SECOND[:9]}, "a b -i s1 s2"),
        ({"b": []}, "a b -i s1"),
        ({"s1": [*SYSTEM, " "]}, "a b -i s1"),
        ({"b": [*OTHER, "one more"]}, "a b -i s1"),
        ({"b": ["x"] * 100, "a": ["y"] * 3}, "a b -i s1"),
        ({"both": ["x\ty", "z", *["x\ty"] * 33]}, "both -nr 2 -i s1"),
        ({"s1": [*SYSTEM[:30], "caf\udce9", *SYSTEM[31:]]}, "a -i s1"),
        ({"a": [*REFERENCE[:30], "caf\udce9", *REFERENCE[31:]]}, "a -i s1"),
        ({}, "a -i absent"),
    ],
)
def test_what_is_refused(block: int, change: dict[str, list[str]], arguments: str) -> None:
    write_lines(**change)
    expected = run(arguments)
    assert expected[0] != 0
    assert in_blocks(arguments, block) == expected
    assert in_blocks(f"{arguments} --threads 2", block) == expected


@pytest.mark.parametrize("block", [1, 60, 1 << 20])
@pytest.mark.parametrize(
    ("stdin", "status", "message"),
    [
        (b"", 1, "standard input is empty"),
        (b"x\ty\n" * 36, 1, "System 1 has 36 lines, a has 35 lines"),
        (b"x\n" * 20 + b"x\ty\n" * 15, 17, "standard input: line 21: expected 1 tab-separated field, found 2"),
        (b"x\r\n" * 20 + b"\xff\r\n" * 15, 1, "standard input: line 21, byte offset 40: byte 0xff is not valid utf-8"),
        (b"\xff\tx\n" + b"x\ty\n" * 34, 1, "standard input: line 1, byte offset 0: byte 0xff is not valid utf-8"),
    ],
)  # fmt: skip
def test_standard_input_that_is_refused(block: int, stdin: bytes, status: int, message: str) -> None:
    found = in_blocks("a", block, stdin)
    assert found[:2] == (status, "")
    assert found[2].endswith(f"{message}\n")
    assert found[2].count("\n") == 1


def test_named_pipes(folder: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("there are no named pipes")
    expected = run("a -i s1")
    os.mkfifo("pipe")
    writer = Thread(target=lambda: Path("pipe").write_bytes((folder / "s1").read_bytes()))
    writer.start()
    assert run("a -i pipe") == expected
    writer.join()


@pytest.mark.slow
@pytest.mark.unsanitized
def test_memory_is_flat(folder: Path) -> None:
    pytest.importorskip("resource", exc_type=ImportError)
    line = " ".join(f"word{i}" for i in range(30))
    program = (
        "import sys; lines = sys.argv[1].encode() * 1000\n"
        "for _ in range(int(sys.argv[2])): sys.stdout.buffer.write(lines)"
    )
    peaks = []
    for thousands in (40, 400):
        lines = [sys.executable, "-c", program, f"{line}\n", str(thousands)]
        with (folder / "a").open("wb") as file:
            subprocess.run(lines, stdout=file, check=True)
        watched = (
            "import os, subprocess, sys; started = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL);"
            "print(os.wait4(started.pid, 0)[2].ru_maxrss)"
        )
        command = [sys.executable, "-c", watched, sys.executable, "-m", "fastbleu", "a", "-b"]
        with subprocess.Popen(lines, stdout=subprocess.PIPE) as source:
            done = subprocess.run(command, stdin=source.stdout, capture_output=True, check=True)
        peaks.append(int(done.stdout))
    assert peaks[1] < peaks[0] + 8000
