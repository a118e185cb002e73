"""`python -m fastbleu` beside `python -m sacrebleu`: equal arguments, files and environment, and what each printed."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import fastbleu
from tests.support.programs import Server

LAST_FIELD = re.compile(r"\|fastbleu:[^\s|\"]+|\|fb:[^\s|\"]+|,\n *\"fastbleu\": \"[^\"]+\"")
PREFIX = re.compile(r"^(?:sacreBLEU|fastbleu): ", re.MULTILINE)
PACKAGE_PARENT = Path(fastbleu.__file__).parents[1]

REFERENCE_A = [
    "The quick brown fox jumps over the lazy dog.",
    "It's 3.5 percent (or 1,000.50), isn't it?",
    "Two people - a man & a woman - were seen in Berlin-Mitte on 12.03.2021.",
    "No word is shared",
    "",
    "Exactly the same sentence stands here, word for word.",
    "他在2021年买了一本书，价格是￥100。",
    "«Ça va?» demanda-t-elle… “Oui”, dit-il.",
    "One",
    "a b c",
]
REFERENCE_B = [
    "A fast brown fox leaps over the lazy dog .",
    "It is 3.5% (or 1,000.50), no?",
    "Two persons, a man and a woman, were seen in Berlin-Mitte on 12 March 2021.",
    "Nothing in common",
    "not empty",
    "Exactly the same sentence stands here, word for word.",
    "2021年他花￥100买了一本书。",
    "« Ça va ? » demanda-t-elle. « Oui », dit-il.",
    "1",
    "a b d",
]
SYSTEM_1 = [
    "the quick brown Fox jumped over the Lazy dog .",
    "It is 3.5 percent (or 1,000.5), is it not? \t",
    "Two people - a woman & a man - were seen in Berlin Mitte on 12.03.2021.",
    "zzz yyy xxx www",
    "something",
    "Exactly the same sentence stands here, word for word.",
    "他2021年买了本书，价格￥100。",
    "“Ça va?” demanda-t-elle… “Oui”, dit-il.\u3000",
    "One",
    "",
]
SYSTEM_2 = [line.upper() if number % 3 else line for number, line in enumerate(REFERENCE_A)]


class Run(NamedTuple):
    status: int
    output: str
    messages: str


def environment_of_a_run() -> dict[str, str]:
    """This process's, without what both programs listen to."""
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("SACREBLEU", "NO_COLOR"))
    }
    return {**inherited, "PYTHONPATH": str(PACKAGE_PARENT), "PYTHONUTF8": "1"}


def without_field(output: str) -> str:
    """Output without the last field of BLEU's signature, and without the white space that aligns lines for it."""
    return re.sub(r"^ +(?=\w+\|)", "", LAST_FIELD.sub("", output), flags=re.MULTILINE)


@contextmanager
def programs_in(folder: Path, files: Path, environment: dict[str, str] | None = None) -> Iterator[Programs]:
    """Both programs, imported once where the system can fork.

    Args:
        folder: Where they run.
        files: An empty folder for their output.
        environment: What is added to this process's, and to that of every run.
    """
    added = environment or {}
    if not hasattr(os, "fork"):
        yield Programs(folder, None, added)
        return
    modules = ["fastbleu.cli.bleu.command", "sacrebleu.sacrebleu", "sacrebleu.significance"]
    server = Server(modules, {**environment_of_a_run(), **added}, files)
    try:
        yield Programs(folder, server, added)
    finally:
        server.close()


class Programs:
    """Runs `python -m fastbleu` and `python -m sacrebleu` in the folder of the corpus."""

    def __init__(self, folder: Path, server: Server | None, environment: dict[str, str]) -> None:
        self.folder = folder
        self.server = server
        self.environment = environment

    def run(self, module: str, arguments: list[str], stdin: str | None, environment: dict[str, str]) -> Run:
        """In a process of its own where the environment is, because it is read when modules are imported."""
        read = self.folder / stdin if stdin else Path(os.devnull)
        if self.server is not None and not environment:
            status, output, messages = self.server.run(module, arguments, self.folder, read)
        else:
            with read.open("rb") as file:
                done = subprocess.run(
                    [sys.executable, "-m", module, *arguments],
                    stdin=file,
                    capture_output=True,
                    cwd=self.folder,
                    env={**environment_of_a_run(), **self.environment, **environment},
                    check=False,
                    timeout=120,
                )
            status, output, messages = done.returncode, done.stdout, done.stderr
        return Run(status, output.decode().replace("\r\n", "\n"), messages.decode())

    def both(
        self,
        arguments: str | list[str],
        stdin: str | None = None,
        environment: dict[str, str] | None = None,
    ) -> tuple[Run, Run]:
        words = arguments.split() if isinstance(arguments, str) else arguments
        ours, theirs = (
            self.run(module, words, stdin, environment or {}) for module in ("fastbleu", "sacrebleu")
        )
        return ours, theirs

    def assert_same(
        self,
        arguments: str | list[str],
        stdin: str | None = None,
        environment: dict[str, str] | None = None,
    ) -> None:
        """Both succeed with the same output and the same messages."""
        ours, theirs = self.both(arguments, stdin, environment)
        assert (ours.status, theirs.status) == (0, 0), ours.messages + theirs.messages
        assert theirs.output
        assert without_field(ours.output) == without_field(theirs.output)
        assert PREFIX.sub("", ours.messages) == PREFIX.sub("", theirs.messages)


def shown_on_a_terminal(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    """What the command writes on a terminal that stays open: its closing may lose what nobody has read yet."""
    import pty

    end = b"<the command has ended>"
    reader, terminal = pty.openpty()
    try:
        with open(os.devnull, "rb") as nothing:
            process = subprocess.Popen(
                command,
                stdin=nothing,
                stdout=terminal,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(PACKAGE_PARENT), **environment},
            )
        received = b""
        while process.poll() is None:
            if select.select([reader], [], [], 0.05)[0]:
                received += os.read(reader, 65536)
        assert process.returncode == 0
        os.write(terminal, end)
        while not received.endswith(end):
            received += os.read(reader, 65536)
    finally:
        os.close(reader)
        os.close(terminal)
    return received.removesuffix(end).decode().replace("\r\n", "\n")
