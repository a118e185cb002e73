"""Train a tiny model with verl's rewards and advantages, by BLEU: `python examples/train_verl.py [curve.png]`.

It takes about five minutes on two processors without a GPU, and needs `pip install verl matplotlib` in an environment
of its own. `post_editing.py` has the data and the model. These parts of verl run as in its own trainer:

- the configuration, which names `fastbleu.rewards.verl`;
- the reward loop with its Ray workers, which load the reward function, decode the responses and call the function;
- the estimator of GRPO's advantages, and the aggregation of the loss.

verl's rollout engines and actor workers need GPUs. Here, transformers samples the responses instead, and one AdamW step
follows each batch.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import ray
import torch
from hydra import compose, initialize_config_module
from matplotlib.figure import Figure
from post_editing import LONGEST_TOKENS, make_model, read_pairs, train_tokenizer, warm_up
from torch import Tensor
from torch.nn.functional import cross_entropy
from verl import DataProto
from verl.experimental.reward_loop import RewardLoopManager
from verl.trainer.ppo.core_algos import agg_loss, compute_grpo_outcome_advantage

PROMPTS, SAMPLES = 8, 8
REWARD = [
    "reward.num_workers=1",
    "reward.custom_reward_function.path=pkg://fastbleu.rewards.verl",
    "reward.custom_reward_function.name=compute_score",
    "+reward.custom_reward_function.reward_kwargs.details=true",
    "+reward.custom_reward_function.reward_kwargs.languages={newstest2021-en-de: de}",
]


def roll_out(model: Any, tokenizer: Any, pairs: list[dict[str, Any]]) -> DataProto:
    """Return SAMPLES responses to each prompt, in the form of verl's rollout."""
    repeated = [pair for pair in pairs for _ in range(SAMPLES)]
    prompts = tokenizer([pair["prompt"] for pair in repeated], return_tensors="pt", padding=True)
    with torch.no_grad():
        ids = model.generate(
            **prompts, do_sample=True, top_k=0, min_new_tokens=1, max_new_tokens=LONGEST_TOKENS
        )
    width = prompts["input_ids"].shape[1]
    responses = ids[:, width:]
    ended = (responses == tokenizer.eos_token_id).long()
    response_mask = (ended.cumsum(1) - ended == 0).long()
    infos = [{"reward_model": {"style": "rule", "ground_truth": pair["reference"]}} for pair in repeated]
    return DataProto.from_dict(
        tensors={
            "prompts": prompts["input_ids"],
            "responses": responses,
            "input_ids": ids,
            "attention_mask": torch.cat([prompts["attention_mask"], response_mask], dim=1),
            "response_mask": response_mask,
        },
        non_tensors={
            "data_source": np.array(["newstest2021-en-de"] * len(repeated), dtype=object),
            "reward_model": np.array([info["reward_model"] for info in infos], dtype=object),
            "extra_info": np.array([{} for _ in repeated], dtype=object),
            "uid": np.array([pair["prompt"] for pair in repeated], dtype=object),
        },
    )


def log_probabilities(model: Any, batch: DataProto) -> Tensor:
    """Return the log-probability of each token of the responses."""
    ids, mask = batch.batch["input_ids"], batch.batch["attention_mask"]
    width = batch.batch["responses"].shape[1]
    positions = (mask.cumsum(1) - 1).clamp(min=0)
    logits = model(input_ids=ids, attention_mask=mask, position_ids=positions).logits[:, -width - 1 : -1]
    return -cross_entropy(logits.transpose(1, 2), batch.batch["responses"], reduction="none")


def plot(log: list[dict[str, float]], path: Path) -> None:
    """Plot for each step the BLEU of the samples, and the shares of empty and too long samples."""
    steps = [entry["step"] for entry in log]
    figure = Figure(figsize=(7, 5), layout="constrained")
    above, below = figure.subplots(2, sharex=True, height_ratios=(2, 1))
    above.plot(steps, [100 * entry["score"] for entry in log], color="tab:blue")
    above.set(
        title="verl's reward loop with BLEU as reward", ylabel="mean BLEU of the samples", ylim=(0, None)
    )
    below.plot(steps, [entry["too_long"] for entry in log], color="tab:orange", label="too long")
    below.plot(steps, [entry["empty"] for entry in log], color="tab:green", label="empty")
    below.set(xlabel="training step", ylabel="share of samples", xlim=(steps[0], steps[-1]))
    below.legend(frameon=False, ncols=2)
    above.grid(alpha=0.3)
    below.grid(alpha=0.3)
    figure.savefig(path, dpi=120)


def main() -> None:
    """Train the model, write the log and plot it."""
    parser = argparse.ArgumentParser(
        description="Train a tiny model with verl's rewards, BLEU as the reward."
    )
    parser.add_argument("output", nargs="?", type=Path, default=Path("train_verl.png"), help="a PNG file")
    parser.add_argument(
        "--log", type=Path, help="write the figures of each step to this file, one JSON object per line"
    )
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--warm-up", type=int, default=36, help="number of supervised steps before GRPO")
    parser.add_argument(
        "--folder", type=Path, default=Path("train_verl"), help="folder for the model and its tokenizer"
    )
    arguments = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    draw = np.random.default_rng(1)
    pairs = read_pairs()
    tokenizer = train_tokenizer(pairs)
    model = make_model(tokenizer)
    warm_up(model, tokenizer, pairs, arguments.warm_up)
    for part in (model, tokenizer):
        part.save_pretrained(arguments.folder)  # verl's workers load the tokenizer from here
    with initialize_config_module("verl.trainer.config", version_base=None):
        config = compose(
            "ppo_trainer", [*REWARD, f"actor_rollout_ref.model.path={arguments.folder.resolve()}"]
        )
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    rewards = RewardLoopManager(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
    log = []
    for step in range(1, arguments.steps + 1):
        batch = roll_out(
            model, tokenizer, [pairs[i] for i in draw.choice(len(pairs), PROMPTS, replace=False)]
        )
        rewarded = rewards.compute_rm_score(batch)
        mask = batch.batch["response_mask"]
        advantages, _ = compute_grpo_outcome_advantage(
            rewarded.batch["rm_scores"], mask, batch.non_tensor_batch["uid"]
        )
        loss = agg_loss(-advantages * log_probabilities(model, batch), mask, "token-mean")
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        means = {
            key: float(rewarded.non_tensor_batch[key].mean())
            for key in rewarded.meta_info["reward_extra_keys"]
        }
        log.append({"step": step, "loss": loss.item(), **means})
        print(json.dumps(log[-1]), flush=True)
    ray.shutdown()
    if arguments.log:
        arguments.log.write_text("".join(f"{json.dumps(entry)}\n" for entry in log), encoding="utf-8")
    tenth = max(len(log) // 10, 1)
    for name, part in (("first", log[:tenth]), ("last", log[-tenth:])):
        mean = sum(entry["score"] for entry in part) / tenth
        print(f"mean BLEU of the samples, {name} {tenth} steps: {100 * mean:.1f}")
    plot(log, arguments.output)


if __name__ == "__main__":
    main()
