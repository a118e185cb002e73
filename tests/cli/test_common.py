"""Ends of all command lines, and messages of one line, in which no character steers the terminal."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import fastbleu
from fastbleu.cli.bleu import score_command as bleu
from fastbleu.cli.common import printable, say
from fastbleu.cli.compare import compare_command as compare
from fastbleu.cli.rerank import rerank_command as rerank
from tests.support.commands import run, write_lines
from tests.support.processes import environment

# An escape sequence, C1's one character for its start, a change of direction, and others that are not to be seen.
STEERING = "\x1b[31m\x9b2J\u202e\u2066\x7f\x08\u2028\ufeff"
ESCAPED = r"\x1b[31m\x9b2J\u202e\u2066\x7f\x08\u2028\ufeff"


def said(main: Callable[[Sequence[str]], int], arguments: Sequence[str], stdin: bytes = b"") -> str:
    """Return the command's message, which must be one line that can be printed."""
    status, _, message = run(arguments, stdin, main)
    assert status in {1, 2}
    assert message.endswith("\n")
    assert message[:-1].isprintable()
    return message[:-1]


def test_what_is_printable_stays() -> None:
    text = "line 3 of übung 語 😀: expected 'a' \\x1b"
    assert printable(text) == text
    assert printable(f"{text}{STEERING}\udcff\t") == f"{text}{ESCAPED}\\udcff\\t"


def test_a_message_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    say("fastbleu", "one\ntwo\rthree\x85four")
    assert capsys.readouterr().err == "fastbleu: one two\\rthree\\x85four\n"


@pytest.mark.parametrize(
    ("main", "arguments"),
    [
        (bleu.main, ["{}", "-i", "x"]),
        (bleu.main, ["x", "--explain", "{}"]),
        (bleu.main, ["x", "-i", "y", "--{}"]),
        (rerank.main, ["mbr", "{}"]),
        (rerank.main, ["{}"]),
        (rerank.main, ["mbr", "x", "-o", "{}.gz"]),
    ],
)
def test_arguments(main: Callable[[Sequence[str]], int], arguments: list[str]) -> None:
    message = said(main, [argument.replace("{}", STEERING) for argument in arguments])
    assert ESCAPED in message or repr(STEERING)[1:-1] in message


def test_names_of_files(folder: Path) -> None:
    name = f"file{STEERING}"
    (folder / name).write_bytes(b"a\n\xff\n")
    assert said(bleu.main, [name, "-i", name]).startswith(f"fastbleu: file{ESCAPED}: line 2, byte offset 2")
    (folder / "one").write_bytes(b"a\n")
    (folder / name).write_bytes(b"a\nb\n")
    assert f"file{ESCAPED} has 2 lines" in said(bleu.main, [name, "-i", "one"])
    (folder / "three").write_bytes(b"0 ||| a\n1 ||| b\n2 ||| c\n")
    assert f"file{ESCAPED} has 2 lines" in said(rerank.main, ["score", "three", "-r", name])
    (folder / name).write_bytes(b"x\n")
    assert said(rerank.main, ["mbr", name]).startswith(f"fastbleu-rerank: file{ESCAPED}: line 1: expected")


@pytest.mark.parametrize("form", ["text", "latex"])
def test_names_of_systems(folder: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    names = [f"one{STEERING}", "two"]
    for name in ("ref", *names):
        (folder / name).write_bytes(b"a\n")
    assert bleu.main(["ref", "-i", *names, "-f", form]) == 0
    table = capsys.readouterr().out
    assert table.replace("\\textbackslash{}", "\\").replace("{", "").count(f"one{ESCAPED}") == 1
    assert "\x1b" not in table


@pytest.mark.skipif(sys.platform == "win32", reason="names of files are Unicode there")
def test_names_of_files_that_are_no_text(folder: Path) -> None:
    name = os.fsdecode(b"file\xff")
    (folder / name).write_bytes(b"")
    assert said(bleu.main, [name, "-i", name]) == r"fastbleu: file\udcff is empty"


def test_texts_of_files() -> None:
    data = f"0 ||| a\n{STEERING} ||| a\n".encode()
    assert said(rerank.main, ["mbr"], data).endswith(f"found '{ESCAPED} ||| a'")
    # JSON has no characters below U+0020; others come as they are.
    data = b'{"id": "\xc2\x9b\xe2\x80\xae\x7f", "candidates": ["a"]}\n'
    message = said(rerank.main, ["mbr"], data * 2)
    assert message.endswith('expected a new id, found "\\x9b\\u202e\\x7f" again')


@pytest.mark.parametrize(
    ("main", "arguments", "text"),
    [
        (bleu.main, "-V", f"fastbleu {fastbleu.__version__}\n"),
        (compare.main, "--version", f"fastbleu-compare {fastbleu.__version__}\n"),
        (rerank.main, "-V", f"fastbleu-rerank {fastbleu.__version__}\n"),
        (rerank.main, "oracle --help", "144 for chrF"),
    ],
)
def test_version_and_help(
    main: Callable[[Sequence[str]], int], arguments: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments.split())
    assert caught.value.code == 0
    assert text in capsys.readouterr().out


@pytest.mark.skipif(sys.platform == "win32", reason="the examples need a shell")
@pytest.mark.parametrize("main", [bleu.main, compare.main, rerank.main])
def test_the_first_screen_of_the_help_has_three_commands_that_run(
    main: Callable[[Sequence[str]], int], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if main == compare.main:
        pytest.importorskip("matplotlib")
        pytest.importorskip("jinja2")
    with pytest.raises(SystemExit):
        main(["--help"])
    screen = capsys.readouterr().out.splitlines()[:24]
    assert max(map(len, screen)) <= 80
    commands = [line for line in screen if line.startswith("    ") and "examples/" in line]
    assert len(commands) == 3
    (folder / "examples").symlink_to(Path(__file__).parents[2] / "examples")
    module = {bleu.main: "fastbleu", rerank.main: "fastbleu.rerank"}.get(main, compare.__name__)
    for command in commands:
        program = re.sub(r"fastbleu(-\w+)?", f"{sys.executable} -m {module}", command)
        done = subprocess.run(
            ["bash", "-c", program], env=environment(), capture_output=True, text=True, check=True
        )
        assert done.stdout or (folder / "best.de").stat().st_size


@pytest.mark.parametrize("main", [bleu.main, compare.main])
def test_standard_output_that_is_closed(
    main: Callable[[Sequence[str]], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["a", "-i", "b", "c"]) == 1


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGPIPE, nor a SIGINT to send to one process")
@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ("fastbleu a -i a -sl -b", 0),
        ("fastbleu.rerank mbr a --all --threads 2", 0),
        ("fastbleu a", 130),
        ("fastbleu.rerank mbr", 130),
    ],
)
def test_they_end_quietly(arguments: str, status: int) -> None:
    """When their reader has enough, and by Ctrl-C."""
    write_lines(a=[f"{i} ||| the cat" for i in range(100_000)])
    command = [sys.executable, "-m", *arguments.split()]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment()) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        if status:
            process.stdin.write(b"a " * 200_000)
            process.stdin.flush()  # a pipe holds less: it reads its standard input by then
            time.sleep(1)  # and waits for the rest of the line
            process.send_signal(signal.SIGINT)
        else:
            assert process.stdout.readline()
            process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == status
