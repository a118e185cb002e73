"""Runs command lines while reads or writes of their files fail, and says what came of it. Runs as a program of its own.

`python -m tests.support.faults.files`, with the library of files.c preloaded, reads a `Case` as JSON from each line of
standard input, runs it in child processes, and writes a line with the `Outcome` without a fault and those with faults.
"""

import ctypes
import errno
import gc
import importlib
import json
import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, TypedDict

KINDS = {"reads": 0, "writes": 1}
SHORT = -1
FOREVER = 1 << 40

#: After these faults all later calls have the same one: a disk stays full, a pipe closed.
LASTING = ("short", "ENOSPC", "EPIPE")
#: These are tried from the first call on alone.
FROM_THE_FIRST = ("short", "EPIPE")

#: What the commands import on their way, so that children need not.
IMPORTS = (
    "fastbleu.cli.bleu.score_command",
    "fastbleu.cli.compare.compare_command",
    "fastbleu.cli.rerank.rerank_command",
    "fastbleu.compare.page.comparison_page",
    "fastbleu.compare.page.plots",
    "fastbleu.rerank._pair_scores",
    "fastbleu.rerank.nbest.run_command",
    "jinja2",
    "matplotlib.pyplot",
    "numpy",
)


class Case(TypedDict):
    main: str  # The module of the command.
    arguments: list[str]
    files: str  # The folder of the files before each run.
    stdin: str | None  # The file that is standard input.
    blocks: int  # The block size in bytes, so that a small file has several blocks.
    kind: str  # "reads" or "writes".
    faults: list[str]  # Names of errnos, or "short".


class Outcome(TypedDict):
    place: int  # The number of the call that failed; 0: none.
    hit: str  # The file of that call.
    status: int
    stdout: str
    stderr: str
    files: dict[str, str]  # The contents of new and changed files.


class Hooks:
    def __init__(self) -> None:
        self.library = ctypes.CDLL(None)
        self.library.arm.argtypes = [ctypes.c_char_p, *[ctypes.c_int] * 2, *[ctypes.c_long] * 2]
        self.library.calls.restype = ctypes.c_long
        self.library.hit.restype = ctypes.c_char_p


def contents(folder: Path) -> dict[str, str]:
    """The files of a folder; bytes that are not text become the same characters in each run."""
    return {path.name: path.read_bytes().decode("latin-1") for path in folder.iterdir() if path.is_file()}


def run(hooks: Hooks, case: Case, fault: str = "", place: int = 0) -> tuple[Outcome, int]:
    """Runs a case with a fault at a place; returns the number of calls, too."""
    # No context manager: a child would leave it, too.
    top = tempfile.mkdtemp()
    folder, streams = Path(top, "data"), Path(top, "said")
    shutil.copytree(case["files"], folder)
    before = contents(folder)
    streams.touch()
    number = {"": 0, "short": SHORT}[fault] if fault in {"", "short"} else getattr(errno, fault)
    last = FOREVER if fault in LASTING else place
    armed = hooks.library.arm(os.fsencode(f"{folder.resolve()}/"), KINDS[case["kind"]], number, place, last)
    assert armed == 0
    child = os.fork()
    if child == 0:
        play(case, folder, streams)
    _, status = os.waitpid(child, 0)
    hooks.library.disarm()
    after = contents(folder)
    found: Outcome = {
        "place": place,
        "hit": os.path.basename(hooks.library.hit().decode()),
        "status": os.waitstatus_to_exitcode(status),
        "stdout": after.pop("stdout"),
        "stderr": streams.read_text(encoding="utf-8"),
        "files": {name: text for name, text in after.items() if before.get(name) != text},
    }
    shutil.rmtree(top)
    return found, hooks.library.calls()


def play(case: Case, folder: Path, streams: Path) -> None:
    """Runs the command in this process and ends it, as the command's script does."""
    os.chdir(folder)
    for descriptor, path, flags in (
        (0, folder / case["stdin"] if case["stdin"] else Path(os.devnull), os.O_RDONLY),
        (1, folder / "stdout", os.O_WRONLY | os.O_CREAT),
        (2, streams, os.O_WRONLY),
    ):
        opened = os.open(path, flags)
        os.dup2(opened, descriptor)
        os.close(opened)
    from fastbleu.inputs import decompressed_files

    decompressed_files.BLOCK_BYTES = case["blocks"]
    main: Any = importlib.import_module(case["main"]).main
    status = main(case["arguments"])
    # As Python ends, but for the time it takes to free all objects.
    try:
        sys.stdout.flush()
    except OSError:
        status = 120
    os._exit(status)


def main() -> None:
    hooks = Hooks()
    hooks.library.disarm()
    for name in IMPORTS:
        with suppress(ImportError):
            importlib.import_module(name)
    # Objects that are never looked at again are not copied in children.
    gc.freeze()
    for line in open(os.dup(0), encoding="utf-8"):  # noqa: SIM115  # a child would close it
        case: Case = json.loads(line)
        whole, calls = run(hooks, case)
        found = {
            fault: [
                run(hooks, case, fault, place)[0]
                for place in range(1, 2 if fault in FROM_THE_FIRST else calls + 1)
            ]
            for fault in case["faults"]
        }
        sys.stdout.write(json.dumps([whole, found]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
