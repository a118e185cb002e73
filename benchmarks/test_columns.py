"""A million short rows in columns beside the same rows in lists: the time of `corpus_score` as a multiple."""

from __future__ import annotations

import gc
from collections.abc import Callable
from itertools import cycle, islice
from typing import Any

import pytest

from benchmarks import data
from benchmarks.measures import Table, least, seconds
from fastbleu import BLEU

ROWS = 1_000_000
WORDS = 8


@pytest.fixture(scope="module")
def texts() -> tuple[list[str], list[str]]:
    """Hypotheses and one reference, every row an object of its own."""
    sides = (data.system("en-de"), data.references("en-de")[0])
    return tuple([" ".join(line.split()[:WORDS]) for line in islice(cycle(side), ROWS)] for side in sides)  # type: ignore[return-value]


#: Makers of columns by name, each given the package that it needs. A column of pyarrow has narrower limits.
MAKERS: dict[str, tuple[str, Callable[[Any, list[str]], Any]]] = {
    "pandas object": ("pandas", lambda pandas, rows: pandas.Series(rows, dtype="object")),
    "pandas str": ("pandas", lambda pandas, rows: pandas.Series(rows, dtype="str")),
    "pandas string[python]": ("pandas", lambda pandas, rows: pandas.Series(rows, dtype="string[python]")),
    "polars": ("polars", lambda polars, rows: polars.Series(rows)),
    "datasets": ("datasets", lambda datasets, rows: datasets.Dataset.from_dict({"text": rows})["text"]),
    "pyarrow string": ("pyarrow", lambda pyarrow, rows: pyarrow.array(rows)),
    "NumPy objects": ("numpy", lambda numpy, rows: numpy.array(rows, dtype=object)),
    "NumPy <U": ("numpy", lambda numpy, rows: numpy.array(rows)),
    "NumPy StringDType": ("numpy", lambda numpy, rows: numpy.array(rows, dtype=numpy.dtypes.StringDType())),
}


@pytest.mark.parametrize("name", MAKERS)
def test_columns(table: Table, texts: tuple[list[str], list[str]], name: str) -> None:
    """The time of columns as a multiple of that of lists, after a check that both score the same."""
    package, make = MAKERS[name]
    module = pytest.importorskip(package, exc_type=ImportError)
    hypotheses, references = texts
    columns = make(module, hypotheses), make(module, references)
    metric = BLEU(force=True)
    expected = str(metric.corpus_score(hypotheses, [references]))
    assert str(metric.corpus_score(columns[0], [columns[1]])) == expected
    gc.collect()
    lists, ours = least(
        lambda: metric.corpus_score(hypotheses, [references]),
        lambda: metric.corpus_score(columns[0], [columns[1]]),
        rounds=7,
    )
    against = f"lists: {seconds(lists)} to {seconds(ours)}"
    limits = (1.25, 1.0) if name == "pyarrow string" else (1.3, 1.05)
    table.add(f"corpus_score, {ROWS:,} short rows, {name}", against, ours / lists, *limits)
