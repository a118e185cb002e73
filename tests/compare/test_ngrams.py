"""N-grams that systems match, against the plain way of counting them."""

import random

import numpy as np
import pytest

from fastbleu import BLEU
from fastbleu.compare import compare
from fastbleu.compare.ngrams import NgramMatches
from fastbleu.compare.outputs import read_outputs
from tests.support import compare_oracle as oracle


def counted(bleu: BLEU, outputs: list[list[str]], streams: list[list[str | None]]) -> NgramMatches:
    return NgramMatches(read_outputs(dict(zip("abc", outputs, strict=False)), streams, bleu))


def tokens(streams: list[list[str | None]]) -> list[list[list[str]]]:
    return [
        [one.split() for one in of_segment if one is not None] for of_segment in zip(*streams, strict=True)
    ]


@pytest.mark.parametrize("seed", range(60))
def test_counts_are_those_of_the_oracle(seed: int) -> None:
    generator = random.Random(seed)
    order = generator.randint(1, 5)
    bleu = BLEU(tokenize="none", max_ngram_order=order)
    outputs, streams = oracle.corpus(
        generator, 3, generator.randint(1, 12), generator.randint(1, 3), generator.choice((1, 3, 12))
    )
    found = counted(bleu, outputs, streams)
    references = tokens(streams)
    totals = oracle.reference_counts(references, order)
    names = [found.references.ngram(k) for k in range(len(found.references.totals))]
    assert len(set(names)) == len(names)
    assert dict(zip(names, found.references.totals.tolist(), strict=True)) == dict(totals)
    expected = [oracle.matches([line.split() for line in output], references, order) for output in outputs]
    for s in (2, 0, 1):
        there = {name: count for name, count in zip(names, found.matches(s).tolist(), strict=True) if count}
        assert there == dict(expected[s])
    words, counts = found.words()
    assert dict(zip(words, counts.tolist(), strict=True)) == {
        ngram[0]: count for ngram, count in totals.items() if len(ngram) == 1
    }
    for most in (0, 1, 5, 1000):
        for mine, theirs in ((0, 1), (2, 0)):
            of_mine, of_theirs = found.differences(mine, theirs, most)
            for listed, a, b in ((of_mine, mine, theirs), (of_theirs, theirs, mine)):
                assert [
                    (each.score, each.reference_count, len(each.tokens)) for each in listed
                ] == oracle.clearest(expected[a], expected[b], totals, most)
                for each in listed:
                    assert each.system_count == expected[mine][each.tokens]
                    assert each.other_count == expected[theirs][each.tokens]


def test_no_token_at_all() -> None:
    found = counted(BLEU(), [[""], [""]], [[""]])
    assert found.matches(0).tolist() == []
    assert found.differences(0, 1, 5) == ((), ())
    assert found.words()[0] == []


def test_tokens_are_those_of_the_metric() -> None:
    found = counted(BLEU(lowercase=True, max_ngram_order=2), [["The cat."], ["x"]], [["the CAT."]])
    assert [found.references.ngram(k) for k in range(3)] == [("the",), ("cat",), (".",)]
    assert found.matches(0).tolist() == [1] * 5


def test_numbers_of_compare_mt() -> None:
    """N-grams and word accuracies that compare-mt 0.2.10 computes."""
    references = ["the cat sat on the mat", "it rained all day long", "the dog saw the cat"]
    systems = {
        "a": ["the cat sat on a mat", "it rained all day", "the dog saw a cat"],
        "b": ["a cat sat on the mat", "all day long it rained", "the the dog saw cat"],
    }
    training = ["the the the the the cat", "a dog a mat it", "it"]
    found = compare(systems, [references], BLEU(tokenize="none"), trials=1, training=training)
    (pair,) = found.pairs
    assert (pair.system, pair.other) == ("b", "a")
    assert pair.detail is not None
    by_b, by_a = (
        {" ".join(each.tokens): (each.system_count, each.other_count, each.score) for each in ngrams}
        for ngrams in pair.detail.ngrams
    )
    only_b = ["cat sat on the", "sat on the mat", "sat on the", "on the mat", "all day long", "the mat"]
    only_b += ["on the", "day long", "long"]
    assert by_b == {**dict.fromkeys(only_b, (1, 0, 2 / 3)), "the": (3, 2, 4 / 7)}
    only_a = ["the cat sat on", "it rained all day", "the cat sat", "it rained all", "rained all day"]
    assert by_a == dict.fromkeys([*only_a, "the cat", "rained all"], (0, 1, 2 / 3))
    by_frequency = found.breakdowns[-1]
    assert (by_frequency.groups, by_frequency.sizes) == (("0", "1", "2", "5 to 9"), (7, 4, 1, 4))
    assert by_frequency.values == pytest.approx(
        np.array([[100, 100, 200 / 3, 600 / 7], [1200 / 13, 100, 50, 200 / 3]]), rel=1e-14
    )
