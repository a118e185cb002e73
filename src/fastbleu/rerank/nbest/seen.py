"""Which ids have been there, at eight bytes each."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy import uint64
    from numpy.typing import NDArray


class Seen:
    """A set of ids that grows by blocks.

    It keeps 64 bits of a hash of each, keyed anew for every set: among ten million ids, one that is new is taken for an
    old one with a probability below one in a hundred thousand.

    Example:
        >>> seen = Seen()
        >>> seen.add([b"1", b"2"])
        >>> seen.add([b"3"])
        >>> b"1" in seen, b"3" in seen, b"4" in seen
        (True, True, False)
    """

    def __init__(self) -> None:
        self._key = os.urandom(16)
        # Sorted, each at least twice as long as the next one.
        self._runs: list[NDArray[uint64]] = []

    def _hash(self, name: bytes) -> int:
        # Not earlier: n-best lists whose sources are numbered need none of this.
        from hashlib import blake2b

        return int.from_bytes(blake2b(name, digest_size=8, key=self._key).digest(), "little")

    def __contains__(self, name: bytes) -> bool:
        import numpy as np

        if not self._runs:
            return False
        wanted = np.uint64(self._hash(name))
        for run in self._runs:
            i = int(np.searchsorted(run, wanted))
            if i < len(run) and run[i] == wanted:
                return True
        return False

    def add(self, names: list[bytes]) -> None:
        """Add ids."""
        import numpy as np

        if not names:
            return
        run = np.sort(np.array([self._hash(name) for name in names], dtype=np.uint64))
        while self._runs and len(self._runs[-1]) < 2 * len(run):
            run = np.sort(np.concatenate((self._runs.pop(), run)))
        self._runs.append(run)
