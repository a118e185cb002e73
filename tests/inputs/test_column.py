"""Columns: what goes in comes out again, in text, lines, fields and ids."""

import copy
import pickle
import random
import sys
from array import array
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fastbleu import BLEU, CHRF
from fastbleu.inputs._column import IdColumn, concatenate, rebuild
from fastbleu.inputs._text import TextColumn, text_column, use_instructions
from fastbleu.inputs._tokens import collect_tokens
from tests.support.alphabet import ENCODING_EDGES
from tests.support.strategies import any_character, texts

# The copying loops take 8 and 16 characters at a time, and stop in the middle where one is not ASCII.
STRIDES = (0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129)

# Portable, the widest that the machine has.
INSTRUCTIONS = (0, 2)

WORDS = BLEU(tokenize="none")
IDS = np.array([[1, 2, 3, 4]])
ROWS = WORDS.statistics(IDS, [IDS])
CHRF_ROWS = CHRF().statistics(["a b"], [["a c"]])

any_texts = st.one_of(texts(), st.text(any_character, max_size=80))


@pytest.fixture(autouse=True)
def widest_instructions_afterwards() -> Iterator[None]:
    yield
    use_instructions(max(INSTRUCTIONS))


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.lists(any_texts, max_size=12))
def test_text_comes_back(strings: list[str]) -> None:
    column = text_column(strings)
    assert len(column) == len(strings)
    assert [column[i] for i in range(len(column))] == strings
    assert [column[i - len(strings)] for i in range(len(column))] == strings


@pytest.mark.parametrize("instructions", INSTRUCTIONS)
def test_text_of_every_width_comes_back(instructions: int) -> None:
    """ASCII runs of every stride with one other character before, in, or after them."""
    use_instructions(instructions)
    strings = [
        "A" * position + other + "z" * (length - position)
        for length in STRIDES
        for other in ("", *ENCODING_EDGES)
        for position in {0, length // 2, length}
    ]
    column = text_column(strings)
    assert [column[i] for i in range(len(column))] == strings


@pytest.mark.parametrize("instructions", INSTRUCTIONS)
@pytest.mark.parametrize("alphabet", ["aZ\x00", "aZß×Þÿ", "aßя", "aя日\ud800", "aя日\ud800😀\U0010ffff"])
def test_random_text_comes_back_as_it_is_and_lowercased(instructions: int, alphabet: str) -> None:
    use_instructions(instructions)
    generator = random.Random(ascii(alphabet))
    strings = ["".join(generator.choices(alphabet, k=generator.randint(0, 70))) for _ in range(2_000)]
    assert list(text_column(strings)) == strings
    assert list(text_column(strings, lowercase=True)) == [string.lower() for string in strings]


@pytest.mark.slow
@pytest.mark.parametrize("instructions", INSTRUCTIONS)
def test_every_code_point_comes_back(instructions: int) -> None:
    use_instructions(instructions)
    strings = [chr(code) for code in range(0x110000)]
    column = text_column(strings)
    assert all(column[i] == string for i, string in enumerate(strings))
    together = "".join(strings)
    assert text_column([together])[0] == together


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.lists(any_texts, max_size=8))
@example(["\u0130I\u03a3", "ABYZ@[`{\u212a", "\u03a3", "a\u03a3", "\u03a3\u03a3 \u03a3"])
def test_lowercase(strings: list[str]) -> None:
    expected = [string.lower() for string in strings]
    copied = text_column(strings, lowercase=True)
    assert [copied[i] for i in range(len(copied))] == expected
    lowered = text_column(strings).lowered()
    assert [lowered[i] for i in range(len(lowered))] == expected


@pytest.mark.slow
def test_lowercase_of_every_code_point() -> None:
    strings = [f"A{chr(code)}Z" for code in range(0x110000)]
    column = text_column(strings, lowercase=True)
    assert all(column[i] == string.lower() for i, string in enumerate(strings))
    for length in STRIDES:
        string = ("@AMZ[`amz{\x00\x7f" * 20)[:length]
        assert text_column([string], lowercase=True)[0] == string.lower()


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(texts(5), st.none()), max_size=10), st.data())
def test_absent_segments_and_slices(strings: list[str | None], data: st.DataObject) -> None:
    column = text_column(strings, may_be_missing=True)
    start = data.draw(st.integers(0, len(strings)))
    stop = data.draw(st.integers(start, len(strings)))
    part = column.slice(start, stop)
    assert [part[i] for i in range(len(part))] == strings[start:stop]
    again = part.slice(0, len(part)).lowered()
    assert [again[i] for i in range(len(again))] == [
        None if string is None else string.lower() for string in strings[start:stop]
    ]
    assert list(part.take(array("q", range(len(part) - 1, -1, -1)))) == strings[start:stop][::-1]
    for copied in (pickle.loads(pickle.dumps(part)), copy.deepcopy(part)):
        assert [copied[i] for i in range(len(copied))] == strings[start:stop]


@pytest.mark.parametrize("offsets", [[], [1 << 40], [-1], [0, 7], [0, 2, 1], [-1, 2], [3, 2]])
@pytest.mark.parametrize("kind", [IdColumn, TextColumn])
def test_damaged_offsets_are_refused(kind: type[Any], offsets: list[int]) -> None:
    data = bytes(6 * 8) if kind is IdColumn else b"abcdef"
    with pytest.raises(ValueError, match=r"damaged$"):
        rebuild(kind, data, array("q", offsets).tobytes(), None)


@pytest.mark.parametrize("bad", [1, 1.5, b"bytes", ["a"], None, object()])
def test_what_is_no_text_is_named(bad: Any) -> None:
    with pytest.raises(TypeError, match=r"column\[2\] must be a str, not " + type(bad).__name__):
        text_column(["a", "b", bad, "c"])


def test_indices_and_slices_out_of_range() -> None:
    column = text_column(["a", "b", "c"])
    for index in (3, -4, 1 << 40):
        with pytest.raises(IndexError, match=str(index)):
            column[index]
    for start, stop in ((-1, 1), (2, 1), (0, 4), (4, 4)):
        with pytest.raises(IndexError, match="out of range"):
            column.slice(start, stop)


def test_columns_one_behind_the_other() -> None:
    columns = [text_column(["a", "", "bc"]), text_column([]), text_column(["d", None], may_be_missing=True)]
    assert list(concatenate(columns)) == ["a", "", "bc", "d", None]
    assert list(concatenate(columns[:1])) == ["a", "", "bc"]
    (ids, other), _ = collect_tokens([[[1, 2], []], [[3], [4]]], ["ids", "other"], 2, 0, 2)
    assert list(concatenate([ids, other])) == [[1, 2], [], [3], [4]]
    with pytest.raises(TypeError, match="must be of one kind, not TextColumn and IdColumn"):
        concatenate([columns[0], ids])


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None has no count of references")
@pytest.mark.parametrize(
    "call",
    [
        lambda: WORDS.statistics(IDS, [IDS]),
        lambda: WORDS.score_statistics(ROWS, each=True),
        lambda: WORDS.prefix_scores(IDS, [IDS]),
        lambda: BLEU().statistics(["a b"], [["a c"], [None]]),
        lambda: CHRF().score_statistics(CHRF_ROWS, each=True),
        lambda: pickle.loads(pickle.dumps(text_column(["a", None], may_be_missing=True))),
    ],
)
def test_no_buffer_costs_a_reference_to_none(call: Callable[[], object]) -> None:
    """No class here exports a buffer; arrays that are read and written do, to every kernel."""
    call()
    before = sys.getrefcount(None)
    for _ in range(1000):
        call()
    assert abs(sys.getrefcount(None) - before) < 100
