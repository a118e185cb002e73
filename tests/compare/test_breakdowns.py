"""Scores by groups: each is the score of its segments alone."""

import random

import numpy as np
import pytest

from fastbleu import BLEU
from fastbleu.compare.breakdowns import by_frequency, by_label, by_length
from fastbleu.compare.ngrams import NgramMatches
from fastbleu.compare.outputs import read_outputs
from tests.support import compare_oracle as oracle


def test_lengths() -> None:
    bleu = BLEU(tokenize="none")
    lengths = [0, 9, 10, 19, 20, 35, 60, 100, 9]
    references = [" ".join(["w"] * length) for length in lengths]
    outputs = [["w w w w w"] * 9, references]
    rows = np.stack([bleu.statistics(output, [references]) for output in outputs])
    found = by_length(rows, np.array(lengths), bleu.formula.score_rows)
    assert found.groups == ("0 to 9", "10 to 19", "20 to 29", "30 to 39", "60 and more")
    assert found.sizes == (3, 2, 1, 1, 2)
    assert (found.kind, found.value, found.counted) == ("length", "BLEU", "segments")
    groups = [[0, 1, 8], [2, 3], [4], [5], [6, 7]]
    for s, output in enumerate(outputs):
        for k, group in enumerate(groups):
            score = bleu.corpus_score([output[i] for i in group], [[references[i] for i in group]])
            assert found.values[s, k] == score.score


@pytest.mark.parametrize("seed", range(20))
def test_labels(seed: int) -> None:
    generator = random.Random(seed)
    bleu = BLEU(tokenize="none")
    outputs, streams = oracle.corpus(generator, 3, 30, 2)
    labels = [generator.choice("xyz") for _ in range(30)]
    rows = np.stack([bleu.statistics(output, streams) for output in outputs])
    found = by_label("domain", labels, rows, bleu.formula.score_rows)
    assert found.groups == tuple(dict.fromkeys(labels))
    assert found.sizes == tuple(labels.count(group) for group in found.groups)
    for k, group in enumerate(found.groups):
        chosen = [i for i, label in enumerate(labels) if label == group]
        for s, output in enumerate(outputs):
            parts = [[stream[i] for i in chosen] for stream in streams]
            assert found.values[s, k] == bleu.corpus_score([output[i] for i in chosen], parts).score


@pytest.mark.parametrize("seed", range(20))
def test_frequencies(seed: int) -> None:
    generator = random.Random(seed)
    bleu = BLEU(tokenize="none")
    outputs, streams = oracle.corpus(generator, 2, 12, 2, 12)
    training = {chr(ord("a") + k): generator.choice((0, 1, 2, 3, 4, 7, 50, 500, 9999)) for k in range(11)}
    read = read_outputs(dict(zip("ab", outputs, strict=True)), streams, bleu)
    found = by_frequency(read, NgramMatches(read), training)
    names = ("0", "1", "2", "3", "4", "5 to 9", "10 to 99", "100 to 999", "1000 and more")

    def group(word: object) -> str:
        frequency = training.get(str(word), 0)
        starts = (0, 1, 2, 3, 4, 5, 10, 100, 1000)
        return names[max(k for k, start in enumerate(starts) if start <= frequency)]

    references = [[one.split() for one in each if one is not None] for each in zip(*streams, strict=True)]
    wanted = oracle.reference_counts(references, 1)
    expected: dict[str, list[float]] = {}
    sizes: dict[str, int] = {}
    for name in names:
        total = sum(count for (word,), count in wanted.items() if group(word) == name)
        values = []
        for output in outputs:
            words = [line.split() for line in output]
            written = sum(group(word) == name for line in words for word in line)
            matched = oracle.matches(words, references, 1)
            correct = sum(count for (word,), count in matched.items() if group(word) == name)
            values.append(200 * correct / (written + total) if written + total else float("nan"))
        if total or not all(map(np.isnan, values)):
            expected[name], sizes[name] = values, total
    assert found.groups == tuple(expected)
    assert found.sizes == tuple(sizes.values())
    np.testing.assert_array_equal(found.values.T, list(expected.values()))
