"""Compiles a library of hooks, and runs Python programs with it in front of the C library."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.modules import REPOSITORY


def compiled(name: str, folder: Path, *includes: Path) -> Path:
    """The library of `name`.c, with headers of some folders; skips the test where there is none."""
    if not sys.platform.startswith("linux"):
        pytest.skip("replaces functions of the C library on Linux")
    library = folder / f"{name}.so"
    source = Path(__file__).with_name(f"{name}.c")
    # Without a launcher in front, such as ccache.
    compiler = os.environ.get("CC", "cc").split()[-1]
    command = [compiler, "-shared", "-fPIC", "-O1", *(f"-I{each}" for each in includes)]
    try:
        subprocess.run([*command, "-o", library, source, "-ldl"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no compiler, or another C library: {error}")
    return library


def started(library: Path, module: str, *arguments: str) -> subprocess.Popen[str]:
    """A module that runs as a program with a library preloaded; its standard streams are pipes."""
    environment = {
        **os.environ,
        "LD_PRELOAD": str(library),
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONPATH": str(REPOSITORY),
        # Standard output is to be buffered, as it is for most users.
        "PYTHONUNBUFFERED": "",
    }
    command = [sys.executable, "-m", module, *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=environment, cwd=REPOSITORY, stdin=pipe, stdout=pipe, text=True)
