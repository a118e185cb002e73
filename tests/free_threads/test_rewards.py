"""One reward in many threads: its rewards, and what it counts."""

import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from fastbleu.rewards import BLEUReward
from tests.support.threads import SECONDS, THREADS, at_once, hammer, run_together

COMPLETIONS = ["the cat sat", "a dog <answer>the cat sat down</answer>", "", "<answer>open"]
REFERENCES: list[Any] = ["the cat sat down", ["a dog", "the cat sat down"], "x", "open"]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"extract": "answer", "strip_reasoning": True},
        {"formula": "nmt"},
        {"language": "de", "scale": 5.0},
    ],
    ids=lambda options: "-".join(options) or "default",
)
def test_rewards(options: dict[str, Any]) -> None:
    reward = BLEUReward(**options)
    calls: dict[str, Callable[[], Any]] = {
        "batch": lambda: reward(COMPLETIONS * 8, REFERENCES * 8),
        "signature": lambda: reward.signature,
    }
    if not options:
        calls["ids"] = lambda: reward([[1, 2, 3], [4, 5, 6, 7]], [[1, 2, 3, 4], [4, 5, 6]])
        calls["languages"] = lambda: reward(COMPLETIONS, REFERENCES, languages=["de", "zh", None, "fr"])
    for i, completion in enumerate(COMPLETIONS):
        calls[f"one {i}"] = partial(reward.score_one, completion, REFERENCES[i])
    hammer(calls)


def test_counts_are_exact(caplog: pytest.LogCaptureFixture) -> None:
    reward = BLEUReward(errors="empty")
    calls = [0] * THREADS

    def work(number: int) -> None:
        stop = time.monotonic() + SECONDS
        while time.monotonic() < stop:
            reward([*COMPLETIONS, 5], [*REFERENCES, "x"])
            reward.score_one("a b c d e", "a")
            calls[number] += 1

    with caplog.at_level(logging.WARNING, "fastbleu"):
        run_together(*(lambda number=number: work(number) for number in range(THREADS)))
    counts = reward.counts
    assert (counts.samples, counts.errors) == (6 * sum(calls), sum(calls))
    assert (counts.empty, counts.too_long) == (2 * sum(calls), 3 * sum(calls))
    assert len(caplog.messages) == 1


def test_a_language_that_no_thread_has_used() -> None:
    for _ in range(20):
        scorers = at_once(partial(BLEUReward().scoring.scorers.of, "zh"))
        assert len(set(map(id, scorers))) == 1
