"""torchmetrics with and without the patch: the same tensors from its own classes."""

from __future__ import annotations

import sys
from random import Random
from typing import Any

import pytest

if sys.platform == "darwin":
    pytest.skip("loads torch", allow_module_level=True)
torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("torchmetrics", reason="torchmetrics is not installed")

from torchmetrics.functional.text import bleu_score, sacre_bleu_score
from torchmetrics.text import BLEUScore, SacreBLEUScore

from fastbleu import patch

WORDS = ["the", "cat", "Sat,", "on", "1.5", "mat", "-\n", "&lt;", "<skipped>", "İ", "Σ", "é", "你好", "."]


def corpus(random: Random) -> tuple[list[str], list[list[str]]]:
    def text() -> str:
        return " ".join(random.choices(WORDS, k=random.choice([0, 1, 3, 7])))

    size = random.choice([1, 2, 5])
    preds = [text() for _ in range(size)]
    return preds, [[random.choice([pred, text()]) for _ in range(random.choice([1, 1, 3]))] for pred in preds]


def results(seed: int) -> list[Any]:
    random, found = Random(seed), []
    for _ in range(60):
        preds, target = corpus(random)
        name = random.choice(["none", "13a", "zh", "intl", "char"])
        smooth, n_gram, lowercase = random.random() < 0.5, random.choice([1, 2, 4]), random.random() < 0.5
        found.append(bleu_score(preds, target, n_gram, smooth))
        found.append(sacre_bleu_score(preds, target, n_gram, smooth, name, lowercase))
        metric = BLEUScore(n_gram, smooth)
        sacre = SacreBLEUScore(n_gram, smooth, name, lowercase)
        for _ in range(2):
            found.append(metric(preds, target))
            found.append(sacre(preds, target))
        found += [
            metric.compute(),
            sacre.compute(),
            sacre.numerator,
            sacre.denominator,
            sacre.preds_len,
            sacre.target_len,
        ]
    return found


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
