"""Command lines of the three programs, in a folder of small files of every form, and their runs with faults."""

import gzip
import json
import os
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from fastbleu.cli.rerank.rerank_command import main as rerank
from fastbleu.inputs import decompressed_files
from tests.support import nbest_lists
from tests.support.faults.files import Case, Outcome

MODULES = {
    "fastbleu": "fastbleu.cli.bleu.score_command",
    "fastbleu-compare": "fastbleu.cli.compare.compare_command",
    "fastbleu-rerank": "fastbleu.cli.rerank.rerank_command",
}

#: Smaller than each file here, so that all are read in several blocks.
BLOCK_BYTES = 2048
SEGMENTS = 60


def write_files(folder: Path) -> None:
    """Write references, outputs of two systems and n-best lists, plain and compressed."""
    systems = {
        "ref": [f"the cat number {i} sat on the mat" for i in range(SEGMENTS)],
        "one": [f"a cat number {i} sat on a mat" for i in range(SEGMENTS)],
        "two": [f"the cat with number {i % 7} sat there" for i in range(SEGMENTS)],
    }
    for name, segments in systems.items():
        data = "".join(f"{segment}\n" for segment in segments).encode()
        (folder / name).write_bytes(data)
        (folder / f"{name}.gz").write_bytes(gzip.compress(data, mtime=0))
        with suppress(ImportError):
            from backports import zstd

            (folder / f"{name}.zst").write_bytes(zstd.compress(data))
    pools = [[segments[i] for segments in systems.values()] for i in range(SEGMENTS)]
    (folder / "moses").write_text(nbest_lists.moses(pools), encoding="utf-8")
    (folder / "moses.gz").write_bytes(gzip.compress((folder / "moses").read_bytes(), mtime=0))
    lists = [nbest_lists.dumped({"candidates": pool}) for pool in pools]
    (folder / "lists").write_text("".join(lists), encoding="utf-8")
    (folder / "old.html").write_text("the page of yesterday\n", encoding="utf-8")
    (folder / "old.txt").write_text("the report of yesterday\n", encoding="utf-8")
    # The first blocks, in what a run that was killed leaves.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decompressed_files, "BLOCK_BYTES", BLOCK_BYTES)
        patch.setattr(os, "replace", stop)
        assert rerank(["mbr", str(folder / "moses"), "-q", "-o", str(folder / "begun")]) == 1
        parts = folder / "begun.part"
        os.truncate(parts, parts.stat().st_size // 2)


def stop(*_: object) -> None:
    raise OSError("stopped")


class Runs:
    """Run command lines with faults, by the program `tests.support.faults.files`, on the files of a folder."""

    def __init__(self, program: subprocess.Popen[str], folder: Path) -> None:
        self._program = program
        self.folder = folder

    def __call__(
        self, command: str, kind: str, faults: Sequence[str]
    ) -> tuple[Outcome, dict[str, list[Outcome]]]:
        """Return the outcome without a fault; and for each fault, the outcomes if the first, second, .. call fails.

        A file name after "<" in the command is its standard input. `kind` and `faults` are those of `Case`.
        """
        line, _, stdin = command.partition(" < ")
        name, *arguments = line.split()
        case: Case = {
            "main": MODULES[name],
            "arguments": arguments,
            "files": str(self.folder),
            "stdin": stdin or None,
            "blocks": BLOCK_BYTES,
            "kind": kind,
            "faults": list(faults),
        }
        program = self._program
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdin.write(json.dumps(case) + "\n")
        program.stdin.flush()
        whole, found = json.loads(program.stdout.readline())
        assert (whole["status"], whole["hit"]) == (0, ""), whole["stderr"]
        return whole, found
