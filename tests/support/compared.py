"""Numbers of comparisons with each peer in a run; `tests/conftest.py` prints it at the end."""

from __future__ import annotations

from collections import Counter

#: By the peer's name.
COMPARED: Counter[str] = Counter()


def compared(peer: str, number: int = 1) -> None:
    """Add a number of results that were compared with a peer's."""
    COMPARED[peer] += number
