"""Plain text: one candidate per line, the same number for every source."""

from __future__ import annotations

from ...inputs._lines import split_lines, start_of
from .blocks import Block, Candidates, LineError
from .moses import parsed


class Text:
    """Reads plain text.

    Args:
        per_source: Candidates of each source, >= 1.
        skip_bad: Leave out lines that are not valid UTF-8, and a last source that is not complete.
    """

    name = "text"
    noun = "line"

    def __init__(self, per_source: int, skip_bad: bool = False) -> None:
        self._per_source = per_source
        self._skip_bad = skip_bad
        self._next = 0

    def group(self, data: bytes, at_end: bool) -> Block:
        """See `Form`."""
        import numpy as np

        size = self._per_source
        lines, used = split_lines(data, at_end)
        sources, left = divmod(len(lines), size)
        taken = len(lines)
        skipped = 0
        if left and at_end:
            if not self._skip_bad:
                raise LineError(
                    len(lines) - 1,
                    f"expected {size} lines for each source (-n {size}), found {left} for the last one",
                )
            skipped = 1
        elif left:
            taken -= left
            used = start_of(lines, taken)
        first, stop = self._next, self._next + sources
        self._next = stop + skipped
        return Block(
            lines.slice(0, sources * size),
            np.arange(0, sources * size + 1, size, dtype=np.int64),
            np.arange(first, stop, dtype=np.int64),
            self._next,
            (used, taken),
            skipped_sources=skipped,
        )

    def parse(self, block: Block) -> Candidates:
        """See `Form`."""
        return parsed(block, -1, -1, self._skip_bad, first_id=None)
