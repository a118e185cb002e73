"""fairseq's scorer of text beside sacreBLEU as fairseq calls it, and the time of its scorer of ids.

libbleu, which counts ids there, is not on PyPI.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from benchmarks import data
from benchmarks.measures import Table, least
from fastbleu.compat.fairseq import SacrebleuConfig, SacrebleuScorer, Scorer

sacrebleu = pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed")


def test_text(compare: Callable[..., None]) -> None:
    hypotheses, references = data.system("en-de"), data.references("en-de")[0]

    def ours() -> None:
        scorer = SacrebleuScorer(SacrebleuConfig())
        for reference, hypothesis in zip(references, hypotheses, strict=True):
            scorer.add_string(reference, hypothesis)
        scorer.score()

    def theirs() -> None:
        tokenize = sacrebleu.BLEU(tokenize="13a").tokenizer
        pairs = [(tokenize(r), tokenize(h)) for r, h in zip(references, hypotheses, strict=True)]
        stream, system = (list(column) for column in zip(*pairs, strict=True))
        assert sacrebleu.corpus_bleu(system, [stream], tokenize="none", force=True).score

    from tests.support.sacrebleu_peer import clear_caches

    compare(
        "compat.fairseq SacrebleuScorer, en-de", ours, "sacrebleu", theirs, 10, 20, before_theirs=clear_caches
    )


def test_ids(table: Table) -> None:
    generator = random.Random(1)
    pairs = [[[*generator.choices(range(4, 30_000), k=27), 2] for _ in range(2)] for _ in range(1000)]
    scorer = Scorer(1, 2, 3)

    def add_all() -> None:
        for reference, prediction in pairs:
            scorer.add(reference, prediction)

    (time,) = least(add_all, rounds=10)
    table.note("compat.fairseq Scorer.add, lists of 28 ids", "", f"{time / len(pairs) * 1e6:.3g} us")
