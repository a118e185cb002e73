"""The options of a combination of rewards, and completions that are broken."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from fastbleu.rewards import BLEUReward, CombinedReward, ConsensusReward, RepetitionPenalty


def test_a_function_that_fails_breaks_one_completion(caplog: pytest.LogCaptureFixture) -> None:
    def extract(text: str) -> str:
        return {"x": "the cat sat"}[text]

    components = {"bleu": (1.0, BLEUReward())}
    with pytest.raises(KeyError):
        CombinedReward(components, extract=extract)(["x", "y"], ["the cat sat"] * 2)
    reward = CombinedReward(components, extract=extract, errors="empty")
    assert reward(["x", "y"], ["the cat sat"] * 2) == [1.0, 0.0]
    assert (reward.counts["total"].errors, reward.counts["total"].empty) == (1, 1)
    (message,) = caplog.messages
    assert message.endswith("KeyError: 'y'")


def test_a_combination_keeps_its_components() -> None:
    components: dict[str, Any] = {"bleu": (1.0, BLEUReward())}
    reward = CombinedReward(components)
    components["repetition"] = (1.0, RepetitionPenalty(1))
    assert [*pickle.loads(pickle.dumps(reward)).components(["a a"], ["a"])] == ["bleu", "total"]
    assert [*reward.check(["a a"], ["a"])[0].rewards] == ["bleu", "total"]


def test_a_component_is_no_class() -> None:
    with pytest.raises(
        TypeError, match=r"^components\['agreement'\]\[1\] must be a reward or a function, not type"
    ):
        CombinedReward({"agreement": (1.0, ConsensusReward)})


def test_a_column_of_arrow_gives_an_array() -> None:
    pa = pytest.importorskip("pyarrow")
    texts = pa.array(["the cat sat", "a dog"])
    reward = CombinedReward({"bleu": (1.0, BLEUReward()), "agreement": (1.0, ConsensusReward())})
    assert reward(texts, texts, groups=pa.array([1, 2])).tolist() == [1.0, 1.0]
    assert BLEUReward()(texts, texts).tolist() == [1.0, 1.0]


def test_references_of_ids_are_shown_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    CombinedReward({"bleu": (1.0, BLEUReward())}).check([[5, 6]], [[5, 6]])
    assert capsys.readouterr().out == (
        "sample 0: total 1.0000, bleu 1.0000\n"
        "  completion  [5, 6]\n"
        "  scored      [5, 6]\n"
        "  reference   [5, 6]\n"
    )
