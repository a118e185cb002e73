"""Members of the family without a stand-in of their own, each beside the door that gives its numbers.

`docs/other-members.md` has the table. ignite and torcheval are in the extra `train`. texar-pytorch 0.1.4 needs NumPy 1,
torchtext 0.18.0 the torch that it was compiled for, allennlp 2.10.1 torch below 1.13: their tests skip elsewhere.
jury downloads the script that it scores with, so only what its documentation prints is compared.
"""

from __future__ import annotations

import importlib
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, TokenIds
from fastbleu.compat import nlgmetricverse, nltk
from fastbleu.compat.nmt import compute_bleu
from tests.support.compared import compared

Tokens = list[str]

#: What float64 arithmetic in another order changes, and what float32 arithmetic does.
DOUBLE, SINGLE = 1e-14, 1e-6


def peer(name: str) -> Any:
    """A module of a peer; the test skips where it is not installed, or does not run beside what else is."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what it imports warns of its own age
            return importlib.import_module(name)
    except Exception as error:  # noqa: BLE001  # incompatible libraries raise anything
        pytest.skip(f"{name} is not installed, or does not run here: {error}")


def corpus(
    generator: random.Random, least: int, references: int = 3
) -> tuple[list[Tokens], list[list[Tokens]]]:
    """Hypotheses of at least this many tokens, and references that hold much of them."""
    hypotheses = [generator.choices("abcdefgh", k=generator.randrange(least, 20)) for _ in range(12)]

    def changed(tokens: Tokens) -> Tokens:
        kept = [generator.choice("abcdefgh") if generator.random() < 0.2 else token for token in tokens]
        return [*kept, *generator.choices("abc", k=generator.randrange(3))][generator.randrange(3) :]

    return hypotheses, [[changed(h) for _ in range(generator.randint(1, references))] for h in hypotheses]


def corpora(least: int = 5, references: int = 3) -> list[tuple[list[Tokens], list[list[Tokens]]]]:
    generator = random.Random(least)
    return [corpus(generator, least, references) for _ in range(60)]


def core(hypotheses: Any, references: Any, **options: Any) -> float:
    """The core's score of a corpus, 0..1."""
    metric = BLEU(tokenize="none", **options)
    return metric.corpus_score(hypotheses, metric.prepare_segments(references)).score / 100


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


Door = Callable[[Any, Any], float]

MICRO: dict[str, dict[str, Any]] = {
    "no_smooth": {"smooth_method": "none"},
    "smooth1": {"smooth_method": "floor", "smooth_value": 0.1},
    "smooth2": {"smooth_method": "add-one-above-first"},
    "nltk_smooth2": {"smooth_method": "add-one-above-first"},
}
MACRO: dict[str, tuple[Door, float]] = {
    "no_smooth": (lambda h, r: segments(h, r, smooth_method="none"), SINGLE),
    "smooth1": (lambda h, r: by_nltk(h, r, "method1"), 0.0),
    "smooth2": (lambda h, r: segments(h, r, smooth_method="add-one-above-first"), DOUBLE),
    "nltk_smooth2": (lambda h, r: by_nltk(h, r, "method2"), 0.0),
}


@pytest.mark.parametrize("smooth", MICRO)
def test_ignite(smooth: str) -> None:
    metrics = peer("ignite.metrics")
    door, close = MACRO[smooth]
    for hypotheses, references in corpora(1):
        micro, macro = (metrics.Bleu(smooth=smooth, average=average) for average in ("micro", "macro"))
        for theirs in (micro, macro):
            theirs.update((hypotheses, references))
        ours = core(hypotheses, references, **MICRO[smooth])
        assert float(micro.compute()) == pytest.approx(ours, rel=DOUBLE, abs=0)
        assert macro.compute().item() == pytest.approx(door(hypotheses, references), rel=close, abs=0)
        compared("ignite 0.5.5", 2)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_torcheval(order: int) -> None:
    functional, torch = peer("torcheval.metrics.functional"), peer("torch")
    weights = [0.4, 0.3, 0.2, 0.1][:order]
    weights[0] += 1 - sum(weights)
    options: dict[str, Any] = {
        "smooth_method": "none",
        "reference_length": "shortest",
        "max_ngram_order": order,
    }
    for hypotheses, references in corpora(4):
        texts = [" ".join(h) for h in hypotheses], [[" ".join(r) for r in own] for own in references]
        ours = core(hypotheses, references, **options)
        assert functional.bleu_score(*texts, n_gram=order).item() == pytest.approx(ours, rel=SINGLE, abs=0)
        weighted = functional.bleu_score(*texts, n_gram=order, weights=torch.tensor(weights)).item()
        ours = core(hypotheses, references, weights=weights, **options)
        assert weighted == pytest.approx(ours, rel=SINGLE, abs=0)
        compared("torcheval 0.0.7", 2)


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("order", [1, 4])
def test_texar(smooth: bool, order: int) -> None:
    evals = peer("texar.torch.evals")
    for hypotheses, references in corpora(4):
        upper = [[token.upper() for token in h] for h in hypotheses]
        theirs = evals.corpus_bleu(references, upper, order, lowercase=True, smooth=smooth, return_all=True)
        score, precisions, *_ = compute_bleu(references, hypotheses, order, smooth)
        assert theirs == [score * 100, *(precision * 100 for precision in precisions)]
        one = evals.sentence_bleu(references[0], hypotheses[0], order, smooth=smooth)
        assert one == compute_bleu(references[:1], hypotheses[:1], order, smooth)[0] * 100
        compared("texar-pytorch 0.1.4", 2)


def test_texar_transformer() -> None:
    evals = peer("texar.torch.evals")
    for hypotheses, references in corpora(5, 1):
        theirs = evals.corpus_bleu_transformer([own[0] for own in references], hypotheses)
        assert theirs / 100 == pytest.approx(core(hypotheses, references), rel=SINGLE, abs=0)
        compared("texar-pytorch 0.1.4")


@pytest.mark.parametrize("weights", [[0.25] * 4, [0.5, 0.5]])
@pytest.mark.filterwarnings("ignore")
def test_torchtext(weights: list[float]) -> None:
    metrics = peer("torchtext.data.metrics")
    options: dict[str, Any] = {
        "smooth_method": "none",
        "reference_length": "closest-first",
        "max_ngram_order": len(weights),
        "weights": weights,
    }
    for hypotheses, references in corpora(1):
        theirs = metrics.bleu_score(hypotheses, references, len(weights), weights)
        assert theirs == pytest.approx(core(hypotheses, references, **options), rel=SINGLE, abs=0)
        compared("torchtext 0.18.0")


def test_allennlp() -> None:
    metrics, torch = peer("allennlp.training.metrics"), peer("torch")
    generator = np.random.default_rng(5)
    for _ in range(30):
        rows = []
        for _ in range(2):
            ids = generator.integers(1, 6, (10, 14))
            ids[np.arange(14) >= generator.integers(5, 15, (10, 1))] = 0
            rows.append(ids)
        theirs = metrics.BLEU(exclude_indices={0})
        theirs(torch.tensor(rows[0]), torch.tensor(rows[1]))
        metric = BLEU(tokenize="none", smooth_method="floor", smooth_value=1e-13)
        hypotheses, references = (TokenIds(ids, pad_id=0) for ids in rows)
        ours = metric.corpus_score(hypotheses, [references]).score / 100
        assert theirs.get_metric()["BLEU"] == pytest.approx(ours, rel=1e-12, abs=1e-13)
        compared("allennlp 2.10.1")


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
