"""Train a small network to reverse sequences, and watch its BLEU rise: `python examples/train_reversal.py [curve.png]`.

It takes half a minute on a CPU and needs `pip install torch matplotlib`. The metric reads padded tensors of ids in
place; `SEQUENCES` says which ids mark padding and the end. Finally, the program prints how long a training step takes,
and how much a BLEU reward for each sequence would add to it, by fastbleu and, if it is installed, by NLTK.
"""

import argparse
import timeit
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, pad

from fastbleu import BLEU, TokenIds

PAD, EOS, FIRST_SYMBOL, VOCABULARY = 0, 1, 2, 22
SHORTEST, LONGEST, BATCH, WIDTH = 5, 12, 64, 96
SEQUENCES = partial(TokenIds, pad_id=PAD, eos_id=EOS)
REWARD = BLEU(tokenize="none", effective_order=True)
Pair = tuple[Tensor, Tensor]


class Reverser(nn.Module):
    """A recurrent encoder, and a recurrent decoder that attends to it (Luong et al. 2015)."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, WIDTH, padding_idx=PAD)
        self.encoder = nn.GRU(WIDTH, WIDTH // 2, batch_first=True, bidirectional=True)
        self.decoder = nn.GRU(WIDTH, WIDTH, batch_first=True)
        self.logits = nn.Linear(2 * WIDTH, VOCABULARY)

    def decode(self, ids: Tensor, state: Tensor | None, memory: Tensor, padding: Tensor) -> Pair:
        """Return the logits of the next ids [n, t, VOCABULARY] and the decoder's new state."""
        queries, state = self.decoder(self.embed(ids), state)
        attention = (queries @ memory.mT).masked_fill(padding, -torch.inf).softmax(dim=-1)
        return self.logits(torch.cat([queries, attention @ memory], dim=-1)), state

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Return logits [n, LONGEST + 1, VOCABULARY] of each target id, given the target ids before it."""
        memory, _ = self.encoder(self.embed(source))
        return self.decode(pad(target[:, :-1], (1, 0), value=EOS), None, memory, (source == PAD)[:, None])[0]

    @torch.no_grad()
    def generate(self, source: Tensor) -> Tensor:
        """Return ids [n, LONGEST + 1] by greedy decoding."""
        memory, _ = self.encoder(self.embed(source))
        ids, state = torch.full((len(source), 1), EOS), None
        for _ in range(LONGEST + 1):
            logits, state = self.decode(ids[:, -1:], state, memory, (source == PAD)[:, None])
            ids = torch.cat([ids, logits.argmax(dim=-1)], dim=1)
        return ids[:, 1:]


def draw(n: int) -> Pair:
    """Return n random sequences [n, LONGEST] of SHORTEST to LONGEST symbols, and the targets [n, LONGEST + 1].

    A target is the reversed sequence with EOS at its end. Both are padded.
    """
    symbols = torch.randint(FIRST_SYMBOL, VOCABULARY, (n, LONGEST))
    length = torch.randint(SHORTEST, LONGEST + 1, (n, 1))
    position = torch.arange(LONGEST + 1)
    mirrored = symbols.gather(1, (length - 1 - position).clamp(min=0))
    target = torch.where(position < length, mirrored, torch.where(position == length, EOS, PAD))
    return torch.where(position[:-1] < length, symbols, PAD), target


def train_step(model: Reverser, optimizer: torch.optim.Optimizer) -> tuple[float, Tensor, Tensor]:
    """Train on a batch; return the loss, the likeliest ids and the target ids [BATCH, LONGEST + 1]."""
    source, target = draw(BATCH)
    logits = model(source, target)
    loss = cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item(), logits.argmax(dim=-1), target


def plot(curve: list[tuple[int, float, float]], path: Path) -> None:
    """Plot loss and BLEU for each step."""
    steps, losses, scores = zip(*curve, strict=True)
    figure = Figure(figsize=(7, 5), layout="constrained")
    above, below = figure.subplots(2, sharex=True, height_ratios=(2, 1))
    above.plot(steps, scores, color="tab:blue")
    above.set(title="Learning to reverse sequences", ylabel="validation BLEU", ylim=(0, 102))
    below.plot(steps, losses, color="tab:orange")
    below.set(xlabel="training step", ylabel="training loss", xlim=(0, steps[-1]), ylim=(0, None))
    above.grid(alpha=0.3)
    below.grid(alpha=0.3)
    figure.savefig(path, dpi=120)


def rewards_by_fastbleu(predicted: Tensor, target: Tensor) -> list[float]:
    """Return the sentence BLEU of each row, 0..1."""
    scores: list[float] = REWARD.sentence_scores(SEQUENCES(predicted), SEQUENCES(target), scale=1).tolist()
    return scores


def rewards_by_nltk(predicted: Tensor, target: Tensor) -> list[float]:
    """Return the sentence BLEU of each row by NLTK, from lists that are cut at EOS."""
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    smooth = SmoothingFunction().method3
    rows, right = ([row[: [*row, EOS].index(EOS)] for row in ids.tolist()] for ids in (predicted, target))
    return [sentence_bleu([b], a, smoothing_function=smooth) for a, b in zip(rows, right, strict=True)]


def compare_times(model: Reverser, optimizer: torch.optim.Optimizer) -> None:
    """Print the time of a training step, and the time of a reward for each sequence of its batch."""
    times = partial(timeit.repeat, number=1, repeat=30)
    step = 1000 * min(times(partial(train_step, model, optimizer)))
    print(f"a training step: {step:.2f} ms; a sentence BLEU for each of its {BATCH} sequences in addition:")
    _, predicted, target = train_step(model, optimizer)
    for name, rewards in (("fastbleu", rewards_by_fastbleu), ("nltk", rewards_by_nltk)):
        if find_spec(name):
            metric = 1000 * min(times(partial(rewards, predicted, target)))
            print(f"  {name:8} {metric:6.2f} ms, {metric / (step + metric):5.1%} of both")


def main() -> None:
    """Train the network, print its BLEU, plot the curve and compare times."""
    parser = argparse.ArgumentParser(
        description="Train a small network to reverse sequences, and plot its BLEU."
    )
    parser.add_argument("output", nargs="?", type=Path, default=Path("train_reversal.png"), help="a PNG file")
    parser.add_argument("--steps", type=int, default=500)
    arguments = parser.parse_args()
    if arguments.steps < 20:
        parser.error("--steps must be at least 20, so that there is a curve to draw")
    torch.manual_seed(1)
    torch.set_num_threads(1)
    model = Reverser()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    bleu = BLEU(tokenize="none")
    source, target = draw(200)
    curve = []
    for step in range(arguments.steps + 1):
        loss, _, _ = train_step(model, optimizer)
        if step % 20 == 0:
            score = bleu.corpus_score(SEQUENCES(model.generate(source)), SEQUENCES(target)).score
            print(f"step {step:4}  loss {loss:.3f}  BLEU {score:6.2f}")
            curve.append((step, loss, score))
    plot(curve, arguments.output)
    compare_times(model, optimizer)


if __name__ == "__main__":
    main()
