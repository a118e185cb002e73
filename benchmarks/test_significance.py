"""Tests of significance over statistics that are there, beside sacreBLEU's from text to p-values."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks import data
from fastbleu import BLEU, approximate_randomization, paired_bootstrap

pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed")

Compare = Callable[..., None]


def paired_test(kind: str, samples: int) -> Any:
    """sacreBLEU's test of the first system against the 19 others, on one core."""
    from sacrebleu.metrics.bleu import BLEU as PeerBLEU  # noqa: N811
    from sacrebleu.significance import PairedTest

    systems = [(str(i), lines) for i, lines in enumerate(data.systems("en-de"))]
    metric = PeerBLEU(references=data.references("en-de")[:1])
    return PairedTest(systems, {"bleu": metric}, None, kind, samples)()


def statistics() -> dict[str, Any]:
    bleu = BLEU(references=data.references("en-de")[:1])
    return {str(i): bleu.statistics(lines, None) for i, lines in enumerate(data.systems("en-de"))}


@pytest.mark.parametrize("threads", sorted({1, os.cpu_count() or 1}))
def test_randomization_of_all_pairs(compare: Compare, threads: int) -> None:
    rows = statistics()
    compare(
        f"approximate_randomization, en-de, 20 systems, all 190 pairs, 10,000 trials, threads={threads}",
        lambda: approximate_randomization(rows, threads=threads),
        "sacreBLEU's PairedTest, 19 pairs",
        lambda: paired_test("ar", 10_000),
        100,
        300,
        rounds=1,
        ours_per_round=20,
    )


def test_bootstrap_of_all_pairs(compare: Compare) -> None:
    rows = statistics()
    compare(
        "paired_bootstrap, en-de, 20 systems, all 190 pairs, 1,000 resamples",
        lambda: paired_bootstrap(rows),
        "sacreBLEU's PairedTest, 19 pairs",
        lambda: paired_test("bs", 1000),
        30,
        60,
        rounds=2,
    )
