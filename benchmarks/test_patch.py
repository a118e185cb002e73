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
