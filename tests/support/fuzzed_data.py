"""Values made of bytes: what a fuzzer changes becomes arguments of the package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from tests.support.alphabet import PIECES

Value = TypeVar("Value")

#: One byte chooses one of the first 255, or another byte chooses among the others.
_PIECES: tuple[str, ...] = tuple(dict.fromkeys(PIECES))
_WORDS = (
    "the", "cat", "sat", "on", "a", "mat", ",", ".", "The", "x", "1.5", "&amp;", "猫", "é", "-", "don't",
)  # fmt: skip

#: Numbers at which something changes: padding, rules, bytes, words and the largest of each size.
NUMBERS: tuple[int, ...] = (
    0, 1, 2, 3, 4, 5, 6, 7, -1, -2, -100, 60, 63, 64, 65, 127, 128, 129, 255, 256, 300, 32767, 32768, 65535, 65536,
    (1 << 18) - 1, 1 << 18, (1 << 31) - 1, 1 << 31, -(1 << 31), (1 << 32) - 1, 1 << 32, 1 << 40, (1 << 53) - 1, 1 << 53,
    (1 << 62), (1 << 63) - 1, -(1 << 63),
)  # fmt: skip


class FuzzedData:
    """Reads values from bytes, from the first one on; after the last one there are zeros.

    Each value takes few bytes, so that a fuzzer which changes one byte changes one value.

    Args:
        data: The bytes.

    Example:
        >>> fuzzed = FuzzedData(bytes([7, 1, 3]))
        >>> fuzzed.integer(1, 4), fuzzed.flag(), fuzzed.choice("abcd"), fuzzed.integer(5, 9)
        (4, True, 'd', 5)
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._place = 0

    @property
    def left(self) -> int:
        """Return how many bytes have not been read."""
        return max(0, len(self._data) - self._place)

    def byte(self) -> int:
        """0..255."""
        self._place += 1
        return self._data[self._place - 1] if self._place <= len(self._data) else 0

    def flag(self) -> bool:
        return bool(self.byte() & 1)

    def integer(self, least: int, most: int) -> int:
        """An integer of a range, from as many bytes as the range needs."""
        width = (most - least).bit_length() + 7 >> 3
        number = int.from_bytes(bytes(self.byte() for _ in range(width)), "big")
        return least + number % (most - least + 1)

    def number(self) -> int:
        """An integer of 64 bits: small, one of `NUMBERS`, or any."""
        kind = self.byte()
        if kind < 160:
            return kind % 12
        if kind < 240:
            return NUMBERS[self.byte() % len(NUMBERS)]
        return self.integer(-(1 << 63), (1 << 63) - 1)

    def choice(self, values: Sequence[Value]) -> Value:
        return values[self.integer(0, len(values) - 1)]

    def raw(self, most: int = 255) -> bytes:
        """Up to this many bytes as they are."""
        size = min(self.integer(0, most), self.left)
        self._place += size
        return self._data[self._place - size : self._place]

    def rest(self) -> bytes:
        """All bytes that have not been read."""
        return self.raw_of(self.left)

    def raw_of(self, size: int) -> bytes:
        """This many bytes, or all that are left."""
        size = min(size, self.left)
        self._place += size
        return self._data[self._place - size : self._place]

    def text(self, most: int = 60, is_any: bool = True) -> str:
        """A string: of pieces that hurt tokenizers, of words, of UTF-8 as it stands, or of single bytes."""
        kind = self.byte()
        size = kind >> 2
        # A long one now and then.
        size = size * 8 if size == 63 else size % (most + 1)
        data = self.raw_of(size)
        if kind & 3 == 0:
            found = _pieces(data)
        elif kind & 3 == 1:
            found = data.decode("utf-8", "surrogateescape")
        elif kind & 3 == 2:
            found = " ".join(_WORDS[byte & 15] + " " * (byte >> 7) for byte in data)
        else:
            found = data.decode("latin-1")
        return found if is_any else found.encode("utf-8", "replace").decode().replace("\0", "0")

    def tokens(self, most: int = 40) -> list[int]:
        """Numbers of tokens, few different ones; parts of the list may be there several times."""
        size = self.byte()
        repeats = 1 + (size >> 5) ** 2 if size >> 5 == 7 else 1
        found = [byte & 7 if byte < 224 else byte for byte in self.raw_of((size & 31) % (most + 1))]
        return found * repeats


def _pieces(data: bytes) -> str:
    found = []
    places = iter(data)
    for place in places:
        far = 255 + 4 * next(places, 0) if place == 255 else place
        found.append(_PIECES[far % len(_PIECES)])
    return "".join(found)
