"""Members of the family without a module here, each beside the call that gives its number.

`docs/other-members.md` has the table. ignite is in the extra `train`; the others need a torch or a NumPy of years ago.
jury downloads the script that it scores with, so only the score that its documentation prints is compared.
"""

import random
from collections.abc import Callable
from typing import Any

import pytest

from fastbleu import BLEU
from fastbleu.compat import nlgmetricverse, nltk
from tests.support.compared import compared

Tokens = list[str]

#: What float64 arithmetic in another order changes, and what float32 arithmetic does.
DOUBLE, SINGLE = 1e-14, 1e-6


def corpus(generator: random.Random) -> tuple[list[Tokens], list[list[Tokens]]]:
    """Random hypotheses, and references that are similar to them."""
    hypotheses = [generator.choices("abcdefgh", k=generator.randrange(1, 20)) for _ in range(12)]

    def changed(tokens: Tokens) -> Tokens:
        kept = [generator.choice("abcdefgh") if generator.random() < 0.2 else token for token in tokens]
        return [*kept, *generator.choices("abc", k=generator.randrange(3))][generator.randrange(3) :]

    return hypotheses, [[changed(h) for _ in range(generator.randint(1, 3))] for h in hypotheses]


def segments(hypotheses: Any, references: Any, **options: Any) -> float:
    """The mean of the core's scores of segments, 0..1."""
    metric = BLEU(tokenize="none", **options)
    metric.warnings.of_order.is_over = True
    return float(metric.sentence_scores(hypotheses, metric.prepare_segments(references)).mean() / 100)


def by_nltk(hypotheses: Any, references: Any, method: str) -> float:
    """The mean of NLTK's scores of segments, added up one after another."""
    smoothing = getattr(nltk.SmoothingFunction(), method)
    total = 0.0
    for hypothesis, own in zip(hypotheses, references, strict=True):
        total += nltk.sentence_bleu(own, hypothesis, smoothing_function=smoothing)
    return total / len(hypotheses)


MICRO: dict[str, dict[str, Any]] = {
    "no_smooth": {"smooth_method": "none"},
    "smooth1": {"smooth_method": "floor", "smooth_value": 0.1},
    "smooth2": {"smooth_method": "add-one-above-first"},
    "nltk_smooth2": {"smooth_method": "add-one-above-first"},
}
MACRO: dict[str, tuple[Callable[[Any, Any], float], float]] = {
    "no_smooth": (lambda h, r: segments(h, r, smooth_method="none"), SINGLE),
    "smooth1": (lambda h, r: by_nltk(h, r, "method1"), 0.0),
    "smooth2": (lambda h, r: segments(h, r, smooth_method="add-one-above-first"), DOUBLE),
    "nltk_smooth2": (lambda h, r: by_nltk(h, r, "method2"), 0.0),
}


@pytest.mark.parametrize("smooth", MICRO)
def test_ignite(smooth: str) -> None:
    metrics = pytest.importorskip("ignite.metrics")
    score, close = MACRO[smooth]
    metric = BLEU(tokenize="none", **MICRO[smooth])
    generator = random.Random(1)
    for _ in range(15):
        hypotheses, references = corpus(generator)
        micro, macro = (metrics.Bleu(smooth=smooth, average=average) for average in ("micro", "macro"))
        for theirs in (micro, macro):
            theirs.update((hypotheses, references))
        ours = metric.corpus_score(hypotheses, metric.prepare_segments(references)).score / 100
        assert float(micro.compute()) == pytest.approx(ours, rel=DOUBLE, abs=0)
        assert macro.compute().item() == pytest.approx(score(hypotheses, references), rel=close, abs=0)
        compared("ignite 0.5.5", 2)


def test_jury() -> None:
    """The example of jury 2.3.1's documentation, and what it prints there."""
    predictions = [["the cat is on the mat", "There is cat playing on the mat"], ["Look! a wonderful day."]]
    references = [
        ["the cat is playing on the mat.", "The cat plays on the mat."],
        ["Today is a wonderful day", "The weather outside is wonderful."],
    ]
    found = nlgmetricverse.compute(predictions=predictions, references=references)
    assert found == {
        # The last digit depends on the interpreter, whose `sum` is compensated from Python 3.12 on.
        "score": pytest.approx(0.42370250917168295, rel=1e-15),
        "precisions": [0.8823529411764706, 0.6428571428571429, 0.45454545454545453, 0.125],
        "brevity_penalty": 1.0,
        "length_ratio": 1.0,
        "translation_length": 11,
        "reference_length": 11,
    }
