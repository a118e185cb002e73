"""Texts as a part of an index: equal ones once, in the order of their lengths, with the lists of their n-grams."""

from __future__ import annotations

from ._lists import Part, fill_lists, find_first_equal, gather

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import uint32
    from numpy.typing import NDArray

    #: The numbers of the tokens of all texts, one text after the other, and how many tokens each text has.
    Texts = tuple[NDArray[uint32], NDArray[uint32]]

#: Lists for each distinct token, and tokens for each list of pairs.
_LISTS_PER_TOKEN = 2
_TOKENS_PER_LIST = 2


def part_of(texts: Texts, seeds: tuple[int, ...]) -> Part:
    """Make a part of an index.

    Args:
        texts: Its texts.
        seeds: Two integers below 2^64 that the lists depend on; the same for all parts of an index.
    """
    import numpy as np

    numbers, lengths = texts
    first = np.empty(len(lengths), dtype=np.uint32)
    find_first_equal(numbers, lengths, first)
    distinct = np.flatnonzero(first == np.arange(len(first)))
    order = distinct[_stable_order(lengths[distinct])]
    place = np.empty_like(first)
    place[order] = np.arange(len(order))
    place = place[first]
    lengths_of_distinct = lengths[order]
    starts = _starts(lengths_of_distinct)
    tokens = np.empty(starts[-1], dtype=np.uint32)
    gather(numbers, _starts(lengths)[order], starts, tokens)
    firsts = np.flatnonzero(np.diff(lengths_of_distinct.astype(np.int64), prepend=-1)).astype(np.uint32)
    arrays: list[Any] = [
        starts,
        tokens,
        _starts(np.bincount(place, minlength=len(order))),
        _stable_order(place),
        lengths_of_distinct[firsts],
        np.append(firsts, np.uint32(len(order))),
    ]
    n_lists = _LISTS_PER_TOKEN * min(len(tokens), int(tokens.max(initial=0))), len(tokens) // _TOKENS_PER_LIST
    lists = [np.empty(max(1, number) + 1, dtype=np.uint32) for number in n_lists]
    listed, within = [], np.empty(len(tokens), dtype=np.uint16)
    for i, list_starts in enumerate(lists):
        some = np.empty(len(tokens), dtype=np.uint32)
        listed.append(some[: fill_lists(tokens, starts, i + 1, seeds, list_starts, some, within)])
    return Part([*arrays, *lists, *listed], seeds)


def places_in(part: Part) -> NDArray[uint32]:
    """Return which distinct text of a part each of its texts is."""
    import numpy as np

    copy_starts, copied = part.arrays[2:4]
    place = np.zeros(len(copied), dtype=np.uint32)
    place[copied] = np.repeat(np.arange(part.distinct, dtype=np.uint32), np.diff(copy_starts))
    return place


def texts_of(part: Part, vocabulary: int) -> Texts:
    """Return the texts of a part in the order in which they came.

    Args:
        part: The part; if it is in a file, it is checked first.
        vocabulary: The largest number of a token.

    Raises:
        ValueError: A number points to what is not there.
    """
    import numpy as np

    part.check()
    starts, tokens, copy_starts, copied, *_ = part.arrays
    if not (
        _rises(starts, len(tokens))
        and _rises(copy_starts, len(copied))
        and copied.max(initial=0) < max(1, len(copied))
        and tokens.max(initial=0) <= vocabulary
    ):
        raise ValueError("the numbers of a part are damaged")
    place = places_in(part)
    lengths = np.diff(starts)[place]
    found = np.empty(lengths.sum(dtype=np.int64), dtype=np.uint32)
    gather(tokens, starts[place], _starts(lengths), found)
    return found, lengths


def _stable_order(keys: NDArray[Any]) -> NDArray[uint32]:
    """As `argsort`, stable, and several times as fast: numbers of 64 bits are sorted by vector instructions."""
    import numpy as np

    return np.sort(keys.astype(np.uint64) << np.uint64(32) | np.arange(len(keys), dtype=np.uint64)).astype(
        np.uint32
    )


def _starts(lengths: NDArray[Any]) -> NDArray[uint32]:
    """Return the places where things of these lengths begin, one after the other, and where the last one ends."""
    import numpy as np

    starts = np.zeros(len(lengths) + 1, dtype=np.uint32)
    np.cumsum(lengths, out=starts[1:])
    return starts


def _rises(starts: NDArray[uint32], last: int) -> bool:
    return bool(starts[0] == 0 and starts[-1] == last and (starts[:-1] <= starts[1:]).all())
