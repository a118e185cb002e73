"""`fastbleu.compat.evaluate` beside bleuscore, the fastest of its kind so far, on all cores; ours on one thread."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from benchmarks import data
from fastbleu.compat import evaluate

bleuscore = pytest.importorskip("bleuscore", reason="bleuscore is not installed")

Compare = Callable[..., None]


@pytest.mark.parametrize(("systems", "number"), [(1, 1), (1, 3), (20, 1)])
def test_bleu(compare: Compare, systems: int, number: int) -> None:
    if systems == 1:
        predictions, streams = data.system("en-de"), data.references("en-de")[:number]
    else:
        predictions, streams = data.all_systems("en-de", number)
    references = [list(texts) for texts in zip(*streams, strict=True)]
    compare(
        f"compat.evaluate.compute, en-de, systems: {systems}, references: {number}",
        lambda: evaluate.compute(predictions=predictions, references=references),
        f"bleuscore {bleuscore.__version__}, {os.cpu_count()} cores",
        lambda: bleuscore.compute(references, predictions),
        8,
        15,
        rounds=8,
    )
