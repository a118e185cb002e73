"""The results of torchmetrics' functions and classes for random corpora. Needs torchmetrics."""

from __future__ import annotations

from random import Random
from typing import Any

from torchmetrics.functional.text import bleu_score, sacre_bleu_score
from torchmetrics.text import BLEUScore, SacreBLEUScore

from tests.support.random_corpora import random_texts


def results(seed: int) -> list[Any]:
    random, found = Random(seed), []
    for _ in range(60):
        preds, target = random_texts(random)
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
