"""Fixtures that run each test in a folder with n-best lists, and set the size of blocks."""

from pathlib import Path

import pytest

from fastbleu.inputs import decompressed_files
from tests.support.nbest_lists import write_files


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create n-best lists in each format and references in a temporary folder, and make it the working directory."""
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def block_bytes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the size of the blocks in which files are read, in tests that are marked with `blocks`."""
    if hasattr(request, "param"):
        monkeypatch.setattr(decompressed_files, "BLOCK_BYTES", request.param)
