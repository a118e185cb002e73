"""A sample of the grid of options on the WMT 2021 news data. FASTBLEU_SCALE draws a larger one."""

import random
from typing import Any

import pytest

peer = pytest.importorskip("tests.support.sacrebleu_peer", exc_type=ImportError)

from fastbleu import BLEU
from tests.support import newstest, oracle
from tests.support.compared import SCALE

pytestmark = pytest.mark.usefixtures("newstest")

MAX_ORDER = 6
SEGMENTS = 250


@pytest.mark.parametrize("number", range(3 * SCALE))
@pytest.mark.parametrize("pair", newstest.PAIRS)
def test_sample_of_the_grid(pair: str, number: int) -> None:
    """One system against one subset of the streams, under one tokenizer and case."""
    generator = random.Random(f"{pair} {number}")
    names = [name for name in oracle.AVAILABLE if name != "zh" or pair == "en-zh"]
    start = generator.randrange(0, 1000 - SEGMENTS)
    part = slice(start, start + SEGMENTS)
    hypotheses = generator.choice(list(newstest.systems(pair).values()))[part]
    available = newstest.references(pair)
    streams = [available[name][part] for name in generator.choice(newstest.subsets(list(available)))]
    tokens: dict[str, Any] = {"tokenize": names[number % len(names)], "lowercase": generator.random() < 0.5}

    rows = peer.statistics(peer.metric(streams, max_ngram_order=MAX_ORDER, **tokens), hypotheses)
    for order in range(1, MAX_ORDER + 1):
        cut = [oracle.cut(row, order) for row in rows]
        total = [sum(column) for column in zip(*cut, strict=True)]
        references = BLEU(max_ngram_order=order, **tokens).prepare(streams)
        for method in peer.SMOOTHING:
            for effective_order in (False, True):
                formula: dict[str, Any] = {"smooth_method": method, "effective_order": effective_order}
                metric = BLEU(max_ngram_order=order, **tokens, **formula)
                theirs = oracle.fields(peer.score(total, **formula))
                assert oracle.fields(metric.corpus_score(hypotheses, references)) == theirs
                expected = [peer.score(row, **formula).score for row in cut]
                assert [metric.score_statistics(row).score for row in cut] == expected
                scores = metric.sentence_scores(hypotheses, references)
                assert scores == pytest.approx(expected, rel=1e-12, abs=0)
        assert metric.statistics(hypotheses, streams).tolist() == cut
        for hypothesis, *texts, row in zip(hypotheses[:50], *streams, cut, strict=False):
            theirs = oracle.fields(peer.score(row, **formula))
            assert oracle.fields(metric.sentence_score(hypothesis, texts)) == theirs


def joined(lines: list[str], size: int, separator: str) -> list[str]:
    return [separator.join(lines[i : i + size]) for i in range(0, len(lines), size)]


@pytest.mark.parametrize(
    ("pair", "tokenize", "separator"),
    [("en-de", "13a", " "), ("en-zh", "zh", ""), ("en-ja", "char", ""), ("en-ru", "none", " ")],
)
@pytest.mark.parametrize("size", [2, 20, pytest.param(1002, marks=pytest.mark.nightly)])
def test_documents(pair: str, tokenize: str, separator: str, size: int) -> None:
    """Segments joined to documents of 50 to 40,000 tokens, with one reference and with all."""
    systems = newstest.systems(pair)
    number = max(300, size)  # of lines
    hypotheses = joined(systems[sorted(systems)[1]][:number], size, separator)
    streams = [joined(lines[:number], size, separator) for lines in newstest.references(pair).values()]
    for references in (streams[:1], streams):
        prepared = peer.metric(references, tokenize=tokenize, max_ngram_order=MAX_ORDER)
        rows = peer.statistics(prepared, hypotheses)
        for order in (4, MAX_ORDER):
            cut = [oracle.cut(row, order) for row in rows]
            metric = BLEU(tokenize=tokenize, max_ngram_order=order)
            assert metric.statistics(hypotheses, references).tolist() == cut
            assert metric.statistics(hypotheses, metric.prepare(references)).tolist() == cut
