"""Small corpora in torchmetrics' form, what a metric counts in them, and texts that end where tokenizers differ.

Importing this module needs torch; the tests that use it say so with `pytest.importorskip` first.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch

from tests.support.alphabet import random_text

#: A metric's counts.
STATES = ("preds_len", "target_len", "numerator", "denominator")

# What may stand at the end of a text, where white space that is not stripped, or case, decides.
ENDS = (
    "", " ", "\n", "-\n", "-\n ", "-<skipped>\n", "<skipped", "1. ", "1.\u3000", "..  ", ".,\t", "!\x1c", "5.",
    "\u0130.", "\u0391\u03a3.\u0391", "\u03a3 ", "&QUOT;", "&quot;\n", "<SKIPPED>", "&amp;LT;", "\u212a\u2126",
)  # fmt: skip

P = ["The cat is on the mat.", "It rained all day long", ""]
T = [["There is a cat on the mat.", "A cat is on the mat."], ["It rained all night long"], ["Rain?", ""]]
# 13a: lengths 7 + 5 + 0; closest references 7 (of 8 and 7), 5 and 0.
ROW = [12, 12, 6 + 4, 5 + 2, 4 + 1, 3 + 0, 7 + 5, 6 + 4, 5 + 3, 4 + 2]
SCORE = (10 / 12 * 7 / 10 * 5 / 8 * 3 / 6) ** 0.25
SMOOTHED = (10 / 12 * 8 / 11 * 6 / 9 * 4 / 7) ** 0.25


def random_corpus(generator: random.Random) -> tuple[list[str], list[list[str]]]:
    """A few segments, with one to four references, of which some are much like the prediction."""

    def text() -> str:
        kind = generator.random()
        if kind < 0.05:
            return ""
        if kind < 0.35:
            return random_text(generator) + generator.choice(ENDS)
        words = generator.choices(("the", "The", "cat", "sat.", "on", "1.5", "mat", "don't"), k=8)
        return " ".join(words[: generator.randint(1, 8)]) + generator.choice(ENDS)

    def like(other: str) -> str:
        words = other.split(" ")
        words[generator.randrange(len(words))] = generator.choice(("cat", "The", "", "mat"))
        return " ".join(words) + " on the mat"

    preds = [text() for _ in range(generator.randint(1, 3))]
    target = [
        [generator.choice((text(), like(each), each)) for _ in range(generator.randint(1, 4))]
        for each in preds
    ]
    return preds, target


def row_of(metric: Any) -> list[int]:
    """A metric's counts, in the order of a row of statistics."""
    for name in STATES:
        assert getattr(metric, name).dtype == torch.int64, name
        assert metric._defaults[name].dtype == torch.int64, name
    lengths = [metric.preds_len.item(), metric.target_len.item()]
    return [*lengths, *metric.numerator.tolist(), *metric.denominator.tolist()]


def updated(metric: Any) -> Any:
    metric.update(P, T)
    return metric


def near(value: float) -> Any:
    return pytest.approx(value, rel=1e-6, abs=0)
