"""The nearest texts as columns of a table."""

from __future__ import annotations

import pytest

from fastbleu.search import Index
from tests.support.refusals import refusal

pa = pytest.importorskip("pyarrow")

from fastbleu import arrow

INDEX = Index(["the cat sat", "a dog ran away", "the cat sat down"])


def test_lists_have_what_the_index_finds() -> None:
    queries = ["the cat sat up", "dogs", "a dog ran"]
    table = arrow.nearest(pa.table({"n": [1, 2, 3], "text": queries}), "text", INDEX, 2, at_least=20)
    found = INDEX.nearest(queries, 2, 20)
    assert table.column_names == ["n", "text", "nearest_index", "nearest_score"]
    there = [[i for i in row if i >= 0] for row in found.indices.tolist()]
    assert table["nearest_index"].to_pylist() == there
    assert table["nearest_score"].to_pylist() == [
        row[: len(places)] for row, places in zip(found.scores.tolist(), there, strict=True)
    ]


def test_a_record_batch_stays_one() -> None:
    batch = pa.record_batch({"text": pa.array([], pa.string())})
    assert arrow.nearest(batch, "text", INDEX, prefix="near_").schema.names == [
        "text",
        "near_index",
        "near_score",
    ]


def test_errors_name_the_column_and_the_row() -> None:
    table = pa.table({"text": ["a", None], "nearest_index": [0, 0]})
    assert refusal(arrow.nearest, table, "text", INDEX).startswith("ValueError: prefix must name new columns")
    assert refusal(arrow.nearest, table, "text", INDEX, prefix="x").startswith("TypeError: batch['text'][1]")
    assert refusal(arrow.nearest, table, "txt", INDEX, prefix="x").startswith(
        "ValueError: queries names the column"
    )
    assert refusal(arrow.nearest, table, "text", ["a"]).startswith(
        "TypeError: index must be a fastbleu.search.Index"
    )
