"""torchmetrics with and without the patch: the same tensors from its own classes."""

import sys
from typing import Any

import pytest

if sys.platform == "darwin":
    pytest.skip("loads torch", allow_module_level=True)
pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("torchmetrics", reason="torchmetrics is not installed")

from torchmetrics.functional.text import bleu_score, chrf_score
from torchmetrics.text import BLEUScore, CHRFScore

from fastbleu import patch
from tests.support.patched_calls import calls_of


@pytest.mark.parametrize(
    ("kind", "function"), [(BLEUScore, "_bleu_score_update"), (CHRFScore, "_chrf_score_update")]
)
def test_updates_are_answered(kind: Any, function: str) -> None:
    with patch.install("torchmetrics"):
        taken, left = calls_of("torchmetrics", function)
        kind().update(["the cat sat"], [["the cat sat down"]])
        assert calls_of("torchmetrics", function) == (taken + 1, left)


def test_what_float32_does_not_hold_is_left_to_it() -> None:
    metrics = BLEUScore(1), BLEUScore(1)
    for metric in metrics:
        metric.numerator += 2**24
        metric.denominator += 2**24
    metrics[0].update(["a b c"], [["a b c"]])
    with patch.install("torchmetrics"):
        metrics[1].update(["a b c"], [["a b c"]])
    assert [metric.numerator.tolist() for metric in metrics] == [[2**24]] * 2


@pytest.mark.parametrize("pred", ["", " ", "a", "\u3000b"])
@pytest.mark.parametrize("target", [["a"], ["b b", "a"], ["c", "a b c d"], ["", "a b"]])
def test_at_most_one_token(pred: str, target: list[str]) -> None:
    metrics = [BLEUScore(2), BLEUScore(2)]
    metrics[0].update([pred], [target])
    with patch.install("torchmetrics"):
        metrics[1].update([pred], [target])
    states = [
        [metric.preds_len, metric.target_len, metric.numerator, metric.denominator] for metric in metrics
    ]
    assert str(states[0]) == str(states[1])


def test_its_errors_are_its_own() -> None:
    with patch.install("torchmetrics"):
        with pytest.raises(ValueError, match="Corpus has different size 1 != 2"):
            bleu_score(["a"], [["a"], ["b"]])
        with pytest.raises(AttributeError):
            bleu_score([3], [["a"]])
        with pytest.raises(ValueError, match="Corpus has different size"):
            chrf_score(["a", "b"], [["a"]])
