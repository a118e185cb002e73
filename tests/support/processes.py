"""Run programs in new processes, with the package that these tests import."""

import os
import subprocess
import sys
from pathlib import Path

import fastbleu
from tests.support.modules import REPOSITORY


def environment(**more: str) -> dict[str, str]:
    """Return the environment of this process, with the path of the package and further variables."""
    return {**os.environ, "PYTHONPATH": str(Path(fastbleu.__file__).parents[1]), **more}


def python(
    *arguments: str | Path, stdin: bytes = b"", cwd: Path | None = None, **more: str
) -> subprocess.CompletedProcess[str]:
    """Run this interpreter for at most two minutes, with further environment variables."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env=environment(**more),
        check=False,
        timeout=120,
    )
    texts = [stream.decode() for stream in (done.stdout, done.stderr)]
    return subprocess.CompletedProcess(done.args, done.returncode, *texts)


def printed_by(program: str, *options: str, **more: str) -> str:
    """Return the output of a program that succeeds; it can import `tests`."""
    done = python(*options, "-c", program, cwd=REPOSITORY, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout
