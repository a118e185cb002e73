"""Counting corpora under the options that decide tokens and lengths, against the oracle."""

import itertools
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastbleu import BLEU, References, TokenIds
from fastbleu.counting.corpus import read_corpus, read_corpus_per_segment
from fastbleu.counting.matcher import Matcher
from fastbleu.options import REFERENCE_LENGTHS
from fastbleu.tokenizers.names import get_tokenizer
from tests.support import oracle
from tests.support.matchers import matcher

TOKENS = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=9)
SEGMENTS = st.lists(st.tuples(TOKENS, st.lists(TOKENS, min_size=1, max_size=4)), max_size=6)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(SEGMENTS, st.integers(1, 6), st.sampled_from(list(REFERENCE_LENGTHS)), st.booleans())
def test_references_per_segment(segments: Any, order: int, rule: str, as_text: bool) -> None:
    expected = [oracle.statistics(hypothesis, references, order, rule) for hypothesis, references in segments]
    written: Any = " ".join if as_text else tuple
    hypotheses = [written(hypothesis) for hypothesis, _ in segments]
    references = [[written(reference) for reference in references] for _, references in segments]
    counting = matcher(order, rule)
    corpus = read_corpus_per_segment(counting, hypotheses, references)
    assert [row for row, _ in corpus.rows()] == expected
    totals = corpus.count()
    assert totals.row == [sum(column) for column in zip(*expected, strict=True)] or not segments
    assert [counting.count_one(*pair)[0] for pair in zip(hypotheses, references, strict=True)] == expected
    if segments:
        prepared = counting.prepare_segments(references)
        assert read_corpus(counting, hypotheses, prepared).count().row == totals.row


def test_uneven_numbers_of_references_are_prepared_rather_than_padded() -> None:
    references = [["a b"]] * 99 + [["a b"] * 5000]
    corpus = read_corpus_per_segment(matcher(), ["a b"] * 100, references)
    assert isinstance(corpus.prepared, References)
    totals = corpus.count()
    assert totals.row == [200, 200, 200, 100, 0, 0, 200, 100, 0, 0]
    assert totals.num_references == -1


def test_tokenized_hypotheses_are_counted_before_any_tokenizer() -> None:
    counting = Matcher(get_tokenizer(str.split), max_ngram_order=1)
    assert read_corpus(counting, ["a .", "b."], [["a", "b"]]).count().tokenized == 1
    assert read_corpus(matcher(name="13a"), ["a .", "b."], [["a", "b"]]).count().tokenized == 1


def test_no_segments() -> None:
    corpus = read_corpus_per_segment(matcher(2), [], [])
    assert corpus.count().row == [0] * 6
    assert list(corpus.rows()) == []


def test_an_error_names_the_reference_of_its_segment() -> None:
    references: list[Any] = [[["a"]]] * 20 + [[["a"]] * 40] + [[["u"], [["v"]]]]
    words = r"^references\[21\]\[1\]\[0\] must be a hashable token"
    with pytest.raises(TypeError, match=words):
        read_corpus_per_segment(matcher(), [["a"]] * 22, references).count()
    with pytest.raises(TypeError, match=words):
        matcher().prepare_segments(references)
    with pytest.raises(ValueError, match="reference in any stream"):
        BLEU().prepare([["a", None]])


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("name", ["none", "13a", "zh", "char", "intl"])
def test_a_corpus_of_one_segment(name: str, lowercase: bool) -> None:
    """It goes a shorter way than two do, to the same sums, and with errors of the same words."""
    counting = Matcher(get_tokenizer(name), lowercase)
    hypothesis, other = "The cat, sat on 1.5 Mats .", "a b"
    for references in (["The cat sat."], ["the cat", None, ""], [None, "Mats ."]):
        one = read_corpus(counting, [hypothesis], [[reference] for reference in references]).count()
        two = read_corpus(
            counting, [hypothesis, other], [[reference, ""] for reference in references]
        ).count()
        rest = read_corpus(counting, [other, other], [["", ""]] * len(references)).count().row
        assert [2 * count for count in one.row] == [2 * a - b for a, b in zip(two.row, rest, strict=True)]
        assert (one.tokenized, one.num_references) == (1, sum(each is not None for each in references))
    for hypotheses, streams, words in (
        (["a"], [["a"], [b"b"]], r"^references\[1\]\[0\] must be a str, not bytes: b'b'$"),
        (["a"], [["a"], "b"], r"^references must be a list of streams"),
        (["a"], [["a", "b"]], r"^references\[0\] has 2 segments, but there is 1 hypothesis"),
        (["a"], [[None]], r"^references hold nothing but None for segment 0"),
        (["a"], [], r"^references is empty"),
        ([b"b"], [["a"]], r"^hypotheses\[0\] must be a str, not bytes: b'b'$"),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            read_corpus(counting, hypotheses, streams).count()
        with pytest.raises((TypeError, ValueError), match=words):
            BLEU(lowercase, tokenize=name).corpus_score(hypotheses, streams)


def test_errors_name_what_the_caller_names() -> None:
    names = ("preds", "target")
    for hypotheses, references, words in (
        (["a", 7], [["a"], ["b"]], r"^preds\[1\] must be a str, not int: 7$"),
        (["a", "b"], [["a"], ["b", 7]], r"^target\[1\]\[1\] must be a str, not int: 7$"),
        (["a", "b"], [["a"], [None]], r"^target hold nothing but None for segment 1"),
        (["a", "b"], [["a"]], r"^target has 1 segment, but there are 2 hypotheses"),
        ([["a"], ["b"]], [[["a"]], [["b"], "c"]], r"^target\[1\]\[1\] must be a sequence of tokens"),
        ([["a"], ["b"]], [[["a"]], [["b", []]]], r"^target\[1\]\[0\]\[1\] must be a hashable token"),
        (["a"] * 9, [["a"]] * 8 + [["a"] * 100 + [7]], r"^target\[8\]\[100\] must be a str, not int: 7$"),
        (["a"] * 9, [["a"]] * 7 + [[None]] + [["a"] * 100], r"^target hold nothing but None for segment 7"),
        (["a"], "a", r"^target must be a sequence that holds the references"),
    ):
        for use in (lambda corpus: corpus.count(), lambda corpus: list(corpus.rows())):
            with pytest.raises((TypeError, ValueError), match=words):
                use(read_corpus_per_segment(matcher(), hypotheses, references, names))


KINDS: dict[str, Any] = {"text": ["a b", "c"], "tokens": [["a", "b"], ["c"]], "ids": TokenIds([[1, 2], [3]])}


@pytest.mark.parametrize(("hypotheses", "references"), [*itertools.product(KINDS, KINDS)])
def test_kinds_that_meet(hypotheses: str, references: str) -> None:
    """Text meets text; tokens and ids meet each other, prepared or not, where lists hold int."""
    counting = matcher(1)
    fits = "text" not in (hypotheses, references) or hypotheses == references
    given = {**KINDS, "tokens": [[1, 2], [3]]} if "ids" in (hypotheses, references) else KINDS
    streams = given[references] if references == "ids" else [given[references]]
    for prepared in (streams, counting.prepare(streams)):
        if fits:
            corpus = read_corpus(counting, given[hypotheses], prepared)
            assert corpus.count().row == [3, 3, 3, 3]
            assert [row for row, _ in corpus.rows()] == [[2, 2, 2, 2], [1, 1, 1, 1]]
        else:
            with pytest.raises((TypeError, ValueError), match=r"^(hypotheses|references)"):
                read_corpus(counting, given[hypotheses], prepared).count()


def test_a_few_long_segments_are_spread_over_threads() -> None:
    """Rows of ids say how long they are, so that 64 of them need not be one chunk."""
    generator = random.Random(3)
    rows, others = ([[generator.randrange(50) for _ in range(600)] for _ in range(64)] for _ in range(2))
    one, two = (BLEU(tokenize="none", threads=threads) for threads in (1, 2))
    expected = one.statistics(TokenIds(rows), [TokenIds(others)])
    assert one.corpus(TokenIds(rows), [TokenIds(others)]).chunk_size(10) == 1024
    for ids in (TokenIds(rows), TokenIds(np.array(rows))):
        corpus = two.corpus(ids, [TokenIds(others)])
        corpus.reader()
        assert corpus.chunk_size(10) == (1 << 14) // 600
        assert two.statistics(ids, [TokenIds(others)]).tolist() == expected.tolist()
