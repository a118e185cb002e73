"""Nearest texts and near duplicates equal those found by brute force in matrices of `pairwise`, for all options."""

import math
import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, CHRF, TokenIds
from fastbleu.options import COMBINATIONS, DIRECTIONS
from fastbleu.rerank import near_duplicates, nearest, pairwise
from tests.support import newstest
from tests.support.refusals import refusal

# `pairwise` warns under method 0.
pytestmark = pytest.mark.filterwarnings("ignore:\\nThe hypothesis contains 0 counts")

SMOOTHINGS: tuple[dict[str, Any], ...] = (
    {"smooth_method": "exp"},
    {"smooth_method": "none"},
    {"smooth_method": "floor"},
    {"smooth_method": "floor", "smooth_value": 3.0},
    {"smooth_method": "add-k", "smooth_value": 0.3},
    {"smooth_method": "add-k-all"},  # texts without a common token have a score
    {"smooth_method": "add-one-above-first"},
)
#: NLTK's methods without "method6", which raises an error if two texts share a token, but no trigram.
NLTK_SMOOTHINGS = ("method0", "method1", "method2", "method3", "method4", "method5", "method7")
#: The numbers of queries and texts in a block: the default, and some that result in many small blocks.
BLOCKS = ((1024, 2048), (7, 5), (1, 16), (64, 3))


def matrix(queries: Any, texts: Any, direction: str, **options: Any) -> Any:
    forward, backward = pairwise(queries, texts, **options), pairwise(texts, queries, **options).T
    total = forward + backward
    return {
        "query-as-hypothesis": forward,
        "query-as-reference": backward,
        "max": np.maximum(forward, backward),
        "mean": total / 2,
        "min": np.minimum(forward, backward),
        "harmonic-mean": np.divide(2 * forward * backward, total, out=np.zeros_like(total), where=total > 0),
    }[direction]


def check_nearest(scores: Any, found: Any, k: int, at_least: float) -> None:
    assert found.indices.shape == found.scores.shape == (len(scores), k)
    for row, indices, best in zip(scores.tolist(), found.indices.tolist(), found.scores, strict=True):
        order = sorted((-score, i) for i, score in enumerate(row) if score >= at_least)[:k]
        assert indices == [i for _, i in order] + [-1] * (k - len(order))
        assert best[: len(order)].tolist() == [-score for score, _ in order]
        assert np.isnan(best[len(order) :]).all()


def check_duplicates(scores: Any, found: Any, threshold: float) -> None:
    number = range(len(scores))
    expected = [(i, j, scores[i, j]) for i in number for j in number if i < j and scores[i, j] >= threshold]
    assert [*zip(*(each.tolist() for each in found), strict=True)] == expected


class Pool:
    """Random texts, some of which are nearly equal, random queries that resemble them, and random options."""

    def __init__(self, draw: random.Random) -> None:
        self.random = draw
        size = draw.choice([2, 3, 6, 20, 200])
        self.words = [f"w{i}" * draw.choice([1, 1, 1, 9]) for i in range(size)]
        self.longest = draw.choice([12, 30, 70, 140, 300])
        self.texts: list[str] = []
        for _ in range(draw.choice([1, 3, 10, 40, 70])):
            is_new = not self.texts or draw.random() < 0.4
            self.texts.append(self.text() if is_new else self.changed(draw.choice(self.texts)))
        self.queries = [
            self.changed(draw.choice(self.texts)) if draw.random() < 0.7 else self.text()
            for _ in range(draw.choice([1, 5]))
        ]
        self.best = 100
        if draw.random() < 0.2:
            self.options: dict[str, Any] = {"metric": CHRF(draw.choice([0, 6]), draw.choice([1, 2]))}
            return
        order = draw.choice([1, 2, 3, 4, 4, 4, 5, 8, 9])
        weights = [draw.choice([0, 0.5, 1, 2]) for _ in range(order)]
        metric = BLEU(
            **draw.choice(SMOOTHINGS),
            max_ngram_order=order,
            effective_order=draw.random() < 0.6,
            weights=weights if any(weights) and draw.random() < 0.3 else None,
            tokenize=draw.choice(["13a", "none"]),
        )
        metric.warnings.of_order.is_over = True
        self.options = {"metric": metric}
        if draw.random() < 0.4:
            self.best = 1
            self.options |= {"formula": "nltk", "smoothing": draw.choice(NLTK_SMOOTHINGS)}

    def text(self) -> str:
        length = self.random.choice([0, 1, 2, 3, 4, 5, 6, 8, 10, 15, self.longest])
        return " ".join(self.random.choices(self.words, k=length))

    def changed(self, text: str) -> str:
        words = text.split()
        for _ in range(self.random.randrange(3)):
            i = self.random.randrange(len(words) + 1)
            words[i : i + self.random.randrange(2)] = [self.random.choice([*self.words, "unknown"])]
            if self.random.random() < 0.3:
                words = words[i:] + words[:i]
        return " ".join(words)

    def least(self, scores: Any) -> float:
        """Return a random threshold, which is sometimes exactly the score of a pair."""
        of_pair = self.random.choice(scores.ravel().tolist())
        score: float = self.random.choice([0, of_pair, self.best * self.random.random(), self.best])
        return min(score, self.best)


@pytest.mark.filterwarnings("ignore:.* excludes almost nothing")  # as drawn
@pytest.mark.parametrize(
    "seeds",
    [
        *(range(seed, seed + 4) for seed in range(0, 60, 4)),
        pytest.param(range(60, 400), marks=pytest.mark.slow),
        pytest.param(range(400, 6000), marks=pytest.mark.nightly),
    ],
)
def test_results_are_those_of_scoring_all_pairs(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in seeds:
        draw = random.Random(seed)
        for name, number in zip(("_ROWS", "_COLUMNS"), draw.choice(BLOCKS), strict=True):
            monkeypatch.setattr(sys.modules["fastbleu.rerank.nearest"], name, number)
        pool, threads = Pool(draw), draw.choice([1, 1, 2, 5])
        k, direction, combine = draw.choice([1, 2, 5, 50]), draw.choice(DIRECTIONS), draw.choice(COMBINATIONS)
        scores = matrix(pool.queries, pool.texts, direction, **pool.options)
        least = pool.least(scores)
        options = {**pool.options, "threads": threads}
        found = nearest(pool.queries, pool.texts, k, at_least=least, direction=direction, **options)
        check_nearest(scores, found, k, least)
        scores = matrix(pool.texts, pool.texts, combine, **pool.options)
        least = pool.least(scores)
        check_duplicates(scores, near_duplicates(pool.texts, least, combine=combine, **options), least)


def test_a_share_in_place_of_a_score_is_a_warning() -> None:
    words = (
        r"^{}=0\.5 excludes almost nothing, because scores are 0\.\.100; if you mean 0\.5 on a scale of 0\.\.1, pass "
        r"{}=50\.$"
    )
    with pytest.warns(UserWarning, match=words.format("threshold", "threshold")):
        near_duplicates(["a b c d", "a b c e"], 0.5)
    with pytest.warns(UserWarning, match=words.format("at_least", "at_least")):
        nearest(["a b c d"], ["a b c e"], at_least=0.5)
    for least, formula in ((0, "sacrebleu"), (1.5, "sacrebleu"), (0.5, "nltk")):
        near_duplicates(["a b c d", "a b c e"], least, formula=formula)


@pytest.mark.usefixtures("newstest")
def test_real_text() -> None:
    first, *systems = newstest.systems("de-en").values()
    texts, queries = [line for system in systems[:4] for line in system[:250]], first[:100]
    check_nearest(
        matrix(queries, texts, "max"), nearest(queries, texts, 10, direction="max", threads=2), 10, 0
    )
    found = near_duplicates(texts, 40, combine="mean", threads=2)
    check_duplicates(matrix(texts, texts, "mean"), found, 40)


KINDS: dict[str, tuple[Any, Any]] = {
    "tokens": ([["a", "b", "c"], ["a", "b"], ["c", 3, None]], [["a", "b", "d"], [3.0, None]]),
    "ids": (
        TokenIds([[1, 2, 3, 9], [1, 2, 9, 9], [9, 9, 9, 9]], unk_id=9),
        TokenIds([[1, 2, 9], [9, 9, 9]], unk_id=9),
    ),
    "arrays": (np.array([[1, 2, 3], [4, 5, 6]]), np.array([[1, 2, 4]])),
    "empty texts": (["a b", "", "a"], ["", "a b", " "]),
    "surrogates": (["a \ud800 b", "\ud800 " * 40], ["\ud800 b"]),
    "no texts": ([], ["a b"]),
    "no queries": (["a"], []),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_each_kind_of_texts(kind: str, direction: Any) -> None:
    texts, queries = KINDS[kind]
    metric = BLEU(tokenize="none", effective_order=True)
    scores = matrix(queries, texts, direction, metric=metric)
    check_nearest(scores, nearest(queries, texts, 4, direction=direction, metric=metric), 4, 0)
    if direction in COMBINATIONS:
        scores = matrix(texts, texts, direction, metric=metric)
        check_duplicates(scores, near_duplicates(texts, 0, combine=direction, metric=metric), 0)


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "bare texts": (lambda: near_duplicates("a b", 70), "TypeError: texts must be a sequence of segments,"),
    "None among texts": (lambda: nearest(["a"], ["a", None]), "TypeError: texts[1] must be a str"),
    "tokens that are tokenized": (lambda: near_duplicates([["a"]], 70), "ValueError: texts[0] is list"),
    "no metric": (lambda: nearest([], [], metric="13a"), "TypeError: metric must be a fastbleu.BLEU or CHRF"),
    "threads": (lambda: nearest([], [], threads=0), "ValueError: threads must be at least 1"),
    "wrong query": (lambda: nearest(["a", 3], ["a"]), "TypeError: queries[1] must be a str"),
    "k": (lambda: nearest(["a"], ["a"], 0), "ValueError: k must be at least 1, got 0"),
    "NaN": (lambda: nearest(["a"], ["a"], at_least=math.nan), "ValueError: at_least must be a score of"),
    "NLTK's scale": (lambda: nearest(["a"], ["a"], at_least=50, formula="nltk"), "ValueError: at_least"),
    "direction": (
        lambda: nearest(["a"], ["a"], direction="up"),
        "ValueError: direction must be one of query-as-hypothesis, query-as-reference, max, mean, min, harmonic-mean,",
    ),
    "smoothing": (lambda: nearest(["a"], ["a"], smoothing="method1"), "ValueError: smoothing is for"),
    "method6": (
        lambda: nearest(["x", "a b"], ["y", "c", "b"], formula="nltk", smoothing="method6"),
        "ValueError: queries[1] and texts[2] have tokens in common, but no trigram",
    ),
    "method6 in pairs": (
        lambda: near_duplicates(["x y z", "a b c", "c"], 0.5, formula="nltk", smoothing="method6"),
        "ValueError: texts[1] and texts[2] have tokens in common, but no trigram",
    ),
    "threshold": (lambda: near_duplicates(["a"], 101), "ValueError: threshold must be a score of 0..100,"),
    "two lists": (
        lambda: near_duplicates(["a"], ["b"]),
        "TypeError: threshold must be a number, not list: ['b']; to compare two lists instead of one with itself",
    ),
    "a name": (lambda: near_duplicates(["a"], "70"), "TypeError: threshold must be a number"),
    "combine": (
        lambda: near_duplicates(["a"], 70, combine="query-as-hypothesis"),
        "ValueError: combine must be one of max",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_named(name: str) -> None:
    call, message = REFUSED[name]
    assert refusal(call).startswith(message), refusal(call)
