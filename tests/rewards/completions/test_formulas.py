"""Rows of statistics to rewards: scales, formulas, and one by one as together."""

from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU
from fastbleu.rewards.completions.formulas import Scorer, Scorers
from fastbleu.scoring.nmt_formula import nmt_score
from tests.support.random_rows import random_rows

SHORTEST: dict[str, Any] = {"reference_length": "shortest"}


@pytest.mark.parametrize("scale", [1.0, 100.0, 0.5, 3])
@pytest.mark.parametrize(
    "options", [{"effective_order": True}, {"smooth_method": "floor"}, {"weights": (1, 2, 0, 1)}]
)
def test_scales(scale: float, options: dict[str, Any]) -> None:
    metric = BLEU(**options)
    scorer = Scorer(metric, "sacrebleu", scale)
    counts = random_rows(200, 1)
    expected = [score / (100 / scale) for score in metric.formula.score_rows(counts).tolist()]
    if scale != 100:
        expected = [min(score, scale) for score in expected]
    assert scorer.score_rows(counts).tolist() == expected
    assert list(map(scorer.score_one, counts.tolist())) == expected


def test_a_perfect_match() -> None:
    perfect = [9, 9, 9, 8, 7, 6, 9, 8, 7, 6]
    for scale, reward in ((1.0, 1.0), (0.3, 0.3), (100.0, 100.00000000000004)):
        scorer = Scorer(BLEU(), "sacrebleu", scale)
        assert scorer.score_one(perfect) == reward
        assert scorer.score_rows(np.array([perfect])).tolist() == [reward]


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("scale", [1.0, 10.0])
def test_nmt(smooth: bool, scale: float) -> None:
    metric = BLEU(smooth_method="add-one" if smooth else "none", **SHORTEST)
    scorer = Scorer(metric, "nmt", scale)
    counts = random_rows(200, 2)
    expected = [nmt_score(row, smooth)[0] * scale if row[0] and row[1] else 0.0 for row in counts.tolist()]
    assert scorer.score_rows(counts).tolist() == expected
    assert list(map(scorer.score_one, counts.tolist())) == expected
    assert 0.0 in expected


@pytest.mark.parametrize(
    "options",
    [
        {"smooth_method": "exp", **SHORTEST},
        {"smooth_method": "none"},
        {"smooth_method": "none", "effective_order": True, **SHORTEST},
        {"smooth_method": "none", "weights": (1, 1, 1, 1), **SHORTEST},
    ],
)
def test_metrics_that_nmt_has_not(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^metric must have smooth_method='none' or 'add-one',"):
        Scorer(BLEU(**options), "nmt", 1)


def test_usual_metrics() -> None:
    effective = {"effective_order": True}
    scorers = Scorers("zh", None, threads=2)
    assert repr(scorers.default.metric) == repr(BLEU(tokenize="zh", threads=2, **effective))
    assert repr(scorers.of("de").metric) == repr(BLEU(threads=2, **effective))
    assert repr(scorers.of(None).metric) == repr(BLEU(tokenize="none", threads=2, **effective))
    assert repr(Scorers(None, None, "nmt").default.metric) == repr(BLEU(smooth_method="add-one", **SHORTEST))
