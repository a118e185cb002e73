"""An index as a file.

It begins with a header: 16 bytes that say what it is, and uint32 each for the version, the byte order, the length and
the checksum of the rest of the header. That is JSON: options, kind of texts, seeds, sizes and checksum of all that
follows: the keys, places and long tokens of the vocabulary, and the arrays of each part. Header and vocabulary are
padded to a multiple of 8 bytes.
"""

from __future__ import annotations

import json
import struct
import sys
import zlib
from itertools import chain

from ..errors import describe
from ..inputs._column import Memory
from ..inputs.columns import CLASSES
from ..metric import BLEU
from ..metric.state import options_of
from ._vocabulary import Vocabulary
from .parts import check_numbers, made_of
from .texts import Tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ._lists import Part

_MAGIC = b"fastbleu.search\n"
_VERSION = 1
#: Reads as another number in the other byte order.
_ORDER = 0x01020304
_FIXED = struct.Struct("=16s4I")


def pieces_of(
    metric: BLEU, tokens: Tokens, parts: list[Part], seeds: tuple[int, ...]
) -> Iterator[bytes | memoryview]:
    """Make the bytes of an index, piece by piece; see `Index.save`."""
    for word in tokens.words:
        if type(word) not in (str, int):
            raise ValueError(f"only tokens that are str or int can be saved, but one is {describe(word)}")
    state = tokens.vocabulary.state()
    body: list[bytes | memoryview] = [
        *state,
        bytes(-len(state[-1]) % 8),
        *chain(*(part.arrays for part in parts)),
    ]
    checksum = 0
    for piece in body:
        checksum = zlib.crc32(piece, checksum)
    header = {
        "options": options_of(metric),
        "tokenize": metric.tokenizer.name if metric.tokenizer.compiled is not None else None,
        "kind": tokens.kind,
        "seeds": seeds,
        "words": list(tokens.words),
        "vocabulary": [len(each) for each in state],
        "parts": [[len(array) for array in part.arrays] for part in parts],
        "checksum": checksum,
    }
    data = json.dumps(header).encode()
    data += b" " * (-(_FIXED.size + len(data)) % 8)
    yield _FIXED.pack(_MAGIC, _VERSION, _ORDER, len(data), zlib.crc32(data))
    yield data
    yield from body


def read_index(
    held: bytes | Memory, name: str, metric: BLEU | None, verify: bool
) -> tuple[BLEU, Tokens, list[Part], tuple[int, ...]]:
    """Read an index from the bytes of its file; see `Index.load`."""
    memory = held if isinstance(held, Memory) else Memory(held, name)
    data = memoryview(memory)
    text, start = _read_header(data, name)
    try:
        return _read_body(json.loads(text), memory, data, start, metric, verify)
    except (KeyError, TypeError, IndexError, OverflowError, RecursionError) as error:
        raise ValueError(f"{name}: the header of the index is damaged: {error!r}") from None
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _read_header(data: memoryview, name: str) -> tuple[bytes, int]:
    """Read the header, and where the rest begins."""
    if len(data) < _FIXED.size or data[: len(_MAGIC)] != _MAGIC:
        raise ValueError(f"{name} is not an index of fastbleu.search")
    _, version, order, length, checksum = _FIXED.unpack_from(data)
    if order != _ORDER:
        raise ValueError(f"{name} was written on a machine of another byte order than {sys.byteorder}")
    if version != _VERSION:
        raise ValueError(f"{name} has version {version} of the format; this release reads {_VERSION}")
    text = data[_FIXED.size : _FIXED.size + length]
    if len(text) < length:
        raise ValueError(f"{name} is cut short: its header has {length} bytes, but {len(text)} are there")
    if zlib.crc32(text) != checksum:
        raise ValueError(f"{name} is damaged: the checksum of its header is wrong")
    return bytes(text), _FIXED.size + length


def _read_body(
    header: dict[str, Any], memory: Memory, data: memoryview, start: int, metric: BLEU | None, verify: bool
) -> tuple[BLEU, Tokens, list[Part], tuple[int, ...]]:
    """Check the options, and make what comes after the header."""
    import numpy as np

    if metric is None:
        metric = _metric_of(header)
    theirs, ours = header["options"], json.loads(json.dumps(options_of(metric)))
    for option, value in ours.items():
        if theirs[option] != value:
            raise ValueError(
                f"the index was made with {option}={theirs[option]!r}, but the metric has {option}={value!r}"
            )
    sizes = [*header["vocabulary"], *(4 * size for each in header["parts"] for size in each)]
    expected = start + sum(sizes) + -sizes[2] % 8
    if len(data) != expected or min(sizes) < 0:
        raise ValueError(f"the index must have {expected} bytes, but {len(data)} are there")
    if verify and zlib.crc32(data[start:]) != header["checksum"]:
        raise ValueError("the index was changed after it was saved: the checksum of its contents is wrong")

    def take(size: int) -> memoryview:
        nonlocal start
        start += size
        return data[start - size : start]

    state = [bytes(take(size)) for size in header["vocabulary"]]
    take(-sizes[2] % 8)
    seeds = tuple(header["seeds"])
    words = {word: i for i, word in enumerate(header["words"])}
    if header["kind"] not in (None, *CLASSES):
        raise ValueError(f"the kind of texts is {header['kind']!r}")
    tokens = Tokens(metric, header["kind"], words, Vocabulary(*state))
    parts = []
    for each in header["parts"]:
        arrays = [np.asarray(take(4 * size).cast("I")) for size in each]
        # Those of lengths follow from others.
        del arrays[3:5]
        check_numbers(arrays, tokens.vocabulary.tokens)
        parts.append(made_of(arrays, seeds, memory))
    return metric, tokens, parts, seeds


def _metric_of(header: dict[str, Any]) -> BLEU:
    """Make the metric that an index was made with."""
    options = dict(header["options"])
    name = header["tokenize"]
    if name is None:
        raise ValueError(
            f"the index was made with the tokenizer {options['tokenizer']!r}; give the metric that it was made with"
        )
    del options["tokenizer"]
    return BLEU(tokenize=name, **options)
