"""Random rows of token ids, and the rule by which they are read, once more and slowly."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import numpy as np

PAD, EOS, IGNORE, UNK = 0, 2, -100, 3


def kept(
    row: list[int], pad: int | None = None, eos: int | None = None, ignore: int | None = -100
) -> list[int]:
    """The rule once more, word for word: skip leading padding, cut at the first eos, drop padding and ignored ids."""
    start = 0
    while start < len(row) and row[start] == pad:
        start += 1
    row = row[start:]
    if eos in row:
        row = row[: row.index(eos)]
    return [id_ for id_ in row if id_ not in (pad, ignore)]


class Rule(NamedTuple):
    pad_id: int | None = None
    eos_id: int | None = None
    ignore_id: int | None = -100
    unk_id: int | None = None

    def of(self, row: list[int]) -> list[int]:
        return kept(row, self.pad_id, self.eos_id, self.ignore_id)


RULES = (
    Rule(),
    Rule(PAD),
    Rule(PAD, EOS),
    Rule(EOS, EOS),
    Rule(None, EOS),
    Rule(PAD, EOS, None),
    Rule(-1, EOS, -100),
    Rule(PAD, EOS, 1),
    Rule(PAD, EOS, -100, UNK),
)


def random_row(generator: random.Random, rule: Rule, width: int) -> list[int]:
    """Rows as they come: padded left or right, cut, with stray padding, ignored ids, all padding, random."""
    pad = rule.pad_id if rule.pad_id is not None else 1
    ignore = rule.ignore_id if rule.ignore_id is not None else 1
    special = [id_ for id_ in (rule.pad_id, rule.eos_id, rule.ignore_id, rule.unk_id) if id_ is not None]
    length = generator.randint(0, width)
    words = [generator.choice((1, 3, 4, 5, 6, 7, 60, 300)) for _ in range(length)]
    if rule.eos_id is not None and length and generator.random() < 0.7:
        words[-1] = rule.eos_id
    for i in range(length):
        if special and generator.random() < 0.05:
            words[i] = generator.choice(special)
    fill = [pad if generator.random() < 0.9 else ignore] * (width - length)
    return words + fill if generator.random() < 0.7 else fill + words


def random_matrix(generator: random.Random, rule: Rule, rows: int, width: int) -> list[list[int]]:
    return [random_row(generator, rule, width) for _ in range(rows)]


def matrix_of(rows: list[list[int]]) -> np.ndarray[Any, Any]:
    return np.array(rows, dtype=np.int64) if rows else np.empty((0, 7), dtype=np.int64)


def written(rows: list[list[int]]) -> list[str]:
    return [" ".join(map(str, row)) for row in rows]


def lines_of(rows: list[list[int]], rule: Rule, side: str) -> list[str]:
    """Rows as text; an unknown token becomes a word that the other side has not."""
    tokens: list[list[Any]] = [
        [f"{side}{id_}" if id_ == rule.unk_id else id_ for id_ in rule.of(row)] for row in rows
    ]
    return written(tokens)
