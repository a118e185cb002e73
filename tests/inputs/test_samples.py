"""Hypotheses [B, K, T]: every result is that of each sample by itself, on every way to count."""

from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, TokenIds
from fastbleu.system.threads import CHUNK_SEGMENTS

METRIC = BLEU(tokenize="none", effective_order=True)

#: Ids below which many are taken; beyond 2^18 tokens are looked up by hash.
FEW, MANY, HUGE = 6, 300, 1 << 40


def batch(
    shape: tuple[int, int, int], references: int, vocabulary: int, seed: int = 0
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Samples [B, K, T] that have something in common with their references [B, R, T]."""
    rng = np.random.default_rng(seed)
    targets = rng.integers(3, 3 + vocabulary, (shape[0], references, shape[2]))
    samples = np.repeat(targets[:, :1], shape[1], axis=1)
    noise = rng.integers(3, 3 + vocabulary, shape)
    samples = np.where(rng.random(shape) < 0.4, noise, samples)
    # Rows end early, and some are empty.
    samples[rng.random(shape) < 1.5 / shape[2]] = 2
    if shape[1] > 1:
        samples[0, 1, 0] = 2
    return samples, targets


def one_by_one(
    bleu: BLEU, samples: np.ndarray[Any, Any], references: np.ndarray[Any, Any], **rule: Any
) -> tuple[list[Any], list[Any], list[Any]]:
    """Scores, statistics and prefix scores of each sample, with nothing but two dimensions."""
    scores: list[Any] = []
    rows: list[Any] = []
    prefixes: list[Any] = []
    for k in range(samples.shape[1]):
        hypotheses = TokenIds(np.ascontiguousarray(samples[:, k]), **rule)
        wanted = TokenIds(references, **rule)
        scores.append(bleu.sentence_scores(hypotheses, wanted).tolist())
        rows.append(bleu.statistics(hypotheses, wanted).tolist())
        prefixes.append(bleu.prefix_scores(hypotheses, wanted).tolist())
    return (
        [list(found) for found in zip(*scores, strict=True)],
        [list(found) for found in zip(*rows, strict=True)],
        [list(found) for found in zip(*prefixes, strict=True)],
    )


@pytest.mark.parametrize("vocabulary", [FEW, MANY, HUGE])
@pytest.mark.parametrize("references", [1, 3])
@pytest.mark.parametrize("samples", [1, 2, 5])
@pytest.mark.parametrize("width", [1, 20, 64, 100, 200])
@pytest.mark.parametrize("order", [2, 4, 6])
def test_equal_to_each_sample_by_itself(
    vocabulary: int, references: int, samples: int, width: int, order: int
) -> None:
    bleu = BLEU(tokenize="none", effective_order=True, max_ngram_order=order)
    rule = {"pad_id": 0, "eos_id": 2}
    found, wanted = batch((3, samples, width), references, vocabulary)
    scores, rows, prefixes = one_by_one(bleu, found, wanted, **rule)
    ids, targets = TokenIds(found, **rule), TokenIds(wanted, **rule)
    for given in (targets, bleu.prepare(targets)):
        result = bleu.sentence_scores(ids, given)
        assert result.shape == (3, samples)
        assert result.tolist() == scores
        assert bleu.statistics(ids, given).tolist() == rows
        assert bleu.prefix_scores(ids, given).tolist() == prefixes


def test_the_rule_and_lengths() -> None:
    found, wanted = batch((4, 3, 30), 1, MANY, seed=1)
    found[:, :, 7] = 9
    lengths = np.random.default_rng(2).integers(0, 31, (4, 3))
    rule: dict[str, Any] = {"pad_id": 0, "eos_id": 2, "unk_id": 9, "ignore_id": 11}
    ids = TokenIds(found, lengths=lengths, **rule)
    targets = TokenIds(wanted[:, 0], **rule)
    result, rows = METRIC.sentence_scores(ids, targets), METRIC.statistics(ids, targets)
    for k in range(3):
        single = TokenIds(found[:, k].copy(), lengths=lengths[:, k], **rule)
        assert result[:, k].tolist() == METRIC.sentence_scores(single, targets).tolist()
        assert rows[:, k].tolist() == METRIC.statistics(single, targets).tolist()


@pytest.mark.parametrize("threads", [1, 3])
def test_many_segments_in_chunks(threads: int) -> None:
    bleu = BLEU(tokenize="none", effective_order=True, threads=threads)
    found, wanted = batch((CHUNK_SEGMENTS // 3, 7, 70), 1, MANY, seed=3)
    ids, targets = TokenIds(found, eos_id=2), TokenIds(wanted[:, 0], eos_id=2)
    flat = TokenIds(found.reshape(-1, 70), eos_id=2)
    repeated = TokenIds(np.repeat(wanted[:, 0], 7, axis=0), eos_id=2)
    for given in (targets, bleu.prepare(targets)):
        assert (
            bleu.sentence_scores(ids, given).ravel().tolist() == bleu.sentence_scores(flat, repeated).tolist()
        )
        prefixes = bleu.prefix_scores(ids, given)
        assert prefixes.reshape(-1, 70).tolist() == bleu.prefix_scores(flat, repeated).tolist()


def test_every_form_of_references() -> None:
    found, wanted = batch((3, 4, 12), 2, FEW)
    expected = METRIC.sentence_scores(found, wanted).tolist()
    lists = [[wanted[i, r].tolist() for i in range(3)] for r in range(2)]
    for given in (
        [wanted[:, 0], wanted[:, 1]],
        [list(wanted[:, 0]), list(wanted[:, 1])],
        lists,
        METRIC.prepare(lists),
        METRIC.prepare(wanted),
        METRIC.prepare(wanted)[[0, 1, 2]],
        METRIC.prepare(wanted[[2, 0, 1]])[[1, 2, 0]],
    ):
        assert METRIC.sentence_scores(found, given).tolist() == expected
    own = BLEU(tokenize="none", effective_order=True, references=list(wanted.transpose(1, 0, 2)))
    assert own.sentence_scores(found, None).tolist() == expected
    absent = [[wanted[0, 0].tolist(), None, None], [None, wanted[1, 1].tolist(), wanted[2, 1].tolist()]]
    rows = METRIC.statistics(found, absent)
    single = [METRIC.statistics(found[:, k], absent).tolist() for k in range(4)]
    assert rows.transpose(1, 0, 2).tolist() == single


def test_nothing_there() -> None:
    for shape in ((2, 0, 5), (0, 3, 5), (2, 3, 0), (0, 0, 0)):
        found = np.zeros(shape, dtype=np.int64)
        wanted = np.ones((shape[0], 4), dtype=np.int64)
        assert METRIC.sentence_scores(found, wanted).tolist() == np.zeros(shape[:2]).tolist()
        assert METRIC.statistics(found, wanted).shape == (*shape[:2], 10)
        assert METRIC.prefix_scores(found, wanted).shape == shape


def test_errors_name_the_sample() -> None:
    found, wanted = np.full((3, 4, 5), 7), np.full((3, 5), 7)
    found[1, 2, 3] = -5
    for call in (METRIC.sentence_scores, METRIC.statistics, METRIC.prefix_scores):
        with pytest.raises(ValueError, match=r"^hypotheses\[1\]\[2\]\[3\] is -5, and a token id must not"):
            call(found, wanted)
    with pytest.raises(ValueError, match=r"^references hold nothing but None for segment 2: "):
        METRIC.sentence_scores(np.full((3, 4, 5), 7), [[[7], [7], None]])
    with pytest.raises(ValueError, match=r"^references\[1\]\[4\] is -2, "):
        METRIC.sentence_scores(np.full((2, 4, 5), 7), np.array([[7, 7, 7, 7, 7], [7, 7, 7, 7, -2]]))
    with pytest.raises(
        ValueError, match=r"^references were prepared for 12 segments, but hypotheses holds 3$"
    ):
        METRIC.sentence_scores(np.full((3, 4, 5), 7), METRIC.prepare(np.full((12, 5), 7)))
    with pytest.raises(ValueError, match=r"^references has 12 segments, but hypotheses has 4 samples for"):
        METRIC.sentence_scores(np.full((3, 4, 5), 7), np.full((12, 5), 7))
    with pytest.raises(ValueError, match="need tokenize='none'"):
        BLEU().sentence_scores(np.full((3, 4, 5), 7), [["a", "b", "c"]])


def test_a_corpus_has_one_hypothesis_of_each_segment() -> None:
    bleu = BLEU(tokenize="none")
    found, wanted = np.full((3, 4, 5), 7), np.full((3, 5), 7)
    for call in (bleu.corpus_score, bleu.accumulator().update, bleu.accumulator(keep_rows=True).update):
        with pytest.raises(
            ValueError,
            match=r"^hypotheses must have the shape \[segments, tokens\], not \[3, 4, 5\]; for several samples per "
            r"segment, call sentence_scores, prefix_scores or statistics$",
        ):
            call(found, wanted)
    accumulator = bleu.accumulator(keep_rows=True)
    accumulator.add_statistics(bleu.statistics(found, wanted).reshape(-1, 10))
    assert len(accumulator) == 12
    assert accumulator.compute().score == bleu.corpus_score(found.reshape(12, 5), found.reshape(12, 5)).score
