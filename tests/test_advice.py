"""What a metric advises: when, how often, and in sacreBLEU's words."""

from __future__ import annotations

import logging

import pytest

from fastbleu import BLEU, advice


def test_only_the_hundredth_makes_them_look_tokenized() -> None:
    found = [
        (before, more)
        for before in range(102)
        for more in range(3)
        if advice.begin_to_look_tokenized(before, more)
    ]
    assert found == [(98, 2), (99, 1), (99, 2)]
    assert advice.begin_to_look_tokenized(0, 1000)


def test_each_message_is_a_warning_of_its_own(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "fastbleu"):
        advice.log("one", "two")
    assert caplog.record_tuples == [
        ("fastbleu", logging.WARNING, "one"),
        ("fastbleu", logging.WARNING, "two"),
    ]


def test_a_metric_gives_its_advice_once(caplog: pytest.LogCaptureFixture) -> None:
    metric = BLEU()
    with caplog.at_level(logging.WARNING, "fastbleu"):
        for _ in range(2):
            metric.sentence_scores(["It rains ."] * 150, [["It rained ."] * 150])
    # Tokens are looked at in each call by itself, as in sacreBLEU.
    assert caplog.messages == [*advice.ORDER, *advice.TOKENS, *advice.TOKENS]
