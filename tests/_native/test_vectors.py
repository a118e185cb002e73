"""Vectors against their portable twins: the same bits for every block, on whatever processor the tests run.

The functions of the headers are called unchanged, through a small library that is compiled here. Where the machine
has no compiler of its own, FASTBLEU_VECTORS names a library made elsewhere, as tools/test_processors.py does.
"""

import ctypes
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.modules import PACKAGE

HERE = Path(__file__).parent
COMPILER = shutil.which("gcc") or shutil.which("clang") or shutil.which("cc")
BLOCK = 64
WORDS = 10  # of an fb_block
TABLE_SIZE = 192

pytestmark = pytest.mark.skipif(
    (COMPILER is None and "FASTBLEU_VECTORS" not in os.environ) or sys.platform == "win32",
    reason="needs a C compiler",
)


# Use the definitions for Microsoft's compiler, which allows every instruction; gcc must be told.
AS_MICROSOFT = ["-DFB_MSVC=1", f"-I{HERE / 'msvc'}", "-DFB_TARGET(names)=__attribute__((target(names)))"]


@pytest.fixture(scope="module", params=["as it is", "as Microsoft's compiler reads it"])
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = os.environ.get("FASTBLEU_VECTORS")
    extra: list[str] = []
    if request.param != "as it is":
        if path is not None or shutil.which("gcc") is None:
            pytest.skip("needs gcc")
        extra = AS_MICROSOFT
    if path is None:
        assert COMPILER is not None
        path = str(tmp_path_factory.mktemp("vectors") / "vectors.so")
        command = [COMPILER, "-std=c11", "-O2", "-ffp-contract=off", "-shared", "-fPIC", f"-I{PACKAGE}"]
        subprocess.run([*command, *extra, str(HERE / "vectors.c"), "-o", path], check=True)
    found = ctypes.CDLL(path)
    for name in ("encode", "find_invalid"):
        getattr(found, name).restype = ctypes.c_size_t
    return found


def levels(library: Any) -> range:
    """Portable, and all that this processor has beyond it."""
    return range(library.cpu_level() + 1)


def pointer(array: Any) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def classified(library: Any, level: int, text: bytes, table: bytes) -> list[list[int]]:
    blocks = len(text) // BLOCK
    out = np.full((blocks, WORDS), 0x5555, dtype=np.uint64)
    library.classify(level, text, ctypes.c_size_t(blocks), table, pointer(out))
    return [row[:8] for row in out.tolist()]  # the last two are filled later


def expected_classes(text: bytes, table: bytes) -> list[list[int]]:
    """Return the classes of scan.h for each word, byte by byte."""
    found = []
    for start in range(0, len(text), BLOCK):
        words = [0] * 8
        for position, byte in enumerate(text[start : start + BLOCK]):
            if byte < 0x80:
                for bit in range(6):
                    words[bit] |= (table[byte] >> bit & 1) << position
            elif byte < 0xC0:
                words[7] |= 1 << position
            else:
                words[6] |= bool(table[byte - 0x40]) << position
        found.append(words)
    return found


def test_this_processor_has_the_vectors_of_its_kind(library: Any) -> None:
    machine = os.uname().machine
    if machine in {"aarch64", "arm64"}:
        assert library.cpu_level() == 1
    elif machine == "x86_64":
        assert 0 <= library.cpu_level() <= 2


#: Every byte in every position of a block, among bytes of its own kind and of others.
EVERY_BYTE = [
    bytes((first + step * k) % 256 for k in range(4 * BLOCK)) for first in range(256) for step in (0, 1, 67)
]
#: Every class has a byte; all 64 first bytes of characters count, none, or every third.
TABLES = [
    bytes(k * 37 % 64 for k in range(128)) + bytes(leads)
    for leads in ([1] * 64, [0] * 64, [int(k % 3 == 0) for k in range(64)])
]


@pytest.mark.slow
def test_every_byte_in_every_place(library: Any) -> None:
    for table in TABLES:
        text = b"".join(EVERY_BYTE)
        expected = expected_classes(text, table)
        for level in levels(library):
            assert classified(library, level, text, table) == expected, level


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.binary(min_size=BLOCK, max_size=BLOCK), min_size=1, max_size=4),
    st.lists(st.integers(0, 63), min_size=128, max_size=128),
    st.lists(st.integers(0, 1), min_size=64, max_size=64),
)
def test_any_blocks_and_any_table(
    library: Any, blocks: list[bytes], classes: list[int], leads: list[int]
) -> None:
    text, table = b"".join(blocks), bytes(classes + leads)
    expected = expected_classes(text, table)
    for level in levels(library):
        assert classified(library, level, text, table) == expected, level


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(st.integers(0, 2**64 - 1), st.just(0), st.just(2**64 - 1)), min_size=1, max_size=6))
def test_positions_of_bits(library: Any, words: list[int]) -> None:
    blocks = np.zeros((len(words), WORDS), dtype=np.uint64)
    blocks[:, 0] = words
    expected = [BLOCK * b + k for b, word in enumerate(words) for k in range(BLOCK) if word >> k & 1]
    for level in levels(library):
        out = np.zeros(len(expected) + BLOCK, dtype=np.uint32)
        library.list_bits(level, pointer(blocks), ctypes.c_size_t(len(words)), pointer(out))
        assert out[: len(expected)].tolist() == expected, level


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(exclude_categories=()), max_size=150), st.integers(0, 40))
def test_characters_of_every_width(library: Any, text: str, ascii_before: int) -> None:
    text = "a" * ascii_before + text
    expected = text.encode("utf-8", "surrogatepass")
    largest = max(map(ord, text), default=0)
    for width, limit in ((1, 0x100), (2, 0x10000), (4, 0x110000)):
        if largest >= limit:
            continue
        characters = np.array([ord(each) for each in text], dtype=f"u{width}")
        for level in levels(library):
            out = np.zeros(4 * len(text) + BLOCK, dtype=np.uint8)
            size = library.encode(level, width, pointer(characters), ctypes.c_size_t(len(text)), pointer(out))
            assert out[:size].tobytes() == expected, (width, level)


def test_equal_ends(library: Any) -> None:
    text = np.array([7, 8, 9, 10], dtype=np.uint32)
    for differences in range(16):
        other = text ^ np.array([(differences >> i & 1) << 31 - 7 * i for i in range(4)], dtype=np.uint32)
        expected = [i for i in range(4) if not differences >> 3 - i]
        for level in (0, 1):
            found = library.equal_ends(level, pointer(text), pointer(other))
            assert [i for i in range(4) if found >> i & 1] == expected


def first_invalid(text: bytes) -> int:
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return error.start
    return len(text)


def check_first_invalid(library: Any, text: bytes) -> None:
    for level in levels(library):
        assert library.find_invalid(level, text, ctypes.c_size_t(len(text))) == first_invalid(text), level


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(st.text(max_size=60).map(str.encode), st.binary(max_size=3)), max_size=8))
def test_the_first_invalid_byte(library: Any, parts: list[bytes]) -> None:
    check_first_invalid(library, b"".join(parts))


def test_an_invalid_byte_in_every_place(library: Any) -> None:
    generator = random.Random(1)
    valid = "".join(generator.choices("aé中😀\ud7ff\ue000\uffff\U0010ffff", k=70)).encode()
    assert len(valid) > 3 * BLOCK
    for position in range(len(valid)):
        for wrong in (0x41, 0x80, 0xBF, 0xC0, 0xC2, 0xE0, 0xED, 0xF0, 0xF4, 0xF5, 0xFF):
            check_first_invalid(library, valid[:position] + bytes([wrong]) + valid[position + 1 :])
