"""`fastbleu.rerank` beside the live sacreBLEU and NLTK, on pools of what the systems of WMT 2021 wrote.

`tools/compare_reranking.py` draws as much more of it as it is told.
"""

from __future__ import annotations

import random
import warnings
from itertools import product
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

peer = pytest.importorskip(
    "tests.support.sacrebleu_peer", reason="sacreBLEU is not installed", exc_type=ImportError
)
nltk_scores = pytest.importorskip(
    "tests.support.nltk_scores", reason="NLTK is not installed", exc_type=ImportError
)

from fastbleu import BLEU
from fastbleu.rerank import expected, mbr, oracle, pairwise, self_bleu
from tests.support import newstest as newstest_data
from tests.support import pair_statistics, rerank_pools
from tests.support.compared import compared

Scores = npt.NDArray[np.float64]

#: Means, rows of many references and NLTK's own formula are not the last digit of floats.
CLOSE = 1e-12

#: The tokenizers that apply to a direction.
TOKENS: list[tuple[str, dict[str, Any]]] = [
    *((pair, {}) for pair in newstest_data.PAIRS),
    ("en-de", {"tokenize": "none"}),
    ("en-de", {"tokenize": "13a", "lowercase": True}),
    ("de-en", {"tokenize": "intl"}),
    ("en-ru", {"tokenize": "intl", "lowercase": True}),
    ("en-zh", {"tokenize": "zh"}),
    ("en-ja", {"tokenize": "char"}),
]


def equal(ours: Scores, theirs: Scores) -> None:
    """Pairs are the same floats."""
    assert ours.dtype == np.float64
    np.testing.assert_array_equal(ours, theirs)
    compared("sacreBLEU 2.6.0, pairs", theirs.size)


def compare_formulas(pools: list[list[str]], **tokens: Any) -> None:
    """Every pair of each pool, under every formula."""
    metrics = [BLEU(**formula._asdict(), **tokens) for formula in pair_statistics.FORMULAS]
    for pool in pools:
        for metric, theirs in zip(metrics, pair_statistics.matrices(pool, pool, **tokens), strict=True):
            equal(pairwise(pool, metric=metric), theirs)


@pytest.mark.usefixtures("newstest")
class TestPairs:
    """`pairwise` and what is made of it."""

    @pytest.mark.nightly
    def test_sentence_score_on_two_hundred_pools(self) -> None:
        number = 0
        for _, pools in rerank_pools.over_directions(200):
            for pool in pools:
                equal(pairwise(pool), pair_statistics.by_sentence_score(pool, pool, effective_order=True))
                number += 1
        assert number == 200

    @pytest.mark.parametrize(("pair", "tokens"), TOKENS)
    def test_every_formula(self, pair: str, tokens: dict[str, Any]) -> None:
        compare_formulas(rerank_pools.spread(pair, 10 if tokens else 34), **tokens)

    @pytest.mark.parametrize(
        ("pair", "size"),
        [
            pytest.param("en-de", 256, marks=pytest.mark.nightly),
            ("zh-en", 128),
            ("en-zh", 64),
            ("en-ru", 100),
        ],
    )
    def test_large_pools(self, pair: str, size: int) -> None:
        tokens = {"tokenize": "zh"} if pair == "en-zh" else {}
        compare_formulas(rerank_pools.spread(pair, 1, size), **tokens)

    @pytest.mark.parametrize("order", [1, 2, 3, 6])
    def test_other_orders(self, order: int) -> None:
        compare_formulas(rerank_pools.spread("de-en", 8), max_ngram_order=order)

    def test_mecab(self) -> None:
        pytest.importorskip("MeCab", reason="the extra ja is not installed", exc_type=ImportError)
        pytest.importorskip("ipadic", reason="the extra ja is not installed", exc_type=ImportError)
        pools = rerank_pools.spread("en-ja", 4)
        metric = BLEU(tokenize="ja-mecab", effective_order=True)
        for pool in pools:
            theirs = pair_statistics.by_sentence_score(pool, pool, tokenize="ja-mecab", effective_order=True)
            equal(pairwise(pool, metric=metric), theirs)

    def test_other_references(self) -> None:
        for pool in rerank_pools.spread("en-de", 10, 48):
            hypotheses, references = pool[:20], ["", *pool[10:]]
            theirs = pair_statistics.by_sentence_score(hypotheses, references, effective_order=True)
            equal(pairwise(hypotheses, references), theirs)

    def test_long_segments(self) -> None:
        """More tokens than a machine word has bits, in lines of a whole document each."""
        for system in (1, 4):
            lines = list(newstest_data.systems("en-de").values())[system]
            texts = [" ".join(lines[i : i + 12]) for i in range(0, 240, 12)]
            texts += rerank_pools.grow(texts, 40, "long")[20:]
            equal(pairwise(texts), pair_statistics.by_sentence_score(texts, texts, effective_order=True))

    def test_expected_and_mbr(self) -> None:
        generator = random.Random(3)
        for pair in newstest_data.PAIRS:
            pools = [*rerank_pools.spread(pair, 4), *rerank_pools.spread(pair, 1, 80)]
            weights = [[generator.random() for _ in pool] for pool in pools]
            options: list[dict[str, Any]] = [{}, {"weights": weights, "weights_as": "counts"}]
            matrices = [pair_statistics.by_sentence_score(p, p, effective_order=True) for p in pools]
            for given, exclude_self in product(options, (False, True)):
                ours = expected(pools, exclude_self=exclude_self, **given)
                chosen = mbr(pools, exclude_self=exclude_self, **given)
                for i, (matrix, utilities) in enumerate(zip(matrices, ours, strict=True)):
                    shares = np.tile(
                        np.array(weights[i]) if given else np.ones(len(matrix)), (len(matrix), 1)
                    )
                    if exclude_self:
                        np.fill_diagonal(shares, 0)
                    theirs = (matrix * shares).sum(axis=1) / shares.sum(axis=1)
                    np.testing.assert_allclose(utilities, theirs, rtol=CLOSE, atol=0)
                    assert chosen.indices[i] == np.argmax(utilities)
                    assert chosen.utilities[i] == utilities[chosen.indices[i]]
                    assert theirs[chosen.indices[i]] >= theirs.max() * (1 - CLOSE)
                    compared("sacreBLEU 2.6.0, expected utilities", len(theirs))


# What is asked of the oracle of en-de; the other directions have no such figure.
CORPUS_ORACLE = {"en-de": 40.19}


@pytest.mark.usefixtures("newstest")
class TestOracle:
    """The best candidates by reference."""

    @pytest.mark.parametrize("pair", newstest_data.PAIRS)
    def test_sentence_level(self, pair: str) -> None:
        pools, references = rerank_pools.spread(pair, 60), rerank_pools.spread_references(pair, 60)
        found = oracle(pools, references)
        metric = peer.BLEU(effective_order=True)
        for i, (pool, reference) in enumerate(zip(pools, references, strict=True)):
            theirs = [metric.sentence_score(candidate, [reference]).score for candidate in pool]
            assert found.utilities[i] == pytest.approx(theirs[found.indices[i]], rel=CLOSE, abs=0)
            assert found.indices[i] == np.argmax(theirs)
            compared("sacreBLEU 2.6.0, oracles", len(theirs))
        chosen = [pool[i] for pool, i in zip(pools, found.indices.tolist(), strict=True)]
        assert peer.fields(found.score) == peer.fields(metric.corpus_score(chosen, [references]))

    @pytest.mark.parametrize("pair", newstest_data.PAIRS)
    def test_corpus_level(self, pair: str) -> None:
        pools, references = rerank_pools.system_pools(pair), rerank_pools.references(pair)
        metric, theirs = BLEU(), peer.BLEU()
        by_sentence = oracle(pools, references)
        found = oracle(pools, references, level="corpus", metric=metric)
        chosen = [pool[i] for pool, i in zip(pools, found.indices.tolist(), strict=True)]
        assert peer.fields(found.score) == peer.fields(theirs.corpus_score(chosen, [references]))
        systems = newstest_data.systems(pair).values()
        singles = [metric.corpus_score(system, [references]).score for system in systems]
        best = [pool[i] for pool, i in zip(pools, by_sentence.indices.tolist(), strict=True)]
        assert found.score.score >= theirs.corpus_score(best, [references]).score
        assert found.score.score >= max(singles)
        assert found.score.score >= CORPUS_ORACLE.get(pair, 0)
        compared("sacreBLEU 2.6.0, oracles")

    def test_several_references(self) -> None:
        pools = rerank_pools.system_pools("en-de")
        streams = [rerank_pools.references("en-de", name) for name in "ACD"]
        references = [list(segment) for segment in zip(*streams, strict=True)]
        by_sentence = oracle(pools[:50], references[:50])
        metric = peer.BLEU(effective_order=True)
        for i, index in enumerate(by_sentence.indices.tolist()):
            theirs = [metric.sentence_score(candidate, references[i]).score for candidate in pools[i]]
            assert index == np.argmax(theirs)
            compared("sacreBLEU 2.6.0, oracles", len(theirs))
        found = oracle(pools, references, level="corpus", metric=BLEU())
        chosen = [pool[i] for pool, i in zip(pools, found.indices.tolist(), strict=True)]
        assert peer.fields(found.score) == peer.fields(peer.BLEU().corpus_score(chosen, streams))
        sentence_oracle = oracle(pools, references).indices.tolist()
        best = [pool[i] for pool, i in zip(pools, sentence_oracle, strict=True)]
        assert found.score.score >= peer.BLEU().corpus_score(best, streams).score


#: NLTK's smoothing methods, by name.
METHODS = tuple(f"method{number}" for number in range(8))


def equal_to_nltk(
    texts: list[Any], method: str, weights: Any = (0.25,) * 4, upper_triangle: bool = False, **tokens: Any
) -> None:
    """The matrix of a pool is NLTK's, or NLTK fails and so do we."""
    metric = BLEU(weights=weights, max_ngram_order=len(weights), effective_order=True, **tokens)
    lists = [metric.tokenize(text) if isinstance(text, str) else text for text in texts]
    theirs = nltk_scores.of_pairs(lists, method, weights, upper_triangle)
    options: Any = {
        "formula": "nltk",
        "smoothing": method,
        "metric": metric,
        "upper_triangle": upper_triangle,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # method0 warns, as NLTK does, of each order without a match
        if theirs is None:
            with pytest.raises(ValueError, match="smoothing='method6'"):
                pairwise(texts, **options)
            return
        np.testing.assert_array_equal(pairwise(texts, **options), theirs)
    compared("nltk 3.10.4, pairs", theirs.size)


class TestPairsByNLTK:
    """`pairwise` with NLTK's formula: the same floats."""

    @pytest.mark.parametrize("method", METHODS)
    def test_random_tokens(self, method: str) -> None:
        generator = random.Random(8)
        for _ in range(40):
            order = generator.choice([3, 4, 5, 9])
            weights = generator.choice([(1 / order,) * order, [generator.random() for _ in range(order)]])
            texts = [generator.choices("abcd", k=generator.randrange(12)) for _ in range(8)]
            equal_to_nltk(texts, method, tuple(weights), generator.random() < 0.5, tokenize="none")

    @pytest.mark.parametrize(
        "weights", [(1.0,), (0.5, 0.5), (0.33, 0.33, 0.33), (0.1, 0.2, 0.3, 0.4), (1.0, 0.0)]
    )
    def test_weights_are_those_of_nltk(self, weights: tuple[float, ...]) -> None:
        generator = random.Random(9)
        texts = [generator.choices("abcd", k=generator.randrange(30)) for _ in range(40)]
        equal_to_nltk(texts, "method1", weights, tokenize="none")

    @pytest.mark.usefixtures("newstest")
    @pytest.mark.parametrize("pair", newstest_data.PAIRS)
    def test_real_pools(self, pair: str) -> None:
        tokens = {} if rerank_pools.is_spaced(pair) else {"tokenize": "char"}
        for pool in rerank_pools.spread(pair, 2):
            for method in METHODS:
                equal_to_nltk(pool, method, **tokens)
        (pool,) = rerank_pools.spread(pair, 1, 64)
        equal_to_nltk(pool, "method1", **tokens)

    @pytest.mark.usefixtures("newstest")
    def test_the_distances_of_r_zero(self) -> None:
        """R-Zero's loop (JinYuanLi0012/R-Zero at 54672263, caller_penalty.py): the earlier text is the hypothesis."""
        texts = [*newstest_data.references("de-en")["A"][:60], "a b", "a b", ""]
        theirs = nltk_scores.of_pairs([text.split() for text in texts], "method1", (0.25,) * 4, True)
        metric = BLEU(tokenize="none", effective_order=True)
        ours = pairwise(texts, formula="nltk", smoothing="method1", upper_triangle=True, metric=metric)
        np.testing.assert_array_equal(1 - ours, 1 - theirs)
        compared("nltk 3.10.4, pairs", theirs.size)


@pytest.mark.usefixtures("newstest")
class TestSelfBLEU:
    """Each text against all the others."""

    @pytest.mark.parametrize("pair", newstest_data.PAIRS)
    def test_nltk_on_pools(self, pair: str) -> None:
        tokens = {} if rerank_pools.is_spaced(pair) else {"tokenize": "char"}
        for pool in rerank_pools.spread(pair, 4):
            self.compare_with_nltk(pool, METHODS, **tokens)

    @pytest.mark.parametrize(("pair", "size"), [("en-de", 64), ("zh-en", 80)])
    def test_nltk_on_large_pools(self, pair: str, size: int) -> None:
        for pool in rerank_pools.spread(pair, 1, size):
            self.compare_with_nltk(pool, ("method1",))

    def test_nltk_on_lines_of_a_system(self, newstest: ModuleType) -> None:
        lines = next(iter(newstest.systems("en-de").values()))
        self.compare_with_nltk(lines[:60], ("method1", "method4"))

    @pytest.mark.parametrize("pair", newstest_data.PAIRS)
    def test_sacrebleu(self, pair: str) -> None:
        for pool in [*rerank_pools.spread(pair, 6), *rerank_pools.spread(pair, 1, 48)]:
            rows = list(pair_statistics.against_others(pool))
            for formula in pair_statistics.FORMULAS:
                found = self_bleu(pool, metric=BLEU(**formula._asdict()))
                wanted = [peer.score(row, **formula._asdict()).score for row in rows]
                np.testing.assert_allclose(found.scores, wanted, rtol=CLOSE, atol=0)
                assert found.mean == pytest.approx(np.mean(wanted), rel=CLOSE, abs=0)
                compared("sacreBLEU 2.6.0, Self-BLEU", len(pool))

    def compare_with_nltk(self, pool: list[str], methods: tuple[str, ...], **tokens: Any) -> None:
        metric = BLEU(**tokens)
        texts = [metric.tokenize(text) for text in pool]
        for method in methods:
            theirs = nltk_scores.against_others(texts, method)
            if theirs is None:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # method0 warns, as NLTK does, of each order without a match
                found = self_bleu(pool, formula="nltk", smoothing=method, metric=metric)
            np.testing.assert_allclose(found.scores, theirs, rtol=CLOSE, atol=0)
            assert found.mean == pytest.approx(np.mean(theirs), rel=CLOSE, abs=0)
            compared("nltk 3.10.4, Self-BLEU", len(theirs))
