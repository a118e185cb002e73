"""Pools of candidates: what every system of a direction wrote for a source, and variants of it, up to any size."""

import random
from collections.abc import Iterator, Sequence

from tests.support import newstest

# Written without spaces: their units are characters.
_UNSPACED = ("ja", "zh")

# Each variant drops each unit with one of these probabilities.
_DROPOUT = (0.05, 0.1, 0.2, 0.3)

# How often a variant is drawn again that the pool has already; texts of three words have only so many.
_DRAWS = 20


def is_spaced(pair: str) -> bool:
    """Return whether the target language of a direction puts spaces between words."""
    return not pair.endswith(_UNSPACED)


def dropout(text: str, generator: random.Random, *, spaced: bool = True) -> str:
    """The text without some of its words, or of its characters where it is not spaced; one remains at least."""
    units = text.split(" ") if spaced else list(text)
    share = generator.choice(_DROPOUT)
    kept = [unit for unit in units if generator.random() >= share]
    return (" " if spaced else "").join(kept or units[:1])


def grow(candidates: Sequence[str], size: int, seed: str, *, spaced: bool = True) -> list[str]:
    """The candidates, cut to the size or followed by variants of them: a larger pool begins with the smaller one.

    Variants are new to the pool as long as there are any, so that few candidates are counted but once.
    """
    generator = random.Random(seed)
    pool = list(candidates[:size])
    known = set(pool)
    while len(pool) < size:
        for _ in range(_DRAWS):
            variant = dropout(generator.choice(candidates), generator, spaced=spaced)
            if variant not in known:
                break
        pool.append(variant)
        known.add(variant)
    return pool


def system_pools(pair: str) -> list[list[str]]:
    """A pool for every source of a direction: what each system wrote, in the order of their names."""
    return [list(candidates) for candidates in zip(*newstest.systems(pair).values(), strict=True)]


def references(pair: str, stream: str = "A") -> list[str]:
    return newstest.references(pair)[stream]


def spread(pair: str, number: int, size: int | None = None) -> list[list[str]]:
    """So many pools of a direction, from sources evenly spread over it; of the systems alone, or of a size."""
    pools = system_pools(pair)
    chosen = [i * len(pools) // number for i in range(number)]
    if size is None:
        return [pools[i] for i in chosen]
    return [grow(pools[i], size, f"{pair} {i}", spaced=is_spaced(pair)) for i in chosen]


def over_directions(number: int, size: int | None = None) -> Iterator[tuple[str, list[list[str]]]]:
    """So many pools in all, as even over the directions as can be: the direction and its share of them."""
    for i, pair in enumerate(newstest.PAIRS):
        share = number * (i + 1) // len(newstest.PAIRS) - number * i // len(newstest.PAIRS)
        if share:
            yield pair, spread(pair, share, size)
