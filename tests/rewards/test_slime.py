"""slime's custom reward model by itself; tests/parity/test_reward_slime.py runs it inside slime."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from fastbleu.rewards import slime
from fastbleu.rewards.slime import bleu_reward
from tests.support.reward_hosts import REFERENCES, RESPONSES, REWARDS

NO_SAMPLES: list[Any] = [None, "a b", 3, {}]


def sample(response: Any, label: Any = None, metadata: Any = None) -> SimpleNamespace:
    return SimpleNamespace(prompt="Say.", response=response, label=label, metadata=metadata)


async def one_by_one(reward: Any, samples: list[Any]) -> list[float]:
    found: list[float] = await asyncio.gather(*[reward(None, each) for each in samples])
    return found


async def as_group(reward: Any, samples: list[Any]) -> list[float]:
    found: list[float] = await reward(None, samples)
    return found


ways = pytest.mark.parametrize("way", [one_by_one, as_group])


@ways
def test_labels_that_are_json(way: Callable[..., Any]) -> None:
    of_json = bleu_reward(labels_as="json", empty=-1)
    samples = [sample(text, '["a dog", "the cat"]') for text in ("the cat", "", "</s>")]
    assert asyncio.run(way(of_json, samples)) == [1.0, -1.0, -1.0]
    assert of_json.answer({"prompt": "Say.", "response": "the cat</s>", "label": '["the cat"]'}) == 1.0


@ways
def test_references_in_metadata(way: Callable[..., Any]) -> None:
    reward = bleu_reward(metadata_key="references", extract="answer")
    pairs = zip(RESPONSES, REFERENCES, strict=True)
    samples = [sample(response, "?", {"references": reference}) for response, reference in pairs]
    assert asyncio.run(way(reward, samples)) == REWARDS


def test_the_default_ignores_what_else_slime_passes() -> None:
    assert asyncio.run(slime.bleu(None, sample("the cat<|im_end|>", "the cat"), evaluation=True)) == 1.0


@ways
@pytest.mark.parametrize(
    ("broken", "key", "error"),
    [
        (sample("a"), None, r"^label(\[0\])? must have a reference, got None$"),
        (sample("a", metadata={}), "k", r"^metadata\['k'\](\[0\])? must have a reference, got None$"),
        (sample("a", metadata="k"), "k", r"^metadata\['k'\](\[0\])? must have a reference, got None$"),
        (sample(None, "a"), None, r"^response(\[0\])? must be a str or a list of messages, not None"),
        *((each, None, r"^samples?(\[0\])? must be a sample with a response, not ") for each in NO_SAMPLES),
    ],
)  # fmt: skip
def test_broken_samples(way: Callable[..., Any], broken: Any, key: str | None, error: str) -> None:
    with pytest.raises((TypeError, ValueError), match=error):
        asyncio.run(way(bleu_reward(metadata_key=key), [broken]))
    tolerant = bleu_reward(metadata_key=key, errors="empty", empty=-1)
    assert asyncio.run(way(tolerant, [broken, sample("b", "b", {"k": "b"})])) == [-1.0, 1.0]
    assert tolerant.counts.errors == 1


def test_bad_requests() -> None:
    requests: list[Any] = [None, [], {"response": "a"}]
    for request in requests:
        with pytest.raises(
            (TypeError, ValueError), match=r"^request must be a dict|^label is not among .* of request"
        ):
            bleu_reward().answer(request)
    with pytest.raises(ValueError, match=r"^metadata_key must be None: slime sends labels only"):
        bleu_reward(metadata_key="k").answer({"response": "a", "label": "a"})
