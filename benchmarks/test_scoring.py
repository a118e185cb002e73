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


def beside_sacrebleu(
    compare: Compare,
    workload: str,
    score: Callable[[Any], object],
    must: float,
    reach: float,
    caches: str = "cold",
    **options: Any,
) -> None:
    """Compare calls of one function, which is given the class `BLEU` of each; sacreBLEU's caches are empty."""
    compare(
        workload,
        lambda: score(BLEU),
        f"sacreBLEU, {caches}",
        lambda: score(peer.BLEU),
        must,
        reach,
        before_theirs=peer.clear_caches,
        **options,
    )


def test_one_system(compare: Compare) -> None:
    corpus = data.system("en-de"), data.references("en-de")[:1]
    name = "corpus_score, en-de, one system, 1 reference"
    beside_sacrebleu(compare, name, lambda kind: kind().corpus_score(*corpus), 80, 150, rounds=8)


def compare_twenty_systems(compare: Compare, references: int, must: float, reach: float) -> None:
    corpus = data.all_systems("en-de", references)
    name = f"corpus_score, en-de, 20 systems in one list, {references} reference{'s' * (references > 1)}"
    once = "cleared once"
    beside_sacrebleu(compare, name, lambda kind: kind().corpus_score(*corpus), must, reach, once, rounds=3)


def test_twenty_systems_in_one_list(compare: Compare) -> None:
    compare_twenty_systems(compare, 1, 60, 100)


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
    compare_twenty_systems(compare, 3, 70, 120)


def test_prepared_references(compare: Compare) -> None:
    systems, streams = data.systems("en-de"), data.references("en-de")[:1]
    metrics = {kind: kind(references=streams) for kind in (BLEU, peer.BLEU)}
    beside_sacrebleu(
        compare,
        "prepared references (1), 20 new systems",
        lambda kind: [metrics[kind].corpus_score(hypotheses, None) for hypotheses in systems],
        60,
        120,
        "references=, cleared once",
        rounds=3,
    )


@pytest.mark.parametrize(
    "kind", ["text, 1 stream", "text, 4 streams", "ids, 1 stream", "ids, 4 streams", "samples"]
)
def test_prepared_beside_unprepared(benchmark: Any, table: Table, kind: str) -> None:
    """References that are prepared never take longer to score against than those that are not."""
    streams: Any = data.systems("en-de")[: 4 if "4" in kind else 1]
    hypotheses: Any = data.references("en-de")[0]
    bleu = BLEU(tokenize="13a" if "text" in kind else "none", effective_order=True)
    if kind == "samples":  # [64, 8, 120]
        streams = np.random.default_rng(1).integers(0, 30_000, (64, 120))
        is_other = np.random.default_rng(2).random((64, 8, 120)) < 0.2
        hypotheses = np.where(is_other, 7, streams[:, None])
    elif "ids" in kind:
        hypotheses, *streams = [TokenIds(of_ids(lines)) for lines in (hypotheses, *streams)]
    calls = [partial(bleu.sentence_scores, hypotheses, given) for given in (streams, bleu.prepare(streams))]
    once(benchmark, calls[1])
    without, prepared = least(*calls, rounds=60)
    against = f"not prepared: {seconds(without)}"
    table.add(f"prepared references, {kind}", against, prepared / without, 1.05, 1, show="{:.2f}".format)


def of_ids(lines: list[str]) -> list[list[int]]:
    """Number the tokens of lines that white space separates, by a hash that all columns share."""
    return [[crc32(token.encode()) % 30_000 for token in line.split()] for line in lines]


@pytest.mark.parametrize(
    ("name", "pair", "must"),
    [("none", "en-de", 60), ("zh", "en-zh", 40), ("char", "en-ja", 40), ("intl", "en-ru", 40)],
)
def test_other_tokenizers(compare: Compare, name: str, pair: str, must: int) -> None:
    corpus = data.system(pair), data.references(pair)[:1]
    workload = f"corpus_score(tokenize={name!r}), {pair}, one system"
    beside_sacrebleu(compare, workload, lambda kind: kind(tokenize=name).corpus_score(*corpus), must, 100)


def test_without_case(compare: Compare) -> None:
    corpus = data.system("en-de"), data.references("en-de")[:1]
    workload = "corpus_score(lowercase=True), en-de, one system"
    beside_sacrebleu(compare, workload, lambda kind: kind(lowercase=True).corpus_score(*corpus), 60, 120)


def test_sentence_score_in_a_loop(compare: Compare) -> None:
    pairs = list(zip(data.system("en-de"), data.references("en-de")[0], strict=True))
    metrics = {kind: kind(effective_order=True) for kind in (BLEU, peer.BLEU)}

    def loop(kind: Any) -> object:
        return [metrics[kind].sentence_score(h, [r]) for h, r in pairs]

    beside_sacrebleu(compare, "sentence_score called in a loop, 1,002 segments", loop, 25, 50)


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
