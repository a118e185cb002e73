"""`fastbleu.compat.codebleu` beside the package codebleu: its n-gram matches, and all of CodeBLEU where it runs."""

from __future__ import annotations

import contextlib
import io
import random

import pytest

peer = pytest.importorskip("codebleu")
peer_bleu = pytest.importorskip("codebleu.bleu")
peer_weighted = pytest.importorskip("codebleu.weighted_ngram_match")

from fastbleu.compat.codebleu import calc_codebleu, ngram_match, weighted_ngram_match
from tests.support.compared import compared
from tests.support.random_corpora import random_corpus

NAME = "codebleu 0.7.0"
TOKENS = "def f ( x ) : return x + 1 for while in range print y z = 0 if else None True"
WORDS = TOKENS.split()


def random_segments(generator: random.Random) -> tuple[list[list[str]], list[list[list[str]]]]:
    def segment() -> list[str]:
        return generator.choices(
            TOKENS[: generator.choice([3, 24])], k=generator.choice([1, 2, 3, 5, 12, 40])
        )

    return random_corpus(generator, segment, references=3)


@pytest.mark.parametrize("weights", [(0.25,) * 4, (1.0,), (0.1, 0.2, 0.3, 0.4, 0.5)])
def test_matches(weights: tuple[float, ...]) -> None:
    generator = random.Random(str(weights))
    for _ in range(400):
        hypotheses, references = random_segments(generator)
        expected = peer_bleu.corpus_bleu(references, hypotheses, weights)
        assert ngram_match.corpus_bleu(references, hypotheses, weights) == expected
        weighted = [
            [(tokens, weighted_ngram_match.make_weights(tokens, {"def", "for"})) for tokens in some]
            for some in references
        ]
        expected = peer_weighted.corpus_bleu(weighted, hypotheses, weights)
        assert weighted_ngram_match.corpus_bleu(weighted, hypotheses, weights) == expected
        compared(NAME, 2)


def test_all_of_codebleu() -> None:
    pytest.importorskip("tree_sitter_python", reason="the parser of Python is not installed")
    generator = random.Random(4)
    for _ in range(30):
        segments, tokens = random_segments(generator)
        references = [[" ".join(each) for each in some] for some in tokens]
        hypotheses = [" ".join(segment) for segment in segments]
        with contextlib.redirect_stderr(io.StringIO()):
            expected = peer.calc_codebleu(references, hypotheses, "python")
            assert calc_codebleu(references, hypotheses, "python") == expected
        compared(NAME)
