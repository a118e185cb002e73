"""Train a tiny model by GRPO with BLEU as its reward: `python examples/train_grpo.py [curve.png]`.

It takes a few minutes on a CPU, downloads nothing, and needs `pip install trl matplotlib`. The task is post-editing: the
prompt is what a translation system wrote, the completion is to be the translation of a human. The pairs come from
newstest2021, English to German, where the variable FASTBLEU_DATA names a folder that holds it, otherwise from the sample
beside this script. The model is a Llama with random weights, and the tokenizer is trained on the pairs.

A short supervised training comes first, because a model that writes nothing right earns no reward to learn from. Then
TRL's GRPOTrainer samples completions, and `fastbleu.rewards.trl` says what each is worth. BLEU of the samples rises. They
answer prompts that the model has been trained on, so they say nothing about prompts that are new to it.
"""

import argparse
import json
import os
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from matplotlib.figure import Figure
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from torch.nn.functional import cross_entropy
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer

from fastbleu.rewards.trl import bleu_reward

PAD, EOS, ARROW = "<pad>", "</s>", "=>"
PAIRS, SAMPLES_PER_PROMPT, PROMPTS_PER_STEP, LONGEST = 32, 8, 8, 40
NEWSTEST = "newstest2021/{}/newstest2021.en-de.{}.de"


def read_pairs() -> list[dict[str, Any]]:
    """The first short pairs: a prompt, and one or several references."""
    data = os.environ.get("FASTBLEU_DATA")
    if data:
        output = Path(data) / NEWSTEST.format("system-outputs", "hyp.Online-G")
        streams = [Path(data) / NEWSTEST.format("references", f"ref.{name}") for name in "ACD"]
    else:
        here = Path(__file__).parent
        output, streams = here / "system.beta.de", [here / "reference.A.de", here / "reference.B.de"]
    lines = [file.read_text(encoding="utf-8").splitlines() for file in (output, *streams)]
    pairs = [
        {"prompt": f"{prompt} {ARROW}", "reference": list(references)}
        for prompt, *references in zip(*lines, strict=True)
        if max(len(line.split()) for line in references) <= 14
    ]
    return pairs[:PAIRS]


def train_tokenizer(pairs: list[dict[str, Any]]) -> PreTrainedTokenizerFast:
    """Byte pairs of the texts."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1500,
        special_tokens=[PAD, EOS],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(
        (text for pair in pairs for text in (pair["prompt"], *pair["reference"])), trainer
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token=PAD, eos_token=EOS, padding_side="left"
    )


def warm_up(
    model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, pairs: list[dict[str, Any]], steps: int
) -> None:
    """Supervised steps towards the first reference of each pair."""
    texts = [f"{pair['prompt']} {pair['reference'][0]}{EOS}" for pair in pairs]
    batch = tokenizer(texts, return_tensors="pt", padding=True, padding_side="right")
    ids, mask = batch["input_ids"], batch["attention_mask"]
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for step in range(steps):
        logits = model(input_ids=ids, attention_mask=mask).logits
        targets = ids.masked_fill(mask == 0, -100)
        loss = cross_entropy(logits[:, :-1].flatten(0, 1), targets[:, 1:].flatten(), ignore_index=-100)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0 or step == steps - 1:
            print(f"warm-up step {step:3}  loss {loss.item():.3f}", flush=True)


def plot(log: list[dict[str, float]], path: Path) -> None:
    """Draw BLEU of the samples, and the shares that the reward logs, over the steps."""
    steps = [entry["step"] for entry in log]
    figure = Figure(figsize=(7, 5), layout="constrained")
    above, below = figure.subplots(2, sharex=True, height_ratios=(2, 1))
    above.plot(steps, [100 * entry["rewards/bleu_reward/mean"] for entry in log], color="tab:blue")
    above.set(title="GRPO with BLEU as reward", ylabel="mean BLEU of the samples", ylim=(0, None))
    for share, colour in (("clipped", "tab:orange"), ("too_long", "tab:green"), ("empty", "tab:red")):
        below.plot(steps, [entry[f"rewards/bleu_reward/{share}"] for entry in log], color=colour, label=share)
    below.set(xlabel="training step", ylabel="share of samples", xlim=(steps[0], steps[-1]))
    below.legend(frameon=False, ncols=3)
    above.grid(alpha=0.3)
    below.grid(alpha=0.3)
    figure.savefig(path, dpi=120)


def main() -> None:
    """Train, log, plot."""
    parser = argparse.ArgumentParser(description="Train a tiny model by GRPO with BLEU as its reward.")
    parser.add_argument("output", nargs="?", type=Path, default=Path("train_grpo.png"), help="a PNG file")
    parser.add_argument(
        "--log", type=Path, help="write what the trainer logs to this file, one JSON object a line"
    )
    parser.add_argument("--steps", type=int, default=150, help="of GRPO")
    parser.add_argument("--warm-up", type=int, default=36, help="supervised steps before")
    parser.add_argument("--folder", type=Path, default=Path("train_grpo"), help="the trainer's own folder")
    arguments = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    pairs = read_pairs()
    tokenizer = train_tokenizer(pairs)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=128,
            intermediate_size=256,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=4,
            max_position_embeddings=256,
            pad_token_id=tokenizer.pad_token_id,
            eos_token_id=tokenizer.eos_token_id,
            bos_token_id=None,
        )
    )
    print(f"{len(pairs)} pairs, {len(tokenizer)} tokens, {model.num_parameters():,} parameters")
    warm_up(model, tokenizer, pairs, arguments.warm_up)
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=bleu_reward("reference"),
        args=GRPOConfig(
            output_dir=str(arguments.folder),
            max_steps=arguments.steps,
            per_device_train_batch_size=PROMPTS_PER_STEP * SAMPLES_PER_PROMPT,
            num_generations=SAMPLES_PER_PROMPT,
            max_completion_length=LONGEST,
            learning_rate=2e-4,
            lr_scheduler_type="constant",
            logging_steps=1,
            save_strategy="no",
            bf16=False,
            use_cpu=True,
            gradient_checkpointing=False,
            disable_tqdm=True,
            report_to=[],
            seed=1,
        ),
        train_dataset=Dataset.from_list(pairs),
        processing_class=tokenizer,
    )
    trainer.train()
    log = [entry for entry in trainer.state.log_history if "reward" in entry]
    if arguments.log:
        arguments.log.write_text("".join(f"{json.dumps(entry)}\n" for entry in log), encoding="utf-8")
    tenth = max(len(log) // 10, 1)
    for name, part in (("first", log[:tenth]), ("last", log[-tenth:])):
        mean = sum(entry["rewards/bleu_reward/mean"] for entry in part) / tenth
        print(f"BLEU of the samples, {name} {tenth} steps: {100 * mean:.1f}")
    plot(log, arguments.output)


if __name__ == "__main__":
    main()
