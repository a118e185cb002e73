"""`python -m module` many times over: a server imports the modules once and forks for each run.

Starting Python and importing sacreBLEU takes ten times as long as scoring a few segments. A run is otherwise like one
of `subprocess.run`: its own arguments, folder, files and exit status. Only on systems that can fork.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple


class Finished(NamedTuple):
    status: int
    output: bytes
    messages: bytes


class Server:
    """Runs modules that it has imported. `modules` are imported at once, for example `sacrebleu.sacrebleu`."""

    def __init__(self, modules: Sequence[str], environment: dict[str, str], files: Path) -> None:
        """Output goes through two files in the folder `files`."""
        self.output, self.messages = files / "output", files / "messages"
        self.process = subprocess.Popen(
            [sys.executable, __file__, *modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
            encoding="utf-8",
        )

    def run(self, module: str, arguments: Sequence[str], folder: Path, stdin: str | Path) -> Finished:
        """As `python -m module arguments < stdin` does in the folder."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        files = [str(stdin), str(self.output), str(self.messages)]
        print(json.dumps([module, list(arguments), str(folder), files]), file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        assert answer, "the server of programs has ended"
        return Finished(int(answer), self.output.read_bytes(), self.messages.read_bytes())

    def close(self) -> None:
        """Ends the server."""
        self.process.communicate(timeout=60)


def serve(modules: Sequence[str]) -> None:
    """Reads requests and writes exit statuses, a line each. Returns in no child: a child ends as its program does."""
    # The standard files are the programs'.
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    for module in modules:
        importlib.import_module(module)
    gc.freeze()  # what has been imported need not be searched for garbage when a child ends
    for line in requests:
        request: Any = json.loads(line)
        child = os.fork()
        if child == 0:
            module, arguments, folder, (stdin, output, messages) = request
            for number, path, flags in (
                (0, stdin, os.O_RDONLY),
                (1, output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
                (2, messages, os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
            ):
                os.dup2(os.open(path, flags), number)
            os.chdir(folder)
            sys.argv = ["", *arguments]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
            return
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), file=answers, flush=True)


if __name__ == "__main__":
    serve(sys.argv[1:])
