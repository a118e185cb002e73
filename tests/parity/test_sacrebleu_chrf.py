"""chrF against the live sacreBLEU: scores, statistics, signatures and what is printed, with `==`."""

import random
from typing import Any

import numpy as np
import pytest

from fastbleu import CHRF
from fastbleu.rerank import mbr, oracle, pairwise
from tests.support import newstest

metrics = pytest.importorskip("sacrebleu.metrics", reason="sacreBLEU is not installed")

ALPHABETS = [
    "ab",
    "abc. ,!",
    "the cat sat on mat.,()\"' ",
    "東京は 雨。、éüß\u3000\u2003\xa0\x85\x1c",
    "\ud800\udc00a\U0001f600\u0301 b",
    "abcdefghijklmnopqrstuvwxyz ABC.,İ",
]


def random_text(choose: random.Random, alphabet: str, longest: int) -> str:
    return "".join(choose.choices(alphabet, k=choose.randrange(longest)))


def compared(options: dict[str, Any], hypotheses: list[str], streams: list[list[str | None]]) -> None:
    ours, theirs = CHRF(**options), metrics.CHRF(**options)
    score, wanted = ours.corpus_score(hypotheses, streams), theirs.corpus_score(hypotheses, streams)
    assert [*vars(score).items()] == [*vars(wanted).items()]
    signature = str(theirs.get_signature())
    assert str(ours.get_signature()).rpartition("|")[0] == signature
    assert ours.get_signature().format(True).rpartition("|")[0] == theirs.get_signature().format(True)
    for written in ({}, {"signature": signature}, {"signature": signature, "is_json": True, "width": 3}):
        assert score.format(**written) == wanted.format(**written)
    assert ours.num_refs == theirs.num_refs
    rows = theirs._extract_corpus_statistics(hypotheses, streams)
    assert ours.statistics(hypotheses, streams).tolist() == rows
    for i, hypothesis in enumerate(hypotheses[:50]):
        of_segment = [stream[i] for stream in streams if stream[i] is not None]
        expected = theirs.sentence_score(hypothesis, of_segment).score
        assert ours.sentence_score(hypothesis, of_segment).score == expected


@pytest.mark.parametrize("seed", range(12))
def test_random_segments(seed: int) -> None:
    choose = random.Random(seed)
    for _ in range(25):
        options = {
            "char_order": choose.choice([6, 6, 1, 3, 9]),
            "word_order": choose.choice([0, 2, 1]),
            "beta": choose.choice([2, 1, 3, 0]),
            "lowercase": choose.random() < 0.3,
            "whitespace": choose.random() < 0.3,
            "eps_smoothing": choose.random() < 0.3,
        }
        segments, alphabet = choose.choice([1, 2, 5]), choose.choice(ALPHABETS)
        longest = choose.choice([3, 20, 140, 700])
        streams: list[list[str | None]] = [
            [
                random_text(choose, alphabet, longest) if s == 0 or choose.random() < 0.8 else None
                for _ in range(segments)
            ]
            for s in range(choose.choice([1, 2, 3]))
        ]
        hypotheses = [
            (streams[0][i] or "")[choose.randrange(3) :]
            if choose.random() < 0.5
            else random_text(choose, alphabet, longest)
            for i in range(segments)
        ]
        compared(options, hypotheses, streams)


@pytest.mark.usefixtures("newstest")
@pytest.mark.parametrize("word_order", [0, 2])
@pytest.mark.parametrize("pair", newstest.PAIRS)
def test_real_text(pair: str, word_order: int) -> None:
    streams: list[list[str | None]] = [[*lines] for lines in newstest.references(pair).values()]
    hypotheses = next(iter(newstest.systems(pair).values()))
    part = slice(word_order, None, 15)
    compared({"word_order": word_order}, hypotheses[part], [stream[part] for stream in streams])


@pytest.mark.parametrize("eps_smoothing", [False, True])
def test_counts_that_no_float_holds(eps_smoothing: bool) -> None:
    """A quotient of two counts is rounded once, as Python divides integers."""
    ours, theirs = CHRF(eps_smoothing=eps_smoothing), metrics.CHRF(eps_smoothing=eps_smoothing)
    choose = random.Random(3)
    rows = []
    for _ in range(300):
        row: list[int] = []
        for _ in range(6):
            both = [choose.randrange(1 << choose.choice([0, 30, 53, 58])) for _ in range(2)]
            row += [*both, choose.randrange(min(both) + 1)]
        rows.append(row)
    expected = [theirs._compute_f_score(row) for row in rows]
    assert ours.score_statistics(np.array(rows), each=True).tolist() == expected
    assert [ours.score_statistics(row).score for row in rows] == expected
    accumulator = ours.accumulator()
    accumulator.add_statistics(rows)
    total = theirs._compute_f_score([sum(column) for column in zip(*rows, strict=True)])
    assert accumulator.compute().score == ours.score_statistics(rows).score == total


def test_intervals() -> None:
    choose = random.Random(5)
    streams = [[random_text(choose, ALPHABETS[2], 60) for _ in range(100)]]
    hypotheses = [text[:-3] + "cat" for text in streams[0]]
    ours = CHRF().corpus_score(hypotheses, streams, n_bootstrap=200)
    theirs = metrics.CHRF().corpus_score(hypotheses, streams, n_bootstrap=200)
    assert (ours.mean, ours.ci) == (theirs._mean, theirs._ci)


@pytest.mark.parametrize("word_order", [0, 2])
def test_pairs(word_order: int) -> None:
    choose = random.Random(word_order)
    ours, theirs = CHRF(word_order=word_order), metrics.CHRF(word_order=word_order)
    for alphabet in ALPHABETS:
        pool = [random_text(choose, alphabet, 60) for _ in range(20)]
        wanted = [[theirs.sentence_score(text, [other]).score for other in pool] for text in pool]
        assert pairwise(pool, metric=ours).tolist() == wanted
        means = [sum(row) / len(row) for row in wanted]
        assert means[mbr([pool], metric=ours).indices[0]] == pytest.approx(max(means), rel=1e-15)
        references = [random_text(choose, alphabet, 60) for _ in range(3)]
        by_reference = [theirs.sentence_score(text, references).score for text in pool]
        assert oracle([pool], [references], metric=ours).utilities.tolist() == [max(by_reference)]
