"""Output of transformers becomes ids and pools by the lines of docs/training.md."""

from __future__ import annotations

from typing import Any

import pytest

from fastbleu import BLEU, TokenIds
from fastbleu.rerank import Pools, oracle

B, K, PAD, EOS = 3, 4, 0, 2


REFERENCES = [[3, 4, 5, 6, 7, 8], [7, 4, 5], [3, 8, 6, 7, 4]]


class Models:
    """Tiny models with random weights, made without any download."""

    def __init__(self) -> None:
        self.torch = pytest.importorskip("torch", reason="torch is not installed", exc_type=ImportError)
        self.transformers = pytest.importorskip("transformers", exc_type=ImportError)
        self.torch.manual_seed(0)
        self.ids = {"pad_token_id": PAD, "bos_token_id": 1, "eos_token_id": EOS}

    def causal(self) -> Any:
        config = self.transformers.GPT2Config(
            vocab_size=9, n_positions=32, n_embd=8, n_layer=1, n_head=2, **self.ids
        )
        return self.transformers.GPT2LMHeadModel(config).eval()

    def encoder_decoder(self) -> Any:
        config = self.transformers.BartConfig(
            vocab_size=9, d_model=8, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
            decoder_attention_heads=2, encoder_ffn_dim=8, decoder_ffn_dim=8, max_position_embeddings=32,
            decoder_start_token_id=EOS, forced_eos_token_id=None, **self.ids,
        )  # fmt: skip
        return self.transformers.BartForConditionalGeneration(config).eval()


def cut(row: list[int]) -> list[int]:
    """The tokens of a row, by a loop."""
    row = row[: row.index(EOS)] if EOS in row else row
    return [id_ for id_ in row if id_ != PAD]


@pytest.mark.parametrize("kind", ["causal", "encoder_decoder"])
def test_transformers(kind: str) -> None:
    models = Models()
    model = models.causal() if kind == "causal" else models.encoder_decoder()
    prompts = models.torch.tensor([[1, 3, 4], [1, 5, 6], [1, 7, 8]])
    sequences = model.generate(
        prompts,
        attention_mask=models.torch.ones_like(prompts),
        do_sample=True,
        max_new_tokens=9,
        num_return_sequences=K,
    )
    bleu = BLEU(tokenize="none", effective_order=True)
    start = prompts.shape[1] if kind == "causal" else 1

    samples = TokenIds(sequences[:, start:].reshape(B, K, -1), pad_id=PAD, eos_id=EOS)
    pools = Pools(TokenIds(sequences[:, start:], pad_id=PAD, eos_id=EOS), size=K)

    expected = [cut(row) for row in sequences[:, start:].tolist()]
    assert [ids for pool in pools for ids in pool] == expected
    assert any(EOS in row for row in sequences[:, start:].tolist())
    for references in ([REFERENCES], bleu.prepare([REFERENCES])):
        scores = bleu.sentence_scores(samples, references, scale=1, like=True)
        assert type(scores) is models.torch.Tensor
        assert scores.tolist() == [
            [bleu.sentence_scores([expected[i * K + k]], [[REFERENCES[i]]], scale=1)[0] for k in range(K)]
            for i in range(B)
        ]
    found = oracle(pools, [[row] for row in REFERENCES], metric=bleu)
    assert found.utilities.tolist() == bleu.sentence_scores(samples, [REFERENCES]).max(axis=1).tolist()
