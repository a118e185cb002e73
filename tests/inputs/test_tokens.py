"""Token sequences as columns of ids: equal ids where the tokens are equal, and nowhere else."""

import ctypes
import struct
import sys
from contextlib import suppress
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastbleu import BLEU
from fastbleu.inputs._tokens import TokenTable, collect_tokens
from tests.support import oracle


def ids_of(*sources: Any, **options: Any) -> list[list[list[int]]]:
    names = ["hypotheses", *(f"references[{s}]" for s in range(len(sources) - 1))]
    found = []
    for column in collect_tokens(list(sources), names, 1, 0, len(sources[0]), **options)[0]:
        _, (_, data, offsets, _) = column.__reduce__()
        ids = struct.unpack(f"={len(data) // 8}q", data)
        ends = struct.unpack(f"={len(offsets) // 8}q", offsets)
        found.append([list(ids[ends[i] : ends[i + 1]]) for i in range(len(ends) - 1)])
    return found


def pattern(tokens: list[Any]) -> list[int]:
    """Return where each token stood first."""
    return [tokens.index(token) for token in tokens]


class Text(str):
    __slots__ = ()


class Cased:
    def __init__(self, text: str) -> None:
        self.text = text

    def __eq__(self, other: object) -> bool:
        return self.text == (other.text if isinstance(other, Cased) else other)

    def __hash__(self) -> int:
        return hash(self.text)


WORDS = ["a", "b", "ab", "é", "ß", "日本", "𝒳", "\ud800", "\0", "", "a" * 40, "é" * 40, "日" * 40]
PLAIN = st.sampled_from(WORDS).map(lambda word: "".join(list(word)))  # equal words, not always one object
NUMBERS = st.sampled_from([0, 1, -1, 255, 2**31, 2**63 - 1, -(2**63)])
ANYTHING = st.one_of(
    PLAIN,
    NUMBERS,
    PLAIN.map(Text),
    PLAIN.map(Cased),
    PLAIN.map(lambda word: word.encode("utf-8", "surrogatepass")),
    st.sampled_from([1.0, 0.0, True, False, None, 2**63, 2**64, Fraction(1), (1, "a"), (), frozenset("a")]),
)


@pytest.mark.slow
@pytest.mark.parametrize("tokens", [PLAIN, NUMBERS, ANYTHING], ids=["str", "int", "any"])
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_ids_are_equal_where_tokens_are(tokens: Any, data: Any) -> None:
    segment = st.lists(tokens, max_size=12)
    corpus = data.draw(st.lists(st.tuples(segment, segment, st.none() | segment), max_size=4))
    sources = [list(source) for source in zip(*corpus, strict=True)] or [[], [], []]
    for i, numbered in enumerate(zip(*ids_of(*sources), strict=True)):
        present = [source[i] or [] for source in sources]
        together = [token for tokens in present for token in tokens]
        assert pattern([number for ids in numbered for number in ids]) == pattern(together)
        assert [len(ids) for ids in numbered] == [len(tokens) for tokens in present]


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(st.lists(ANYTHING, max_size=9), st.lists(ANYTHING, max_size=9)), min_size=1, max_size=4
    )
)
def test_counts_of_any_tokens(corpus: Any) -> None:
    hypotheses, stream = (list(side) for side in zip(*corpus, strict=True))
    bleu = BLEU(tokenize="none")
    expected = [oracle.statistics(hypothesis, [reference]) for hypothesis, reference in corpus]
    assert bleu.statistics(hypotheses, [stream]).tolist() == expected
    assert bleu.statistics(hypotheses, bleu.prepare([stream])).tolist() == expected
    for (hypothesis, reference), row in zip(corpus, expected, strict=True):
        score = bleu.sentence_score(hypothesis, [reference])
        assert [score.sys_len, score.ref_len, *score.counts, *score.totals] == row


def test_a_str_with_the_hash_of_another_is_another() -> None:
    # More words than slots of a table, so that many collide.
    words = [f"{number:x}" for number in range(5_000)]
    assert ids_of([words], [words[::-1]]) == [[list(range(5_000))], [list(range(4_999, -1, -1))]]


def test_reading_stops_where_there_are_enough_tokens() -> None:
    segments, names = [["a"] * 3, ["b"] * 3, ["c"]], ["hypotheses", "references[0]"]
    for most, stop in ((0, 1), (5, 1), (6, 2), (11, 2), (12, 3), (100, 3)):
        columns, found = collect_tokens([segments, segments], names, 1, 0, 3, max_tokens=most)
        assert (found, [len(column) for column in columns]) == (stop, [stop, stop])


def test_numbers_of_a_vocabulary_hold_from_segment_to_segment() -> None:
    vocabulary: dict[Any, int] = {}
    segments = [["a", "b", "a"], (1, 1.0, True), [], range(2, 4)]
    assert ids_of(segments, vocabulary=vocabulary) == [[[0, 1, 0], [2, 2, 2], [], [3, 4]]]
    assert vocabulary == {"a": 0, "b": 1, 1: 2, 2: 3, 3: 4}
    assert ids_of([["c", "a"]], vocabulary=vocabulary, frozen=True) == [[[-1, 0]]]
    assert "c" not in vocabulary


@pytest.mark.parametrize(
    ("segment", "expected"),
    [
        (np.array([7, 7, 8]), [7, 7, 8]),
        (np.array(["x", "y", "x"]), [0, 1, 0]),
        (range(3), [0, 1, 2]),
        ((5, -5), [5, -5]),
        ([2**64, 5, 2**64], [0, 1, 0]),
        ([5, "5", 5], [0, 1, 0]),
    ],
)
def test_sequences_of_every_kind(segment: Any, expected: list[int]) -> None:
    assert ids_of([segment]) == [[expected]]


@pytest.mark.parametrize("bad", ["abc", b"abc", {"a": 1}, {"a"}, 7, None])
def test_what_is_no_sequence_of_tokens_is_named(bad: Any) -> None:
    with pytest.raises(
        TypeError, match=r"hypotheses\[1\] must be a sequence of tokens, not " + type(bad).__name__
    ):
        ids_of([["a"], bad])


def test_what_cannot_be_hashed_is_named() -> None:
    with pytest.raises(TypeError, match=r"hypotheses\[0\]\[2\] must be a hashable token, not list"):
        ids_of([["a", "b", ["c"]]])


class Grows:
    """A token that makes its segment longer whenever it is hashed."""

    def __init__(self, segment: list[Any]) -> None:
        self.segment = segment

    def __hash__(self) -> int:
        if len(self.segment) < 10_000:
            self.segment.extend("abcdefgh" * 50)
        return 1


class Shrinks(Grows):
    def __hash__(self) -> int:
        self.segment.clear()
        return 1


def test_tokens_that_change_their_segment() -> None:
    for kind in (Grows, Shrinks):
        segment: list[Any] = ["a", "b"]
        segment += [kind(segment), "c", "d"]
        with suppress(RuntimeError):
            assert len(ids_of([segment, ["x"]])[0]) == 2


class Lies:
    """Has a length, and a list of its items that is none."""

    def __len__(self) -> int:
        return 3

    def tolist(self) -> str:
        return "xyz"


@pytest.mark.parametrize(
    "bad", [np.array(3), np.array(1.5), np.array("abc"), Lies()], ids=["int", "float", "str", "liar"]
)
def test_what_has_a_length_by_name_only(bad: Any) -> None:
    bleu = BLEU(tokenize="none", effective_order=True)
    kind = type(bad).__name__
    for hypothesis, references in ((bad, [["a"]]), (["a"], [bad]), (["a"], [["a"], bad])):
        with pytest.raises(TypeError, match=f"must be a sequence of tokens, not {kind}"):
            bleu.sentence_score(hypothesis, references)
    with pytest.raises(TypeError, match=r"references\[0\]\[1\] must be a sequence of tokens"):
        bleu.corpus_score([["a"], ["b"]], [[["a"], bad]])
    with pytest.raises(TypeError, match="must be a sequence of tokens"):
        bleu.prepare([[["a"], bad]])


def probes_of(tokens: list[Any]) -> int:
    """Return how many slots look-ups find taken by other tokens, while a segment of distinct tokens is numbered."""
    table = TokenTable()
    assert ids_of([tokens], [tokens[::-1]], table=table) == [
        [list(range(len(tokens)))],
        [list(range(len(tokens) - 1, -1, -1))],
    ]
    return table.probes


def colliding_words(number: int, bits: int) -> list[str]:
    """Words whose Python hashes agree in their lowest bits."""
    words = (f"{word:x}" for word in range(1 << 40))
    return list(islice((word for word in words if hash(word) % (1 << bits) == 1), number))


@pytest.mark.slow
def test_words_chosen_to_collide() -> None:
    # All want the same slot: with Python's hashes the look-ups would take 500 * 499 / 2 probes twice.
    assert probes_of(colliding_words(500, bits=12)) < 1_000
    assert probes_of([f"{word:x}" for word in range(500)]) < 1_000


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="writes into CPython's str")
def test_words_of_equal_hash() -> None:
    words = [f"{word:x}é" * (word % 5 + 1) for word in range(500)]
    for word in words:
        # A str keeps its hash after its length.
        ctypes.c_ssize_t.from_address(id(word) + object.__basicsize__ + 8).value = 7
        assert hash(word) == 7
    assert probes_of(words) < 1_000


def test_integers_of_equal_hash() -> None:
    modulus = sys.hash_info.modulus
    numbers = [k * modulus + 1 for k in range(-4, 4)]  # of 64 bits: they are their own ids
    assert len(set(map(hash, numbers))) <= 2
    assert ids_of([numbers]) == [[numbers]]
    assert probes_of([k * modulus + 1 for k in range(500)]) < 1_000
