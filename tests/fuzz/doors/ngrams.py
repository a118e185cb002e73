"""n-grams against the oracle: the same rows of text, tokens and ids, on every way to count."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from fastbleu import BLEU, TokenIds
from tests.support import oracle
from tests.support.fuzzed_data import FuzzedData

_RULES = ("closest", "closest-first", "shortest")
#: Tokens of a corpus: enough for the longest ways to count, and few enough for the slow oracle.
_MOST_TOKENS = 700
_KEPT: dict[tuple[int, str], BLEU] = {}


def _word(token: int, length: int) -> str:
    """A word that differs from that of another token in its last byte; `length` is that of all but few."""
    return chr(0x61 + token) if length == 0 else "w" * (length - token % 3) + f"{token:x}"


def _value(token: int) -> Hashable:
    """A token of another type."""
    return (token, token / 2, ("t", token), f"{token}", None, True, b"b", "\ud800", 1.0)[token % 9]


def check(data: bytes) -> None:
    """Compares the rows of a few segments, and all that is made of them."""
    fuzzed = FuzzedData(data)
    order, rule = fuzzed.integer(1, 7), fuzzed.choice(_RULES)
    length = fuzzed.choice((0, 1, 7, 15, 16, 31, 63, 200))
    shift = fuzzed.choice((0, 0, 1 << 17, 1 << 40))
    segments = fuzzed.integer(1, 3)
    numbers = [fuzzed.integer(1, 20) if fuzzed.flag() else 1 for _ in range(segments)]
    metric = _KEPT.setdefault(
        (order, rule),
        BLEU(tokenize="none", force=True, max_ngram_order=order, reference_length=rule, effective_order=True),
    )
    left = _MOST_TOKENS

    def tokens() -> list[int]:
        nonlocal left
        found = fuzzed.tokens()[:left]
        left -= len(found)
        return found

    corpus = [(tokens(), [tokens() for _ in range(number)]) for number in numbers]
    wanted = [oracle.statistics(ours, references, order, rule) for ours, references in corpus]

    def streams(make: Any) -> tuple[list[Any], list[list[Any]]]:
        most = max(numbers)
        return [make(ours) for ours, _ in corpus], [
            [make(references[k]) if k < len(references) else None for _, references in corpus]
            for k in range(most)
        ]

    form = fuzzed.choice(("text", "words", "lists of ids", "ids", "values", "explanation"))
    if form == "values":
        # 1, 1.0 and True are one token.
        values = (
            [_value(token) for token in corpus[0][0]],
            [[_value(t) for t in each] for each in corpus[0][1]],
        )
        row = metric.statistics([values[0]], [[each] for each in values[1]]).tolist()
        assert row == [oracle.statistics(*values, order, rule)]
        return
    if form == "explanation":
        _check_explanation(metric, *corpus[0], wanted[0])
        return
    hypotheses: Any
    references: list[Any]
    if form == "text":
        hypotheses, references = streams(lambda tokens: " ".join(_word(token, length) for token in tokens))
    elif form == "words":
        hypotheses, references = streams(lambda tokens: [_word(token, length) for token in tokens])
    else:
        hypotheses, references = streams(lambda tokens: [token + shift for token in tokens])
    if form == "ids":
        hypotheses, references = TokenIds(hypotheses), [TokenIds(each) for each in references]

    prepared = metric.prepare(references)
    assert metric.statistics(hypotheses, references).tolist() == wanted
    assert metric.statistics(hypotheses, prepared).tolist() == wanted
    total = metric.corpus_score(hypotheses, references)
    assert [total.sys_len, total.ref_len, *total.counts, *total.totals] == oracle.add_up(wanted)
    chosen = [k % segments for k in fuzzed.raw_of(4)]
    picked = metric.statistics([hypotheses[k] for k in chosen], prepared[chosen])
    assert picked.tolist() == [wanted[k] for k in chosen]


def _check_explanation(metric: BLEU, ours: list[int], references: list[list[int]], row: list[int]) -> None:
    """Compare an explanation of each n-gram, and the score of each prefix."""
    order = metric.max_ngram_order
    explained = metric.explain(ours, references)
    assert [each.correct for each in explained.orders] == row[2 : 2 + order]
    most = oracle.clipped(references, order)
    for n, each in enumerate(explained.orders, 1):
        assert {ngram.tokens: ngram.count for ngram in each.ngrams} == oracle.ngrams(ours, n)
        assert all(ngram.reference_count == most[n - 1][ngram.tokens] for ngram in each.ngrams)
    if len(ours) <= 20:
        prefixes = metric.sentence_prefix_scores(ours, references).tolist()
        rows = [
            oracle.statistics(ours[: t + 1], references, order, metric.reference_length)
            for t in range(len(ours))
        ]
        assert prefixes == [metric.score_statistics(each).score for each in rows]
