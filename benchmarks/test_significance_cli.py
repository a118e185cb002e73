"""Paired tests as commands: whole processes on twenty systems of newstest2021 en-de, beside sacreBLEU's command."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

pytest.importorskip("sacrebleu", "2.6.0")

from benchmarks.measures import run
from tests.support import newstest


@pytest.mark.parametrize(
    ("test", "workload", "must", "reach"),
    [
        ("--paired-ar", "fastbleu --paired-ar, 19 systems against one, 10,000 trials", 5, 10),
        ("--paired-bs", "fastbleu --paired-bs, 19 systems against one, 1,000 resamples", 3, 6),
        (
            "-m chrf --paired-ar",
            "fastbleu --paired-ar -m chrf, 19 systems against one, 10,000 trials",
            6,
            12,
        ),
    ],
)
def test_paired_test(
    compare: Callable[..., None], test: str, workload: str, must: float, reach: float
) -> None:
    if newstest.folder() is None:
        pytest.skip("FASTBLEU_DATA names no folder with newstest2021")
    systems = list(map(str, newstest.system_files("en-de").values()))[:20]
    reference = str(newstest.reference_files("en-de")["A"])
    # As many processes of sacreBLEU as there are processors.
    jobs = str(os.cpu_count() or 1)
    arguments = [reference, "-i", *systems, *test.split(), "-q", "-j", jobs]
    printed = {}

    def ours() -> None:
        printed["fastbleu"] = run("-m", "fastbleu", *arguments)

    def theirs() -> None:
        printed["sacrebleu"] = run("-m", "sacrebleu", *arguments)

    compare(workload, ours, f"sacrebleu, {jobs} processes", theirs, must, reach, rounds=3, ours_per_round=5)
    # JSON has every digit of the scores, p-values, means and intervals.
    assert printed["fastbleu"] == printed["sacrebleu"]
