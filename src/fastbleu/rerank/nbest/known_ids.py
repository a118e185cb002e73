"""The ids that have been there, at about 20 bytes each."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy import uint64
    from numpy.typing import NDArray

#: Ids that a set holds before they are sorted. Tests make it smaller.
_RECENT_IDS = 1 << 16


class KnownIds:
    """A set of ids that grows by blocks.

    It keeps 64 bits of a hash of each, with another key for every set: among ten million ids, the probability that a
    new one is taken for one of them is below one in a hundred thousand.

    Example:
        >>> known = KnownIds()
        >>> known.add([b"1", b"2"])
        >>> b"1" in known, b"4" in known
        (True, False)
    """

    def __init__(self) -> None:
        self._key = os.urandom(16)
        #: A set takes ten times the memory of a sorted array, but adding to it costs nothing.
        self._recent: set[int] = set()
        self._sorted: NDArray[uint64] | None = None

    def _hash(self, name: bytes) -> int:
        # Not earlier: n-best lists whose sources are numbered need none of this.
        from hashlib import blake2b

        return int.from_bytes(blake2b(name, digest_size=8, key=self._key).digest(), "little")

    def __contains__(self, name: bytes) -> bool:
        import numpy as np

        wanted = self._hash(name)
        if self._sorted is None or wanted in self._recent:
            return wanted in self._recent
        i = int(self._sorted.searchsorted(np.uint64(wanted)))
        return i < len(self._sorted) and int(self._sorted[i]) == wanted

    def add(self, names: list[bytes]) -> None:
        """Add ids."""
        import numpy as np

        self._recent.update(map(self._hash, names))
        old = np.empty(0, dtype=np.uint64) if self._sorted is None else self._sorted
        if len(self._recent) > max(_RECENT_IDS, len(old) // 8):
            recent = np.fromiter(self._recent, dtype=np.uint64, count=len(self._recent))
            self._sorted = np.sort(np.concatenate((old, recent)))
            self._recent.clear()
