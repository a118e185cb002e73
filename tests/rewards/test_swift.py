"""ms-swift's outcome reward model: made and called as ms-swift does, and given bad input.

The call is restated from swift/rl_core/grpo_algorithm.py (`compute_rewards_per_func`) of modelscope/ms-swift at commit
3602360.
tests/parity/test_reward_swift.py runs the real one.
"""

from __future__ import annotations

from typing import Any

import pytest

from fastbleu.rewards.swift import BLEUORM


def call(kind: type[BLEUORM], completions: list[Any], **columns: Any) -> list[float | None]:
    return kind(args=object())(completions, trainer_state=None, **columns)


def test_contents_that_are_no_text() -> None:
    parts = [{"type": "text", "text": "the cat "}, {"type": "image"}, {"type": "text", "text": "sat"}]
    assert call(BLEUORM, [parts, None, []], solution=["the cat sat"] * 3) == [1.0, 0.0, 0.0]


def test_another_column() -> None:
    class Column(BLEUORM):
        reference_column = "target"

    assert call(Column, ["a"], solution=["b"], target=["a"]) == [1.0]
    with pytest.raises(ValueError, match=r"^there is no column 'target'; there are \['solution', 't"):
        call(Column, ["a"], solution=["b"])
