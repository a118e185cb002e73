"""Keys and tokens that are made to share slots of hash tables by someone who does not know the seeds."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from fastbleu._native import _hashing  # type: ignore[attr-defined]

Keys = NDArray[np.uint64]

#: The tags of hashing.h: the top byte of a key's second word.
ID_TAG = 0x80 << 56
SHORT_TAG = 15 << 56


def seeds() -> ctypes.Array[ctypes.c_uint64]:
    """The two seeds of this process: the memory itself."""
    capsule = vars(_hashing)["__pyx_capi__"]["SEEDS"]
    name_of, pointer_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address = pointer_of(capsule, name_of(capsule))
    assert address is not None
    return (ctypes.c_uint64 * 2).from_address(address)


@contextmanager
def seeded(first: int, second: int) -> Iterator[None]:
    """Gives the hash tables of this process other seeds; nothing that has tables may be kept from before."""
    held = seeds()
    own = list(held)
    try:
        held[:] = [first, second]
        yield
    finally:
        held[:] = own


def numbers(count: int) -> dict[str, Keys]:
    """Numbers of 64 bits, all different, in which there is some order."""
    i = np.arange(count, dtype=np.uint64)
    spaced = {
        f"{stride:#x} apart": i * np.uint64(stride) for stride in (1, 3, 255, 257, 65537, (1 << 32) + 1)
    }
    # These are the factors that mixing functions use, and the modulus of Python's own hashes.
    spaced |= {f"{stride:#x} apart": i * np.uint64(stride) for stride in (0x9E3779B97F4A7C15, (1 << 61) - 1)}
    shifted = {f"differing from bit {bit} on": i << np.uint64(bit) for bit in (4, 8, 16, 24, 32, 40, 48, 52)}
    reversed_bits = [int(f"{each:064b}"[::-1], 2) for each in range(count)]
    return {
        **spaced,
        **shifted,
        "negative": ~i,
        "of alternating signs": np.where(i % 2, i, np.uint64(0) - i),
        "mirrored": np.array(reversed_bits, dtype=np.uint64),
        "Gray": i ^ (i >> np.uint64(1)),
    }


def grid(count: int) -> tuple[Keys, Keys]:
    """Pairs of small numbers, all different."""
    side = int(count**0.5)
    i = np.arange(side, dtype=np.uint64)
    return np.repeat(i, side), np.tile(i, side)


def token_keys(count: int) -> dict[str, tuple[Keys, Keys]]:
    """Keys of ids and of short tokens."""
    ids, short = np.full(count, ID_TAG, dtype=np.uint64), np.full(count, SHORT_TAG, dtype=np.uint64)
    i = np.arange(count, dtype=np.uint64)
    one, two = grid(count)
    pairs = np.full(len(one), SHORT_TAG, dtype=np.uint64)
    same = np.full(count, 0x6161616161616161, dtype=np.uint64)
    return {
        **{f"ids {name}": (low, ids) for name, low in numbers(count).items()},
        "tokens that differ in the first bytes": (i, short | np.uint64(0x6161)),
        "tokens that differ in the ninth byte": (same, short | i),
        "tokens that differ in the last bytes": (same, short | i << np.uint64(40)),
        "tokens that differ in the first and the ninth byte": (one, pairs | two),
        "tokens that differ in two places": (one << np.uint64(48), pairs | two << np.uint64(40)),
    }


def ngram_keys(count: int) -> dict[str, Keys]:
    """Keys of n-grams: the number of all tokens but the last, and that of all but the first."""
    i = np.arange(1, count + 1, dtype=np.uint64)
    one, two = grid(count)
    high = np.uint64(32)
    return {
        "n-grams of few (n-1)-grams": one << high | two,
        "n-grams that begin alike": np.uint64(7) << high | i,
        "n-grams that end alike": i << high | np.uint64(7),
        "n-grams one after the other": i << high | (i + np.uint64(1)),
        "n-grams backwards": (i + np.uint64(1)) << high | i,
    }


def long_texts(count: int, length: int) -> dict[str, bytes]:
    """Texts of a length, all different, joined."""
    head, tail = b"a" * (length - 4), b"b" * (length - 4)
    middle = length // 2
    return {
        f"{length} bytes that end differently": b"".join(head + i.to_bytes(4, "big") for i in range(count)),
        f"{length} bytes that begin differently": b"".join(
            i.to_bytes(4, "little") + tail for i in range(count)
        ),
        f"{length} bytes that differ in the middle": b"".join(
            head[:middle] + i.to_bytes(4, "little") + tail[middle:] for i in range(count)
        ),
    }
