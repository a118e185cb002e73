"""Rewards for ids on a GPU: copied to the host, counted there, and sent back, beside a peer that stays on the GPU.

Skipped where there is no CUDA device. The peer is TensorBLEU's own code, rxlm.metrics.tensorbleu (RxAI-dev/rxlm,
python/src/rxlm/metrics/tensorbleu.py at f0af3eef7150e8810806a67a2ebbe7a717d3dee5), if that can be imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.test_training import EOS, PAD, full
from fastbleu import BLEU, TokenIds
from fastbleu.rewards import (
    BLEUReward,
    CombinedReward,
    DiversityReward,
    LengthReward,
    RepetitionPenalty,
)

Compare = Callable[..., None]

SHAPES = [(64, 256), (256, 1024), (512, 1024)]


@pytest.fixture
def torch() -> Any:
    module = pytest.importorskip("torch", reason="torch is not installed", exc_type=ImportError)
    if not module.cuda.is_available():
        pytest.skip("no CUDA device")
    return module


def on_device(torch: Any, rows: int, width: int) -> tuple[Any, Any]:
    """Ids of one system's output and of one reference, [rows, width], on the GPU."""
    hypotheses, references = full(rows, width)
    return torch.from_numpy(hypotheses).cuda(), torch.from_numpy(references).cuda()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_rewards_on_a_gpu_against_tensorbleu(compare: Compare, torch: Any, shape: tuple[int, int]) -> None:
    peer = pytest.importorskip(
        "rxlm.metrics.tensorbleu", reason="rxlm is not installed", exc_type=ImportError
    )
    hypotheses, references = on_device(torch, *shape)
    bleu = BLEU(tokenize="none", smooth_method="floor", smooth_value=0.1, threads=2)
    one_each = references.unsqueeze(1)

    def ours() -> Any:
        scores = bleu.sentence_scores(hypotheses, references, scale=1, like=True)
        torch.cuda.synchronize()
        return scores

    def theirs() -> Any:
        # No id is padding. Its scores are float32.
        scores = peer.tensor_sentence_bleu(hypotheses, one_each, pad_token_id=-1, smoothing_method="floor")
        torch.cuda.synchronize()
        return scores

    assert torch.allclose(ours().float(), theirs(), rtol=1e-4, atol=1e-6)
    compare(f"rewards for ids on a GPU, {list(shape)}", ours, "TensorBLEU on the GPU", theirs, 1, 2)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_rewards_on_a_gpu_against_the_host(compare: Compare, torch: Any, shape: tuple[int, int]) -> None:
    """The cost of the two transfers."""
    hypotheses, references = on_device(torch, *shape)
    bleu = BLEU(tokenize="none", effective_order=True)
    host = hypotheses.cpu().numpy(), references.cpu().numpy()
    compare(
        f"rewards for ids on a GPU, {list(shape)}",
        lambda: bleu.sentence_scores(hypotheses, references, like=True),
        "the same ids on the host",
        lambda: bleu.sentence_scores(*host),
        0.5,
        0.9,
    )


def test_reward_components_on_a_gpu(compare: Compare, torch: Any) -> None:
    """Score 256 groups of 4 samples, a matrix `[1024, 256]`, by four components and by BLEU."""
    hypotheses, references = on_device(torch, 1024, 256)
    reward = CombinedReward(
        {
            "bleu": (1.0, BLEUReward()),
            "repetition": (0.1, RepetitionPenalty()),
            "length": (0.1, LengthReward(200, unit="ids", of="completion")),
            "diversity": (0.1, DiversityReward()),
        },
        pad_id=PAD,
        eos_id=EOS,
    )
    groups = [i // 4 for i in range(1024)]
    host = hypotheses.cpu().numpy(), references.cpu().numpy()
    assert list(reward(hypotheses, references, groups=groups)) == list(reward(*host, groups=groups))
    compare(
        "a combined reward of four components for ids on a GPU, [1024, 256]",
        lambda: reward(hypotheses, references, groups=groups),
        "the same ids on the host",
        lambda: reward(*host, groups=groups),
        0.5,
        0.9,
    )


# Inductor calls a deprecated function of torch, and records an empty CUDA graph.
@pytest.mark.filterwarnings("ignore::DeprecationWarning:torch", "ignore:The CUDA Graph is empty")
@pytest.mark.parametrize("mode", ["default", "reduce-overhead"])
def test_a_compiled_step_on_a_gpu(compare: Compare, torch: Any, mode: str) -> None:
    """Compute rewards inside a compiled graph, beside the same call outside of it."""
    from fastbleu.torch import sentence_bleu

    hypotheses, references = on_device(torch, 256, 256)
    bleu = BLEU(tokenize="none", effective_order=True)

    def step(ids: Any, reference_ids: Any) -> Any:
        rewards = sentence_bleu(ids, reference_ids, pad_id=PAD, eos_id=EOS)
        return rewards - rewards.mean()

    def outside() -> Any:
        ids, reference_ids = (TokenIds(each, pad_id=PAD, eos_id=EOS) for each in (hypotheses, references))
        rewards: Any = bleu.sentence_scores(ids, reference_ids, scale=1, like=True)
        rewards = rewards.float()
        return rewards - rewards.mean()

    compiled = torch.compile(step, fullgraph=True, mode=mode)
    advantages = compiled(hypotheses, references)
    assert advantages.device == hypotheses.device
    assert torch.allclose(advantages, outside(), atol=1e-6)
    compare(
        f"a compiled step with sentence_bleu on a GPU, [256, 256], mode {mode}",
        lambda: (compiled(hypotheses, references), torch.cuda.synchronize()),
        "the metric outside the graph",
        lambda: (outside(), torch.cuda.synchronize()),
        0.5,
        0.9,
    )
