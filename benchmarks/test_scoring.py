"""Scoring in one process, one thread, each workload beside the peer that it replaces."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from benchmarks import data
from benchmarks.long_ids import once
from benchmarks.measures import Table, least, seconds
from fastbleu import BLEU, TokenIds

peer = pytest.importorskip(
    "tests.support.sacrebleu_peer", reason="sacreBLEU is not installed", exc_type=ImportError
)

Compare = Callable[..., None]


def test_one_system(compare: Compare) -> None:
    hypotheses, streams = data.system("en-de"), data.references("en-de")[:1]
    compare(
        "corpus_score, en-de, one system, 1 reference",
        lambda: BLEU().corpus_score(hypotheses, streams),
        "sacreBLEU, cold",
        lambda: peer.BLEU().corpus_score(hypotheses, streams),
        80,
        150,
        before_theirs=peer.clear_caches,
        rounds=8,
    )


def test_twenty_systems_in_one_list(compare: Compare) -> None:
    hypotheses, streams = data.all_systems("en-de", 1)
    compare(
        "corpus_score, en-de, 20 systems in one list, 1 reference",
        lambda: BLEU().corpus_score(hypotheses, streams),
        "sacreBLEU, cleared once",
        lambda: peer.BLEU().corpus_score(hypotheses, streams),
        60,
        100,
        before_theirs=peer.clear_caches,
        rounds=3,
    )


def test_twenty_systems_against_bleuscore(compare: Compare) -> None:
    bleuscore = pytest.importorskip("bleuscore", reason="bleuscore is not installed")
    hypotheses, streams = data.all_systems("en-de", 1)
    per_segment = [[reference] for reference in streams[0]]
    compare(
        "the same",
        lambda: BLEU().corpus_score(hypotheses, streams),
        f"bleuscore {bleuscore.__version__}, {os.cpu_count()} cores",
        lambda: bleuscore.compute(references=per_segment, predictions=hypotheses),
        8,
        15,
        rounds=6,
    )


def test_three_references(compare: Compare) -> None:
    hypotheses, streams = data.all_systems("en-de", 3)
    compare(
        "corpus_score, en-de, 20 systems in one list, 3 references",
        lambda: BLEU().corpus_score(hypotheses, streams),
        "sacreBLEU, cleared once",
        lambda: peer.BLEU().corpus_score(hypotheses, streams),
        70,
        120,
        before_theirs=peer.clear_caches,
        rounds=3,
    )


def test_prepared_references(compare: Compare) -> None:
    systems, streams = data.systems("en-de"), data.references("en-de")[:1]
    ours, theirs = BLEU(references=streams), peer.BLEU(references=streams)
    compare(
        "prepared references (1), 20 new systems",
        lambda: [ours.corpus_score(hypotheses, None) for hypotheses in systems],
        "sacreBLEU references=, cleared once",
        lambda: [theirs.corpus_score(hypotheses, None) for hypotheses in systems],
        60,
        120,
        before_theirs=peer.clear_caches,
        rounds=3,
    )


@pytest.mark.parametrize("references", [1, 4])
@pytest.mark.parametrize("kind", ["text", "ids"])
def test_prepared_beside_unprepared(benchmark: Any, table: Table, kind: str, references: int) -> None:
    """References that are prepared never take longer to score against than those that are not."""
    streams: list[Any] = data.systems("en-de")[:references]
    hypotheses: Any = data.references("en-de")[0]
    bleu = BLEU(effective_order=True)
    if kind == "ids":
        bleu = BLEU(tokenize="none", effective_order=True)
        hypotheses, *streams = [TokenIds(of_ids(lines)) for lines in (hypotheses, *streams)]
    prepared = bleu.prepare(streams)
    calls = [partial(bleu.sentence_scores, hypotheses, given) for given in (streams, prepared)]
    once(benchmark, calls[1])
    without, with_prepared = least(*calls, rounds=40)
    table.add(
        f"prepared references ({references}), {kind}",
        f"not prepared: {seconds(without)}",
        with_prepared / without,
        1.05,
        1,
        show="{:.2f}".format,
    )


def test_prepared_samples(benchmark: Any, table: Table) -> None:
    """Ids [64, 8, 120] against 64 prepared references."""
    ids = np.random.default_rng(1).integers(0, 30_000, (64, 120))
    samples = np.where(np.random.default_rng(2).random((64, 8, 120)) < 0.2, 7, ids[:, None])
    bleu = BLEU(tokenize="none", effective_order=True)
    calls = [partial(bleu.sentence_scores, samples, given) for given in (ids, bleu.prepare(ids))]
    once(benchmark, calls[1])
    without, with_prepared = least(*calls, rounds=100)
    table.add(
        "prepared references, ids [64, 8, 120]",
        f"not prepared: {seconds(without)}",
        with_prepared / without,
        1.05,
        1,
        show="{:.2f}".format,
    )


def of_ids(lines: list[str]) -> list[list[int]]:
    """Number the tokens of lines that white space separates, by a hash that all columns share."""
    return [[crc32(token.encode()) % 30_000 for token in line.split()] for line in lines]


@pytest.mark.parametrize(
    ("name", "pair", "must"),
    [("none", "en-de", 60), ("zh", "en-zh", 40), ("char", "en-ja", 40), ("intl", "en-ru", 40)],
)
def test_other_tokenizers(compare: Compare, name: str, pair: str, must: int) -> None:
    hypotheses, streams = data.system(pair), data.references(pair)[:1]
    compare(
        f"corpus_score(tokenize={name!r}), {pair}, one system",
        lambda: BLEU(tokenize=name).corpus_score(hypotheses, streams),
        "sacreBLEU, cold",
        lambda: peer.BLEU(tokenize=name).corpus_score(hypotheses, streams),
        must,
        100,
        before_theirs=peer.clear_caches,
    )


def test_without_case(compare: Compare) -> None:
    hypotheses, streams = data.system("en-de"), data.references("en-de")[:1]
    compare(
        "corpus_score(lowercase=True), en-de, one system",
        lambda: BLEU(lowercase=True).corpus_score(hypotheses, streams),
        "sacreBLEU, cold",
        lambda: peer.BLEU(lowercase=True).corpus_score(hypotheses, streams),
        60,
        120,
        before_theirs=peer.clear_caches,
    )


def test_sentence_score_in_a_loop(compare: Compare) -> None:
    hypotheses, references = data.system("en-de"), data.references("en-de")[0]
    ours, theirs = BLEU(effective_order=True), peer.BLEU(effective_order=True)
    compare(
        "sentence_score called in a loop, 1,002 segments",
        lambda: [ours.sentence_score(h, [r]) for h, r in zip(hypotheses, references, strict=True)],
        "sacreBLEU, cold",
        lambda: [theirs.sentence_score(h, [r]) for h, r in zip(hypotheses, references, strict=True)],
        25,
        50,
        before_theirs=peer.clear_caches,
    )


@pytest.mark.parametrize(("segments", "must", "reach"), [("text", 25.6, 34), ("tokens", 20.5, 27)])
def test_one_sentence_score(compare: Compare, segments: str, must: float, reach: float) -> None:
    """One call at a time beside sacreBLEU's for the same text, whose caches are warm."""
    pairs = list(zip(data.system("en-de"), data.references("en-de")[0], strict=True))
    ours, theirs = BLEU(effective_order=True), peer.BLEU(effective_order=True)
    given: list[tuple[Any, Any]] = list(pairs)
    if segments == "tokens":
        given = [(hypothesis.split(), reference.split()) for hypothesis, reference in pairs]
        ours = BLEU(tokenize="none", effective_order=True)
    compare(
        f"sentence_score of {segments}, one call at a time",
        lambda: [ours.sentence_score(h, [r]) for h, r in given],
        "sacreBLEU, warm, text",
        lambda: [theirs.sentence_score(h, [r]) for h, r in pairs],
        must,
        reach,
    )


def test_sentence_scores(compare: Compare) -> None:
    outputs = data.systems("en-de")
    hypotheses = [*outputs[1], *outputs[2]][:1024]
    references = (data.references("en-de")[0] * 2)[:1024]
    ours, theirs = BLEU(effective_order=True), peer.BLEU(effective_order=True)
    compare(
        "sentence_scores on 1,024 segments",
        lambda: ours.sentence_scores(hypotheses, [references]),
        "sacreBLEU in a loop, cold",
        lambda: [theirs.sentence_score(h, [r]) for h, r in zip(hypotheses, references, strict=True)],
        60,
        120,
        before_theirs=peer.clear_caches,
    )


def test_bootstrap(compare: Compare) -> None:
    hypotheses, streams = data.system("en-de"), data.references("en-de")[:1]
    compare(
        "corpus_score(n_bootstrap=1000), en-de, one system",
        lambda: BLEU().corpus_score(hypotheses, streams, n_bootstrap=1000),
        "sacreBLEU",
        lambda: peer.BLEU().corpus_score(hypotheses, streams, n_bootstrap=1000),
        15,
        40,
        rounds=3,
    )
