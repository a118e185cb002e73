"""Messages of both command lines: one line, in which no character of a name or a text steers the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from fastbleu.cli.bleu import command as bleu
from fastbleu.cli.common import printable, say
from fastbleu.cli.rerank import command as rerank
from tests.support.commands import run

# An escape sequence, C1's one character for its start, a change of direction, and others that are not to be seen.
STEERING = "\x1b[31m\x9b2J\u202e\u2066\x7f\x08\u2028\ufeff"
ESCAPED = r"\x1b[31m\x9b2J\u202e\u2066\x7f\x08\u2028\ufeff"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


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
    message = said(rerank.main, ["score", "one", "-n", "1", "-r", name])
    assert f"file{ESCAPED} has 2 lines" in message
    (folder / name).write_bytes(b"x\n")
    assert said(rerank.main, ["mbr", name]).startswith(f"fastbleu-rerank: file{ESCAPED}: line 1: expected")


@pytest.mark.parametrize("form", ["text", "latex"])
def test_names_of_systems(folder: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    pytest.importorskip("tabulate")
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
    options = ["mbr", "--input-format", "moses"]
    assert said(rerank.main, options, f"{STEERING} ||| a\n".encode()).endswith(f"found '{ESCAPED} ||| a'")
    # JSON has no characters below U+0020; others come as they are.
    data = b'{"id": "\xc2\x9b\xe2\x80\xae\x7f", "candidates": ["a"]}\n'
    message = said(rerank.main, ["mbr"], data * 2)
    assert message.endswith('expected a new id, found "\\x9b\\u202e\\x7f" again')
