"""Run command lines in this process."""

import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from fastbleu.cli.bleu.score_command import main as fastbleu


def write_lines(**files: Sequence[str]) -> None:
    """Writes files of lines into the working directory."""
    for name, lines in files.items():
        Path(name).write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))


class Terminal(io.StringIO):
    def isatty(self) -> bool:  # io's
        return True


def run(
    arguments: str | Sequence[str], stdin: bytes = b"", main: Callable[[Sequence[str]], int] = fastbleu
) -> tuple[int, str, str]:
    """Return the exit code, standard output and standard error of a command."""
    output, said = io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogateescape", newline=""), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        patch.setattr(sys, "stdout", output)
        patch.setattr(sys, "stderr", said)
        status = main(arguments.split() if isinstance(arguments, str) else arguments)
    output.seek(0)
    return status, output.read(), said.getvalue()


def printed(arguments: str | Sequence[str], stdin: bytes = b"", said: str = "") -> str:
    """Return the output of a command that succeeds with this text on standard error."""
    status, output, messages = run(arguments, stdin)
    assert (status, messages) == (0, said)
    return output


def refused(arguments: str | Sequence[str], stdin: bytes = b"") -> tuple[int, str]:
    """Return the exit code of a command that fails without output, and its message, which is one line."""
    status, output, messages = run(arguments, stdin)
    assert output == ""
    assert messages.startswith("fastbleu: ")
    assert messages.count("\n") == 1
    return status, messages.removeprefix("fastbleu: ").rstrip("\n")
