"""Programs that call other packages for BLEU: the same call as it is, and under `fastbleu.patch`."""

from __future__ import annotations

import contextlib
import logging
import random
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks import data
from fastbleu import patch

Compare = Callable[..., None]
Call = Callable[[], object]


def beside_itself(compare: Compare, peer: str, workload: str, call: Call, must: float, reach: float) -> None:
    """Compares a call with itself under the patch, which is installed once for several calls."""
    installed = contextlib.ExitStack()
    is_installed = False

    def patched() -> None:
        nonlocal is_installed
        if not is_installed:
            installed.enter_context(patch.install(peer))
            is_installed = True
        call()

    def uninstall() -> None:
        nonlocal is_installed
        installed.close()
        is_installed = False

    with installed:
        compare(f"fastbleu.patch: {workload}", patched, peer, call, must, reach, before_theirs=uninstall)


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    logging.getLogger("sacrebleu").setLevel(logging.NOTSET)


@pytest.mark.parametrize(
    ("call", "must", "reach"),
    [
        ("corpus_bleu", 40, 80),
        ("corpus_bleu of one", 14, 24),
        ("sentence_bleu", 14, 24),
        ("BLEU.sentence_score", 8, 13),
        ("100 resamples", 5, 8),
    ],
)
def test_sacrebleu(compare: Compare, call: str, must: float, reach: float) -> None:
    peer = pytest.importorskip("sacrebleu")
    hypotheses, references = data.system("en-de"), data.references("en-de")[:1]
    metric = peer.BLEU()

    def each(score: Callable[[str, str], object]) -> Call:
        return lambda: [score(*pair) for pair in zip(hypotheses, references[0], strict=True)]

    calls = {
        "corpus_bleu": lambda: peer.corpus_bleu(hypotheses, references),
        "corpus_bleu of one": each(lambda h, r: peer.corpus_bleu([h], [[r]])),
        "sentence_bleu": each(lambda h, r: peer.sentence_bleu(h, [r])),
        "BLEU.sentence_score": each(lambda h, r: metric.sentence_score(h, [r])),
        "100 resamples": lambda: metric.corpus_score(hypotheses, references, n_bootstrap=100),
    }
    beside_itself(compare, "sacrebleu", f"{call}, en-de, tokenizers' caches warm", calls[call], must, reach)


def test_a_bootstrap_of_the_callers_own(compare: Compare) -> None:
    """As lm-evaluation-harness does it: the corpus score of each of many resamples."""
    peer = pytest.importorskip("sacrebleu")
    pairs = list(zip(data.references("en-de")[0], data.system("en-de"), strict=True))

    def bootstrap() -> None:
        generator = random.Random(1)
        for _ in range(5):
            references, hypotheses = zip(*generator.choices(pairs, k=len(pairs)), strict=True)
            peer.corpus_bleu(hypotheses, [references])

    beside_itself(
        compare, "sacrebleu", "corpus_bleu of resamples, tokenizers' caches warm", bootstrap, 40, 60
    )


@pytest.mark.parametrize(("metrics", "must", "reach"), [("chrf", 20, 100), ("bleu chrf", 20, 60)])
def test_resamples_of_other_metrics(compare: Compare, metrics: str, must: float, reach: float) -> None:
    peer = pytest.importorskip("sacrebleu")
    scores = [getattr(peer, f"corpus_{metric}") for metric in metrics.split()]
    pairs = list(zip(data.references("en-de")[0], data.system("en-de"), strict=True))[:100]

    def bootstrap() -> None:
        generator = random.Random(1)
        for _ in range(3):
            references, hypotheses = zip(*generator.choices(pairs, k=len(pairs)), strict=True)
            for score in scores:
                score(hypotheses, [references])

    beside_itself(compare, "sacrebleu", f"{metrics} of resamples, seen before", bootstrap, must, reach)


@pytest.mark.parametrize(
    ("call", "must", "reach"),
    [("corpus_bleu", 40, 80), ("sentence_bleu", 17, 22), ("sentence_bleu, method1", 13, 19)],
)
def test_nltk(compare: Compare, call: str, must: float, reach: float) -> None:
    peer = pytest.importorskip("nltk.translate.bleu_score", exc_type=ImportError)
    hypotheses = [line.split() for line in data.system("en-de")]
    references = [[line.split()] for line in data.references("en-de")[0]]

    def each(method: Any) -> Call:
        return lambda: [
            peer.sentence_bleu(some, hypothesis, smoothing_function=method)
            for hypothesis, some in zip(hypotheses, references, strict=True)
        ]

    calls = {
        "corpus_bleu": lambda: peer.corpus_bleu(references, hypotheses),
        "sentence_bleu": each(None),
        "sentence_bleu, method1": each(peer.SmoothingFunction().method1),
    }
    beside_itself(compare, "nltk", f"{call}, en-de", calls[call], must, reach)


def test_nltks_chrf(compare: Compare) -> None:
    peer = pytest.importorskip("nltk.translate.chrf_score", exc_type=ImportError)
    hypotheses, references = data.system("en-de")[:100], data.references("en-de")[0][:100]
    beside_itself(
        compare, "nltk", "corpus_chrf, en-de", lambda: peer.corpus_chrf(references, hypotheses), 30, 60
    )


@pytest.mark.parametrize(
    ("name", "size", "must", "reach"), [("SacreBLEUScore", 64, 50, 200), ("CHRFScore", 8, 50, 200)]
)
def test_torchmetrics(compare: Compare, name: str, size: int, must: float, reach: float) -> None:
    pytest.importorskip("torch")
    metric = getattr(pytest.importorskip("torchmetrics.text"), name)()
    preds = data.system("en-de")[:size]
    target = [[line] for line in data.references("en-de")[0][:size]]
    beside_itself(
        compare,
        "torchmetrics",
        f"{name}.update, batch of {size}",
        lambda: metric.update(preds, target),
        must,
        reach,
    )
