"""The tokenizer of a language, by each policy."""

from __future__ import annotations

import pytest

from fastbleu import BLEU


@pytest.mark.parametrize(
    ("code", "tokenizer"),
    [("zho_Hans", "zh"), ("zh-CN", "zh"), ("en-zh", "zh"), ("cs-uk", "13a"), ("de", "13a")],
)
def test_codes_choose_sacrebleus_tokenizer(code: str, tokenizer: str) -> None:
    assert BLEU.for_language(code).tokenizer.name == tokenizer
