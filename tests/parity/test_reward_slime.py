"""The reward called by slime's own code, which finds it by its path."""

from __future__ import annotations

import asyncio
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

rm_hub = pytest.importorskip("slime.rollout.rm_hub", reason="slime is not installed", exc_type=ImportError)

from slime.utils.types import Sample

from fastbleu.rewards import slime
from fastbleu.rewards.serving import serve
from tests.support.compared import compared
from tests.support.reward_hosts import REFERENCES, RESPONSES, REWARDS


def samples(**fields: Any) -> list[Any]:
    return [
        Sample(index=i, prompt="Say.", response=f"{response}<|im_end|>", label=reference, **fields)
        for i, (response, reference) in enumerate(zip(RESPONSES, REFERENCES, strict=True))
    ]


def arguments(**given: Any) -> Any:
    return SimpleNamespace(
        **{"custom_rm_path": None, "rm_type": None, "group_rm": False, "rm_url": None} | given
    )


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "slime_rewards_of_mine.py").write_text(
        "from fastbleu.rewards.slime import bleu_reward\n\nbleu = bleu_reward(extract='answer')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "slime_rewards_of_mine", raising=False)
    return "slime_rewards_of_mine.bleu"


def test_one_by_one(path: str) -> None:
    async def score() -> Any:
        args = arguments(custom_rm_path=path)
        return await asyncio.gather(*[rm_hub.async_rm(args, sample) for sample in samples()])

    assert asyncio.run(score()) == REWARDS
    compared("slime", len(REWARDS))


def test_groups(path: str) -> None:
    args = arguments(custom_rm_path=path, group_rm=True)
    assert asyncio.run(rm_hub.batched_async_rm(args, samples())) == REWARDS


def test_remote() -> None:
    with serve(slime.bleu_reward(extract="answer").answer, port=0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        args = arguments(rm_type="remote_rm", rm_url=f"http://127.0.0.1:{server.server_address[1]}/")

        async def score() -> list[float]:
            found = await asyncio.gather(*[rm_hub.async_rm(args, sample) for sample in samples()])
            await rm_hub._get_shared_session().close()
            return found

        assert asyncio.run(score()) == REWARDS
        server.shutdown()
