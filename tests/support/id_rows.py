"""Random rows of token ids, and a slow, simple implementation of the rule by which they are read."""

import random
from typing import Any, NamedTuple, TypeAlias

import numpy as np

Ids: TypeAlias = int | tuple[int, ...] | None

PAD, EOS, IGNORE, UNK = 0, 2, -100, 3


def _all(ids: Ids) -> tuple[int, ...]:
    return () if ids is None else (ids,) if isinstance(ids, int) else tuple(ids)


def kept_places(row: list[int], pad: Ids = None, eos: Ids = None, ignore: int | None = -100) -> list[int]:
    """Return the positions of tokens: skip leading padding, cut at the first eos, drop padding and ignored ids."""
    pads, ends = _all(pad), _all(eos)
    start = 0
    while start < len(row) and row[start] in pads:
        start += 1
    stop = start
    while stop < len(row) and row[stop] not in ends:
        stop += 1
    return [t for t in range(start, stop) if row[t] not in pads and row[t] != ignore]


def kept(row: list[int], pad: Ids = None, eos: Ids = None, ignore: int | None = -100) -> list[int]:
    """The tokens of a row."""
    return [row[t] for t in kept_places(row, pad, eos, ignore)]


def known(tokens: list[Any]) -> list[int]:
    """Return tokens with the ids of unknown ones, which are not int."""
    return [getattr(token, "id", token) for token in tokens]


class Rule(NamedTuple):
    pad_id: Ids = None
    eos_id: Ids = None
    ignore_id: int | None = -100
    unk_id: int | None = None

    def of(self, row: list[int]) -> list[int]:
        return kept(row, self.pad_id, self.eos_id, self.ignore_id)

    def kept_up_to(self, row: list[int]) -> list[int]:
        """Return the number of tokens up to each position of a row."""
        places = kept_places(row, self.pad_id, self.eos_id, self.ignore_id)
        return [sum(place <= t for place in places) for t in range(len(row))]

    def is_padding(self, row: list[int]) -> bool:
        return all(id_ in _all(self.pad_id) or id_ == self.ignore_id for id_ in row)

    @property
    def special(self) -> list[int]:
        """All ids of the rule."""
        return [id_ for ids in self for id_ in _all(ids)]


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

#: Rules of several ids: few and many, close together and far apart, and padding that also ends rows.
RULES_OF_SEVERAL = (
    Rule(PAD, (EOS, 300)),
    Rule((PAD, 300), EOS),
    Rule((PAD, EOS), (EOS, 7)),
    Rule(None, (EOS, 60, 300)),
    Rule((PAD, 300), None, None),
    Rule((PAD, -1), (-2, EOS), 1, UNK),
    Rule(PAD, (EOS, *range(290, 310))),
    Rule((PAD, *range(1000, 20000, 1000)), (EOS, *range(1, 90000, 8192))),
    Rule((EOS, 300), (EOS, 300)),
)


def random_rule(generator: random.Random) -> Rule:
    """A rule of ids as `random_row` draws them, and of others."""
    pool = (0, 1, 2, 3, 4, 5, 6, 7, 60, 300, -1, -7, 4096 + 5, 1 << 40)

    def some(most: int) -> Ids:
        number = generator.randint(0, most)
        found = tuple(generator.choices(pool, k=number))
        return None if not found else found[0] if number == 1 else found

    one = (None, -100, *pool)
    return Rule(some(7), some(7), generator.choice(one), generator.choice((None, None, *pool)))


def random_row(generator: random.Random, rule: Rule, width: int) -> list[int]:
    """Draw a row: padded left or right, cut, with stray padding, ignored ids, only padding, or random."""
    pads, ends = _all(rule.pad_id) or (1,), _all(rule.eos_id)
    ignore = rule.ignore_id if rule.ignore_id is not None else 1
    special = rule.special
    length = generator.randint(0, width)
    words = [generator.choice((1, 3, 4, 5, 6, 7, 60, 300)) for _ in range(length)]
    if ends and length and generator.random() < 0.7:
        words[-1] = generator.choice(ends)
    for i in range(length):
        if special and generator.random() < 0.05:
            words[i] = generator.choice(special)
    fill = [generator.choice(pads) if generator.random() < 0.9 else ignore for _ in range(width - length)]
    return words + fill if generator.random() < 0.7 else fill + words


def random_matrix(generator: random.Random, rule: Rule, rows: int, width: int) -> list[list[int]]:
    return [random_row(generator, rule, width) for _ in range(rows)]


def matrix_of(rows: list[list[int]]) -> np.ndarray[Any, Any]:
    return np.array(rows, dtype=np.int64) if rows else np.empty((0, 7), dtype=np.int64)


def written(rows: list[list[int]]) -> list[str]:
    return [" ".join(map(str, row)) for row in rows]


def lines_of(rows: list[list[int]], rule: Rule, side: str) -> list[str]:
    """Return rows as text; an unknown token becomes a word that the other side lacks."""
    tokens: list[list[Any]] = [
        [f"{side}{id_}" if id_ == rule.unk_id else id_ for id_ in rule.of(row)] for row in rows
    ]
    return written(tokens)
