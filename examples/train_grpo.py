"""Train a tiny model by GRPO with BLEU as its reward: `python examples/train_grpo.py [curve.png]`.

It takes about five minutes on one processor and needs `pip install trl matplotlib`. `post_editing.py` has the data and
the model. The model is first trained on references for a few steps, because random output gets no reward. Then TRL's
GRPOTrainer samples completions, and `fastbleu.rewards.trl` computes the reward of each. The BLEU of the samples rises.
It is measured on the training prompts, so it does not show how well the model generalizes.
"""

import argparse
import json
from pathlib import Path

import torch
from datasets import Dataset
from matplotlib.figure import Figure
from post_editing import LONGEST_TOKENS, make_model, read_pairs, train_tokenizer, warm_up
from trl import GRPOConfig, GRPOTrainer

from fastbleu.rewards.trl import bleu_reward

PROMPTS, SAMPLES = 8, 8
BLEU, EMPTY, CLIPPED, TOO_LONG = (
    f"rewards/bleu_reward/{name}" for name in ("mean", "empty", "clipped", "too_long")
)
LOGGED = ("step", "loss", "entropy", "completions/mean_length", BLEU, EMPTY, CLIPPED, TOO_LONG)


def plot(log: list[dict[str, float]], path: Path) -> None:
    """Plot for each step the BLEU of the samples, and the shares of empty and too long samples."""
    steps = [entry["step"] for entry in log]
    figure = Figure(figsize=(7, 5), layout="constrained")
    above, below = figure.subplots(2, sharex=True, height_ratios=(2, 1))
    above.plot(steps, [100 * entry[BLEU] for entry in log], color="tab:blue")
    above.set(title="TRL's GRPO with BLEU as reward", ylabel="mean BLEU of the samples", ylim=(0, None))
    below.plot(steps, [entry[TOO_LONG] for entry in log], color="tab:orange", label="too long")
    below.plot(steps, [entry[EMPTY] for entry in log], color="tab:green", label="empty")
    below.set(xlabel="training step", ylabel="share of samples", xlim=(steps[0], steps[-1]))
    below.legend(frameon=False, ncols=2)
    above.grid(alpha=0.3)
    below.grid(alpha=0.3)
    figure.savefig(path, dpi=120)


def main() -> None:
    """Train the model, write the log and plot it."""
    parser = argparse.ArgumentParser(description="Train a tiny model by GRPO with BLEU as its reward.")
    parser.add_argument("output", nargs="?", type=Path, default=Path("train_grpo.png"), help="a PNG file")
    parser.add_argument(
        "--log", type=Path, help="write the figures of each step to this file, one JSON object per line"
    )
    parser.add_argument("--steps", type=int, default=150, help="number of GRPO steps")
    parser.add_argument("--warm-up", type=int, default=36, help="number of supervised steps before GRPO")
    parser.add_argument("--gpu", action="store_true", help="train on a GPU instead of the CPU")
    parser.add_argument(
        "--folder", type=Path, default=Path("train_grpo"), help="output folder of the trainer"
    )
    arguments = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    pairs = read_pairs()
    tokenizer = train_tokenizer(pairs)
    model = make_model(tokenizer)
    warm_up(model, tokenizer, pairs, arguments.warm_up)
    reward = bleu_reward("reference")
    print(f"reward: {reward.reward.signature}")
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=reward,
        args=GRPOConfig(
            output_dir=str(arguments.folder),
            max_steps=arguments.steps,
            per_device_train_batch_size=PROMPTS * SAMPLES,
            num_generations=SAMPLES,
            max_completion_length=LONGEST_TOKENS,
            learning_rate=2e-4,
            lr_scheduler_type="constant",
            logging_steps=1,
            save_strategy="no",
            bf16=False,
            use_cpu=not arguments.gpu,
            disable_tqdm=True,
            report_to=[],
            seed=1,
        ),
        train_dataset=Dataset.from_list(pairs),
        processing_class=tokenizer,
    )
    trainer.train()
    history = [entry for entry in trainer.state.log_history if "reward" in entry]
    log = [{name: entry[name] for name in LOGGED} for entry in history]
    if arguments.log:
        arguments.log.write_text("".join(f"{json.dumps(entry)}\n" for entry in log), encoding="utf-8")
    tenth = max(len(log) // 10, 1)
    for name, part in (("first", log[:tenth]), ("last", log[-tenth:])):
        print(
            f"mean BLEU of the samples, {name} {tenth} steps: {100 * sum(entry[BLEU] for entry in part) / tenth:.1f}"
        )
    plot(log, arguments.output)


if __name__ == "__main__":
    main()
