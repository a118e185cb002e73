"""A million short rows in columns beside the same rows in lists: the time of `corpus_score` as a multiple."""

from __future__ import annotations

import gc
from collections.abc import Callable
from itertools import cycle, islice
from typing import Any

import numpy as np
import pytest

from benchmarks import data
from benchmarks.measures import Table, least, seconds
from fastbleu import BLEU

ROWS = 1_000_000
WORDS = 8

Maker = Callable[[list[str]], Any]


@pytest.fixture(scope="module")
def texts() -> tuple[list[str], list[str]]:
    """Hypotheses and one reference, every row an object of its own."""
    sides = (data.system("en-de"), data.references("en-de")[0])
    return tuple([" ".join(line.split()[:WORDS]) for line in islice(cycle(side), ROWS)] for side in sides)  # type: ignore[return-value]


def pandas_of(dtype: str) -> Maker:
    pandas = pytest.importorskip("pandas")
    return lambda rows: pandas.Series(rows, dtype=dtype)


def polars() -> Maker:
    series: Maker = pytest.importorskip("polars").Series
    return series


def dataset() -> Maker:
    datasets = pytest.importorskip("datasets", exc_type=ImportError)
    return lambda rows: datasets.Dataset.from_dict({"text": rows})["text"]


def pyarrow() -> Maker:
    array: Maker = pytest.importorskip("pyarrow").array
    return array


def check(table: Table, name: str, texts: tuple[list[str], list[str]], make: Maker) -> float:
    """The time of columns as a multiple of that of lists, after a check that both score the same."""
    hypotheses, references = texts
    columns = make(hypotheses), make(references)
    metric = BLEU(force=True)
    assert str(metric.corpus_score(columns[0], [columns[1]])) == str(
        metric.corpus_score(hypotheses, [references])
    )
    gc.collect()
    lists, ours = least(
        lambda: metric.corpus_score(hypotheses, [references]),
        lambda: metric.corpus_score(columns[0], [columns[1]]),
        rounds=7,
    )
    print(f"{name}: {seconds(ours)}, lists: {seconds(lists)}, {ours / lists:.2f}x")
    table_row = f"corpus_score, {ROWS:,} short rows, {name}", f"lists: {seconds(lists)} to {seconds(ours)}"
    table.add(*table_row, ours / lists, *_BARS.get(name, (1.3, 1.05)))
    return ours / lists


#: What each is asked: the must and the reach.
_BARS = {"pyarrow string": (1.25, 1)}


@pytest.mark.parametrize(
    ("name", "maker"),
    [
        ("pandas object", lambda: pandas_of("object")),
        ("pandas str", lambda: pandas_of("str")),
        ("pandas string[python]", lambda: pandas_of("string[python]")),
        ("polars", polars),
        ("datasets", dataset),
        ("pyarrow string", pyarrow),
        ("NumPy objects", lambda: lambda rows: np.array(rows, dtype=object)),
        ("NumPy <U", lambda: np.array),
        ("NumPy StringDType", lambda: lambda rows: np.array(rows, dtype=np.dtypes.StringDType())),
    ],
)
def test_columns(
    table: Table, texts: tuple[list[str], list[str]], name: str, maker: Callable[[], Maker]
) -> None:
    check(table, name, texts, maker())
