"""Counting under the options that decide tokens and lengths, against the oracle."""

import pickle
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastbleu import BLEU, References
from fastbleu.counting.matcher import Matcher
from fastbleu.counting.reference_length import REFERENCE_LENGTHS
from fastbleu.tokenizers.names import get_tokenizer
from tests.support import oracle

TOKENS = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=9)
SEGMENTS = st.lists(st.tuples(TOKENS, st.lists(TOKENS, min_size=1, max_size=4)), max_size=6)


def matcher(order: int = 4, rule: str = "closest", name: str = "none") -> Matcher:
    return Matcher(get_tokenizer(name), max_ngram_order=order, reference_length=rule)


def chosen_length(rule: str, length: int, lengths: list[int]) -> int:
    if rule == "shortest":
        return min(lengths)
    if rule == "closest-first":
        return min(lengths, key=lambda candidate: abs(candidate - length))
    return min(lengths, key=lambda candidate: (abs(candidate - length), candidate))


def expected_row(hypothesis: list[str], references: list[list[str]], order: int, rule: str) -> list[int]:
    row = oracle.statistics(hypothesis, references, order)
    row[1] = chosen_length(rule, len(hypothesis), [len(reference) for reference in references])
    return row


@settings(max_examples=300, deadline=None)
@given(SEGMENTS, st.integers(1, 6), st.sampled_from(list(REFERENCE_LENGTHS)), st.booleans())
def test_references_per_segment(segments: Any, order: int, rule: str, as_text: bool) -> None:
    expected = [expected_row(hypothesis, references, order, rule) for hypothesis, references in segments]
    written: Any = " ".join if as_text else tuple
    hypotheses = [written(hypothesis) for hypothesis, _ in segments]
    references = [[written(reference) for reference in references] for _, references in segments]
    counting = matcher(order, rule)
    assert list(counting.iterate_per_segment(hypotheses, references)) == expected
    totals = counting.count_per_segment(hypotheses, references)
    assert totals.row == [sum(column) for column in zip(*expected, strict=True)] or not segments
    assert [counting.count_one(*pair)[0] for pair in zip(hypotheses, references, strict=True)] == expected
    if segments:
        prepared = counting.prepare_segments(references)
        assert counting.count(hypotheses, prepared).row == totals.row


@pytest.mark.parametrize(
    ("lengths", "length", "closest", "first", "shortest"),
    [
        ([12, 15, 17], 12, 12, 12, 12),
        ([12, 14, 17], 13, 12, 12, 12),
        ([14, 12, 17], 13, 12, 14, 12),
        ([20, 9, 30], 16, 20, 20, 9),
        ([0, 4], 2, 0, 0, 0),
        ([4, 0], 2, 0, 4, 0),
    ],
)
def test_reference_lengths(lengths: list[int], length: int, closest: int, first: int, shortest: int) -> None:
    references = [["w"] * number for number in lengths]
    found = [matcher(rule=rule).count_one(["w"] * length, references)[0][1] for rule in REFERENCE_LENGTHS]
    assert found == [closest, first, shortest]
    for rule, expected in zip(REFERENCE_LENGTHS, found, strict=True):
        bleu = BLEU(tokenize="none", reference_length=rule, effective_order=True)
        assert bleu.sentence_score(["w"] * length, references).ref_len == expected
        assert pickle.loads(pickle.dumps(bleu)).sentence_score(["w"] * length, references).ref_len == expected


def test_uneven_numbers_of_references_are_prepared_rather_than_padded() -> None:
    references = [["a b"]] * 99 + [["a b"] * 5000]
    assert isinstance(matcher()._aligned(references, 100), References)
    totals = matcher().count_per_segment(["a b"] * 100, references)
    assert totals.row == [200, 200, 200, 100, 0, 0, 200, 100, 0, 0]
    assert totals.num_references == -1


def test_a_matcher_pickles() -> None:
    copy = pickle.loads(pickle.dumps(matcher(2, "shortest")))
    assert copy.count_one("a b", ["a b", "b"]) == ([2, 1, 2, 1, 2, 1], 2)


def test_tokenized_hypotheses_are_counted_before_any_tokenizer() -> None:
    counting = Matcher(get_tokenizer(str.split), max_ngram_order=1)
    assert counting.count(["a .", "b."], [["a", "b"]]).tokenized == 1
    assert matcher(name="13a").count(["a .", "b."], [["a", "b"]]).tokenized == 1


@pytest.mark.parametrize(
    ("hypotheses", "references", "kind", "words"),
    [
        (["a"], [], ValueError, "references has 0 segments, but there is 1 hypothesis"),
        (["a", "b"], [["a"]], ValueError, "references has 1 segments, but there are 2 hypotheses"),
        (["a"], [[]], ValueError, r"references\[0\] must hold at least one reference"),
        (["a", "b"], [["a"], [None]], ValueError, "segment 1: it has no reference"),
        (
            ["a", "b"],
            [["a"], "b"],
            TypeError,
            r"references\[1\] must be a sequence of references, not a bare str",
        ),
        (["a", "b"], [["a"], ["b", 7]], TypeError, r"references\[1\]\[1\] must be a str, not int: 7"),
        (
            [["a"], ["b"]],
            [[["a"]], [["b"], "c"]],
            TypeError,
            r"references\[1\]\[1\] must be a sequence of tokens",
        ),
        (
            [["a"], ["b"]],
            [[["a"]], [["b", []]]],
            TypeError,
            r"references\[1\]\[0\]\[1\] must be a hashable token",
        ),
        ("a", [["a"]], TypeError, "hypotheses must be a sequence of segments, not a bare str"),
    ],
)
def test_bad_references_per_segment(hypotheses: Any, references: Any, kind: Any, words: str) -> None:
    with pytest.raises(kind, match=words):
        matcher().count_per_segment(hypotheses, references)
    with pytest.raises(kind, match=words):
        list(matcher().iterate_per_segment(hypotheses, references))


def test_no_segments() -> None:
    assert matcher(2).count_per_segment([], []).row == [0] * 6
    assert list(matcher(2).iterate_per_segment([], [])) == []


@pytest.mark.parametrize("rule", REFERENCE_LENGTHS)
@pytest.mark.parametrize("longest", [40, 900])  # few lengths, and more than are told apart
def test_many_references_of_one_segment(rule: str, longest: int) -> None:
    generator = random.Random(longest)
    references = [generator.choices("abcdefghijklm", k=generator.randrange(3, longest)) for _ in range(600)]
    hypotheses = [generator.choices("abcdefghijklmn", k=length) for length in (0, 2, 17, 38, 41, 640, 899)]
    counting = matcher(3, rule)
    prepared = counting.prepare_segments([references])
    found = [row for row, _ in counting.iterate(hypotheses, prepared[[0] * len(hypotheses)])]
    assert found == [expected_row(hypothesis, references, 3, rule) for hypothesis in hypotheses]
    assert found == [counting.count_one(hypothesis, references)[0] for hypothesis in hypotheses]
    assert pickle.loads(pickle.dumps(prepared)).num_references == 600


def test_an_error_names_the_reference_of_its_segment() -> None:
    references: list[Any] = [[["a"]]] * 20 + [[["a"]] * 40] + [[["u"], [["v"]]]]
    words = r"^references\[21\]\[1\]\[0\] must be a hashable token"
    with pytest.raises(TypeError, match=words):
        matcher().count_per_segment([["a"]] * 22, references)
    with pytest.raises(TypeError, match=words):
        matcher().prepare_segments(references)
    with pytest.raises(ValueError, match="reference in any stream"):
        BLEU().prepare([["a", None]])


def test_references_without_any_hypothesis() -> None:
    with pytest.raises(ValueError, match="references has 1 segments, but there are 0 hypotheses"):
        matcher().count_per_segment([], [["a"]])


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("name", ["none", "13a", "zh", "char", "intl"])
def test_a_corpus_of_one_segment(name: str, lowercase: bool) -> None:
    """It goes a shorter way than two do, to the same sums, and with errors of the same words."""
    counting = Matcher(get_tokenizer(name), lowercase)
    hypothesis, other = "The cat, sat on 1.5 Mats .", "a b"
    for references in (["The cat sat."], ["the cat", None, ""], [None, "Mats ."]):
        one = counting.count([hypothesis], [[reference] for reference in references])
        two = counting.count([hypothesis, other], [[reference, ""] for reference in references])
        rest = counting.count([other, other], [["", ""]] * len(references)).row
        assert [2 * count for count in one.row] == [2 * a - b for a, b in zip(two.row, rest, strict=True)]
        assert (one.tokenized, one.num_references) == (1, sum(each is not None for each in references))
    for hypotheses, streams, words in (
        (["a"], [["a"], [3]], r"^references\[1\]\[0\] must be a str, not int: 3$"),
        (["a"], [["a"], "b"], r"^references must be a list of streams"),
        (["a"], [["a", "b"]], r"^references\[0\] has 2 segments, but there is 1 hypothesis"),
        (["a"], [[None]], r"^references hold nothing but None for segment 0"),
        (["a"], [], r"^references is empty"),
        ([3], [["a"]], r"^hypotheses\[0\] must be a str, not int: 3$"),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            counting.count(hypotheses, streams)
