"""BLEU of the pieces of a SentencePiece model, beside SentencePiece's own encoding of all lines; one thread."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import data
from benchmarks.measures import Table, least
from fastbleu import BLEU
from tests.support import newstest

if newstest.folder() is None:
    pytest.skip("needs real text", allow_module_level=True)

sentencepiece = pytest.importorskip("sentencepiece", reason="SentencePiece is not installed")


def test_a_corpus(table: Table, tmp_path: Path) -> None:
    hypotheses, references = data.system("en-de"), data.references("en-de")[0]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([*hypotheses, *references]),
        model_prefix=str(tmp_path / "pieces"),
        vocab_size=6000,
        minloglevel=2,
    )
    model = str(tmp_path / "pieces.model")
    processor = sentencepiece.SentencePieceProcessor(model_file=model)

    def encode() -> None:
        for texts in (hypotheses, references):
            processor.encode([text.rstrip() for text in texts], out_type=int, num_threads=1)

    def score() -> None:
        # It remembers no line of another metric.
        BLEU(tokenize=model, threads=1).corpus_score(hypotheses, [references])

    encoding, both = least(encode, score, rounds=40)
    encoding, both = (taken / len(hypotheses) * 1e6 for taken in (encoding, both))
    table.note("SentencePiece's encoding of a segment and its reference", "", f"{encoding:.3g} us")
    table.add("what BLEU adds to it", "", both - encoding, 2, 1.5, show="{:.3g} us".format)
