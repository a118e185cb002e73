"""The plots of a comparison: what they show, for any number of systems."""

import re

import numpy as np
import pytest

from fastbleu import BLEU
from fastbleu.compare import Breakdown, Pair, System
from fastbleu.compare.page.plots import (
    MOST_LINES,
    breakdown_plot,
    difference_plot,
    distribution_plot,
    pair_plot,
    score_plot,
)
from tests.support.pages import Page

pytest.importorskip("matplotlib")

NAMES = ["alpha", "beta", "gamma", "delta", "epsilon"]


def ranking(names: list[str]) -> list[System]:
    """Systems with these names, each one point below the one before, in clusters of two."""
    systems = []
    for k, name in enumerate(names):
        score = BLEU().corpus_score(["a b c d"], [["a b c d"]])
        score.score = 60.0 - k
        systems.append(System(name, score, score.score - 1, score.score + 1, rank=k + 1, cluster=1 + k // 2))
    return systems


def pair(difference: float, is_significant: bool = True) -> Pair:
    ends = (difference - 1, difference + 1)
    return Pair("a", "b", difference, *ends, 0.01, 0.02, is_significant, None, 0.5, 3, 1, 2, is_bound=False)


def dashed(svg: str) -> int:
    return svg.count("stroke-dasharray")


def test_scores() -> None:
    svg = score_plot("scores", ranking(NAMES))
    page = Page(svg)
    for name in NAMES:
        assert name in page.text
    assert dashed(svg) == 2  # three clusters
    assert [attributes["aria-label"] for attributes in page.tags("svg")] == [
        "Scores of 5 systems with their intervals, the best at the top."
    ]
    assert dashed(score_plot("scores", ranking(NAMES[:2]))) == 0


def test_differences_fill_the_marks_of_significant_ones() -> None:
    pairs = [pair(2.0), pair(0.5, is_significant=False), pair(-1.0)]
    svg = difference_plot("differences", pairs, ["b", "c", "d"])
    marks = re.findall(r'<use [^>]*style="fill: var\(--(\w+)\); stroke: var\(--accent\)', svg)
    assert marks == ["accent", "card", "accent"]


def test_distributions() -> None:
    scores = np.array([[0.0, 100.0, 50.0], [20.0, 20.0, 30.0]])
    page = Page(distribution_plot("distribution", ranking(NAMES[:2]), scores))
    assert "alpha" in page.text
    assert "segment score" in page.text
    assert len(page.tags("path")) > 4
    Page(distribution_plot("distribution", ranking(NAMES[:2]), np.full((2, 1), 50.0)))


@pytest.mark.parametrize("systems", [2, MOST_LINES, 20])
def test_breakdowns(systems: int) -> None:
    groups = tuple(f"{k}0–{k}9" for k in range(7))
    values = np.arange(7.0 * systems).reshape(systems, 7)
    values[0, 3] = np.nan
    breakdown = Breakdown("length", "By length", "BLEU", "segments", groups, (1,) * 7, values)
    page = Page(breakdown_plot("length", breakdown, ranking([f"system {k}" for k in range(systems)])))
    for group in groups:
        assert group in page.text
    shown = re.findall(r"system (\d+)", page.text)
    assert shown == [str(k) for k in range(min(systems, MOST_LINES))]


@pytest.mark.slow
def test_only_groups_with_an_order_are_joined_by_lines() -> None:
    def lines(kind: str) -> int:
        values = np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 4.0]])
        breakdown = Breakdown(kind, "By it", "BLEU", "segments", ("a", "b", "c"), (1, 1, 1), values)
        svg = breakdown_plot(kind, breakdown, ranking(["one", "two"]))
        return len(re.findall(r"stroke: var\(--line\d\); stroke-width: 1.8", svg))

    assert [lines(kind) for kind in ("length", "frequency")] == [4, 4]  # two of them in the legend
    assert [lines(kind) for kind in ("domain", "language", "document")] == [0, 0, 0]


def test_two_systems_against_each_other() -> None:
    scores = np.array([0.0, 0.0, 50.0, 100.0]), np.array([0.0, 0.0, 70.0, 100.0])
    svg = pair_plot("pair", ("below", "left"), scores)
    page = Page(svg)
    assert "below" in page.text
    assert "left" in page.text
    squares = max((path["d"] for path in page.tags("path")), key=len)
    assert squares.count("M") == squares.count("z") == 3
