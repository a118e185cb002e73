"""A working directory for every command line, and no settings from outside."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("SACREBLEU_FORMAT", "SACREBLEU_SEED", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path
