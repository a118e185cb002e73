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

#: Tokens for each list of pairs.
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
    n_lists = min(len(tokens), int(tokens.max(initial=0)) + 1), len(tokens) // _TOKENS_PER_LIST
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


def texts_of(part: Part) -> Texts:
    """Return the texts of a part in the order in which they came."""
    import numpy as np

    part.check()
    starts, tokens = part.arrays[:2]
    place = places_in(part)
    lengths = np.diff(starts)[place]
    found = np.empty(lengths.sum(dtype=np.int64), dtype=np.uint32)
    gather(tokens, starts[place], _starts(lengths), found)
    return found, lengths


def check_numbers(part: Part, vocabulary: int) -> None:
    """Check the numbers of a part that is in a file: the kernels rely on them.

    Args:
        part: The part.
        vocabulary: The largest number of a token.

    Raises:
        ValueError: A number points to what is not there.
    """
    import numpy as np

    starts, tokens, copy_starts, copied, lengths, firsts, *lists = part.arrays
    are_right = (
        _rises(starts, tokens, vocabulary + 1)
        and _rises(copy_starts, copied, len(copied))
        and bool((np.diff(starts) == np.repeat(lengths, np.diff(firsts))).all())
    )
    for list_starts, listed in zip(lists[:2], lists[2:], strict=True):
        # The texts of each list ascend.
        are_right = are_right and _rises(list_starts, listed, part.distinct)
        if are_right and len(listed):
            rises = np.append(listed[:-1] < listed[1:], True)
            rises[list_starts[list_starts > 0] - 1] = True
            are_right = bool(rises.all())
    if not are_right:
        raise ValueError("the numbers of a part are damaged")


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


def _rises(starts: NDArray[uint32], numbers: NDArray[uint32], end: int) -> bool:
    """Return whether places rise from the first to after the last of some numbers, which are below `end`."""
    return bool(
        starts[0] == 0
        and starts[-1] == len(numbers)
        and (starts[:-1] <= starts[1:]).all()
        and (len(numbers) == 0 or numbers.max() < end)
    )
