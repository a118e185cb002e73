"""Pools of candidates against scores of single sentences: pairs, expected utility, MBR, oracles, Self-BLEU, ranks."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from fastbleu import BLEU, TokenIds, rerank
from tests.support import oracle, rerank_oracle
from tests.support.fuzzed_data import FuzzedData

_OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"lowercase": True},
    {"tokenize": "none", "max_ngram_order": 2},
    {"tokenize": "char", "smooth_method": "floor"},
    {"tokenize": "none", "smooth_method": "add-k", "smooth_value": 0.5},
    {"tokenize": "none", "smooth_method": "none", "max_ngram_order": 6},
    {"tokenize": "intl", "reference_length": "shortest"},
    {"tokenize": "none", "effective_order": False},
)
_METRICS = [BLEU(**{"effective_order": True, "force": True, **options}) for options in _OPTIONS]


def check(data: bytes) -> None:
    """Compares all that is computed of a few pools, given in one of several forms."""
    fuzzed = FuzzedData(data)
    place = fuzzed.integer(0, len(_METRICS) - 1)
    metric = _METRICS[place]
    form = fuzzed.choice(("lists", "offsets", "size", "tokens", "ids"))
    if form in ("tokens", "ids") and (metric.tokenizer.name != "none" or metric.lowercase):
        form = "lists"
    sources = fuzzed.integer(1, 3)
    even = fuzzed.integer(1, 6)
    # Of few different segments, so that candidates are equal.
    segments = [_segment(fuzzed, form) for _ in range(fuzzed.integer(1, 6))]
    pools = [
        [fuzzed.choice(segments) for _ in range(even if form == "size" else fuzzed.integer(1, 6))]
        for _ in range(sources)
    ]
    evidence = [[fuzzed.choice(segments) for _ in range(fuzzed.integer(1, 4))] for _ in range(sources)]
    given, is_even = _held(pools, form), form == "size"

    what = fuzzed.choice(("own", "evidence", "weights", "exclude", "self", "oracle"))
    if what == "oracle":
        _check_oracles(metric, given, pools, evidence)
        return
    if what == "self":
        if len(pools[0]) > 1:
            result = rerank.self_bleu(pools[0], metric=metric)
            assert result.scores.tolist() == [
                _score(metric, each, pools[0][:j] + pools[0][j + 1 :]) for j, each in enumerate(pools[0])
            ]
        return
    others = evidence if what in ("evidence", "weights") else pools
    pairs = [
        [[_score(metric, each, [other]) for other in some] for each in pool]
        for pool, some in zip(pools, others, strict=True)
    ]
    options: dict[str, Any] = {}
    weights = None
    if others is evidence:
        assert rerank.pairwise(pools[0], evidence[0], metric=metric).tolist() == pairs[0]
        options["evidence"] = _held(evidence, form if form == "ids" else "lists")
    else:
        assert rerank.pairwise(pools[0], metric=metric).tolist() == pairs[0]
    if what == "weights":
        weights = [[fuzzed.integer(0, 3) for _ in some] for some in evidence]
        weights = [some if any(some) else [1] * len(some) for some in weights]
        options |= {"weights": weights, "weights_as": "counts"}
    if what == "exclude":
        if min(map(len, pools)) < 2:
            return
        options["exclude_self"] = True
        pairs = [[scores[:j] + scores[j + 1 :] for j, scores in enumerate(of_pool)] for of_pool in pairs]
    wanted = _means(pairs, weights)
    found = rerank.expected(given, metric=metric, **options)
    assert [each.tolist() for each in found] == wanted
    chosen = rerank.mbr(given, metric=metric, **options)
    best = [rerank_oracle.best(each) for each in wanted]
    assert chosen.indices.tolist() == best
    assert chosen.utilities.tolist() == [each[j] for each, j in zip(wanted, best, strict=True)]
    assert chosen.votes.tolist() == [_equal(metric, pool, j) for pool, j in zip(pools, best, strict=True)]
    ranked = rerank.rank(found if is_even else list(found), pools=given)
    assert [each.tolist() for each in ranked.indices] == [rerank_oracle.ordering(each) for each in wanted]


def _check_oracles(metric: BLEU, given: Any, pools: list[list[Any]], references: list[list[Any]]) -> None:
    scores = [
        [_score(metric, each, some) for each in pool] for pool, some in zip(pools, references, strict=True)
    ]
    best = list(map(rerank_oracle.best, scores))
    found = rerank.oracle(given, references, metric=metric)
    assert found.indices.tolist() == best
    assert found.utilities.tolist() == [each[j] for each, j in zip(scores, best, strict=True)]

    def corpus(chosen: list[int]) -> float:
        rows = [
            metric.statistics([pool[j]], [[each] for each in some])[0].tolist()
            for pool, some, j in zip(pools, references, chosen, strict=True)
        ]
        return metric.score_statistics(oracle.add_up(rows)).score

    assert found.score.score == corpus(best)
    together = rerank.oracle(given, references, "corpus", metric=metric)
    assert together.score.score == corpus(together.indices.tolist())
    assert together.score.score >= found.score.score
    for i, pool in enumerate(pools):
        for j in range(len(pool)):
            other = together.indices.tolist()
            other[i] = j
            # Changes below this are not worth a step.
            assert corpus(other) <= together.score.score * (1 + 1e-9)


def _score(metric: BLEU, hypothesis: Any, references: list[Any]) -> float:
    return metric.sentence_score(hypothesis, references).score


def _mean(scores: list[float], weights: list[int] | None) -> float:
    """The exact mean, rounded once."""
    numbers = weights or [1] * len(scores)
    total = sum(Fraction(score) * number for score, number in zip(scores, numbers, strict=True))
    return float(total / sum(numbers))


def _means(scores: list[list[list[float]]], weights: list[list[int]] | None) -> list[list[float]]:
    return [
        [_mean(each, None if weights is None else weights[i]) for each in of_pool]
        for i, of_pool in enumerate(scores)
    ]


def _equal(metric: BLEU, pool: list[Any], j: int) -> int:
    def read(segment: Any) -> Any:
        return segment.lower() if metric.lowercase else segment

    return sum(read(each) == read(pool[j]) for each in pool)


def _segment(fuzzed: FuzzedData, form: str) -> Any:
    if form == "tokens":
        return [f"w{token}" for token in fuzzed.tokens(10)]
    if form == "ids":
        return fuzzed.tokens(10)
    return fuzzed.text(12)


def _held(pools: list[list[Any]], form: str) -> Any:
    if form in ("lists", "tokens"):
        return pools
    flat = [each for pool in pools for each in pool]
    if form == "size":
        return rerank.Pools(flat, size=len(pools[0]))
    offsets = np.cumsum([0, *map(len, pools)])
    return rerank.Pools(TokenIds(flat) if form == "ids" else flat, offsets=offsets)
