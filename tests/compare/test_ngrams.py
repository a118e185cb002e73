"""N-grams that systems match, against the plain way of counting them."""

from __future__ import annotations

import random

import pytest

from fastbleu import BLEU
from fastbleu.compare.ngrams import NgramMatches
from fastbleu.compare.outputs import Outputs
from fastbleu.inputs.reading import read
from tests.support import compare_oracle as oracle


def counted(bleu: BLEU, outputs: list[list[str]], streams: list[list[str | None]]) -> NgramMatches:
    systems = [read(output, "systems") for output in outputs]
    return NgramMatches(Outputs(bleu, systems, bleu.prepare(streams)))


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
    names = [found.ngram(k) for k in range(len(found.reference_counts))]
    assert len(set(names)) == len(names)
    assert dict(zip(names, found.reference_counts.tolist(), strict=True)) == dict(totals)
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
    assert [found.ngram(k) for k in range(3)] == [("the",), ("cat",), (".",)]
    assert found.matches(0).tolist() == [1] * 5
