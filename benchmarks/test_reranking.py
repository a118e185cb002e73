"""Reranking, one thread, tokenization included: each workload beside the peer that it replaces.

Double loops over sacreBLEU take minutes, so some rows of the matrix are timed and the time is scaled to all of them;
its caches of tokenized lines are warm then, as they are over nearly all of the whole loop. mbrs is called as its users
call it: its BLEU starts a pool of two worker processes in every call.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import pytest

from benchmarks import data
from benchmarks.measures import Table, independent_loops, least
from fastbleu import BLEU, CHRF
from fastbleu.rerank import expected, mbr, oracle, pairwise, self_bleu
from tests.support import rerank_pools

peer = pytest.importorskip(
    "tests.support.sacrebleu_peer", reason="sacreBLEU is not installed", exc_type=ImportError
)

Call = Callable[[], object]
Compare = Callable[..., None]


@cache
def pools(size: int, number: int) -> list[list[str]]:
    """So many pools of en-de, from sources evenly spread over it."""
    sources = list(zip(*data.systems("en-de"), strict=True))
    chosen = [i * len(sources) // number for i in range(number)]
    return [rerank_pools.grow(sources[i], size, f"en-de {i}") for i in chosen]


def sacrebleu_rows(pools: Sequence[Sequence[str]], step: int) -> None:
    """Every `step`-th row of each pool's matrix by `sentence_score` in a double loop."""
    metric = peer.BLEU(effective_order=True)
    for pool in pools:
        for hypothesis in pool[::step]:
            for reference in pool:
                metric.sentence_score(hypothesis, [reference])


def mbrs_decoder(name: str) -> Any:
    """A decoder of mbrs by its class's name, with BLEU on two workers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what it imports warns of its own age
        decoders = pytest.importorskip("mbrs.decoders", reason="mbrs is not installed", exc_type=ImportError)
        metrics = pytest.importorskip("mbrs.metrics", reason="mbrs is not installed", exc_type=ImportError)
    decoder = getattr(decoders, name)
    return decoder(decoder.Config(), metrics.MetricBLEU(metrics.MetricBLEU.Config(num_workers=2)))


@pytest.fixture
def compare_sampled(benchmark: Any, table: Table) -> Callable[..., None]:
    """As `compare`, where the peer does only one part in `parts` of the work."""

    def run(
        workload: str, ours: Call, name: str, theirs: Call, parts: int, must: float, reach: float
    ) -> None:
        theirs()  # its caches
        calls = [theirs, *[ours] * 8]
        peer_time, *our_times = least(*calls, rounds=4)
        benchmark.pedantic(ours, rounds=3)
        whole, our_time = peer_time * parts, min(our_times)
        benchmark.extra_info.update(workload=workload, peer=name, seconds=our_time, ratio=whole / our_time)
        against = f"{name}: {whole:.3g} s to {our_time * 1e3:.3g} ms"
        table.add(workload, against, whole / our_time, must, reach)

    return run


def test_exact_mbr_against_mbrs(compare: Compare) -> None:
    decoder, chosen = mbrs_decoder("DecoderMBR"), pools(256, 4)
    compare(
        "mbr, exact, 4 pools of 256",
        lambda: mbr(chosen),
        "mbrs, exact, two workers",
        lambda: [decoder.decode(pool, pool) for pool in chosen],
        200,
        300,
        rounds=3,
    )


@pytest.mark.parametrize(
    ("size", "number", "step", "must", "reach"), [(256, 8, 16, 350, 550), (32, 64, 4, 120, 250)]
)
def test_exact_mbr(
    compare_sampled: Compare, size: int, number: int, step: int, must: float, reach: float
) -> None:
    chosen = pools(size, number)
    compare_sampled(
        f"mbr, exact, {number} pools of {size}",
        lambda: mbr(chosen),
        "sacreBLEU in a double loop",
        lambda: sacrebleu_rows(chosen, step),
        step,
        must,
        reach,
    )


def test_exact_mbr_against_aggregates(compare: Compare) -> None:
    decoder, chosen = mbrs_decoder("DecoderAggregateMBR"), pools(256, 8)
    compare(
        "mbr, exact, 8 pools of 256",
        lambda: mbr(chosen),
        "mbrs, aggregate",
        lambda: [decoder.decode(pool, pool) for pool in chosen],
        1,
        5,
        rounds=3,
    )


def test_exact_mbr_against_fastchrf(compare: Compare) -> None:
    fastchrf = pytest.importorskip("fastchrf", reason="fastchrf is not installed", exc_type=ImportError)
    chosen = pools(256, 8)
    compare(
        "the same",
        lambda: mbr(chosen),
        "fastchrf, aggregate chrF",
        lambda: fastchrf.aggregate_chrf(chosen, chosen),
        1,
        5,
        rounds=3,
    )


@pytest.mark.parametrize("size", [256, 1024, 4096])
def test_aggregate_chrf(compare: Compare, size: int) -> None:
    fastchrf = pytest.importorskip("fastchrf", reason="fastchrf is not installed", exc_type=ImportError)
    chosen = pools(size, 1)
    compare(
        f"mbr, aggregate chrF, a pool of {size:,}",
        lambda: mbr(chosen, method="aggregate", metric=CHRF()),
        "fastchrf, aggregate, all processors",
        lambda: fastchrf.aggregate_chrf(chosen, chosen),
        3,
        8,
        rounds=3,
    )


def test_diverse_sets(benchmark: Any, table: Table) -> None:
    """Sets of ten from a pool of 1,024: the scores of all pairs, which the utilities alone also need, take the time."""
    chosen = pools(1024, 1)
    best, diverse = least(lambda: mbr(chosen, k=10), lambda: mbr(chosen, k=10, diversity=1.0), rounds=5)
    benchmark.pedantic(lambda: mbr(chosen, k=10, diversity=1.0), rounds=1)
    against = f"the ten best: {best * 1e3:.3g} ms to {diverse * 1e3:.3g} ms"
    table.add("mbr, ten diverse of 1,024", against, diverse / best, 2.5, 2, show="{:.2f}x".format)


def test_the_largest_pools(benchmark: Any, table: Table) -> None:
    """A pair of a pool of 4,096 costs no more than one of a pool of 256."""
    large, small = pools(4096, 1), pools(256, 16)
    one, many = least(lambda: mbr(large), lambda: mbr(small), rounds=3)
    benchmark.pedantic(lambda: mbr(large), rounds=1)
    per_pair = [one / 4096**2, many / (16 * 256**2)]
    against = f"a pair in pools of 256: {per_pair[1] * 1e9:.3g} ns to {per_pair[0] * 1e9:.3g} ns"
    table.add(
        "mbr, exact, a pool of 4,096", against, per_pair[0] / per_pair[1], 1.2, 1, show="{:.2f}x".format
    )


def test_the_smallest_pools(compare_sampled: Compare) -> None:
    chosen = pools(2, 1000) * 10
    compare_sampled(
        "mbr, exact, 10,000 pools of 2",
        lambda: mbr(chosen),
        "sacreBLEU in a double loop",
        lambda: sacrebleu_rows(chosen[::20], 1),
        20,
        50,
        100,
    )


@pytest.mark.parametrize(("size", "number"), [(2, 40_000), (16, 8_000)])
def test_two_threads(benchmark: Any, table: Table, size: int, number: int) -> None:
    chosen = pools(size, 1000) * (number // 1000)
    single, double, loop_once, loop_twice = least(
        lambda: mbr(chosen), lambda: mbr(chosen, threads=2), *independent_loops(100), rounds=8
    )
    benchmark.pedantic(lambda: mbr(chosen, threads=2), rounds=1)
    table.add(
        f"mbr, exact, {number:,} pools of {size}, two threads",
        f"one thread; two independent loops {2 * loop_once / loop_twice:.2f}x",
        single / double,
        1.7,
        1.85,
        show="{:.2f}x".format,
    )


def test_pairwise(compare_sampled: Compare) -> None:
    lines = list(dict.fromkeys(itertools.chain.from_iterable(zip(*data.systems("en-de"), strict=True))))
    step = len(lines) // 4_000
    hypotheses, references = lines[0 : 2_000 * step : step], lines[2_000 * step : 4_000 * step : step]
    assert len({*hypotheses, *references}) == 4_000
    metric = peer.BLEU(effective_order=True)

    def sampled() -> None:
        for hypothesis in hypotheses[::200]:
            for reference in references:
                metric.sentence_score(hypothesis, [reference])

    compare_sampled(
        "pairwise, 2,000 x 2,000 distinct lines",
        lambda: pairwise(hypotheses, references),
        "sacreBLEU in a double loop",
        sampled,
        200,
        250,
        500,
    )


@pytest.mark.parametrize(("upper_triangle", "must", "reach"), [(False, 3_000, 6_000), (True, 3_000, 5_000)])
def test_pairwise_by_nltk(
    benchmark: Any, table: Table, upper_triangle: bool, must: float, reach: float
) -> None:
    """R-Zero's distance matrix, which its `caller_penalty.py` makes in a double loop over NLTK, splitting each time."""
    bleu_score = pytest.importorskip("nltk.translate.bleu_score", reason="NLTK is not installed")
    lines = data.references("en-de")[0][:512]
    method1, step = bleu_score.SmoothingFunction().method1, 32
    metric = BLEU(tokenize="none", effective_order=True)

    def rows() -> None:
        for i in range(step // 2, len(lines), step):
            for j in range(i if upper_triangle else 0, len(lines)):
                reference, hypothesis = [lines[j].split()], lines[i].split()
                bleu_score.sentence_bleu(reference, hypothesis, smoothing_function=method1)

    ours = partial(pairwise, lines, formula="nltk", metric=metric, upper_triangle=upper_triangle, threads=1)
    peer_time, *our_times = least(rows, *[ours] * 8, rounds=3)
    benchmark.pedantic(ours, rounds=3)
    whole, our_time = peer_time * step, min(our_times)
    name = "pairwise(formula='nltk') of 512 lines" + (", upper triangle" if upper_triangle else "")
    against = f"NLTK in a double loop: {whole:.3g} s to {our_time * 1e3:.3g} ms"
    table.add(name, against, whole / our_time, must, reach)


@pytest.mark.parametrize("tokenize", ["13a", "none"])
def test_self_bleu(compare: Compare, tokenize: str) -> None:
    fast_bleu = pytest.importorskip("fast_bleu", reason="fast-bleu is not installed", exc_type=ImportError)
    lines = data.references("en-de")[0][:1_000]
    metric = BLEU(tokenize=tokenize)
    compare(
        f"self_bleu(formula='nltk') of 1,000 lines, {tokenize}",
        lambda: self_bleu(lines, formula="nltk", metric=metric),
        "fast-bleu SelfBLEU, split at spaces",
        lambda: fast_bleu.SelfBLEU([line.split() for line in lines]).get_score(),
        20,
        60,
        rounds=3,
    )


def test_sentence_oracle(compare: Compare) -> None:
    sources = [list(candidates) for candidates in zip(*data.systems("en-de"), strict=True)]
    references = data.references("en-de")[0]
    metric = peer.BLEU(effective_order=True)

    def loop() -> list[int]:
        picked = []
        for candidates, reference in zip(sources, references, strict=True):
            scores = [metric.sentence_score(candidate, [reference]).score for candidate in candidates]
            picked.append(max(range(len(scores)), key=scores.__getitem__))
        return picked

    compare(
        f"oracle, {len(sources):,} x {len(sources[0])}, sentence level",
        lambda: oracle(sources, references),
        "sacreBLEU in a loop, cold",
        loop,
        80,
        150,
        before_theirs=peer.clear_caches,
        rounds=3,
    )


def test_corpus_oracle(benchmark: Any, table: Table) -> None:
    sources = [list(candidates) for candidates in zip(*data.systems("en-de"), strict=True)]
    references = data.references("en-de")[0]
    corpus, sentence = least(
        lambda: oracle(sources, references, level="corpus"), lambda: oracle(sources, references), rounds=15
    )
    found = benchmark.pedantic(lambda: oracle(sources, references, level="corpus", metric=BLEU()), rounds=3)
    table.add(
        f"oracle, {len(sources):,} x {len(sources[0])}, corpus level: {found.score.score:.2f}",
        f"its own sentence oracle: {sentence * 1e3:.3g} ms to {corpus * 1e3:.3g} ms",
        corpus / sentence,
        5,
        2,
        show="{:.2f}x".format,
    )


@pytest.mark.parametrize("size", [16, 64, 256])
def test_agreement_of_aggregate_and_exact(benchmark: Any, table: Table, size: int) -> None:
    """How often both methods choose the same text, and what expected utility (0..100) the aggregate loses."""
    chosen = pools(size, 200)
    utilities = expected(chosen)
    exact = [int(each.argmax()) for each in utilities]
    aggregate = benchmark.pedantic(lambda: mbr(chosen, method="aggregate"), rounds=1).indices.tolist()
    same = sum(pool[i] == pool[j] for pool, i, j in zip(chosen, exact, aggregate, strict=True))
    loss = sum(each[i] - each[j] for each, i, j in zip(utilities, exact, aggregate, strict=True))
    table.note(
        f"mbr, aggregate, 200 pools of {size}",
        "the choices of exact",
        f"{same / len(chosen):.0%} are the same, {loss / len(chosen):.2f} lost",
    )
