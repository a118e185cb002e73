"""The share of a batch that says the same, beside R-Zero's loop over NLTK and scikit-learn's clusters."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from benchmarks import data
from benchmarks.measures import Table, least, seconds
from fastbleu.rewards.repetition_clusters import bleu_distances, repetition_share

bleu_score = pytest.importorskip(
    "nltk.translate.bleu_score", reason="NLTK is not installed", exc_type=ImportError
)
cluster = pytest.importorskip("sklearn.cluster", reason="scikit-learn is not installed", exc_type=ImportError)

TEXTS = 512
#: Pairs whose scores are timed; the time of the loop is that of a pair times the number of all pairs.
SAMPLE = 2000


def test_repetition_share(table: Table) -> None:
    """R-Zero's algorithm, its loop sampled: 130,816 calls of NLTK take up to a minute, too long for one turn."""
    texts = data.system("de-en")[:TEXTS]
    repetition_share(texts)  # SciPy is imported by the first call
    smoothing = bleu_score.SmoothingFunction().method1
    pairs = random.Random(1).sample([(i, j) for i in range(TEXTS) for j in range(i + 1, TEXTS)], SAMPLE)
    distances = bleu_distances(texts)

    def loop() -> None:
        for i, j in pairs:
            reference, hypothesis = [texts[j].split()], texts[i].split()
            score = bleu_score.sentence_bleu(reference, hypothesis, smoothing_function=smoothing)
            assert 1 - score == distances[i, j]

    def clusters() -> list[float]:
        clustering = cluster.AgglomerativeClustering(
            n_clusters=None, distance_threshold=0.5, metric="precomputed", linkage="average"
        )
        labels = clustering.fit_predict(distances)
        sizes = Counter(labels)
        return [sizes[label] / TEXTS for label in labels]

    assert clusters() == repetition_share(texts)
    pair_seconds, cluster_seconds, ours = least(loop, clusters, lambda: repetition_share(texts), rounds=8)
    theirs = pair_seconds / SAMPLE * (TEXTS * (TEXTS - 1) // 2) + cluster_seconds
    table.add(
        f"repetition_share, {TEXTS} texts of de-en",
        f"R-Zero's loop, of which {SAMPLE} pairs were timed: {seconds(theirs)} to {seconds(ours)}",
        theirs / ours,
        1000,
        1000,
    )
