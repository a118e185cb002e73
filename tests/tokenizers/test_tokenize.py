"""The compiled tokenizers, token for token against the oracle's."""

import itertools
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastbleu.tokenizers import _tokenize
from fastbleu.tokenizers.names import COMPILED
from tests.support import oracle
from tests.support.alphabet import ALMOST_SPACES, ASCII_PUNCTUATION, MARKS, SPACES, WORDS, random_text
from tests.support.strategies import TOKEN_BYTES, texts
from tests.support.tiers import one_of

NAMES = oracle.AVAILABLE

# Tokenizers look at blocks of 16, 32 or 64 bytes, and copy what lies too near to the end of its memory.
BLOCK_EDGES = (
    0, 1, 7, 8, 15, 16, 17, 30, 31, 32, 33, 62, 63, 64, 65, 66, 95, 127, 128, 129, 130, 255, 256, 257
)  # fmt: skip


# Portable, AVX2 at most, the widest that the machine has.
INSTRUCTIONS = (0, 1, 2)


@pytest.fixture(autouse=True)
def widest_instructions_afterwards() -> Iterator[None]:
    yield
    _tokenize.use_instructions(max(INSTRUCTIONS))


def check(text: str, name: str, lowercase: bool = False) -> None:
    expected = oracle.tokenize(text, name, lowercase)
    for instructions in INSTRUCTIONS:
        _tokenize.use_instructions(instructions)
        found = _tokenize.tokenize(text, COMPILED[name], lowercase)
        assert found == expected, f"{name} of {text!r} with instructions {instructions}"


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=700, deadline=None)
@given(text=texts(), lowercase=st.booleans())
def test_hurting_text(name: str, text: str, lowercase: bool) -> None:
    check(text, name, lowercase)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_random_text(name: str) -> None:
    generator = random.Random(name)
    for i in range(12_000):
        check(random_text(generator), name, lowercase=i % 4 == 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("part", one_of(8, range(8)))
def test_every_code_point(name: str, part: int) -> None:
    """Every assigned one: between letters, between digits, doubled, and next to a period."""
    starts = itertools.chain(
        range(0, 0x40000, 16), range(0xE0000, 0xE0200, 16), range(0x10FF00, 0x110000, 16)
    )
    for start in itertools.islice(starts, part, None, 8):
        characters = [chr(code) for code in range(start, start + 16)]
        check("".join(f"a{c}b 1{c}2 {c}{c} .{c}1 {c}, 3{c} {c}-" for c in characters), name)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_short_string_of_the_dense_alphabet(name: str) -> None:
    """All strings of up to six of: digit, period, comma, dash, letter, space, newline."""
    for length in range(7):
        for characters in itertools.product("1.,-a \n" if length < 6 else "1.-a ", repeat=length):
            check("".join(characters), name)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_pair_and_triple_of_ascii(name: str) -> None:
    ascii_characters = [chr(code) for code in range(128)]
    for first in ascii_characters:
        check(
            "".join(f"{first}{second}x{first}{second}5{first}{second} " for second in ascii_characters), name
        )
    for triple in itertools.product(f"{ASCII_PUNCTUATION}0a \n", repeat=3):
        check("".join(triple), name)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("part", one_of(4, range(4)))
def test_runs_over_block_edges(name: str, part: int) -> None:
    """Each hurting piece so that it begins, or ends, around the edge of every block."""
    others = ("é", "中", "\U0001f600", "\ud800", "\x00", "1.,-", "&quot;&quot;")
    pieces = [*WORDS, *SPACES, *ALMOST_SPACES, *MARKS, *others]
    for edge in BLOCK_EDGES[part::4]:
        for filler in ("a", "1", ".", "1.", " ", "é", "中"):
            head = (filler * edge)[:edge]
            for piece in pieces:
                check(f"{head}{piece}", name)
                check(f"{head}{piece}{head}", name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("length", TOKEN_BYTES)
def test_words_of_every_length(name: str, length: int) -> None:
    for unit in ("a", "9", "é", "\0", "-", ".", "a1."):
        word = unit * length
        check(word, name)
        check(f" {word}  {word}\t", name)


@pytest.mark.parametrize("name", NAMES)
def test_white_space_of_every_kind(name: str) -> None:
    for first, second in itertools.product(SPACES, SPACES):
        check(f"{first}a{second}b{first}{second}c.{first}{second}", name)
    check(SPACES, name)
    check(SPACES * 20, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "unit", ["a ", "1.", "a..5", "&quot;", "<skipped>", "-\n", "é中 ", "\U0001f600,", "x" * 1000]
)
def test_very_long_text(name: str, unit: str) -> None:
    check(unit * 20_000, name) if len(unit) < 1000 else check(unit * 500, name)


@pytest.mark.parametrize("name", NAMES)
def test_blank_text_and_letters_that_change_in_lower_case(name: str) -> None:
    blank = ("", " ", "\n", "\0", "\u3000", "\x1c\x1f", "<skipped>", "-\n", "-\n-")
    for text in (*blank, "İI", "ΑΣ ΣΑΣ.", "&QUOT; &Quot; <SKIPPED>", "ǅ K Å ẞ", "A" * 100 + "É"):
        check(text, name, lowercase=True)
        check(text, name, lowercase=False)


@pytest.mark.parametrize(
    ("text", "code", "error"),
    [
        *((text, COMPILED["13a"], TypeError) for text in (None, b"bytes", 1, ["a"])),
        *(("a", code, ValueError) for code in (-1, _tokenize.TOKENIZERS, 99)),
    ],
)
def test_other_arguments_are_refused(text: Any, code: int, error: type[Exception]) -> None:
    with pytest.raises(error):
        _tokenize.tokenize(text, code)
