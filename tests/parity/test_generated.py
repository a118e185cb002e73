"""Output of transformers becomes ids and pools by the lines of docs/training.md."""

from typing import Any

import pytest

from fastbleu import BLEU, TokenIds
from fastbleu.rerank import Pools, oracle
from tests.support.id_rows import kept

B, K, PAD, EOS = 3, 4, 0, 2


REFERENCES = [[3, 4, 5, 6, 7, 8], [7, 4, 5], [3, 8, 6, 7, 4]]


def model_of(kind: str, transformers: Any) -> Any:
    """Make a tiny model with random weights, without any download."""
    ids = {"pad_token_id": PAD, "bos_token_id": 1, "eos_token_id": EOS, "vocab_size": 9}
    if kind == "causal":
        config = transformers.GPT2Config(n_positions=32, n_embd=8, n_layer=1, n_head=2, **ids)
        return transformers.GPT2LMHeadModel(config).eval()
    config = transformers.BartConfig(
        d_model=8, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2, decoder_attention_heads=2,
        encoder_ffn_dim=8, decoder_ffn_dim=8, max_position_embeddings=32, decoder_start_token_id=EOS,
        forced_eos_token_id=None, **ids,
    )  # fmt: skip
    return transformers.BartForConditionalGeneration(config).eval()


@pytest.mark.parametrize("kind", ["causal", "encoder_decoder"])
def test_transformers(kind: str, torch: Any) -> None:
    transformers = pytest.importorskip("transformers", exc_type=ImportError)
    torch.manual_seed(0)
    prompts = torch.tensor([[1, 3, 4], [1, 5, 6], [1, 7, 8]])
    options = {"do_sample": True, "max_new_tokens": 9, "num_return_sequences": K}
    mask = torch.ones_like(prompts)
    sequences = model_of(kind, transformers).generate(prompts, attention_mask=mask, **options)
    bleu = BLEU(tokenize="none", effective_order=True)
    start = prompts.shape[1] if kind == "causal" else 1

    samples = TokenIds(sequences[:, start:].reshape(B, K, -1), pad_id=PAD, eos_id=EOS)
    pools = Pools(TokenIds(sequences[:, start:], pad_id=PAD, eos_id=EOS), size=K)

    expected = [kept(row, PAD, EOS) for row in sequences[:, start:].tolist()]
    assert [ids for pool in pools for ids in pool] == expected
    assert any(EOS in row for row in sequences[:, start:].tolist())
    for references in ([REFERENCES], bleu.prepare([REFERENCES])):
        scores = bleu.sentence_scores(samples, references, scale=1, like=True)
        assert type(scores) is torch.Tensor
        assert scores.tolist() == [
            [bleu.sentence_scores([expected[i * K + k]], [[REFERENCES[i]]], scale=1)[0] for k in range(K)]
            for i in range(B)
        ]
    found = oracle(pools, [[row] for row in REFERENCES], metric=bleu)
    assert found.utilities.tolist() == bleu.sentence_scores(samples, [REFERENCES]).max(axis=1).tolist()
