"""Search beside scoring all pairs, one thread: the English lines of newstest2021, and noised copies of them.

`pairwise` scores some rows of the matrix, and the time is scaled to all of them. Times are those of the processor.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pytest

from benchmarks.measures import Table, clock, least
from fastbleu import BLEU
from fastbleu.rerank import pairwise, set_bleu
from fastbleu.search import Index, deduplicate, near_duplicates
from tests.support import newstest

if newstest.folder() is None:
    pytest.skip("needs real text", allow_module_level=True)

SEED = 1
QUERIES = 1000


@cache
def english() -> tuple[str, ...]:
    """All 67,752 lines, in a random order."""
    found = [
        line
        for pair in ("de-en", "zh-en")
        for streams in (newstest.references(pair), newstest.systems(pair))
        for lines in streams.values()
        for line in lines
    ]
    random.Random(SEED).shuffle(found)
    return tuple(found)


@cache
def lines(number: int) -> list[str]:
    """The first lines; beyond them copies of lines with one to five words that were replaced, left out or added."""
    found = list(english()[:number])
    draw = random.Random(SEED)
    words = " ".join(found[:2000]).split()
    while len(found) < number:
        copy = draw.choice(english()).split()
        for _ in range(draw.randrange(1, 6)):
            i = draw.randrange(len(copy) + 1)
            copy[i : i + draw.randrange(2)] = draw.choices(words, k=draw.randrange(2))
        found.append(" ".join(copy))
    return found


def seconds(call: Callable[[], object], rounds: int = 1) -> float:
    (found,) = least(call, rounds=rounds, timer=time.process_time)
    return found


@cache
def pair_seconds(number: int) -> float:
    """Seconds of a query with all texts by `pairwise`, whose index of the texts serves many queries."""
    texts = lines(number)
    few, many = (clock(partial(pairwise, texts[:k], texts), time.process_time) for k in (64, 1024))
    return (many - few) / 960


def test_near_duplicates(table: Table) -> None:
    texts = lines(60_000)
    ours = seconds(lambda: len(near_duplicates(texts)), 2)
    brute = len(texts) * pair_seconds(len(texts))  # both directions of the upper triangle
    table.add("near_duplicates, 60,000 lines, threshold 70", "pairwise", brute / ours, 10, 100)


@pytest.mark.parametrize(("at_least", "must", "reach"), [(0, 3, 20), (50, 10, 50)])
def test_nearest(table: Table, at_least: float, must: float, reach: float) -> None:
    texts = lines(60_000)
    index = Index(texts)
    ours = seconds(lambda: index.nearest(texts[:QUERIES], at_least=at_least), 3) / QUERIES
    name = f"nearest, k = 5, at_least {at_least}, 60,000 lines, each query"
    table.add(name, "pairwise", pair_seconds(len(texts)) / ours, must, reach)


def test_unseen_queries(table: Table) -> None:
    # Translations of other texts: nothing in the index is like them.
    texts = [line for each in newstest.systems("zh-en").values() for line in each]
    queries = next(iter(newstest.systems("de-en").values()))
    few, many = (clock(partial(pairwise, queries[:k], texts), time.process_time) for k in (64, 512))
    ours = seconds(partial(Index(texts).nearest, queries), 3) / len(queries)
    name = f"nearest, k = 5, {len(texts):,} lines, queries unlike all of them"
    table.add(name, "pairwise", (many - few) / 448 / ours, 3, 20)


@pytest.mark.parametrize("words", [1, 8, 20])
def test_few_words(table: Table, words: int) -> None:
    # No token is rare, so nothing rules out a pair. Texts of one word are all equal.
    draw = random.Random(SEED)
    texts = [" ".join(draw.choices([f"w{i}" for i in range(words)], k=150)) for _ in range(2000)]
    index = Index(texts)

    def brute_pairs() -> object:
        scores = pairwise(texts)
        np.maximum(scores, scores.T, out=scores)
        return scores[np.nonzero(np.triu(scores >= 70, 1))]

    def brute_nearest() -> object:
        scores = pairwise(texts)
        order = np.argsort(-scores, axis=1, kind="stable")[:, :5]
        return np.take_along_axis(scores, order, 1)

    for name, brute, ours in (
        ("near_duplicates", brute_pairs, lambda: len(near_duplicates(texts))),
        ("nearest, k = 5", brute_nearest, lambda: index.nearest(texts)),
    ):
        theirs, taken = least(brute, ours, rounds=3, timer=time.process_time)
        workload = f"{name}, 2,000 texts of 150 tokens, {words} distinct"
        table.add(workload, "pairwise", theirs / taken, 0.25 if words == 1 else 0.5, 1)


def test_a_doubling(table: Table) -> None:
    queries = lines(64_000)[:QUERIES]
    for number in (4_000, 8_000, 16_000, 32_000, 64_000):
        index = Index(lines(64_000)[:number])
        for at_least in (0, 70):
            ours = seconds(partial(index.nearest, queries, at_least=at_least), 3)
            name = f"nearest, k = 5, at_least {at_least}, {number:,} lines, each query"
            table.note(name, "", f"{ours / len(queries) * 1e6:.3g} us")


def test_building(table: Table) -> None:
    texts = lines(1_000_000)
    reading = seconds(lambda: BLEU().statistics(texts, [texts])) / 2
    building = seconds(lambda: Index(texts))
    table.add("an index of 1,000,000 lines", "reading them", building / reading, 3, 1.5)


@pytest.mark.slow
def test_half_a_million_lines(table: Table) -> None:
    taken = clock(lambda: sum(1 for _ in near_duplicates(lines(500_000), threads=2)))
    table.add("near_duplicates, 500,000 lines, two threads", "", taken, 3600, 300, show="{:.3g} s".format)


def test_deduplicate(table: Table) -> None:
    rouge = pytest.importorskip("rouge_score.rouge_scorer", reason="rouge_score is not installed")
    scorer = rouge.RougeScorer(["rougeL"], use_stemmer=False)
    texts = lines(50_000)
    ours = seconds(lambda: deduplicate(texts, 70))
    # self-instruct compares each instruction with all that are kept, which are half of them in the mean.
    kept = len(deduplicate(texts, 70))
    tokens = [scorer._tokenizer.tokenize(text) for text in texts[:200]]
    score = rouge.rouge_scorer._score_lcs if hasattr(rouge, "rouge_scorer") else rouge._score_lcs
    loop = seconds(lambda: [score(a, b) for a in tokens[:20] for b in tokens]) / 4000
    table.add("deduplicate, 50,000 lines", "rouge_score", loop * len(texts) * kept / 2 / ours, 1000, 10_000)


def test_one_set_of_references(table: Table) -> None:
    texts = lines(2_000)
    taken = seconds(lambda: set_bleu(texts[:1000], texts[1000:], "nltk"), 5)
    table.add("set_bleu, 1,000 texts with 1,000 references", "", taken * 1e3, 20, 10, show="{:.3g} ms".format)
