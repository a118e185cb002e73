"""fairseq's libbleu written once more, slowly: its hash, its trimming and its counts.

`fastbleu.compat.fairseq` was compared with libbleu of https://github.com/facebookresearch/fairseq at commit 3d262bb,
built with gcc for x86-64, on a million random pairs of ids, and this with `fastbleu.compat.fairseq` in the tests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

#: The fields of the library's structure.
FIELDS = ("reflen", "predlen", *(f"{name}{n}" for n in range(1, 5) for name in ("match", "count")))


def fnv(ids: Sequence[int]) -> int:
    value = 0xCBF29CE484222325
    for token in ids:
        for byte in (token & 0xFFFFFFFF).to_bytes(4, "little"):
            value ^= (byte - 256 if byte > 127 else byte) & 0xFFFFFFFFFFFFFFFF
            value = value * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def trimmed(ids: list[int], pad: int, eos: int) -> list[int]:
    while ids and ids[0] == pad:
        ids = ids[1:]
    while len(ids) > 1 and ids[-1] in (pad, eos):
        ids = ids[:-1]
    return ids


def counts(ref: list[int], pred: list[int], pad: int, eos: int, unk: int) -> dict[str, int]:
    """Return the counts that one pair adds."""
    ref = trimmed([-999 if token == unk else token for token in ref], pad, eos)
    pred = trimmed(pred, pad, eos)
    found = [len(ref), len(pred)]
    for n in range(1, 5):
        hashes = [Counter(fnv(ids[i : i + n]) for i in range(len(ids) - n + 1)) for ids in (ref, pred)]
        found += [(hashes[0] & hashes[1]).total(), max(0, len(pred) - n + 1)]
    return dict(zip(FIELDS, found, strict=True))
