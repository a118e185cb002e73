"""Train a policy by its BLEU alone, in a compiled step: `python examples/train_reward.py [curve.png]`.

It takes half a minute on a CPU and needs `pip install torch matplotlib`, and a C++ compiler for `torch.compile`
(`--backend eager` needs none). The task is to replace each symbol of a sequence by another, fixed one; a tenth of the
source symbols are noise. The policy draws 16 samples for each source. REINFORCE (Williams 1992) raises the probability
of samples whose reward is above the mean for their source. Minimum risk training (Shen et al. 2016) lowers the expected
loss over the samples. Both losses see the target only through the reward, which is a part of the compiled graph.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from fastbleu.torch import sentence_bleu

BATCH, SAMPLES, LENGTH, SYMBOLS = 32, 16, 12, 20
RENAMED = torch.randperm(SYMBOLS, generator=torch.Generator().manual_seed(5))


def draw() -> tuple[Tensor, Tensor]:
    """Return sources with noise and their targets, both ids [BATCH, LENGTH]."""
    clean = torch.randint(SYMBOLS, (BATCH, LENGTH))
    noise = torch.rand(BATCH, LENGTH) < 0.1
    return torch.where(noise, torch.randint(SYMBOLS, (BATCH, LENGTH)), clean), RENAMED[clean]


def reinforce(rewards: Tensor, log_probs: Tensor) -> Tensor:
    """Return the loss of samples [BATCH, SAMPLES], weighted by reward minus the mean reward of the source."""
    return -((rewards - rewards.mean(1, keepdim=True)) * log_probs).sum(1).mean()


def minimum_risk(rewards: Tensor, log_probs: Tensor) -> Tensor:
    """Return the expected loss (1 - BLEU) over the samples, by their renormalized probabilities."""
    return ((1 - rewards) * (0.1 * log_probs).softmax(1)).sum(1).mean()


def train(loss_of: Callable[[Tensor, Tensor], Tensor], steps: int, backend: str) -> list[tuple[float, float]]:
    """Train a new policy; return the loss and the mean BLEU of the samples (0..100) at each step."""
    torch.manual_seed(1)
    policy = nn.Sequential(nn.Embedding(SYMBOLS, 64), nn.Linear(64, SYMBOLS))
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.02)

    def step(source: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        log_p = policy(source).log_softmax(-1)
        samples = torch.multinomial(log_p.exp().flatten(0, 1), SAMPLES, replacement=True)
        samples = samples.view(BATCH, LENGTH, SAMPLES)
        log_probs = log_p.gather(2, samples).sum(1)
        rewards = sentence_bleu(samples.mT, target, smooth_method="add-one-above-first")
        return loss_of(rewards, log_probs), rewards.mean()

    compiled = torch.compile(step, fullgraph=True, backend=backend)
    curve = []
    for _ in range(steps):
        loss, bleu = compiled(*draw())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        curve.append((loss.item(), 100 * bleu.item()))
    return curve


def main() -> None:
    """Train a policy by each of the two losses, print BLEU and plot the curves."""
    parser = argparse.ArgumentParser(description="Train a policy by its BLEU alone, in a compiled step.")
    parser.add_argument("output", nargs="?", type=Path, default=Path("train_reward.png"), help="a PNG file")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--backend", default="inductor", help="backend of torch.compile")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    figure = Figure(figsize=(8, 5), layout="constrained")
    panels = figure.subplots(2, 2, sharex=True)
    for column, (name, loss_of) in enumerate((("REINFORCE", reinforce), ("minimum risk", minimum_risk))):
        curve = train(loss_of, arguments.steps, arguments.backend)
        print(f"{name:12}  BLEU of the samples {curve[0][1]:5.1f} -> {curve[-1][1]:5.1f}")
        losses, scores = zip(*curve, strict=True)
        panels[0, column].plot(scores, color="tab:blue")
        panels[0, column].set(title=name, ylabel="BLEU of the samples", ylim=(0, 102))
        panels[1, column].plot(losses, color="tab:orange")
        panels[1, column].set(xlabel="training step", ylabel="training loss")
    figure.savefig(arguments.output, dpi=120)


if __name__ == "__main__":
    main()
