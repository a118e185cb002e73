"""Texts as a part of an index: in the order of their lengths, with the lists of their n-grams."""

from __future__ import annotations

from ._lists import Part, fill_lists, gather

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import uint32
    from numpy.typing import NDArray

    from ..inputs._column import Memory

    #: The numbers of the tokens of all texts, one text after the other, how many tokens each text has, and its number
    #: in the order in which they came.
    Texts = tuple[NDArray[uint32], NDArray[uint32], NDArray[uint32]]

#: Numbers of texts for each list: there are two for each token.
_TEXTS_PER_LIST = 4


def part_of(texts: Texts, seeds: tuple[int, ...]) -> Part:
    """Make a part of an index.

    Args:
        texts: Its texts; those of one length ascend by their numbers.
        seeds: Two integers below 2^64 that the lists depend on; the same for all parts of an index.
    """
    import numpy as np

    numbers, lengths, names = texts
    # Numbers of 64 bits are sorted by vector instructions.
    keys = np.sort(lengths.astype(np.uint64) << np.uint64(32) | np.arange(len(lengths), dtype=np.uint64))
    places, lengths_in_order = keys.astype(np.uint32), (keys >> np.uint64(32)).astype(np.uint32)
    starts = starts_of(lengths_in_order)
    tokens = np.empty(starts[-1], dtype=np.uint32)
    gather(numbers, starts_of(lengths)[places], starts, tokens)
    list_starts = np.empty(2 * len(tokens) // _TEXTS_PER_LIST + 2, dtype=np.uint32)
    listed = np.empty(2 * len(tokens), dtype=np.uint32)
    number = fill_lists(tokens, starts, seeds, list_starts, listed)
    return made_of([starts, tokens, names[places], list_starts, listed[:number]], seeds)


def made_of(arrays: list[NDArray[uint32]], seeds: tuple[int, ...], memory: Memory | None = None) -> Part:
    """Make a part of its arrays; see `Part`. Those of lengths, which are not given, follow from where texts begin."""
    import numpy as np

    lengths, firsts = np.unique(np.diff(arrays[0]), return_index=True)
    ends = np.append(firsts, len(arrays[2])).astype(np.uint32)
    return Part([*arrays[:3], lengths, ends, *arrays[3:]], seeds, memory)


def texts_of(part: Part) -> Texts:
    """Return the texts of a part, in the order of their lengths."""
    import numpy as np

    part.check()
    starts, tokens, names = part.arrays[:3]
    return tokens, np.diff(starts), names


def check_numbers(arrays: list[NDArray[uint32]], vocabulary: int) -> None:
    """Check the numbers of a part that is in a file: the kernels rely on them.

    Args:
        arrays: As `made_of` takes them.
        vocabulary: The largest number of a token.

    Raises:
        ValueError: A number points to what is not there.
    """
    import numpy as np

    starts, tokens, order, list_starts, listed = arrays
    texts = len(starts) - 1
    are_right = (
        _rises(starts, tokens, vocabulary + 1)
        and _rises(list_starts, listed, texts)
        and len(list_starts) > 1
        and np.array_equal(np.sort(order), np.arange(texts))
        and bool((np.diff(np.diff(starts.astype(np.int64))) >= 0).all())
    )
    if are_right and len(listed):
        # The texts of each list ascend.
        rises = np.append(listed[:-1] <= listed[1:], True)
        rises[list_starts[list_starts > 0] - 1] = True
        are_right = bool(rises.all())
    if not are_right:
        raise ValueError("the numbers of a part are damaged")


def starts_of(lengths: NDArray[Any]) -> NDArray[uint32]:
    """Return the places where things of these lengths begin, one after the other, and where the last one ends."""
    import numpy as np

    starts = np.zeros(len(lengths) + 1, dtype=np.uint32)
    np.cumsum(lengths, out=starts[1:])
    return starts


def _rises(starts: NDArray[uint32], numbers: NDArray[uint32], end: int) -> bool:
    """Return whether places rise from the first to after the last of some numbers, which are below `end`."""
    return bool(
        len(starts)
        and starts[0] == 0
        and starts[-1] == len(numbers)
        and (starts[:-1] <= starts[1:]).all()
        and (len(numbers) == 0 or numbers.max() < end)
    )
