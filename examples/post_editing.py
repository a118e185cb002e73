"""The data and the model that `train_grpo.py` and `train_verl.py` share.

The task is to rewrite the output of a translation system as a human translation. The pairs of outputs and references
are from newstest2021, English to German, if the environment variable FASTBLEU_DATA names a folder that has it.
Otherwise they are from the sample in this folder. The model is a Llama with random weights, and the tokenizer is
trained on the pairs. Nothing is downloaded.
"""

import os
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from torch.nn.functional import cross_entropy
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

PAD, EOS, ARROW = "<pad>", "</s>", "=>"
PAIRS, LONGEST_WORDS, LONGEST_TOKENS = 32, 14, 40
NEWSTEST = "newstest2021/{}/newstest2021.en-de.{}.de"


def read_pairs() -> list[dict[str, Any]]:
    """Return the first pairs with short references, each as a prompt and a list of references."""
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
        if max(len(line.split()) for line in references) <= LONGEST_WORDS
    ]
    return pairs[:PAIRS]


def train_tokenizer(pairs: list[dict[str, Any]]) -> PreTrainedTokenizerFast:
    """Train a byte-pair tokenizer on all prompts and references."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1500,
        special_tokens=[PAD, EOS],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    texts = (text for pair in pairs for text in (pair["prompt"], *pair["reference"]))
    tokenizer.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token=PAD, eos_token=EOS, padding_side="left"
    )


def make_model(tokenizer: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    """Return a Llama with 700,000 random parameters."""
    config = LlamaConfig(
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
    return LlamaForCausalLM(config)


def warm_up(model: Any, tokenizer: PreTrainedTokenizerFast, pairs: list[dict[str, Any]], steps: int) -> None:
    """Train the model to write the first reference of each pair, so that some of its samples get a reward later."""
    texts = [f"{pair['prompt']} {pair['reference'][0]}{EOS}" for pair in pairs]
    batch = tokenizer(texts, return_tensors="pt", padding=True, padding_side="right")
    ids, mask = batch["input_ids"], batch["attention_mask"]
    targets = ids.masked_fill(mask == 0, -100)[:, 1:].flatten()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for step in range(steps):
        logits = model(input_ids=ids, attention_mask=mask).logits
        loss = cross_entropy(logits[:, :-1].flatten(0, 1), targets, ignore_index=-100)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0 or step == steps - 1:
            print(f"warm-up step {step:3}  loss {loss.item():.3f}", flush=True)
