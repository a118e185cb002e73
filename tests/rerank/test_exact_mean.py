"""Expected utilities are exact means that are rounded once, for every kind and magnitude of weights."""

import itertools
import math
import random
from typing import Any

import pytest

from fastbleu import BLEU
from fastbleu.rerank import expected, pairwise
from fastbleu.rerank.evidence_weights import as_weights
from tests.support.rerank_oracle import exact_means

METRICS = [
    BLEU(effective_order=True, tokenize="none"),
    BLEU(effective_order=True, tokenize="none", smooth_method="floor", smooth_value=1e-300),
    BLEU(effective_order=True, tokenize="none", smooth_method="none"),
    BLEU(effective_order=True, tokenize="none", smooth_method="add-k", max_ngram_order=9),
]


def weights_of(generator: random.Random, number: int, kind: str) -> tuple[list[float], dict[str, Any]]:
    """Return random weights of one pool, and the arguments that define their kind."""
    if kind == "temperature":
        weights = [generator.uniform(-300, 5) for _ in range(number)]
        return weights, {"weights_as": "log-probabilities", "temperature": generator.choice([0.5, 1, 10])}
    if kind == "counts":
        sizes = [1.0, 3.0, 0.5, 0.0, 0.1, 10.0 ** generator.randint(-300, 300), generator.random()]
        return [1.0, *(generator.choice(sizes) for _ in range(number - 1))], {"weights_as": kind}
    weights = [generator.choice([1, 1, 2, generator.random()]) for _ in range(number)]
    weights = [weight / math.fsum(weights) for weight in weights]
    if kind == "log-probabilities":
        weights = [min(0.0, math.log(weight)) for weight in weights]
    return weights, {"weights_as": kind}


@pytest.mark.parametrize("kind", ["", "counts", "probabilities", "log-probabilities", "temperature"])
@pytest.mark.parametrize("beside", ["all", "all others", "evidence"])
def test_means_are_rounded_once(kind: str, beside: str) -> None:
    """Means of two and of four scores are often the midpoint of two floats."""
    generator = random.Random(kind)
    compared = 0
    exclude_self = beside == "all others"

    def drawn() -> list[str]:
        longest = generator.choice([4, 12, 40])
        pool = [
            " ".join(generator.choices("abcdefgh", k=generator.randint(0, longest)))
            for _ in range(generator.choice([2, 2, 3, 4, 5, 8, 16, 30]))
        ]
        return pool + generator.choices(pool, k=generator.choice([0, 0, 2]))

    for _ in range(100):
        pool, metric = drawn(), generator.choice(METRICS)
        evidence = drawn() if beside == "evidence" else None
        others = pool if evidence is None else evidence
        options: dict[str, Any] = {"metric": metric, "exclude_self": exclude_self}
        weights = [1.0] * len(others)
        if kind:
            given, said = weights_of(generator, len(others), kind)
            options |= {"weights": [given, [], given], **said}
            weights = as_weights(given, said["weights_as"], said.get("temperature"), "weights[0]")
        if evidence is not None:
            options["evidence"] = [evidence, [], evidence]
        wanted = exact_means(pairwise(pool, evidence, metric=metric).tolist(), weights, exclude_self)
        if None in wanted:
            with pytest.raises(ValueError, match="has no evidence"):
                expected([pool, [], pool], **options)
            continue
        assert [each.tolist() for each in expected([pool, [], pool], **options)] == [wanted, [], wanted]
        compared += len(pool)
    assert compared > 500


def test_weights_of_every_size() -> None:
    """The weight of the other candidates may be far below the rounding error of the sum of all."""
    pool = ["b b b a a b b b q", "b a a x b 2 a b b", "a", "a", "a"]
    scores = pairwise(pool, metric=METRICS[0]).tolist()
    for weights in itertools.permutations([1e9, 1e-18, 1e-9, 1e-18, 0.0]):
        found = expected([pool], None, [weights], True, weights_as="counts", metric=METRICS[0])[0]
        assert found.tolist() == exact_means(scores, list(weights), exclude_self=True)


def test_tiny_scores_are_exact_too() -> None:
    """The brevity penalty of one token against hundreds results in scores near the smallest float."""
    pool = ["a", "b"]
    evidence = [["a " * length for length in (700, 705, 710, 720, 744, 746)]]
    metric = METRICS[0]
    scores = pairwise(pool, evidence[0], metric=metric).tolist()
    assert 0 < scores[0][3] < 1e-307
    for weights in ([1.0] * 6, [0.1, 0.3, 0.7, 1.1, 2.3, 0.9]):
        found = expected([pool], evidence, [weights], weights_as="counts", metric=metric)
        assert found[0].tolist() == exact_means(scores, weights)


def test_a_score_that_is_infinite() -> None:
    metric = BLEU(effective_order=True, tokenize="none", smooth_method="floor", smooth_value=1e308)
    pool = ["a b c d", "a b x d"]
    assert expected([pool], metric=metric)[0].tolist() == [math.inf, math.inf]
    weighted = expected([pool], [["a b c d", "a b x d"]], [[1, 0]], weights_as="counts", metric=metric)
    assert weighted[0].tolist() == [pytest.approx(100), math.inf]
