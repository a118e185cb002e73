"""Reports are written as a whole, or the file stays as it was."""

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
    for name in ("page", "n" * 250):
        for text in ("caf\u00e9\n\r\n", "new"):
            save_text(tmp_path / name, text)
            assert (tmp_path / name).read_bytes() == text.encode()
    assert sorted(os.listdir(tmp_path)) == ["n" * 250, "page"]


@POSIX
def test_an_old_file_keeps_its_rights_and_names(tmp_path: Path) -> None:
    path = tmp_path / "page"
    path.write_text("old")
    path.chmod(0o640)
    (tmp_path / "link").symlink_to("page")
    save_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", 0o640)
    os.link(path, tmp_path / "other")
    save_text(path, "newer")
    assert (tmp_path / "other").read_text() == "newer"


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


def test_a_file_that_cannot_be_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "page"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise OSError(5, "Input/output error", "another", None, "third")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="Input/output error") as caught:
        save_text(path, "new")
    assert str(caught.value) == f"[Errno 5] Input/output error: '{path}'"
    assert (path.read_text(), os.listdir(tmp_path)) == ("old", ["page"])


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UnicodeEncodeError):
        save_text(tmp_path / "page", "\ud800")
    with pytest.raises(FileNotFoundError) as caught:
        save_text(tmp_path / "none" / "page", "new")
    assert caught.value.filename == str(tmp_path / "none" / "page")
    assert os.listdir(tmp_path) == []
    save_text(tmp_path / "page", "\udcff", errors="surrogateescape")
    assert (tmp_path / "page").read_bytes() == b"\xff"


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
