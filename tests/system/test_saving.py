"""Reports are written as a whole, or the file stays as it was."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from fastbleu.system.saving import save_text

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")


def test_a_new_file(tmp_path: Path) -> None:
    save_text(tmp_path / "page", "caf\u00e9\n\r\n")
    assert os.listdir(tmp_path) == ["page"]
    assert (tmp_path / "page").read_bytes() == b"caf\xc3\xa9\n\r\n"


@POSIX
def test_an_old_file_keeps_its_rights(tmp_path: Path) -> None:
    path = tmp_path / "page"
    path.write_text("old")
    path.chmod(0o640)
    save_text(path, "new")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", 0o640)


@POSIX
def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "page").write_text("old")
    (tmp_path / "link").symlink_to("page")
    save_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "page").read_text() == "new"


@POSIX
def test_a_pipe_is_written_in_place(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    found: list[str] = []
    reader = threading.Thread(target=lambda: found.append(path.read_text()))
    reader.start()
    save_text(path, "new")
    reader.join()
    assert found == ["new"]
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_a_failure_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "page"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise OSError(5, "Input/output error", "another", None, "third")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="Input/output error") as caught:
        save_text(path, "new")
    assert (caught.value.filename, caught.value.filename2) == (str(path), None)
    assert str(caught.value) == f"[Errno 5] Input/output error: '{path}'"
    assert os.listdir(tmp_path) == ["page"]
    assert path.read_text() == "old"


def test_a_folder_where_no_file_may_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "page"
    path.write_text("old")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    save_text(path, "new")
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["page"]


def test_characters_without_utf8(tmp_path: Path) -> None:
    with pytest.raises(UnicodeEncodeError):
        save_text(tmp_path / "page", "\ud800")
    assert os.listdir(tmp_path) == []
    save_text(tmp_path / "page", "\udcff", errors="surrogateescape")
    assert (tmp_path / "page").read_bytes() == b"\xff"


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        save_text(tmp_path / "none" / "page", "new")
    assert caught.value.filename == str(tmp_path / "none" / "page")


@POSIX
def test_a_file_with_two_names_stays_one(tmp_path: Path) -> None:
    (tmp_path / "page").write_text("old")
    os.link(tmp_path / "page", tmp_path / "other")
    save_text(tmp_path / "page", "new")
    assert (tmp_path / "other").read_text() == "new"


@POSIX
@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="needs a name of standard output")
@pytest.mark.parametrize("to", ["file", "pipe"])
def test_standard_output_by_its_name(tmp_path: Path, to: str) -> None:
    program = "print('before', flush=True); from fastbleu.system import saving; saving.save_text('/dev/stdout', 'new')"
    command = [sys.executable, "-c", program]
    if to == "pipe":
        found = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    else:
        with open(tmp_path / "page", "a") as file:
            subprocess.run(command, stdout=file, check=True)
        found = (tmp_path / "page").read_text()
    assert found.endswith("new")
    assert os.listdir(tmp_path) == (["page"] if to == "file" else [])


def test_a_name_too_long_for_another_ending(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 250)
    for text in ("old", "new"):
        save_text(path, text)
        assert path.read_text() == text
        assert os.listdir(tmp_path) == [path.name]


def test_a_file_of_somebody_with_a_like_name_is_left(tmp_path: Path) -> None:
    (tmp_path / "page.unfinished").write_text("mine")
    save_text(tmp_path / "page", "new")
    assert (tmp_path / "page.unfinished").read_text() == "mine"
