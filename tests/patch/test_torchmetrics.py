"""torchmetrics with and without the patch: the same tensors from its own classes."""

from __future__ import annotations

import sys

import pytest

if sys.platform == "darwin":
    pytest.skip("loads torch", allow_module_level=True)
torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("torchmetrics", reason="torchmetrics is not installed")

from torchmetrics.functional.text import bleu_score
from torchmetrics.text import BLEUScore

from fastbleu import patch
from tests.support.torchmetrics_calls import results


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_random_corpora(seed: int) -> None:
    without = results(seed)
    with patch.install("torchmetrics"):
        before = next(line for line in patch.report() if line.peer == "torchmetrics")
        with_patch = results(seed)
        after = next(line for line in patch.report() if line.peer == "torchmetrics")
    assert after.taken - before.taken >= 60 * 6
    assert after.left == before.left
    for theirs, ours in zip(without, with_patch, strict=True):
        assert ours.dtype == theirs.dtype
        assert torch.equal(ours, theirs)


def test_what_float32_does_not_hold_is_left_to_it() -> None:
    metrics = []
    for with_patch in (False, True):
        metric = BLEUScore(1)
        metric.numerator += 2**24
        metric.denominator += 2**24
        if with_patch:
            with patch.install("torchmetrics"):
                metric.update(["a b c"], [["a b c"]])
        else:
            metric.update(["a b c"], [["a b c"]])
        metrics.append(metric)
    assert torch.equal(metrics[0].numerator, metrics[1].numerator)
    assert metrics[1].numerator.tolist() == [2**24]


def test_its_errors_are_its_own() -> None:
    with patch.install("torchmetrics"):
        with pytest.raises(ValueError, match="Corpus has different size 1 != 2"):
            bleu_score(["a"], [["a"], ["b"]])
        with pytest.raises(AttributeError):
            bleu_score([3], [["a"]])
