"""NLTK's BLEU on lists of tokens, one thread, each workload beside NLTK itself."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks import data
from fastbleu.compat import nltk as ours

theirs = pytest.importorskip(
    "nltk.translate.bleu_score", reason="NLTK is not installed", exc_type=ImportError
)

Compare = Callable[..., None]


def tokens(streams: int) -> tuple[list[list[str]], list[list[list[str]]]]:
    """One system's output and, per segment, that many references, split at white space."""
    hypotheses = [line.split() for line in data.system("en-de")]
    lines = zip(*data.references("en-de")[:streams], strict=True)
    return hypotheses, [[line.split() for line in some] for some in lines]


def scored_in_a_loop(
    module: Any, method: str | None, hypotheses: list[list[str]], references: list[list[list[str]]]
) -> Callable[[], object]:
    sentence_bleu = module.sentence_bleu
    smoothing = None if method is None else getattr(module.SmoothingFunction(), method)

    def loop() -> None:
        for hypothesis, some in zip(hypotheses, references, strict=True):
            sentence_bleu(some, hypothesis, smoothing_function=smoothing)

    return loop


@pytest.mark.parametrize("streams", [1, 3])
def test_corpus_bleu(compare: Compare, streams: int) -> None:
    hypotheses, references = tokens(streams)
    compare(
        f"compat.nltk.corpus_bleu, en-de, token lists, references: {streams}",
        lambda: ours.corpus_bleu(references, hypotheses),
        "nltk",
        lambda: theirs.corpus_bleu(references, hypotheses),
        40,
        80,
    )


@pytest.mark.parametrize(
    ("method", "streams", "must", "reach"),
    [("method1", 1, 12, 25), ("method1", 3, 12, 25), (None, 1, 22, 31)],
)
def test_sentence_bleu_in_a_loop(
    compare: Compare, method: str | None, streams: int, must: float, reach: float
) -> None:
    hypotheses, references = tokens(streams)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of orders without a match, where nothing is smoothed
        compare(
            f"compat.nltk.sentence_bleu in a loop, {method or 'not smoothed'}, references: {streams}",
            scored_in_a_loop(ours, method, hypotheses, references),
            "nltk",
            scored_in_a_loop(theirs, method, hypotheses, references),
            must,
            reach,
        )
