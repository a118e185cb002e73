"""Train a model by agreement and variety alone: `python examples/train_consensus.py [curve.png]`.

A network translates four symbols into four words; the words may be in any order. It is first trained on text in which
40 % of the words are replaced by random ones. Then it learns without references: the samples of a prompt should agree
in their words and differ in their order. The dashed lines show a second run that rewards agreement alone. There, all
samples of a prompt become equal, and most of them are wrong.
"""

import argparse
import copy
import json
from itertools import permutations
from pathlib import Path

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, one_hot

from fastbleu import BLEU, TokenIds
from fastbleu.rewards import CombinedReward, ConsensusReward, DiversityReward

WORDS, LENGTH, PROMPTS, SAMPLES = 20, 4, 32, 16
ORDERS, TRUTH = torch.tensor([*permutations(range(LENGTH))]), BLEU(tokenize="none", effective_order=True)
VARIETY = DiversityReward("pairwise")
UNIGRAMS = BLEU(tokenize="none", max_ngram_order=1, effective_order=True)
BOTH = CombinedReward({"consensus": (1, ConsensusReward(UNIGRAMS)), "diversity": (0.5, VARIETY)})
AGREEMENT = CombinedReward({"consensus": (1, ConsensusReward()), "diversity": (0, VARIETY)})


def logits(model: nn.Module, symbols: Tensor, words: Tensor) -> Tensor:
    """Return logits [n, LENGTH, WORDS] of each word, given all symbols and the words before it, both [n, LENGTH]."""
    source, written = one_hot(symbols, WORDS).sum(1, keepdim=True), one_hot(words, WORDS)
    return model(torch.cat([source.expand_as(written), written.cumsum(1) - written], -1).float())


def train(model: nn.Module, reward: CombinedReward | None, steps: int) -> list[dict[str, float]]:
    """Train by GRPO, or on noisy text if there is no reward; return the means of BLEU and components at each step."""
    optimizer, log = torch.optim.Adam(model.parameters(), 4e-3), []
    for _ in range(steps):
        symbols = torch.rand(PROMPTS, WORDS).argsort(1)[:, :LENGTH].repeat_interleave(SAMPLES, 0)
        words, weights = torch.randint(WORDS, symbols.shape), torch.ones(len(symbols))
        if reward is None:
            words = torch.where(torch.rand(symbols.shape) < 0.4, words, symbols)
        else:
            for i in range(LENGTH):
                words[:, i] = logits(model, symbols, words)[:, i].softmax(-1).multinomial(1)[:, 0]
            parts = reward.components(TokenIds(words.view(PROMPTS, SAMPLES, LENGTH)))
            bleu = TRUTH.sentence_scores(TokenIds(words), symbols[:, ORDERS], scale=1)
            log.append({name: values.mean().item() for name, values in {"bleu": bleu, **parts}.items()})
            std, mean = torch.std_mean(parts["total"], 1, keepdim=True)
            weights = ((parts["total"] - mean) / (std + 1e-4)).flatten()
        losses = cross_entropy(logits(model, symbols, words).mT, words, reduction="none").sum(1)
        optimizer.zero_grad()
        (weights * losses).mean().backward()
        optimizer.step()
    return log


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Train a model by agreement and variety alone.")
    parser.add_argument("output", nargs="?", type=Path, default=Path("curve.png"))
    parser.add_argument("--steps", type=int, default=100)
    arguments = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(2 * WORDS, 128), nn.ReLU(), nn.Linear(128, WORDS))
    train(model, None, 500)
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    with arguments.output.with_suffix(".jsonl").open("w", encoding="utf-8") as file:
        for run, reward, style in (("both", BOTH, "-"), ("agreement", AGREEMENT, "--")):
            log = train(copy.deepcopy(model), reward, arguments.steps)
            file.writelines(f"{json.dumps({'run': run, **entry})}\n" for entry in log)
            for name, color in (("bleu", "C0"), ("consensus", "C1"), ("diversity", "C2")):
                axes.plot(curve := [each[name] for each in log], style, color=color, label=f"{name}, {run}")
                print(f"{run}, {name}: {curve[0]:.2f}, in the last ten steps {sum(curve[-10:]) / 10:.2f}")
    axes.set(title="Learning from agreement and variety", xlabel="training step", ylim=(0, 1.02))
    axes.legend(frameon=False, ncols=2)
    figure.savefig(arguments.output, dpi=120)
