"""Messages of the script before it builds anything."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

build_tool = pytest.importorskip(
    "tools.build_free_threaded_python", reason="the project's scripts are not there"
)
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the script is for Debian")


def test_packages_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a compiler no header can be looked for, so all of them are named."""
    monkeypatch.setattr(shutil, "which", lambda _: None)
    libraries = ["libbz2-dev", "libc6-dev", "libffi-dev", "liblzma-dev", "libsqlite3-dev", "libssl-dev"]
    needed = ["gcc", *libraries, "make", "xz-utils", "zlib1g-dev"]
    assert build_tool.missing_packages("gcc") == needed
    assert build_tool.missing_packages("clang") == sorted([*needed, "clang", "libclang-rt-dev"])


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc looks for headers")
def test_header_that_is_missing_names_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_tool, "PROGRAMS", {"gcc": "gcc"})
    monkeypatch.setattr(build_tool, "HEADERS", {"stdio.h": "libc6-dev", "no/such/header.h": "libnothing-dev"})
    assert build_tool.missing_packages("gcc") == ["libnothing-dev"]


def test_folder_that_holds_files_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "kept").touch()
    monkeypatch.setattr(sys, "argv", ["build_free_threaded_python.py", str(tmp_path)])
    with pytest.raises(SystemExit):
        build_tool.main()
    assert f"{tmp_path} is not empty" in capsys.readouterr().err
    assert (tmp_path / "kept").exists()


def test_command_that_fails_ends_the_program_with_its_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="this command failed with 3: sh -c"):
        build_tool.run(["sh", "-c", "echo the reason; exit 3"], tmp_path, tmp_path / "log")
    assert capsys.readouterr().out == "the reason\n"
