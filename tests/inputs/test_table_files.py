"""Parquet and Arrow IPC files: batches in bounds, and what is said of files that are missing, broken or cut short."""

from __future__ import annotations

import gzip
import io
import os
import sys
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")

import pyarrow.parquet as pq

from fastbleu.inputs import table_files
from fastbleu.inputs.files import is_table, table_form
from fastbleu.inputs.table_files import IPC_FILE, IPC_STREAM, PARQUET, TableFile

ROWS = 1000
TABLE = pa.table(
    {
        "mt": [f"text {i}" for i in range(ROWS)],
        "ref": [[f"reference {i}", None][: i % 3] for i in range(ROWS)],
        "a.b": list(range(ROWS)),
    }
)


def write(path: Path, form: str, table: Any = TABLE, rows: int = 300) -> Path:
    if form == PARQUET:
        pq.write_table(table, path, row_group_size=rows)
        return path
    open_ = pa.ipc.new_file if form == IPC_FILE else pa.ipc.new_stream
    with path.open("wb") as file, open_(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=rows)
    return path


def read_all(path: Path, columns: list[str] | None = None) -> list[tuple[int, Any]]:
    with TableFile(path) as table:
        return list(table.batches(columns))


def count_rows(path: Path | None) -> int:
    with TableFile(path) as table:
        return sum(batch.num_rows for _, batch in table.batches(["mt"]))


FORMS = (PARQUET, IPC_FILE, IPC_STREAM)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("most", [7, 300, 8192])
def test_all_rows_in_bounded_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, most: int
) -> None:
    monkeypatch.setattr(table_files, "BATCH_ROWS", most)
    path = write(tmp_path / "t", form)
    for columns in (None, ["mt"], ["a.b", "ref"]):
        found = read_all(path, columns)
        assert all(batch.num_rows <= most for _, batch in found)
        starts = [0]
        for _, batch in found:
            starts.append(starts[-1] + batch.num_rows)
        assert [start for start, _ in found] == starts[:-1]
        expected = TABLE if columns is None else TABLE.select(columns)
        assert pa.Table.from_batches([batch for _, batch in found]).to_pydict() == expected.to_pydict()


def test_large_rows_come_in_small_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_files, "BATCH_BYTES", 1000)
    path = write(tmp_path / "t", PARQUET, pa.table({"mt": [f"{i:0500}" for i in range(100)]}))
    assert max(batch.num_rows for _, batch in read_all(path)) <= 2


@pytest.mark.parametrize("form", FORMS)
def test_progress_adds_up_to_the_size(tmp_path: Path, form: str) -> None:
    path = write(tmp_path / "t", form)
    told: list[int] = []
    with TableFile(path) as table:
        table.advance = told.append
        list(table.batches())
        assert table.size == os.stat(path).st_size
    assert 0.8 * table.size < sum(told) <= table.size


@pytest.mark.parametrize("form", FORMS)
def test_an_empty_table_has_a_schema(tmp_path: Path, form: str) -> None:
    with TableFile(write(tmp_path / "t", form, TABLE.slice(0, 0))) as table:
        assert (table.form, table.check_column("mt")) == (form, pa.string())
        assert sum(batch.num_rows for _, batch in table.batches(["mt"])) == 0


def test_streams_may_be_compressed(tmp_path: Path) -> None:
    path = write(tmp_path / "t", IPC_STREAM)
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert count_rows(path) == ROWS
    parquet = write(tmp_path / "p", PARQUET)
    parquet.write_bytes(gzip.compress(parquet.read_bytes()))
    with pytest.raises(ValueError, match=r"p: a Parquet file is read from its end, .* compressed as a whole"):
        TableFile(parquet)


def test_a_large_batch_of_a_file_is_mapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_files, "_MOST_READ", 1)
    found = [batch for _, batch in read_all(write(tmp_path / "t", IPC_FILE), ["mt"])]
    assert pa.Table.from_batches(found).to_pydict() == TABLE.select(["mt"]).to_pydict()


def test_columns_that_are_missing_or_twice(tmp_path: Path) -> None:
    with (
        TableFile(write(tmp_path / "t", PARQUET)) as table,
        pytest.raises(ValueError, match=r"t: there is no column 'src'; its columns are 'mt', 'ref', 'a\.b'$"),
    ):
        table.check_column("src")
    twice = pa.table([pa.array(["a"]), pa.array(["b"])], names=["mt", "mt"])
    with (
        TableFile(write(tmp_path / "t", IPC_FILE, twice)) as table,
        pytest.raises(ValueError, match="there are 2 columns 'mt'; names must differ"),
    ):
        table.check_column("mt")
    many = pa.table({f"c{i}": [i] for i in range(30)})
    with (
        TableFile(write(tmp_path / "t", IPC_FILE, many)) as table,
        pytest.raises(ValueError, match=r"'c19' and 10 more$"),
    ):
        table.check_column("mt")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.9, 0.99])
def test_files_cut_short(tmp_path: Path, form: str, share: float) -> None:
    path = write(tmp_path / "t", form)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])

    with pytest.raises(ValueError, match=f"t: .*broken {form}") as caught:
        read_all(path)
    assert "\n" not in str(caught.value)


def test_a_stream_that_ends_between_batches(tmp_path: Path) -> None:
    path = write(tmp_path / "t", IPC_STREAM)
    data = path.read_bytes()
    path.write_bytes(data[:-8])

    with pytest.raises(ValueError, match=r"t: after row 1,000: broken Arrow IPC stream: .* may be cut short"):
        read_all(path)


def test_joined_streams_are_read_one_behind_the_other(tmp_path: Path) -> None:
    data = write(tmp_path / "one", IPC_STREAM).read_bytes()
    empty = write(tmp_path / "none", IPC_STREAM, TABLE.slice(0, 0)).read_bytes()
    for joined in (
        data + data,
        gzip.compress(data) + gzip.compress(data),
        empty + data + empty + data + empty,
    ):
        (tmp_path / "t").write_bytes(joined)
        found = read_all(tmp_path / "t", ["mt"])
        assert [text for _, batch in found for text in batch["mt"].to_pylist()] == 2 * TABLE["mt"].to_pylist()
        assert found[-1][0] + found[-1][1].num_rows == 2 * ROWS


def test_what_must_not_follow_a_stream(tmp_path: Path) -> None:
    data = write(tmp_path / "t", IPC_STREAM).read_bytes()
    other = write(tmp_path / "other", IPC_STREAM, TABLE.rename_columns(["mt", "ref", "c"])).read_bytes()
    junk = "t: after row 1,000: broken Arrow IPC stream: unexpected bytes after the end-of-stream marker"
    for more, message in (
        (b"a cat", junk),
        (b"\0", junk),
        (b"\xff\xff\xff", junk),
        (
            other,
            "t: the Arrow IPC stream that begins after row 1,000 has other columns or types than the first",
        ),
        (data[:-8], "t: after row 2,000: broken Arrow IPC stream: .* may be cut short"),
        (data[:200], "t: after row 1,000: broken Arrow IPC stream"),
    ):
        (tmp_path / "t").write_bytes(data + more)
        with pytest.raises(ValueError, match=message):
            read_all(tmp_path / "t")


def test_damaged_pages(tmp_path: Path) -> None:
    path = write(tmp_path / "t", PARQUET)
    data = bytearray(path.read_bytes())
    data[40:2000] = bytes(255 - byte for byte in data[40:2000])
    path.write_bytes(data)

    with pytest.raises(ValueError, match="t: broken Parquet file: "):
        read_all(path)


@pytest.mark.parametrize(
    ("data", "found"),
    [(b"", "nothing"), (b"a cat\n", "something else"), (b"PARE\0\0", "an encrypted Parquet file")],
)
def test_what_is_no_table(tmp_path: Path, data: bytes, found: str) -> None:
    (tmp_path / "t").write_bytes(data)
    with pytest.raises(
        ValueError, match=f"t: expected a Parquet file, or an Arrow IPC file or stream, found {found}$"
    ):
        TableFile(tmp_path / "t")
    assert not is_table(str(tmp_path / "t"))


def test_forms_are_known_by_their_first_bytes(tmp_path: Path) -> None:
    for form in FORMS:
        path = write(tmp_path / "t", form)
        assert table_form(path.read_bytes()) == form
        assert is_table(str(path))
    assert not is_table(str(tmp_path))
    assert not is_table(str(tmp_path / "absent"))


class _Stdin:
    def __init__(self, buffer: io.BufferedIOBase | io.RawIOBase) -> None:
        self.buffer = buffer


def test_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for form in FORMS:
        with write(tmp_path / "t", form).open("rb") as file:
            monkeypatch.setattr(sys, "stdin", _Stdin(file))
            with TableFile(None) as table:
                assert table.name == "standard input"
                assert sum(batch.num_rows for _, batch in table.batches(["mt"])) == ROWS
    monkeypatch.setattr(sys, "stdin", _Stdin(io.BytesIO(write(tmp_path / "t", IPC_STREAM).read_bytes())))
    assert count_rows(None) == ROWS
    monkeypatch.setattr(sys, "stdin", _Stdin(io.BytesIO(write(tmp_path / "t", PARQUET).read_bytes())))
    with pytest.raises(
        ValueError, match=r"standard input: a Parquet file is read .*, so it cannot be in a pipe"
    ):
        TableFile(None)


def test_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "t", PARQUET)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r'pip install "fastbleu-metric\[arrow\]"'):
        TableFile(path)
