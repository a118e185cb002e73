"""Explaining segments, one thread: no peer does it, so what is asked for is a time."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks import data
from benchmarks.measures import Table, least
from fastbleu import BLEU
from fastbleu.explain import explain


@pytest.mark.parametrize("streams", [1, 3])
def test_explain(benchmark: Any, table: Table, streams: int) -> None:
    hypotheses, references = data.system("en-de"), data.references("en-de")[:streams]
    segments = list(zip(hypotheses, *references, strict=True))
    metric = BLEU(effective_order=True)

    def explain_all() -> None:
        for hypothesis, *of_segment in segments:
            explain(metric, hypothesis, of_segment)

    (seconds,) = least(explain_all, rounds=5)
    benchmark.pedantic(explain_all, rounds=1)
    table.add(
        f"explain, en-de, {streams} {'reference' if streams == 1 else 'references'}, time per segment",
        f"{len(segments):,} segments in a loop",
        1e3 * seconds / len(segments),
        1,
        0.5,
        show="{:.3g} ms".format,
    )


def test_explanation_as_text_and_as_a_page(benchmark: Any, table: Table) -> None:
    hypotheses, references = data.system("en-de")[:100], data.references("en-de")
    metric = BLEU(effective_order=True)
    explanations = [
        explain(metric, hypothesis, of_segment)
        for hypothesis, *of_segment in zip(hypotheses, *(stream[:100] for stream in references), strict=True)
    ]
    text, page = least(
        lambda: [explanation.to_text() for explanation in explanations],
        lambda: [explanation.to_html() for explanation in explanations],
        rounds=5,
    )
    benchmark.pedantic(explanations[0].to_html, rounds=1)
    table.note("the same as text, and as a page", "100 segments", f"{text * 10:.3g} ms, {page * 10:.3g} ms")
