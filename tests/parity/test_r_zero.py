"""`repetition_share` beside what R-Zero runs: NLTK's scores of all pairs, and scikit-learn's clusters of them.

The loop is that of `_bleu_distance_matrix` and `cluster_share_per_problem` in
`examples/reward_function/caller_penalty.py` of Chengsong-Huang/R-Zero, commit 5699329d, restated. Distances and
shares are compared with `==`.
"""

import random
from typing import Any

import pytest

nltk_scores = pytest.importorskip("tests.support.nltk_scores", exc_type=ImportError)
cluster = pytest.importorskip("sklearn.cluster", reason="scikit-learn is not installed", exc_type=ImportError)

import numpy as np

from fastbleu.rewards.repetition_clusters import LINKAGES, bleu_distances, repetition_share

FORMS = [
    "What is {a} times {b} plus {c} ?",
    "What is {a} times {b} minus {c} ?",
    "Find the smallest prime larger than {a} + {b} .",
    "Let f(x) = {a} x^2 + {b} x + {c} . What is the sum of the roots of f ?",
    "A train goes {a} km in {b} hours . How far does it go in {c} hours ?",
    "",
]


def check(texts: list[str], thresholds: tuple[float, ...]) -> None:
    expected: Any = 1 - nltk_scores.of_pairs([text.split() for text in texts], "method1", (0.25,) * 4, True)
    np.fill_diagonal(expected, 0)
    assert np.array_equal(bleu_distances(texts), expected)
    for threshold in thresholds:
        for linkage in LINKAGES:
            clustering = cluster.AgglomerativeClustering(
                n_clusters=None, distance_threshold=threshold, metric="precomputed", linkage=linkage
            )
            labels = clustering.fit_predict(expected).tolist()
            shares = [labels.count(label) / len(texts) for label in labels]
            assert repetition_share(texts, threshold, linkage) == shares


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n", [2, 3, 4, 5, 48])
def test_questions(seed: int, n: int) -> None:
    draw = random.Random(seed)
    numbers = [{name: draw.randrange(2, 9) for name in "abc"} for _ in range(n)]
    check([draw.choice(FORMS).format(**each) for each in numbers], (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0, 1.5))


@pytest.mark.parametrize("seed", range(4))
def test_many_equal_distances(seed: int) -> None:
    draw = random.Random(seed)
    check([" ".join(draw.choices("ab", k=draw.randrange(6))) for _ in range(40)], (0.0, 0.2, 0.5, 0.8, 1.0))
