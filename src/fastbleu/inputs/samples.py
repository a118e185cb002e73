"""Several hypotheses of each segment, as a policy samples them: ids of the shape [B, K, T]."""

from __future__ import annotations

from ..errors import Place
from .segments import IDS, Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .ids import TokenIds
    from .text import Reader


class SamplePlace(Place):
    """The place of hypotheses that are counted one behind the other: number i is hypotheses[i // K][i % K].

    Args:
        argument: What errors call them.
        samples: K, how many each segment has, >= 1.

    Example:
        >>> str(SamplePlace("hypotheses", 4)[9]), str(SamplePlace("hypotheses", 4))
        ('hypotheses[2][1]', 'hypotheses')
    """

    __slots__ = ("_samples",)

    def __init__(self, argument: str, samples: int) -> None:
        super().__init__(argument)
        self._samples = samples

    def __getitem__(self, index: Any) -> Place:
        """The place of a hypothesis by its number among all of them, or with further indices behind that."""
        number, *rest = index if type(index) is tuple else (index,)
        return Place(self.argument, (*divmod(number, self._samples), *rest))


def join_samples(segments: Segments) -> tuple[Segments, tuple[int, int]]:
    """Hypotheses [B, K, T] as B * K segments, those of one source next to each other.

    Args:
        segments: Ids of the shape [B, K, T].

    Returns:
        The hypotheses one by one, in place where the memory allows it; and B and K.

    Example:
        >>> import numpy as np
        >>> from fastbleu.inputs.segments import as_segments
        >>> ids = np.arange(12).reshape(2, 3, 2)
        >>> joined, shape = join_samples(as_segments(ids, "hypotheses"))
        >>> shape, list(joined.held), str(joined.place[4])
        ((2, 3), [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11]], 'hypotheses[1][1]')
    """
    number, samples, _ = segments.held.shape
    where = SamplePlace(segments.place.argument, max(1, samples))
    return Segments(segments.held.joined(), where, kind=IDS), (number, samples)


def sample_reader(
    ids: TokenIds, hypotheses: Reader, references: Reader | None, samples: int, most_ids: int
) -> Reader:
    """Reads K hypotheses of each segment beside the references of that segment.

    Args:
        ids: All hypotheses, one behind the other.
        hypotheses: Reads them.
        references: Reads the references of as many segments as there are sources; None: they are prepared.
        samples: K >= 1.
        most_ids: How many ids of hypotheses to read at once, about.

    Returns:
        What reads a range of hypotheses that begins and ends with a segment, and the references of these segments.
    """

    def read(start: int, stop: int) -> tuple[list[Any], int]:
        segments = -(-(ids.stop_after(start, stop, most_ids) - start) // samples)
        stop = min(stop, start + segments * samples)
        columns, _ = hypotheses(start, stop)
        if references is not None:
            columns = columns + references(start // samples, stop // samples)[0]
        return columns, stop

    return read
