"""slime's custom reward model: called as slime does, for one sample and for many, and given bad input.

The calls are restated from slime/rollout/rm_hub/__init__.py and slime/utils/misc.py, and the sample from
slime/utils/types.py, of THUDM/slime at commit 624b824.
tests/parity/test_reward_slime.py runs the real ones.
"""

from __future__ import annotations

import asyncio
import importlib
from dataclasses import dataclass, field
from typing import Any

import pytest

from fastbleu.rewards import slime
from fastbleu.rewards.slime import bleu_reward
from tests.support.reward_hosts import REFERENCES, RESPONSES, REWARDS


@dataclass
class Sample:
    prompt: str | list[dict[str, str]] = ""
    response: Any = ""
    label: Any = None
    metadata: Any = field(default_factory=dict)


SAMPLES = [
    Sample("Say.", f"{response}<|im_end|>", reference)
    for response, reference in zip(RESPONSES, REFERENCES, strict=True)
]


def load_function(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


async def one_by_one(reward: Any, samples: list[Sample]) -> list[float]:
    found: list[float] = await asyncio.gather(*[reward(None, sample) for sample in samples])
    return found


async def as_group(reward: Any, samples: list[Sample]) -> list[float]:
    found: list[float] = await reward(None, samples)
    return found


@pytest.mark.parametrize("way", [one_by_one, as_group])
def test_values(way: Any) -> None:
    assert asyncio.run(way(bleu_reward(extract="answer"), SAMPLES)) == REWARDS
    assert asyncio.run(way(bleu_reward(), [])) == []
    of_json = bleu_reward(labels_as="json", empty=-1)
    samples = [Sample(response=text, label='["a dog", "the cat"]') for text in ("the cat", "", "</s>")]
    assert asyncio.run(way(of_json, samples)) == [1.0, -1.0, -1.0]
    assert of_json.answer({"prompt": "Say.", "response": "the cat</s>", "label": '["the cat"]'}) == 1.0


def test_the_default_is_found_by_its_path() -> None:
    bleu = load_function("fastbleu.rewards.slime.bleu")
    assert bleu is slime.bleu
    assert (
        asyncio.run(bleu(None, Sample(response="the cat<|im_end|>", label="the cat"), evaluation=True)) == 1.0
    )


def test_references_in_metadata() -> None:
    reward = bleu_reward(metadata_key="references", extract="answer")
    samples = [
        Sample("Say.", response, "?", {"references": reference})
        for response, reference in zip(RESPONSES, REFERENCES, strict=True)
    ]
    assert asyncio.run(as_group(reward, samples)) == asyncio.run(one_by_one(reward, samples)) == REWARDS


@pytest.mark.parametrize("way", [one_by_one, as_group])
@pytest.mark.parametrize(
    ("sample", "key", "error"),
    [
        (Sample(response="a"), None, r"^samples?(\[0\])?\.label must have a reference, got None$"),
        (Sample(response="a"), "k", r"^samples?(\[0\])?\.metadata\['k'\] must have a reference, got None$"),
        (Sample(response="a", metadata="k"), "k", r"^samples?(\[0\])?\.metadata\['k'\] must have a ref"),
        (Sample(response=None, label="a"), None, r"must be a str or a list of messages, not None"),
        (Sample(response="a", label=3.5), None, r"must be a str, a list of messages, or a list of several"),
        (Sample(response="a", label=[]), None, r"must hold at least one reference"),
    ],
)
def test_broken_samples(way: Any, sample: Sample, key: str | None, error: str) -> None:
    with pytest.raises((TypeError, ValueError), match=error):
        asyncio.run(way(bleu_reward(metadata_key=key), [sample]))
    tolerant = bleu_reward(metadata_key=key, errors="empty", empty=-1)
    good = Sample(response="b", label="b", metadata={"k": "b"})
    assert asyncio.run(way(tolerant, [sample, good])) == [-1.0, 1.0]
    assert tolerant.counts.errors == 1


def test_bad_requests() -> None:
    requests: list[Any] = [None, [], {"response": "a"}]
    for request in requests:
        with pytest.raises(TypeError, match=r"^request must be a dict with 'response' and 'label'"):
            bleu_reward().answer(request)
    with pytest.raises(ValueError, match=r"^metadata_key must be None: slime sends labels only"):
        bleu_reward(metadata_key="k").answer({"response": "a", "label": "a"})


@pytest.mark.parametrize("sample", [None, "a b", 3, {"response": "a b"}])
def test_what_is_no_sample(sample: Any) -> None:
    with pytest.raises(TypeError, match=r"^sample must be a sample with a response, not "):
        asyncio.run(bleu_reward()(None, sample))
    with pytest.raises(TypeError, match=r"^samples\[1\] must be a sample with a response, not "):
        asyncio.run(bleu_reward()(None, [SAMPLES[0], sample]))
    tolerant = bleu_reward(errors="empty", empty=-1)
    assert asyncio.run(tolerant(None, sample)) == -1.0
    assert asyncio.run(tolerant(None, [Sample(response="a b", label="a b"), sample])) == [1.0, -1.0]
    assert tolerant.counts.errors == 2
