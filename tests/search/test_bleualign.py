"""The choice of candidates by Bleualign: its formula, written anew, beside one call."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import pairwise

import pytest

from fastbleu import BLEU
from fastbleu.search import Index
from tests.support import newstest


def bigram_score(hypothesis: list[str], reference: list[str]) -> float:
    """The harmonic mean of both directions, as `eval_sents` of Bleualign has it; 0 without a common bigram."""
    pairs = Counter(pairwise(hypothesis)) & Counter(pairwise(reference))
    correct = [(Counter(hypothesis) & Counter(reference)).total(), pairs.total()]
    if not correct[1]:
        return 0.0

    def score(one: int, other: int) -> float:
        logs = [math.log(correct[n]) - math.log(one - n) for n in range(2)]
        return math.exp(sum(logs) / 2 + min(0, 1 - other / one))

    a, b = score(len(hypothesis), len(reference)), score(len(reference), len(hypothesis))
    return 2 * a * b / (a + b)


def check(translated: list[str], target: list[str]) -> None:
    metric = BLEU(max_ngram_order=2, smooth_method="none", tokenize="none")
    metric.warnings.of_order.is_over = True
    found = Index(target, metric).nearest(translated, 3, 1e-9, "harmonic-mean")
    split = [text.split() for text in target]
    for text, scores, places in zip(translated, found.scores.tolist(), found.indices.tolist(), strict=True):
        theirs = sorted((-bigram_score(text.split(), other), i) for i, other in enumerate(split))[:4]
        expected = [(-score * 100, i) for score, i in theirs[:3] if score < 0]
        assert [score for score in scores if score > 0] == pytest.approx([score for score, _ in expected])
        if len({round(score, 9) for score, _ in theirs}) == len(theirs):  # rounding orders no ties
            assert [i for i in places if i >= 0] == [i for _, i in expected]


def test_one_call_chooses_what_bleualign_does() -> None:
    draw = random.Random(1)
    texts = [" ".join(draw.choices("abcdefghij", k=draw.randrange(1, 9))) for _ in range(80)]
    check(texts[:40], texts[40:])


@pytest.mark.slow
@pytest.mark.skipif(newstest.folder() is None, reason="needs real text")
def test_one_call_chooses_what_bleualign_does_in_real_documents() -> None:
    first, second, *_ = newstest.systems("de-en").values()
    check(first[:150], second[:300])
