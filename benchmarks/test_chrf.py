"""chrF against sacreBLEU: a corpus, chrF++, and a call for each segment; and the chrF of torchmetrics and NLTK."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchmarks import data
from fastbleu import CHRF

peer = pytest.importorskip("sacrebleu.metrics", reason="sacreBLEU is not installed")

Compare = Callable[..., None]


@pytest.mark.parametrize(("word_order", "must", "reach"), [(0, 56, 136), (2, 42, 95)])
def test_corpus(compare: Compare, word_order: int, must: float, reach: float) -> None:
    hypotheses, references = data.system("en-de"), data.references("en-de")[:1]
    ours, theirs = CHRF(word_order=word_order), peer.CHRF(word_order=word_order)
    assert (
        ours.corpus_score(hypotheses, references).score == theirs.corpus_score(hypotheses, references).score
    )
    compare(
        f"CHRF(word_order={word_order}).corpus_score, en-de, one system, 1 reference",
        lambda: ours.corpus_score(hypotheses, references),
        "sacreBLEU",
        lambda: theirs.corpus_score(hypotheses, references),
        must,
        reach,
        rounds=2,
    )


def test_sentences(compare: Compare) -> None:
    pairs = list(zip(data.system("en-de")[:200], data.references("en-de")[0][:200], strict=True))
    ours, theirs = CHRF(), peer.CHRF()
    compare(
        "CHRF().sentence_score, en-de, 200 calls",
        lambda: [ours.sentence_score(hypothesis, [reference]) for hypothesis, reference in pairs],
        "sacreBLEU",
        lambda: [theirs.sentence_score(hypothesis, [reference]) for hypothesis, reference in pairs],
        28,
        56,
        rounds=2,
    )


def test_torchmetrics(compare: Compare) -> None:
    theirs = pytest.importorskip("torchmetrics.functional.text", exc_type=ImportError).chrf_score
    from fastbleu.compat.torchmetrics import chrf_score

    preds, target = data.system("en-de")[:4], [[line] for line in data.references("en-de")[0][:4]]
    compare(
        "compat.torchmetrics.chrf_score, en-de, 4 segments",
        lambda: chrf_score(preds, target),
        "torchmetrics",
        lambda: theirs(preds, target),
        100,
        400,
        rounds=2,
    )


def test_nltk(compare: Compare) -> None:
    theirs = pytest.importorskip("nltk.translate.chrf_score", exc_type=ImportError).corpus_chrf
    from fastbleu.compat.nltk import corpus_chrf

    hypotheses, references = data.system("en-de")[:200], data.references("en-de")[0][:200]
    compare(
        "compat.nltk.corpus_chrf, en-de, 200 segments",
        lambda: corpus_chrf(references, hypotheses),
        "NLTK",
        lambda: theirs(references, hypotheses),
        20,
        60,
        rounds=2,
    )
