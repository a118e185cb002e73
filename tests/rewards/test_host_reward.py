"""What the rewards of all hosts share."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from typing import Any

import pytest

from fastbleu.rewards import BLEUReward, nemo_gym, openrlhf, slime, swift, verifiers
from fastbleu.rewards.host_reward import HostReward

MADE: dict[str, Any] = {
    "OpenRLHF": openrlhf.bleu_reward,
    "slime": slime.bleu_reward,
    "the trainer": verifiers.bleu_reward,
}


@pytest.mark.parametrize("host", MADE)
def test_hosts_subtract_their_own_baselines(host: str) -> None:
    with pytest.raises(ValueError, match=rf"^baseline must be None: {host} subtracts its own"):
        MADE[host](baseline="mean")
    with pytest.raises(
        ValueError, match=rf"^stepwise must be False: {host} takes one reward for a completion"
    ):
        MADE[host](stepwise=True)


def test_what_the_log_needs_is_that_of_the_reward() -> None:
    options = {"extract": "answer", "scale": 2, "name": "translation"}
    host = HostReward(options)
    assert host.__name__ == "translation"
    assert host.signature == BLEUReward(**options).signature
    assert host.counts is host.reward.counts
    assert repr(host) == f"<HostReward 'translation' {host.signature}>"


def test_shares_for_the_log() -> None:
    host = HostReward({"name": "translation"})
    host.reward(["", "a"], ["a", "a"])
    assert host.shares() == {
        "translation_empty": 0.5,
        "translation_clipped": 0.0,
        "translation_too_long": 0.0,
        "translation_errors": 0.0,
    }


def test_share_of_scale() -> None:
    host = HostReward({"scale": 4, "empty": -1})
    assert [host.share_of_scale(reward) for reward in (-1.0, 0.0, 1.0, 4.0)] == [0.0, 0.0, 0.25, 1.0]


@pytest.mark.parametrize("options", [{"errors": "never"}, {"scale": 0}, {"name": ""}])
def test_bad_options_are_those_of_the_reward(options: Any) -> None:
    with pytest.raises(ValueError, match=f"^{next(iter(options))} must ") as wanted:
        BLEUReward(**options)
    with pytest.raises(ValueError, match=f"^{re.escape(str(wanted.value))}$"):
        HostReward(options)


@pytest.mark.parametrize(
    "made",
    [
        openrlhf.bleu_reward(extract="answer", labels_as="json", end_tokens=["<eos>"]),
        slime.bleu_reward(metadata_key="references"),
        verifiers.bleu_reward(reference="target"),
        verifiers.rubric_reward(reference="target"),
        nemo_gym.GymReward({"scale": 2}),
        swift.BLEUORM(),
        openrlhf.reward_func,
        slime.bleu,
        verifiers.bleu,
    ],
)
def test_rewards_can_be_pickled(made: Any) -> None:
    copy = pickle.loads(pickle.dumps(made))
    assert type(copy) is type(made)
    options = {name: value for name, value in vars(made).items() if name != "reward"}
    assert {name: value for name, value in vars(copy).items() if name != "reward"} == options
    assert copy.signature == made.signature


def test_no_host_is_imported() -> None:
    program = (
        "import sys\n"
        "from fastbleu.rewards import nemo_gym, openrlhf, slime, swift, verifiers\n"
        "hosts = ('openrlhf', 'slime', 'swift', 'verifiers', 'nemo_gym', 'torch', 'pydantic', 'fastapi', 'numpy')\n"
        "print([host for host in hosts if host in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
