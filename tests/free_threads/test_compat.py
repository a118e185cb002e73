"""Drop-in replacements in many threads: functions are shared, objects that collect segments belong to one thread."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from fastbleu.compat import codexglue, fast_bleu, nlgmetricverse, nltk, nmt
from fastbleu.compat.pycocoevalcap.bleu.bleu_scorer import BleuScorer
from tests.support.entry_points import plain
from tests.support.threads import SECONDS, THREADS, hammer, run_together

GENERATOR = random.Random(3)
WORDS = ["the", "cat", "sat", "on", "a", "mat", "dog", "was", "there"]
TOKENS = [GENERATOR.choices(WORDS, k=length) for length in (5, 12, 30, 80, 9)]
REFERENCES = [[GENERATOR.choices(WORDS, k=len(tokens) + 2) for _ in range(2)] for tokens in TOKENS]
TEXTS = [" ".join(tokens) for tokens in TOKENS]
TEXT_REFERENCES = [[" ".join(tokens) for tokens in references] for references in REFERENCES]


def test_functions() -> None:
    shared = fast_bleu.BLEU(REFERENCES[0], {"bigram": (0.5, 0.5)})
    smoothing = nltk.SmoothingFunction()
    calls: dict[str, Callable[[], Any]] = {
        "nltk": lambda: nltk.corpus_bleu(REFERENCES, TOKENS),
        "nltk smoothed": lambda: [
            nltk.sentence_bleu(references, tokens, smoothing_function=smoothing.method4)
            for references, tokens in zip(REFERENCES, TOKENS, strict=True)
        ],
        "gleu": lambda: nltk.corpus_gleu(REFERENCES, TOKENS),
        "fast_bleu": lambda: shared.get_score(TOKENS),
        "self": lambda: fast_bleu.SelfBLEU(TOKENS, {2: (0.5, 0.5)}).get_score(),
        "nmt": lambda: nmt.compute_bleu(REFERENCES, TOKENS, smooth=True),
        "codexglue": lambda: codexglue.bleu(TEXT_REFERENCES[0], TEXTS[0]),
        "nlgmetricverse": lambda: nlgmetricverse.compute(predictions=TEXTS, references=TEXT_REFERENCES),
    }
    hammer(calls)


def collected(kind: str) -> Any:
    if kind == "pycocoevalcap":
        scorer = BleuScorer(n=4)
        for text, references in zip(TEXTS, TEXT_REFERENCES, strict=True):
            scorer += (text, references)
        return scorer.compute_score("closest")
    torchmetrics = pytest.importorskip("fastbleu.compat.torchmetrics", exc_type=ImportError)
    metric = torchmetrics.SacreBLEUScore()
    for text, references in zip(TEXTS, TEXT_REFERENCES, strict=True):
        metric.update([text], [references])
    return metric.compute()


@pytest.mark.parametrize("kind", ["pycocoevalcap", "torchmetrics"])
def test_what_collects_segments(kind: str) -> None:
    wanted = plain(collected(kind))
    times = max(5, int(50 * SECONDS))

    def work() -> None:
        for _ in range(times):
            assert plain(collected(kind)) == wanted

    run_together(*[work] * THREADS)
