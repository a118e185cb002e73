"""Texts of SentencePiece's pieces: those that the model gives as str, however they are asked for."""

import io
import random
import re
from pathlib import Path
from typing import Any

import pytest

from fastbleu.tokenizers.sentencepiece import load_own_model
from tests.support.alphabet import random_text

sentencepiece = pytest.importorskip("sentencepiece")

KNOWN = [
    "barn selter",
    "a",
    "",
    "relan diman <own> bes",
    "<s> bar </s>",
    "<pad>bar",
    "bar\u3000bar\u00a0bar",
]
#: The last two have pieces that look like the unknown one, and like white space.
UNKNOWN = ["日本 bar", "bar \U0010ffff\u0301", "x\u0301", "bar <unk>", "\u2047 \u2581日"]


@pytest.fixture(
    scope="module",
    params=[
        {"model_type": "unigram"},
        {"model_type": "bpe"},
        {"model_type": "char"},
        {"model_type": "word"},
        {"model_type": "unigram", "byte_fallback": True, "vocab_size": 400},
        {
            "model_type": "bpe",
            "normalization_rule_name": "identity",
            "unk_id": 3,
            "pad_id": 0,
            "bos_id": 1,
            "eos_id": 2,
        },
    ],
    ids=["unigram", "bpe", "char", "word", "bytes", "identity"],
)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    words = [f"{a}{b}{c}" for a in "abcde" for b in "aeiou" for c in "rstlnm"]
    options: dict[str, Any] = {"vocab_size": 60, "user_defined_symbols": ["<own>"], **request.param}
    writer = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=(" ".join(words[i : i + 7]) for i in range(len(words) - 7)),
        model_writer=writer,
        hard_vocab_limit=False,
        minloglevel=2,
        **options,
    )
    path = tmp_path_factory.mktemp("model") / "own.model"
    path.write_bytes(writer.getvalue())
    return path


def test_batches(model: Path) -> None:
    generator = random.Random(model.stat().st_size)
    drawn = [re.sub("[\ud800-\udfff]", "", random_text(generator)) for _ in range(300)]
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(model)).EncodeAsPieces
    to_texts = load_own_model(str(model))[1]
    for texts in (KNOWN + UNKNOWN, UNKNOWN[:1], drawn):
        for threads in (1, 2):
            assert to_texts(texts, threads) == [" ".join(pieces(text)) for text in texts]
