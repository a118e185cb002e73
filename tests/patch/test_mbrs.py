"""mbrs' BLEU with and without the patch: the same tensors, errors and counts of its timer."""

from __future__ import annotations

import warnings
from random import Random
from typing import Any

import pytest

from fastbleu import patch
from tests.support.mbrs_peer import IN_ONE_PROCESS, bleu_module, outcome, random_calls

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what it imports warns of its own age
    try:
        module: Any = bleu_module()
    except ImportError:
        pytest.skip("mbrs is not installed", allow_module_level=True)

TEXTS = ["the cat sat on the mat", "a cat sat on the mat", "the cat is on a mat .", "", "it rained"]


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("CRITICAL", "sacrebleu")
    caplog.set_level("CRITICAL", "fastbleu")


def calls() -> dict[str, tuple[int, int]]:
    return {
        line.function.rpartition(".")[2]: (line.taken, line.left)
        for line in patch.report()
        if line.peer == "mbrs"
    }


def metric(kind: Any = None, **options: Any) -> Any:
    kind = kind or module.MetricBLEU
    return kind(kind.Config(**options))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("peers", [("mbrs",), ("mbrs", "sacrebleu")], ids=" ".join)
def test_random_calls(seed: int, peers: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "concurrent", IN_ONE_PROCESS)
    random = Random(seed)
    with patch.install("mbrs"):
        before = sum(taken for taken, _ in calls().values())
    for _ in range(150):
        for call in random_calls(random, module):
            without = outcome(call, module)
            with patch.install(*peers):
                assert outcome(call, module) == without
    assert sum(taken for taken, _ in calls().values()) - before > 150


@pytest.mark.slow
def test_its_pool_of_processes() -> None:
    for one in (metric(num_workers=2), metric(num_workers=2, lowercase=True, smooth_method="add-k")):
        without = one.pairwise_scores(TEXTS, TEXTS[:3]), one.scores(TEXTS, TEXTS[1:])
        with patch.install("mbrs"):
            found = one.pairwise_scores(TEXTS, TEXTS[:3]), one.scores(TEXTS, TEXTS[1:])
        for theirs, ours in zip(without, found, strict=True):
            assert (ours.dtype, ours.tolist()) == (theirs.dtype, theirs.tolist())


def test_the_default_type_of_tensors() -> None:
    import torch

    torch.set_default_dtype(torch.float64)
    try:
        with patch.install("mbrs"):
            assert metric().pairwise_scores(TEXTS, TEXTS).dtype is torch.float64
            assert metric().expected_scores_reference_aggregation(TEXTS, TEXTS).dtype is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


class Half(module.MetricBLEU):  # type: ignore[misc]
    @staticmethod
    def _score_worker(*_: Any, **__: Any) -> float:
        return 50.0

    @staticmethod
    def _compute_bleu(*_: Any, **__: Any) -> float:
        return 25.0


def test_a_subclass_keeps_its_own_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "concurrent", IN_ONE_PROCESS)
    with patch.install("mbrs"):
        assert metric(Half).pairwise_scores(TEXTS, TEXTS).unique().tolist() == [50.0]
        assert metric(Half).expected_scores_reference_aggregation(TEXTS, TEXTS).unique().tolist() == [25.0]


def test_a_scorer_that_overrides_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "concurrent", IN_ONE_PROCESS)
    one = metric()
    one.scorer._preprocess_segment = lambda text: text[:3]
    without = one.expected_scores_reference_aggregation(TEXTS, TEXTS).tolist()
    with patch.install("mbrs"):
        assert one.expected_scores_reference_aggregation(TEXTS, TEXTS).tolist() == without
