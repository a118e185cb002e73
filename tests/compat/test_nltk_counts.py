"""The counts of NLTK's scores, from sequences of any kind."""

from __future__ import annotations

import copy
import random
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from fastbleu.compat.nltk.counts import (
    aligned,
    closest_ref_length,
    count_corpus,
    count_pair,
    modified_precision,
)
from tests.support import nltk_oracle

ORDER = 5


class Own(Sequence[Any]):
    """A sequence that nobody knows."""

    def __init__(self, items: Any) -> None:
        self.items = list(items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: Any) -> Any:
        return self.items[index]


def expected_row(references: Any, hypothesis: Any) -> list[int]:
    pairs = [nltk_oracle.counts(references, hypothesis, n) for n in range(1, ORDER + 1)]
    length = len(hypothesis)
    closest = min((abs(len(r) - length), len(r)) for r in references)[1]
    totals = [max(0, length - n) for n in range(ORDER)]
    return [length, closest, *(matches for matches, _ in pairs), *totals]


TOKENS: dict[str, list[Any]] = {
    "str": ["the", "cat", "", "Katze", "猫", "\ud800", "the "],
    "int": [0, 1, -1, 2**70, 7],
    "tuple": [(), (1,), ("a", (2,)), (1.0,)],
    "equal": [1, 1.0, True, "1", (1,), None, b"1"],
}


@pytest.mark.parametrize("kind", list(TOKENS))
@pytest.mark.parametrize("container", [list, tuple, Own, deque])
def test_sequences_of_any_tokens(kind: str, container: Any) -> None:
    generator = random.Random(kind)
    for _ in range(60):
        segments = [generator.choices(TOKENS[kind], k=generator.randint(0, 9)) for _ in range(4)]
        hypothesis, *references = map(container, segments)
        expected = expected_row(segments[1:], segments[0])
        assert count_pair(references, hypothesis, ORDER) == expected
        assert count_pair(tuple(references), hypothesis, ORDER) == expected
        rows, shorter = count_corpus([references, references[:1]], [hypothesis, hypothesis], ORDER)
        assert rows == [
            a + b for a, b in zip(expected, expected_row(segments[1:2], segments[0]), strict=True)
        ]
        assert shorter == [2 * (len(segments[0]) < n) for n in range(1, ORDER + 1)]


TEXTS = ["the cat sat", "a cat sat here", "", "the"]


@pytest.mark.parametrize("hypothesis", TEXTS)
def test_text_is_characters_on_either_side(hypothesis: str) -> None:
    references = TEXTS[1:]
    expected = expected_row([list(text) for text in references], list(hypothesis))
    mixed = [references[0], list(references[1]), tuple(references[2])]
    for given in (references, mixed, [list(text) for text in references]):
        for segment in (hypothesis, list(hypothesis)):
            assert count_pair(given, segment, ORDER) == expected
            assert count_corpus([given], [segment], ORDER)[0] == expected
            rows, _ = count_corpus([given, [["x"]]], [segment, ["y"]], ORDER)
            assert rows[2 : 2 + ORDER] == expected[2 : 2 + ORDER]
            rows, _ = count_corpus([[["x"]], given], [["y"], segment], ORDER)
            assert rows[2 : 2 + ORDER] == expected[2 : 2 + ORDER]


def test_bytes_are_numbers() -> None:
    assert count_pair([b"abc"], b"abx", 2) == [3, 3, 2, 1, 3, 2]
    assert count_pair([[97, 98]], b"ab", 1) == [2, 2, 2, 2]


def test_a_set_of_references() -> None:
    assert count_pair({("a", "b"), ("b",)}, ["a", "b"], 2) == [2, 2, 2, 1, 2, 1]
    assert count_corpus([{("a", "b"), ("b",)}], [["a", "b"]], 2)[0] == [2, 2, 2, 1, 2, 1]


def test_arrays() -> None:
    np = pytest.importorskip("numpy")
    hypothesis, references = np.array([1, 2, 3, 4]), np.array([[1, 2, 4, 3], [2, 3, 4, 1]])
    expected = expected_row(references.tolist(), hypothesis.tolist())
    assert count_pair(references, hypothesis, ORDER) == expected
    assert count_pair(list(references), [1, 2, 3, 4], ORDER) == expected
    assert count_pair(references.tolist(), hypothesis.astype(float), ORDER) == expected
    assert count_corpus(references[None], hypothesis[None], ORDER)[0] == expected
    words = np.array(["a", "b", "c"])
    assert count_pair([["a", "b"], words[:1]], words, 2) == [3, 2, 2, 1, 3, 2]
    assert count_pair([np.array(["a", "b"], dtype=object)], words, 2) == [3, 2, 2, 1, 3, 2]


def test_nothing_is_changed_nor_kept() -> None:
    references, hypothesis = [["a", "b"], "ab", ("a",)], ["a", "b"]
    before = copy.deepcopy((references, hypothesis))
    count_pair(references, hypothesis, 3)
    count_corpus([references], [hypothesis], 3)
    assert (references, hypothesis) == before


def test_an_empty_corpus() -> None:
    assert count_corpus([], [], 2) == ([0] * 6, [0, 0])


def tokens() -> Iterator[str]:
    yield from "abc"


@pytest.mark.parametrize(
    ("references", "hypothesis", "error", "message"),
    [
        ([["a"]], tokens(), TypeError, "hypothesis must be a sequence of tokens, not generator"),
        ([["a"]], None, TypeError, "hypothesis must be a sequence of tokens, not NoneType: None"),
        ([["a"]], 5, TypeError, "hypothesis must be a sequence of tokens, not int: 5"),
        ([["a"]], {"a"}, TypeError, "hypothesis must be a sequence of tokens, not set"),
        ([["a"]], {"a": 1}, TypeError, "hypothesis must be a sequence of tokens, not dict"),
        ([["a"]], [["a"]], TypeError, "must be a hashable token, not list"),
        ([[["a"]]], ["a"], TypeError, "must be a hashable token, not list"),
        ([["a"], tokens()], ["a"], TypeError, r"references\[1\] must be a sequence of tokens, not generator"),
        ([["a"], None], ["a"], TypeError, r"references\[1\] must be a sequence of tokens, not NoneType"),
        ([None], ["a"], TypeError, r"references\[0\] must be a sequence of tokens, not NoneType"),
        ([3], ["a"], TypeError, r"references\[0\] must be a sequence of tokens, not int"),
        (iter([["a"]]), ["a"], TypeError, "references must be a list of references, not list_iterator"),
        (None, ["a"], TypeError, "references must be a list of references, not NoneType"),
        ("abc", ["a"], TypeError, "references must be a list of references, not str: 'abc'"),
        ("abc", "abc", TypeError, "references must be a list of references, not str: 'abc'"),
        (b"abc", ["a"], TypeError, "references must be a list of references, not bytes"),
        ({"a": 1}, ["a"], TypeError, "references must be a list of references, not dict"),
        ([], ["a"], ValueError, "must hold at least one reference"),
        ([], "abc", ValueError, "must hold at least one reference"),
        ((), [], ValueError, "must hold at least one reference"),
    ],
)
def test_bad_input(references: Any, hypothesis: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        count_pair(references, hypothesis, 2)
    if not hasattr(references, "__next__"):
        with pytest.raises(error):
            count_corpus([[["a"]], references], [["a"], hypothesis], 2)
        with pytest.raises(error):
            count_corpus([references, [["a"]]], [hypothesis, "a"], 2)


def test_bad_corpora_name_the_place() -> None:
    good = [["a"]]
    for references, hypotheses, message in (
        ([good, good], [["a"], None], r"hypotheses\[1\] must be a sequence of tokens, not NoneType"),
        ([good, good], [None, ["a"]], r"hypotheses\[0\] must be a sequence of tokens, not NoneType"),
        (
            [good, "abc"],
            [["a"], ["b"]],
            r"list_of_references\[1\] must be a list of references, not str: 'abc'",
        ),
        ([good, None], [["a"], ["b"]], r"list_of_references\[1\] must be a list of references, not NoneType"),
        ([good, [["a"], None]], [["a"], ["b"]], r"list_of_references\[1\]\[1\] must be a sequence of tokens"),
        (
            [good * 2, [["a"], None]],
            [["a"], ["b"]],
            r"list_of_references\[1\]\[1\] must be a sequence of tokens",
        ),
        ([[["a"], None]] * 2, [["a"], ["b"]], r"list_of_references\[0\]\[1\] must be a sequence of tokens"),
        ([good, [tokens()]], ["a", "b"], r"list_of_references\[1\]\[0\] must be a sequence of tokens"),
    ):
        with pytest.raises(TypeError, match=message):
            count_corpus(references, hypotheses, 2)


def test_aligned() -> None:
    assert aligned((), []) == ((), [])
    lists: Any = [[["a"]], [["b"]]]
    assert aligned(lists, [["a"], ["b"]])[0] is lists
    with pytest.raises(AssertionError, match="there are 1 hypotheses and references for 2"):
        aligned(lists, [["a"]])
    for wrong in ("ab", iter([["a"], ["b"]]), None, {1, 2}):
        with pytest.raises(TypeError, match="hypotheses must be a sequence of segments"):
            aligned(lists, wrong)
        with pytest.raises(TypeError, match="list_of_references must be a sequence of segments"):
            aligned(wrong, [["a"], ["b"]])


@pytest.mark.parametrize("n", range(1, 7))
def test_modified_precision(n: int) -> None:
    generator = random.Random(n)
    for _ in range(100):
        hypothesis, *references = (generator.choices("ab", k=generator.randint(0, 9)) for _ in range(3))
        found = modified_precision(references, hypothesis, n)
        assert (found.numerator, found.denominator) == nltk_oracle.counts(references, hypothesis, n)


def test_order_of_a_modified_precision() -> None:
    for wrong in (0, -1):
        with pytest.raises(ValueError, match="n must be at least 1"):
            modified_precision([["a"]], ["a"], wrong)
    for wrong_type in (None, 1.5, "1"):
        with pytest.raises(TypeError, match="n must be an int"):
            modified_precision([["a"]], ["a"], wrong_type)
    far = modified_precision([["a"] * 100], ["a"] * 99, 90)  # more orders than matchers are kept for
    assert (far.numerator, far.denominator) == (10, 10)


def test_closest_reference_length() -> None:
    references = [["a"] * length for length in (13, 11, 2)]
    assert closest_ref_length(references, 12) == 11
    assert closest_ref_length(reversed(references), 12) == 11
    assert closest_ref_length((r for r in references), 99) == 13
    assert closest_ref_length(["abc", ()], 1) == 0
    assert closest_ref_length(references, 12.5) == 13
    with pytest.raises(ValueError, match="references must hold at least one reference"):
        closest_ref_length([], 3)
    with pytest.raises(TypeError):
        closest_ref_length([5], 3)
