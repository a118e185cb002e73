"""The results of torchmetrics' functions and classes for random corpora. Needs torchmetrics."""

from __future__ import annotations

from random import Random
from typing import Any

from torchmetrics.functional.text import bleu_score, chrf_score, sacre_bleu_score
from torchmetrics.text import BLEUScore, CHRFScore, SacreBLEUScore

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


def results_of_chrf(seed: int) -> list[Any]:
    random = Random(seed)
    found: list[Any] = []
    for _ in range(40):
        preds, target = random_texts(random)
        options: dict[str, Any] = {
            "n_char_order": random.choice([1, 6]),
            "n_word_order": random.choice([0, 2]),
            "beta": random.choice([2.0, 1, 0.5]),
            "lowercase": random.random() < 0.5,
            "whitespace": random.random() < 0.5,
            "return_sentence_level_score": random.random() < 0.5,
        }
        metric = CHRFScore(**options)
        given = random.choice([target, [texts[0] for texts in target]])
        for one in (
            chrf_score(preds, given, **options),
            metric(preds, target),
            metric(preds, given),
            metric.compute(),
        ):
            found += one if isinstance(one, tuple) else [one]
        found += [value for name, value in vars(metric).items() if name.startswith("total_")]
    return found
