"""Arrow IPC files and streams: read in place, and refused where they are damaged."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

from fastbleu import BLEU
from fastbleu.inputs.ipc import is_ipc, read_ipc

if TYPE_CHECKING:
    from pathlib import Path

pyarrow = pytest.importorskip("pyarrow")

HYPOTHESES = ["the cat sat on the mat", "a dog", "", "naïve 猫 café 😀", None]


def write(path: Path, form: str, values: list[Any] = HYPOTHESES, **options: Any) -> str:
    table = pyarrow.table({"mt": values, "n": list(range(len(values)))})
    make = pyarrow.ipc.new_file if form == "file" else pyarrow.ipc.new_stream
    options = {"options": pyarrow.ipc.IpcWriteOptions(**options)}
    with pyarrow.OSFile(str(path), "wb") as sink, make(sink, table.schema, **options) as writer:
        writer.write_table(table, max_chunksize=2)
    return str(path)


@pytest.mark.parametrize("form", ["file", "stream"])
@pytest.mark.parametrize("compression", [None, "zstd", "lz4"])
def test_both_forms(tmp_path: Path, form: str, compression: str | None) -> None:
    path = write(tmp_path / "corpus", form, compression=compression)
    assert is_ipc(path)
    assert is_ipc(tmp_path / "corpus")
    table = read_ipc(tmp_path / "corpus")
    assert table["mt"].to_pylist() == HYPOTHESES
    assert table["mt"].num_chunks == 3
    bleu = BLEU()
    texts = HYPOTHESES[:4]
    found = bleu.corpus_score(texts, [texts, table["mt"][:4]])
    assert str(found) == str(bleu.corpus_score(texts, [texts, texts]))


@pytest.mark.parametrize("form", ["file", "stream"])
def test_nothing_is_copied(tmp_path: Path, form: str) -> None:
    path = write(tmp_path / "corpus", form, ["the cat sat on the mat " * 40] * 1000)
    before = pyarrow.total_allocated_bytes()
    table = read_ipc(path)
    assert pyarrow.total_allocated_bytes() - before < 100_000 < table.nbytes


@pytest.mark.parametrize("form", ["file", "stream"])
def test_a_file_that_is_replaced_stays_as_it_was(tmp_path: Path, form: str) -> None:
    path = write(tmp_path / "corpus", form)
    table = read_ipc(path)
    os.replace(write(tmp_path / "other", form, ["another"]), path)
    assert table["mt"].to_pylist() == HYPOTHESES
    assert read_ipc(path)["mt"].to_pylist() == ["another"]


@pytest.mark.parametrize("form", ["file", "stream"])
def test_damaged_files(tmp_path: Path, form: str) -> None:
    path = tmp_path / "corpus"
    data = (tmp_path / write(path, form)).read_bytes()
    for cut in (8, len(data) // 3, len(data) // 2, len(data) - 40 if form == "file" else 200):
        path.write_bytes(data[:cut])
        with pytest.raises(ValueError, match=r"corpus: not a valid Arrow IPC file: .") as caught:
            read_ipc(path)
        assert "\n" not in str(caught.value)
    for other in (b"", b"the cat\n", b"ARR"):
        path.write_bytes(other)
        assert not is_ipc(path)
        with pytest.raises(ValueError, match=r"corpus: neither an Arrow IPC file nor a stream$"):
            read_ipc(path)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for call in (is_ipc, read_ipc):
        with pytest.raises(FileNotFoundError):
            call(tmp_path / "absent")
    assert not is_ipc(tmp_path)


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("there are no named pipes")
    os.mkfifo(tmp_path / "pipe")
    assert not is_ipc(tmp_path / "pipe")


def test_pyarrow_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "corpus", "file")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r'corpus: reading Arrow files needs .*pip install ".*\[arrow\]"$'):
        read_ipc(path)
