"""A folder of n-best lists for every test here."""

from __future__ import annotations

from pathlib import Path

import pytest

from fastbleu.inputs import decompressed_files
from tests.support.nbest_lists import write_files


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with the pools in every form, and references."""
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def block_bytes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The size of blocks that files are read in, where `blocks` names some."""
    if hasattr(request, "param"):
        monkeypatch.setattr(decompressed_files, "BLOCK_BYTES", request.param)
