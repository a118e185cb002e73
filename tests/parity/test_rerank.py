"""`fastbleu.rerank` beside the live sacreBLEU and NLTK, on pools of what the systems of WMT 2021 wrote."""

import random
import warnings
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

peer = pytest.importorskip("tests.support.sacrebleu_peer", exc_type=ImportError)
nltk_scores = pytest.importorskip("tests.support.nltk_scores", exc_type=ImportError)

from fastbleu import BLEU
from fastbleu.rerank import expected, mbr, oracle, pairwise, self_bleu
from tests.support import newstest as newstest_data
from tests.support import rerank_pools
from tests.support.compared import SCALE, compared
from tests.support.oracle import fields

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
    ("en-ja", {"tokenize": "ja-mecab"}),
    *(("de-en", {"max_ngram_order": order}) for order in (1, 2, 3, 6)),
]


# sacreBLEU over all pairs of two lists: its own code, each line tokenized once and each reference counted once.


class Formula(NamedTuple):
    """sacreBLEU's formula over a row of statistics."""

    smooth_method: str
    smooth_value: float | None
    effective_order: bool


#: Each of its smoothing methods, with a value that is not the default where it takes one.
FORMULAS = tuple(
    Formula(method, value, effective_order)
    for method, value in (
        ("exp", None),
        ("none", None),
        ("floor", None),
        ("floor", 0.25),
        ("add-k", None),
        ("add-k", 2.5),
    )
    for effective_order in (True, False)
)


def matrices(pool: Sequence[str], **tokens: Any) -> list[Scores]:
    """A matrix of the scores of all pairs of a pool for each formula. A row met before is not scored again."""
    metric = peer.metric([list(pool)], **tokens)
    scored: dict[tuple[int, ...], list[float]] = {}
    values = []
    for text in pool:
        tokenized = metric._preprocess_segment(text)
        for reference in metric._ref_cache:
            row = tuple(metric._compute_segment_statistics(tokenized, reference))
            if row not in scored:
                scored[row] = [peer.score(row, **formula._asdict()).score for formula in FORMULAS]
            values.append(scored[row])
    return list(np.array(values).reshape(len(pool), len(pool), len(FORMULAS)).transpose(2, 0, 1))


def by_sentence_score(hypotheses: Sequence[str], references: Sequence[str], **options: Any) -> Scores:
    """A matrix [hypotheses, references], one call of `sentence_score` for each."""
    metric = peer.BLEU(**options)
    scores = [metric.sentence_score(h, [r]).score for h in hypotheses for r in references]
    return np.array(scores, dtype=np.float64).reshape(len(hypotheses), len(references))


def against_others(pool: Sequence[str], **tokens: Any) -> Iterator[list[int]]:
    """Statistics of each text of a pool against all the others as its references."""
    metric = peer.BLEU(**tokens)
    for i, text in enumerate(pool):
        streams = [[other] for other in (*pool[:i], *pool[i + 1 :])]
        yield from metric._extract_corpus_statistics([text], streams)


def equal(ours: Scores, theirs: Scores) -> None:
    assert ours.dtype == np.float64
    np.testing.assert_array_equal(ours, theirs)
    compared("sacreBLEU 2.6.0, pairs", theirs.size)


@pytest.mark.usefixtures("newstest")
class TestPairs:
    @pytest.mark.parametrize(("pair", "tokens"), TOKENS)
    def test_every_formula(self, pair: str, tokens: dict[str, Any]) -> None:
        if tokens.get("tokenize") == "ja-mecab":
            pytest.importorskip("MeCab", reason="the extra ja is not installed", exc_type=ImportError)
            pytest.importorskip("ipadic", reason="the extra ja is not installed", exc_type=ImportError)
        metrics = [BLEU(**formula._asdict(), **tokens) for formula in FORMULAS]
        for pool in rerank_pools.spread(pair, (4 if tokens else 10) * SCALE):
            for metric, theirs in zip(metrics, matrices(pool, **tokens), strict=True):
                equal(pairwise(pool, metric=metric), theirs)

    def test_other_references(self) -> None:
        for pool in rerank_pools.spread("en-de", 3 * SCALE, 48):
            hypotheses, references = pool[:20], ["", *pool[10:]]
            theirs = by_sentence_score(hypotheses, references, effective_order=True)
            equal(pairwise(hypotheses, references), theirs)

    def test_long_segments(self) -> None:
        """More tokens than a machine word has bits, in lines of a whole document each."""
        lines = list(newstest_data.systems("en-de").values())[1]
        texts = rerank_pools.grow([" ".join(lines[i : i + 12]) for i in range(0, 120, 12)], 20, "long")
        equal(pairwise(texts), by_sentence_score(texts, texts, effective_order=True))

    def test_expected_and_mbr(self) -> None:
        generator = random.Random(3)
        for pair in newstest_data.PAIRS:
            pools = [*rerank_pools.spread(pair, 2), *rerank_pools.spread(pair, 1, 40)]
            weights = [[generator.random() for _ in pool] for pool in pools]
            options: list[dict[str, Any]] = [{}, {"weights": weights, "weights_as": "counts"}]
            matrices = [by_sentence_score(p, p, effective_order=True) for p in pools]
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


@pytest.mark.usefixtures("newstest")
class TestOracle:
    @pytest.mark.parametrize(
        ("pair", "names"), [*((pair, "A") for pair in newstest_data.PAIRS), ("en-de", "ACD")]
    )
    def test_both_levels(self, pair: str, names: str) -> None:
        pools = rerank_pools.system_pools(pair)
        streams = [rerank_pools.references(pair, name) for name in names]
        references = [list(segment) for segment in zip(*streams, strict=True)]
        by_sentence = oracle(pools, references)
        metric = peer.BLEU(effective_order=True)
        for i in range(0, len(pools), 50 // SCALE + 1):
            theirs = [metric.sentence_score(candidate, references[i]).score for candidate in pools[i]]
            assert by_sentence.utilities[i] == pytest.approx(max(theirs), rel=CLOSE, abs=0)
            assert by_sentence.indices[i] == np.argmax(theirs)
            compared("sacreBLEU 2.6.0, oracles", len(theirs))
        found = oracle(pools, references, level="corpus", metric=BLEU())
        corpora = [
            [pool[i] for pool, i in zip(pools, each.indices.tolist(), strict=True)]
            for each in (found, by_sentence)
        ]
        chosen, best = (peer.BLEU().corpus_score(corpus, streams) for corpus in corpora)
        assert fields(found.score) == fields(chosen)
        singles = (BLEU().corpus_score(system, streams) for system in newstest_data.systems(pair).values())
        assert chosen.score >= max(best.score, *(single.score for single in singles))
        if (pair, names) == ("en-de", "A"):
            assert chosen.score >= 40.19


#: NLTK's smoothing methods, by name.
METHODS = tuple(f"method{number}" for number in range(8))


def equal_to_nltk(
    texts: list[Any], method: str, weights: Any = (0.25,) * 4, upper_triangle: bool = False, **tokens: Any
) -> None:
    """The matrix of a pool is NLTK's, or NLTK fails and so do we."""
    metric = BLEU(weights=weights, max_ngram_order=len(weights), effective_order=True, **tokens)
    lists = [metric.tokenize(text) if isinstance(text, str) else text for text in texts]
    theirs = nltk_scores.of_pairs(lists, method, weights, upper_triangle)
    options: Any = {"formula": "nltk", "smoothing": method, "metric": metric}
    options |= {"upper_triangle": upper_triangle}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # method0 warns, as NLTK does, of each order without a match
        if theirs is None:
            with pytest.raises(ValueError, match="smoothing='method6'"):
                pairwise(texts, **options)
            return
        np.testing.assert_array_equal(pairwise(texts, **options), theirs)
    compared("nltk 3.10.4, pairs", theirs.size)


class TestPairsByNLTK:
    @pytest.mark.parametrize("method", METHODS)
    def test_random_tokens(self, method: str) -> None:
        generator = random.Random(8)
        for _ in range(40):
            order = generator.choice([3, 4, 5, 9] if method == "method6" else [1, 2, 3, 4, 5, 9])
            weights = generator.choice([(1 / order,) * order, [generator.random() for _ in range(order)]])
            texts = [generator.choices("abcd", k=generator.randrange(12)) for _ in range(8)]
            equal_to_nltk(texts, method, tuple(weights), generator.random() < 0.5, tokenize="none")

    @pytest.mark.usefixtures("newstest")
    @pytest.mark.parametrize("pair", newstest_data.PAIRS)
    def test_real_pools(self, pair: str) -> None:
        tokens = {} if rerank_pools.is_spaced(pair) else {"tokenize": "char"}
        for pool in rerank_pools.spread(pair, SCALE):
            for method in METHODS:
                equal_to_nltk(pool[:9], method, **tokens)
        (pool,) = rerank_pools.spread(pair, 1, 30)
        equal_to_nltk(pool, "method1", **tokens)


@pytest.mark.usefixtures("newstest")
class TestSelfBLEU:
    @pytest.mark.parametrize("pair", newstest_data.PAIRS)
    def test_nltk(self, pair: str) -> None:
        metric = BLEU(tokenize="13a" if rerank_pools.is_spaced(pair) else "char")
        pools = [(pool[:9], METHODS) for pool in rerank_pools.spread(pair, SCALE)]
        pools += [(pool, METHODS[1:2]) for pool in rerank_pools.spread(pair, 1, 30)]
        for pool, methods in pools:
            texts = [metric.tokenize(text) for text in pool]
            for method in methods:
                theirs = nltk_scores.against_others(texts, method)
                if theirs is None:
                    continue
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # of each order without a match, as NLTK does
                    found = self_bleu(pool, formula="nltk", smoothing=method, metric=metric)
                np.testing.assert_allclose(found.scores, theirs, rtol=CLOSE, atol=0)
                assert found.mean == pytest.approx(np.mean(theirs), rel=CLOSE, abs=0)
                compared("nltk 3.10.4, Self-BLEU", len(theirs))

    @pytest.mark.parametrize("pair", newstest_data.PAIRS)
    def test_sacrebleu(self, pair: str) -> None:
        for pool in [*rerank_pools.spread(pair, 2 * SCALE), *rerank_pools.spread(pair, 1, 30)]:
            rows = list(against_others(pool))
            for formula in FORMULAS:
                found = self_bleu(pool, metric=BLEU(**formula._asdict()))
                wanted = [peer.score(row, **formula._asdict()).score for row in rows]
                np.testing.assert_allclose(found.scores, wanted, rtol=CLOSE, atol=0)
                assert found.mean == pytest.approx(np.mean(wanted), rel=CLOSE, abs=0)
                compared("sacreBLEU 2.6.0, Self-BLEU", len(pool))
