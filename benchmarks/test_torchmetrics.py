"""torchmetrics' `SacreBLEUScore.update`, as a training loop calls it, one thread, beside torchmetrics itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchmarks import data

torch = pytest.importorskip("torch", reason="torch is not installed", exc_type=ImportError)
theirs = pytest.importorskip(
    "torchmetrics.text", reason="torchmetrics is not installed", exc_type=ImportError
)

from fastbleu.compat import torchmetrics as ours

Compare = Callable[..., None]


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def batch(size: int, references: int) -> tuple[list[str], list[list[str]]]:
    """Predictions of two systems, and per prediction that many references."""
    first, second = data.systems("en-de")[:2]
    lines = [list(some) for some in zip(*data.references("en-de")[:references], strict=True)]
    return (first + second)[:size], (lines + lines)[:size]


@pytest.mark.parametrize("references", [1, 3])
@pytest.mark.parametrize("size", [64, 1024])
def test_update(compare: Compare, size: int, references: int) -> None:
    preds, target = batch(size, references)
    metric, peer = ours.SacreBLEUScore(), theirs.SacreBLEUScore()
    compare(
        f"compat.torchmetrics.SacreBLEUScore.update, en-de, batch {size}, references: {references}",
        lambda: metric.update(preds, target),
        "torchmetrics",
        lambda: peer.update(preds, target),
        250,
        500,
    )
