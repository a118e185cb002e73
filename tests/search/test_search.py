"""Search beside brute force: `pairwise` over random pools, all options, `==`."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, TokenIds
from fastbleu.options import COMBINATIONS, DIRECTIONS
from fastbleu.rerank import pairwise
from fastbleu.search import Index, deduplicate, near_duplicates
from fastbleu.search.index import Searchers
from fastbleu.search.parts import part_of
from fastbleu.search.texts import Tokens
from tests.support import newstest

# `pairwise` warns under method 0 of any pair; search does not score all of them.
pytestmark = pytest.mark.filterwarnings("ignore:\\nThe hypothesis contains 0 counts")

SMOOTHINGS: tuple[dict[str, Any], ...] = (
    {"smooth_method": "exp"},
    {"smooth_method": "none"},
    {"smooth_method": "floor"},
    {"smooth_method": "floor", "smooth_value": 3.0},  # no match counts more than one
    {"smooth_method": "add-k"},
    {"smooth_method": "add-k", "smooth_value": 0.3},
    {"smooth_method": "add-k-all"},  # texts without a common token have a score
    {"smooth_method": "add-one"},
    {"smooth_method": "add-one-above-first"},
)
#: "method6" is refused where texts share a token, but no trigram.
NLTK_SMOOTHINGS = ("method0", "method1", "method2", "method3", "method4", "method5", "method7")


def matrix(queries: Any, texts: Any, direction: str, **options: Any) -> Any:
    """The scores of all pairs."""
    found = []
    if direction != "query-as-reference":
        found.append(pairwise(queries, texts, **options))
    if direction != "query-as-hypothesis":
        found.append(pairwise(texts, queries, **options).T)
    if direction == "mean":
        return (found[0] + found[1]) / 2
    if direction == "harmonic-mean":
        total = found[0] + found[1]
        return np.divide(2 * found[0] * found[1], total, out=np.zeros_like(total), where=total > 0)
    return np.minimum(*found) if direction == "min" else np.maximum(found[0], found[-1])


class Pool:
    """Texts, some nearly equal, queries like them, and options."""

    def __init__(self, draw: Any) -> None:
        self.random = draw
        size = draw.choice([2, 3, 6, 20, 200])
        self.words = [f"w{i}" * draw.choice([1, 1, 1, 9]) for i in range(size)]
        self.longest = draw.choice([12, 30, 70, 140, 300])
        self.texts: list[str] = []
        for _ in range(draw.choice([1, 3, 10, 40])):
            is_new = not self.texts or draw.random() < 0.4
            self.texts.append(self.text() if is_new else self.changed(draw.choice(self.texts)))
        self.queries = [
            self.changed(draw.choice(self.texts)) if draw.random() < 0.7 else self.text()
            for _ in range(draw.choice([1, 5]))
        ]
        order = draw.choice([1, 2, 3, 4, 4, 4, 5, 8, 9])
        weights = [draw.choice([0, 0.5, 1, 2]) for _ in range(order)]
        self.metric = BLEU(
            **draw.choice(SMOOTHINGS),
            max_ngram_order=order,
            effective_order=draw.random() < 0.6,
            weights=weights if any(weights) and draw.random() < 0.3 else None,
            tokenize=draw.choice(["13a", "none"]),
        )
        self.metric.warnings.of_order.is_over = True
        self.formula: dict[str, Any] = {}
        if draw.random() < 0.4:
            self.formula = {"formula": "nltk", "smoothing": draw.choice(NLTK_SMOOTHINGS)}
        self.best = 1 if self.formula else 100
        self.threads = draw.choice([1, 1, 2])

    def text(self) -> str:
        length = self.random.choice([0, 1, 2, 3, 4, 5, 6, 8, 10, 15, self.longest])
        # A fuzzer has too few bytes for long texts.
        draw = self.random if length <= 15 else random.Random(self.random.getrandbits(32))
        return " ".join(draw.choice(self.words) for _ in range(length))

    def least(self, scores: Any) -> float:
        """A score to reach, which a pair may reach exactly."""
        of_pair = self.random.choice(scores.ravel().tolist())
        score: float = self.random.choice([0, of_pair, self.best * self.random.random(), self.best])
        return min(score, self.best)

    def changed(self, text: str) -> str:
        words = text.split()
        for _ in range(self.random.randrange(3)):
            i = self.random.randrange(len(words) + 1)
            words[i : i + self.random.randrange(2)] = [self.random.choice([*self.words, "unknown"])]
            if self.random.random() < 0.3:
                words = words[i:] + words[:i]
        return " ".join(words)


def check_nearest(pool: Pool) -> None:
    k, direction = pool.random.choice([1, 2, 5, 50]), pool.random.choice(DIRECTIONS)
    cut = pool.random.randrange(len(pool.texts) + 1)
    index = Index(pool.texts[:cut], pool.metric, threads=pool.threads)
    index.add(pool.texts[cut:])
    scores = matrix(pool.queries, pool.texts, direction, metric=pool.metric, **pool.formula)
    least = pool.least(scores)
    found = index.nearest(pool.queries, k, least, direction, **pool.formula)
    for row, indices, best in zip(scores.tolist(), found.indices.tolist(), found.scores, strict=True):
        order = sorted((-score, i) for i, score in enumerate(row) if score >= least)[:k]
        assert indices == [i for _, i in order] + [-1] * (k - len(order))
        assert best[: len(order)].tolist() == [-score for score, _ in order]
        assert np.isnan(best[len(order) :]).all()


def check_duplicates(pool: Pool) -> None:
    combine = pool.random.choice(COMBINATIONS)
    options = {"metric": pool.metric, **pool.formula}
    scores = matrix(pool.texts, pool.texts, combine, **options)
    least = pool.least(scores)
    pairs = near_duplicates(pool.texts, least, combine=combine, threads=pool.threads, **options)
    number = range(len(pool.texts))
    expected = [(i, j, scores[i, j]) for i in number for j in number if i < j and scores[i, j] >= least]
    assert [*zip(pairs.first.tolist(), pairs.second.tolist(), pairs.scores.tolist(), strict=True)] == expected
    assert sorted(pairs) == expected
    assert len(pairs) == len(expected)
    kept: list[int] = []
    for i in number:
        if all(scores[j, i] < least for j in kept):
            kept.append(i)
    assert deduplicate(pool.texts, least, combine=combine, **options).tolist() == kept


def check_search(draw: Any) -> None:
    pool = Pool(draw)
    check_nearest(pool)
    check_duplicates(pool)


@pytest.mark.parametrize(
    "seeds",
    [
        *(range(seed, seed + 1) for seed in range(40)),
        pytest.param(range(40, 1000), marks=pytest.mark.slow),
        pytest.param(range(1000, 11000), marks=pytest.mark.nightly),
    ],
)
def test_results_are_those_of_scoring_all_pairs(seeds: range) -> None:
    for seed in seeds:
        check_search(random.Random(seed))


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_few_words_are_matched_with_all_texts_together(direction: Any) -> None:
    draw = random.Random(3)
    texts = [" ".join(draw.choices("abcdefgh", k=draw.choice([140, 150]))) for _ in range(90)]
    texts[40:50] = [*texts[:5], "", "a", "b", "a b", "z"]
    queries = [*texts[60:], *(f"unknown {text}" for text in texts[:30])]
    index = Index(texts[:30])
    index.add(texts[30:])
    for at_least, k in ((0.0, 7), (60.0, 100)):
        found = index.nearest(queries, k, at_least, direction)
        for row, indices, best in zip(matrix(queries, texts, direction), *found, strict=True):
            order = sorted((-score, i) for i, score in enumerate(row.tolist()) if score >= at_least)[:k]
            assert indices[: len(order)].tolist() == [i for _, i in order]
            assert best[: len(order)].tolist() == [-score for score, _ in order]
            assert (indices[len(order) :] == -1).all()
            assert np.isnan(best[len(order) :]).all()
    if direction in COMBINATIONS:
        scores = matrix(texts, texts, direction)
        pairs = near_duplicates(texts, 40, combine=direction, threads=2)
        assert [*zip(pairs.first, pairs.second, pairs.scores, strict=True)] == [
            (i, j, scores[i, j]) for i in range(90) for j in range(i + 1, 90) if scores[i, j] >= 40
        ]
        kept: list[int] = []
        for i in range(90):
            if all(scores[j, i] < 50 for j in kept):
                kept.append(i)
        assert deduplicate(texts, 50, combine=direction).tolist() == kept


def test_matches_that_go_round_in_a_circle_are_not_ruled_out() -> None:
    # All pairs of "a b a" are in "b a b", although only two of its three tokens are.
    text, query = "x1 b a b x2", "y1 a b a y2"
    score = pairwise([query], [text])[0, 0]
    assert Index([text]).nearest([query], at_least=score).indices[0, 0] == 0
    assert [*near_duplicates([text, query], score)] == [(0, 1, score)]


@pytest.mark.slow
@pytest.mark.skipif(newstest.folder() is None, reason="needs real text")
@pytest.mark.parametrize("pair", ["de-en", "en-zh"])
def test_real_text_is_searched_as_all_pairs_are(pair: str) -> None:
    first, *systems = newstest.systems(pair).values()
    texts, queries = [line for system in systems[:4] for line in system], first[:300]
    metric = BLEU(effective_order=True, tokenize="char" if pair == "en-zh" else "13a")
    scores = pairwise(queries, texts, metric=metric)
    found = Index(texts, metric).nearest(queries, 10)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :10]
    assert found.indices.tolist() == order.tolist()
    assert found.scores.tolist() == np.take_along_axis(scores, order, 1).tolist()


KINDS: dict[str, tuple[Any, Any]] = {
    "tokens": ([["a", "b", "c"], ["a", "b"], ["c", 3, None]], [["a", "b", "d"], [3.0, None]]),
    "ids": (
        TokenIds([[1, 2, 3, 9], [1, 2, 9, 9], [9, 9, 9, 9]], unk_id=9),
        TokenIds([[1, 2, 9], [9, 9, 9]], unk_id=9),
    ),
    "arrays": (np.array([[1, 2, 3], [4, 5, 6]]), np.array([[1, 2, 4]])),
    "empty": (["a b", "", "a"], ["", "a b", " "]),
    "surrogates": (["a \ud800 b", "\ud800 " * 40], ["\ud800 b"]),
    "none": ([], ["a b"]),
    "no queries": (["a"], []),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_each_kind_of_texts(kind: str, direction: Any) -> None:
    texts, queries = KINDS[kind]
    metric = BLEU(tokenize="none", effective_order=True)
    scores = matrix(queries, texts, direction, metric=metric)
    found = Index(texts, metric).nearest(queries, max(1, len(texts)), direction=direction)
    order = np.argsort(-scores, axis=1, kind="stable")
    assert found.indices[:, : len(texts)].tolist() == order.tolist()
    assert found.scores[:, : len(texts)].tolist() == np.take_along_axis(scores, order, 1).tolist()


def test_a_callable_makes_the_tokens() -> None:
    metric = BLEU(tokenize=lambda text: [*text], effective_order=True)
    found = Index(["abcd", "abxx"], metric).nearest(["abce", "zz"], 1)
    assert found.indices.tolist() == [[0], [0]]
    assert found.scores.tolist() == [[pairwise(["abce"], ["abcd"], metric=metric)[0, 0]], [0.0]]


HOSTILE = {
    "one token": ["a " * 20_000, "a", "b"],
    "distinct tokens": [" ".join(map(str, range(20_000))), " ".join(map(str, range(10_000, 30_000)))],
    "equal texts": ["the cat sat on the mat"] * 3_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_take_linear_memory_and_have_their_results(name: str) -> None:
    texts = HOSTILE[name]
    index = Index(texts)
    assert index.nbytes < 200_000 + 120 * sum(len(text.split()) for text in texts)
    found = index.nearest(texts[:2], 2)
    scores = pairwise(texts[:2], texts)
    assert found.scores.tolist() == np.sort(scores, axis=1)[:, ::-1][:, :2].tolist()
    assert deduplicate(texts, 100).tolist() == sorted({texts.index(text) for text in texts})


def test_an_index_takes_three_times_the_text_at_most() -> None:
    draw = random.Random(1)
    words = ["".join(draw.choices("abcdefgh", k=draw.randrange(1, 9))) for _ in range(2000)]
    texts = [" ".join(draw.choices(words, [1 / i for i in range(1, 2001)], k=20)) for _ in range(5000)]
    assert Index(texts).nbytes < 3 * sum(map(len, texts))


def test_pairs_of_many_texts_alike_are_all_found() -> None:
    # More than one call of the kernel returns.
    texts = [f"a b c d e f g h {i}" for i in range(400)] + ["a b c d e f g h 0"] * 200
    pairs = near_duplicates(texts, 50)
    rows, columns = np.triu_indices(len(texts), 1)
    assert (pairs.first == rows).all()
    assert (pairs.second == columns).all()
    assert (pairs.scores == matrix(texts, texts, "max")[rows, columns]).all()
    assert sum(1 for _ in near_duplicates(texts, 50, threads=2)) == len(rows)


def test_a_search_that_another_thread_stops_ends() -> None:
    tokens = Tokens(BLEU())
    texts = [f"a b c d e f g h {i}" for i in range(1500)]
    numbered = tokens.number_all(tokens.column(texts, "texts"), lambda _: None)
    part = part_of(numbered.arrays(), (1, 2))
    searchers = Searchers(BLEU().formula, tokens.vocabulary.tokens, "max")
    searchers.stop()
    marks, places = np.zeros(1500, dtype=np.int64), np.arange(1500)
    with pytest.raises(KeyboardInterrupt):
        searchers.use(lambda one: [one.find_pairs(part, places[i:], 1.0, marks, False) for i in range(1500)])


def test_no_effective_order_is_recommended_where_the_index_has_its_metric() -> None:
    metric = BLEU()
    Index(["a b"], metric).nearest(["a"])
    assert not metric.warnings.of_order.is_over


def test_adding_texts_one_by_one_is_adding_all() -> None:
    pool = Pool(random.Random(7))
    one_by_one, at_once = Index([]), Index(pool.texts * 3)
    for text in pool.texts * 3:
        one_by_one.add([text])
    assert len(one_by_one) == len(at_once) == 3 * len(pool.texts)
    for found, expected in zip(one_by_one.nearest(pool.queries), at_once.nearest(pool.queries), strict=True):
        np.testing.assert_array_equal(found, expected)
    assert repr(one_by_one) == repr(at_once)
