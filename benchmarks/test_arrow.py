"""Tables of Arrow, scored as they are and by way of Python's lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")

from benchmarks import data
from fastbleu import BLEU, arrow

Compare = Callable[..., None]

TIMES_THE_DATA = 5


def table() -> Any:
    """The outputs of twenty systems, each several times."""
    hypotheses, streams = data.all_systems("en-de", 2)
    names = [f"system {i % 20}" for i in range(len(hypotheses) * TIMES_THE_DATA)]
    columns = {name: stream * TIMES_THE_DATA for name, stream in zip("ab", streams, strict=True)}
    return pa.table({"system": names, "mt": hypotheses * TIMES_THE_DATA, **columns})


def lists(found: Any, *names: str) -> list[list[Any]]:
    return [found[name].to_pylist() for name in names]


def test_scores(compare: Compare) -> None:
    found = table()
    metric = BLEU(effective_order=True)

    def by_lists() -> Any:
        hypotheses, first = lists(found, "mt", "a")
        scores = metric.sentence_scores(hypotheses, [first])
        return found.append_column("bleu", pa.array(scores.tolist()))

    assert arrow.score(found, "mt", "a").equals(by_lists())
    compare(
        f"arrow.score, {len(found):,} rows, 1 reference",
        lambda: arrow.score(found, "mt", "a"),
        "sentence_scores of lists",
        by_lists,
        1.1,
        1.3,
    )


def test_statistics(compare: Compare) -> None:
    found = table()
    metric = BLEU()

    def by_lists() -> Any:
        hypotheses, *streams = lists(found, "mt", "a", "b")
        rows = metric.statistics(hypotheses, streams)
        return pa.table(list(map(pa.array, rows.T.tolist())), names=[str(k) for k in range(10)])

    compare(
        f"arrow.statistics, {len(found):,} rows, 2 references",
        lambda: arrow.statistics(found, "mt", ["a", "b"]),
        "statistics of lists",
        by_lists,
        1.1,
        1.3,
    )


def test_totals(compare: Compare) -> None:
    found = arrow.statistics(table(), "mt", "a")
    names = [name for name in found.column_names if name.startswith("bleu_")]
    metric = BLEU()

    def by_lists() -> Any:
        return metric.score_statistics([sum(column) for column in lists(found, *names)])

    assert arrow.total(found).score == by_lists().score
    compare(
        f"arrow.total, {len(found):,} rows", lambda: arrow.total(found), "sums of lists", by_lists, 20, 50
    )
