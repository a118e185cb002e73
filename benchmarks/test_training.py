"""The calls of a training loop: rewards for ids, small batches, prefixes, running statistics; one thread."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks import data
from benchmarks.measures import Table, least, seconds
from fastbleu import BLEU, TokenIds

Compare = Callable[..., None]

PAD, EOS = 0, 2

TRAINING = Path(__file__).parents[1] / "examples" / "train_reversal.py"


def numbered(lines: list[str], vocabulary: dict[str, int]) -> list[list[int]]:
    """Words at white space as ids, the same for both sides."""
    return [[vocabulary.setdefault(word, len(vocabulary) + 3) for word in line.split()] for line in lines]


def padded(rows: list[list[int]], width: int) -> np.ndarray[Any, Any]:
    """An int64 matrix as models make it: cut, ended, filled up on the right."""
    matrix = np.full((len(rows), width), PAD, dtype=np.int64)
    for i, row in enumerate(rows):
        tokens = [*row[: width - 1], EOS]
        matrix[i, : len(tokens)] = tokens
    return matrix


def samples(rows: int, width: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Matrices of one system's output and of one reference."""
    vocabulary: dict[str, int] = {}
    hypotheses = (data.system("en-de") * 2)[:rows]
    references = (data.references("en-de")[0] * 2)[:rows]
    return padded(numbered(hypotheses, vocabulary), width), padded(numbered(references, vocabulary), width)


def full(rows: int, width: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return matrices without padding: the running text of both sides, repeated if it is too short."""
    vocabulary: dict[str, int] = {}
    texts = data.system("en-de"), data.references("en-de")[0]
    ids = [[id_ for row in numbered(lines, vocabulary) for id_ in row] for lines in texts]
    return np.resize(ids[0], (rows, width)), np.resize(ids[1], (rows, width))


def rewards(bleu: BLEU, hypotheses: Any, references: Any) -> Any:
    """Score both matrices as they are, as a loop does."""
    return bleu.sentence_scores(
        TokenIds(hypotheses, pad_id=PAD, eos_id=EOS), TokenIds(references, pad_id=PAD, eos_id=EOS), scale=1
    )


def test_rewards_for_ids_against_nltk(compare: Compare) -> None:
    nltk = pytest.importorskip(
        "nltk.translate.bleu_score", reason="NLTK is not installed", exc_type=ImportError
    )
    hypotheses, references = samples(1024, 64)
    bleu = BLEU(tokenize="none", effective_order=True, smooth_method="floor")
    smoothing = nltk.SmoothingFunction().method1

    def cut(row: list[int]) -> list[int]:
        return row[: row.index(EOS)]

    def loop() -> list[float]:
        return [
            nltk.sentence_bleu([cut(reference)], cut(hypothesis), smoothing_function=smoothing)
            for hypothesis, reference in zip(hypotheses.tolist(), references.tolist(), strict=True)
        ]

    compare(
        "rewards for ids, [1024, 64] int64, references: 1",
        lambda: rewards(bleu, hypotheses, references),
        "nltk sentence_bleu on .tolist()",
        loop,
        150,
        300,
        rounds=3,
    )


def test_rewards_for_ids_against_strings(compare: Compare) -> None:
    hypotheses, references = samples(1024, 64)
    bleu = BLEU(tokenize="none", effective_order=True)
    texts = [
        [" ".join(map(str, row)) for row in TokenIds(side, pad_id=PAD, eos_id=EOS)]
        for side in (hypotheses, references)
    ]
    expected = bleu.sentence_scores(texts[0], [texts[1]], scale=1)
    assert rewards(bleu, hypotheses, references).tolist() == expected.tolist()
    compare(
        "the same",
        lambda: rewards(bleu, hypotheses, references),
        "sentence_scores on the ids as strings",
        lambda: bleu.sentence_scores(texts[0], [texts[1]], scale=1),
        2,
        4,
        rounds=200,
        ours_per_round=1,
    )


def test_prefix_scores(compare: Compare) -> None:
    hypotheses, references = full(256, 128)
    bleu = BLEU(tokenize="none", effective_order=True)
    texts = [" ".join(map(str, row[: t + 1])) for row in hypotheses.tolist() for t in range(128)]
    streams = [[" ".join(map(str, row)) for row in references.tolist() for _ in range(128)]]
    ours = bleu.prefix_scores(hypotheses, references)
    assert ours.ravel().tolist() == bleu.sentence_scores(texts, streams).tolist()
    compare(
        "prefix scores, [256, 128] ids",
        lambda: bleu.prefix_scores(hypotheses, references),
        "sentence_scores of every prefix as a string",
        lambda: bleu.sentence_scores(texts, streams),
        20,
        40,
        rounds=15,
        ours_per_round=1,
    )


def test_small_batch(compare: Compare) -> None:
    peer = pytest.importorskip(
        "tests.support.sacrebleu_peer", reason="sacreBLEU is not installed", exc_type=ImportError
    )
    hypotheses, references = data.system("en-de")[:64], data.references("en-de")[0][:64]
    ours, theirs = BLEU(effective_order=True), peer.BLEU(effective_order=True)
    compare(
        "sentence_scores on a batch of 64 strings",
        lambda: ours.sentence_scores(hypotheses, [references]),
        "sacreBLEU in a loop, cold",
        lambda: [theirs.sentence_score(h, [r]) for h, r in zip(hypotheses, references, strict=True)],
        50,
        100,
        before_theirs=peer.clear_caches,
        rounds=8,
        ours_per_round=40,
    )


def test_small_batch_of_ids(compare: Compare) -> None:
    hypotheses, references = full(64, 64)
    bleu = BLEU(tokenize="none", effective_order=True)
    texts, streams = (
        [" ".join(map(str, row)) for row in matrix.tolist()] for matrix in (hypotheses, references)
    )
    assert (
        bleu.sentence_scores(hypotheses, references).tolist()
        == bleu.sentence_scores(texts, [streams]).tolist()
    )
    compare(
        "sentence_scores on a batch of ids, [64, 64]",
        lambda: bleu.sentence_scores(hypotheses, references),
        "sentence_scores on the ids as strings",
        lambda: bleu.sentence_scores(texts, [streams]),
        1.5,
        3,
        rounds=15,
        ours_per_round=100,
    )


def test_rewards_beside_a_training_step(benchmark: Any, compare: Compare, table: Table) -> None:
    """Time what the example prints of its last step: rewards of its 64 sequences, and the step itself."""
    torch = pytest.importorskip("torch", reason="torch is not installed", exc_type=ImportError)
    pytest.importorskip("nltk", reason="NLTK is not installed", exc_type=ImportError)
    pytest.importorskip("matplotlib", reason="matplotlib is not installed", exc_type=ImportError)
    example = SimpleNamespace(**run_path(str(TRAINING)))
    torch.manual_seed(1)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        model = example.Reverser()
        step = partial(example.train_step, model, torch.optim.Adam(model.parameters(), lr=1e-3))
        (whole,) = least(step, rounds=200)
        _, predicted, target = step()
        compare(
            "rewards of 64 sequences in a training step",
            lambda: example.rewards_by_fastbleu(predicted, target),
            "nltk sentence_bleu on .tolist()",
            lambda: example.rewards_by_nltk(predicted, target),
            40,
            80,
            rounds=20,
            ours_per_round=40,
        )
    finally:
        torch.set_num_threads(threads)
    ours = benchmark.extra_info["seconds"]
    benchmark.extra_info["whole"] = whole
    table.note("the same", f"the step: {seconds(whole)}", f"{ours / (whole + ours):.2%} of both")


def test_accumulator_with_one_segment(compare: Compare) -> None:
    peer = pytest.importorskip(
        "tests.support.sacrebleu_peer", reason="sacreBLEU is not installed", exc_type=ImportError
    )
    hypotheses, references = data.system("en-de"), data.references("en-de")[0]
    theirs = peer.BLEU(effective_order=True)
    accumulator = BLEU().accumulator()

    def update_one_by_one() -> None:
        for hypothesis, reference in zip(hypotheses, references, strict=True):
            accumulator.update([hypothesis], [[reference]])

    compare(
        "accumulator.update in a loop, one segment each",
        update_one_by_one,
        "sacreBLEU sentence_score, cold",
        lambda: [theirs.sentence_score(h, [r]) for h, r in zip(hypotheses, references, strict=True)],
        15,
        40,
        before_theirs=peer.clear_caches,
    )


def test_the_cost_of_an_operator(table: Table) -> None:
    """The microseconds that a call of the operator takes beyond the same call of the metric.

    The operator alone is called: what a compiled step checks before it runs is the same without the operator.
    """
    torch = pytest.importorskip("torch", reason="torch is not installed", exc_type=ImportError)
    from fastbleu.torch import sentence_bleu

    bleu = BLEU(tokenize="none", effective_order=True)
    arrays = list(map(torch.from_numpy, samples(64, 64)))
    operator = partial(sentence_bleu, *arrays, pad_id=PAD, eos_id=EOS)
    operator()
    metric, whole = least(lambda: rewards(bleu, *arrays), operator, rounds=2000)
    table.add(
        "torch: the operator sentence_bleu, 64 x 64 ids",
        f"the metric: {seconds(metric)} to {seconds(whole)}",
        (whole - metric) * 1e6,
        15,
        10,
        show="{:.3g} us more".format,
    )
