"""The texts of a file, in any of the forms that the other commands read."""

from __future__ import annotations

import json
import os

from ...inputs.files import COMPRESSED, Input
from ...inputs.text_files import LineReader
from ...rerank.nbest.formats import form_of_output
from ...rerank.nbest.reading import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_JSON_ENDINGS = (".json", ".jsonl")
_TABLES = ("parquet", "arrow")


def read_texts(path: str, form: str | None, field: str) -> Iterator[str]:
    """Read the texts of a file one after the other.

    Args:
        path: The file; "-" is standard input.
        form: "text", "json", "moses", "parquet" or "arrow"; None: as its name ends.
        field: What the field of JSON or the column of a table is called.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is not of this form, or a text in it is missing; says where.
        ImportError: It is a table, and pyarrow is not installed.

    Example:
        >>> form_by_name("pool.jsonl.gz"), form_by_name("pool.parquet"), form_by_name("pool.de"), form_by_name("-")
        ('json', 'parquet', 'text', 'text')
    """
    form = form or form_by_name(path)
    if form == "moses":
        for block in read(path, form=form):
            yield from block.texts
        return
    values = _read_table(path, field) if form in _TABLES else _read_lines(path)
    noun = "row" if form in _TABLES else "line"
    for i, value in enumerate(values, 1):
        if form == "json":
            try:
                record = json.loads(value)
            except ValueError as error:
                raise ValueError(f"{path}: line {i}: expected a JSON object: {error}") from None
            value = record.get(field) if isinstance(record, dict) else None  # noqa: PLW2901
        if not isinstance(value, str):
            raise ValueError(f"{path}: {noun} {i}: expected a text in {field!r}, found {value!r}")  # noqa: TRY004
        yield value


def form_by_name(path: str) -> str:
    """Return the form that the name of a file says."""
    for ending in COMPRESSED:
        path = path.removesuffix(ending)
    if os.path.splitext(path)[1].lower() in _JSON_ENDINGS:
        return "json"
    return form_of_output(path, None, "text")


def _read_lines(path: str) -> Iterator[str | None]:
    with Input(None if path == "-" else path) as source:
        reader = LineReader(source)
        while (stop := reader.ready()) is not None:
            yield from reader.take(stop)


def _read_table(path: str, field: str) -> Iterator[Any]:
    from ...inputs.table_files import TableFile

    with TableFile(None if path == "-" else path) as table:
        table.check_column(field)
        for _, batch in table.batches([field]):
            yield from batch.column(0).to_pylist()
