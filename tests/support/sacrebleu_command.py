"""The commands `fastbleu` and `sacrebleu`: equal arguments, files and environment, and what each printed."""

import gzip
import logging
import os
import re
import select
import shlex
import subprocess
import sys
import traceback
import warnings
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pytest
from sacrebleu.sacrebleu import main as sacrebleu_main

from fastbleu.cli.bleu.score_command import main as fastbleu_main
from tests.support import processes

LAST_FIELD = re.compile(r"\|fastbleu:[^\s|\"]+|\|fb:[^\s|\"]+|,\n *\"fastbleu\": \"[^\"]+\"")
PREFIX = re.compile(r"^(?:sacreBLEU|fastbleu): ", re.MULTILINE)

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


STREAMS = ("stdin", "stdout", "stderr")

Arguments: TypeAlias = str | list[str]


def grid(template: str, *values: list[str]) -> list[str]:
    """The template with every combination of values in the places of its braces."""
    return [template.format(*chosen) for chosen in product(*values)]


def write(path: Path, lines: list[str], end: str = "\n", encoding: str = "utf-8") -> None:
    path.write_bytes("".join(f"{line}{end}" for line in lines).encode(encoding))


def write_corpus(folder: Path) -> Path:
    """Writes references `a`, `b` and systems `s1`, `s2`, `s3`, in several shapes, encodings and names."""
    three = zip(SYSTEM_1, SYSTEM_2, REFERENCE_B, strict=True)
    files = {
        **dict.fromkeys(("s1", "1e3", "Baseline: s2", "copy"), SYSTEM_1),
        **dict.fromkeys(("s2", "x_y & z%", "ö"), SYSTEM_2),
        "a": REFERENCE_A,
        "s3": REFERENCE_B,
        "short": SYSTEM_1[:-1],
        "empty": [],
        "blank": [""] * len(SYSTEM_1),
        "one_a": REFERENCE_A[:1],
        "one_1": SYSTEM_1[:1],
        "one_2": SYSTEM_2[:1],
        "tabs": [f"{one}\t{other}!" for one, other in zip(REFERENCE_A, REFERENCE_B, strict=True)],
        "three": [f"{line}\tx\ty\tz" for line in REFERENCE_A],
        "three_systems": ["\t".join(line.rstrip() for line in lines) for lines in three],
        "ragged": [f"{line}\tx" if number != 4 else line for number, line in enumerate(REFERENCE_A)],
        "tokenized": ["A sentence of words ."] * 120,
        "ja": ["吾輩は猫である。", "名前はまだ無い。"],
        "ko": ["나는 고양이로소이다.", "이름은 아직 없다."],
    }
    for name, lines in files.items():
        write(folder / name, lines)
    for name, lines in (("b", REFERENCE_B), ("crlf", SYSTEM_1), ("tokenized_crlf", ["A sentence . "] * 120)):
        write(folder / name, lines, "\r\n")
    systems = zip(SYSTEM_1, SYSTEM_2, strict=True)
    write(folder / "two_systems", [f"{one.rstrip()} \t{two}." for one, two in systems], "\r\n")
    write(folder / "a16", REFERENCE_A, encoding="utf-16")
    write(folder / "utf16", SYSTEM_1, encoding="utf-16")
    write(folder / "latin", ["Exactly the same café"] * len(REFERENCE_A), encoding="latin-1")
    # Without a newline after the last line.
    for name, newline in (("open", "\n"), ("lone_cr", "\r")):
        (folder / name).write_bytes(newline.join([*SYSTEM_1[:-1], "a b"]).encode())
    for name in ("s1", "a"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
    return folder


class Run(NamedTuple):
    status: int
    output: str
    messages: str


def without_field(output: str) -> str:
    """Output without the last field of BLEU's signature, and without the white space that aligns lines for it."""
    return re.sub(r"^ +(?=\w+\|)", "", LAST_FIELD.sub("", output), flags=re.MULTILINE)


class Programs:
    """Runs `fastbleu` and `sacrebleu` in the folder of the corpus, in this process.

    Args:
        folder: Where they run.
        environment: What is added to this process's, for every run.
    """

    def __init__(self, folder: Path, environment: dict[str, str] | None = None) -> None:
        self.folder = folder
        self.environment = environment or {}

    def run(
        self, module: str, arguments: list[str], stdin: str | None = None, environment: Any = None
    ) -> Run:
        """Call a program's `main` as a process of its own does: its own streams, handlers of logs and exit status."""
        import colorama  # type: ignore[import-untyped]  # of sacreBLEU
        from sacrebleu.utils import Color

        main = fastbleu_main if module == "fastbleu" else sacrebleu_main
        paths = [self.folder / stdin if stdin else Path(os.devnull)]
        paths += [self.folder / name for name in (".output", ".messages")]
        for path in paths[1:]:
            path.write_bytes(b"")
        status: Any = 0
        with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            patch.chdir(self.folder)
            for name in ("SACREBLEU_FORMAT", "SACREBLEU_SEED", "NO_COLOR"):
                patch.delenv(name, raising=False)
            for name, value in {**self.environment, **(environment or {})}.items():
                patch.setenv(name, value)
            numbers = [os.open(paths[0], os.O_RDONLY), *(os.open(path, os.O_WRONLY) for path in paths[1:])]
            # sacreBLEU opens the numbers of two of them once more, and closes them.
            streams = [
                open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115  # closed below
                for number, mode in zip(numbers, "rww", strict=True)
            ]
            for name, stream in zip(STREAMS, streams, strict=True):
                patch.setattr(sys, name, stream)
                patch.setattr(colorama.initialise, f"orig_{name}", None, raising=False)
            patch.setattr(sys, "argv", ["", *arguments])
            patch.setattr(logging.getLogger(), "handlers", [])
            patch.setattr(logging.getLogger(), "level", logging.WARNING)
            logging.getLogger("sacrebleu").manager._clear_cache()  # type: ignore[attr-defined]
            patch.setattr(Color, "ENABLE_COLORS", True)
            try:
                status = main() or 0
            except SystemExit as end:
                status = end.code
            except Exception:  # noqa: BLE001  # a process ends so
                traceback.print_exc()
                status = 1
            colorama.deinit()
            for name, stream, number in zip(STREAMS, streams, numbers, strict=True):
                getattr(sys, name).close()
                if getattr(sys, name) is stream:
                    os.close(number)
                else:
                    stream.detach()  # type: ignore[attr-defined]  # a TextIOWrapper
        output, messages = (path.read_bytes().decode() for path in paths[1:])
        return Run(status, output.replace("\r\n", "\n"), messages)

    def run_alone(
        self, module: str, arguments: list[str], stdin: str | None = None, environment: Any = None
    ) -> Run:
        variables = processes.environment(PYTHONUTF8="1").items()
        inherited = {name: text for name, text in variables if not name.startswith(("SACREBLEU", "NO_COLOR"))}
        with open(self.folder / stdin if stdin else os.devnull, "rb") as file:
            done = subprocess.run(
                [sys.executable, "-m", module, *arguments],
                stdin=file,
                capture_output=True,
                cwd=self.folder,
                env={**inherited, **self.environment, **(environment or {})},
                check=False,
                timeout=120,
            )
        return Run(done.returncode, done.stdout.decode().replace("\r\n", "\n"), done.stderr.decode())

    def both(
        self, arguments: Arguments, stdin: str | None = None, environment: Any = None
    ) -> tuple[Run, Run]:
        words = shlex.split(arguments) if isinstance(arguments, str) else arguments
        ours, theirs = (self.run(module, words, stdin, environment) for module in ("fastbleu", "sacrebleu"))
        return ours, theirs

    def assert_same(self, arguments: Arguments, stdin: str | None = None, environment: Any = None) -> None:
        """Both succeed with the same output and the same messages."""
        ours, theirs = self.both(arguments, stdin, environment)
        assert (ours.status, theirs.status) == (0, 0), ours.messages + theirs.messages
        assert theirs.output
        assert without_field(ours.output) == without_field(theirs.output)
        said, wanted = (sorted(PREFIX.sub("", each.messages).splitlines()) for each in (ours, theirs))
        assert said == wanted


def shown_on_a_terminal(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    """Return the command's output on a terminal that stays open: closing it may lose unread text."""
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
                env=processes.environment(**environment),
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
