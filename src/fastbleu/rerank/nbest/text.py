"""Plain text: one candidate per line, the same number for every source."""

from __future__ import annotations

from ._lines import LineError, parse_fields, split_lines, start_of
from .blocks import NO_LIMIT, Block, Candidates
from .moses import line_problem

_NO_FIELD = -1


class Text:
    """Reads plain text.

    Args:
        per_source: Candidates of each source, >= 1.
        skip_bad: Leave out lines that are no valid UTF-8, and a last source that is not complete.
    """

    name = "text"

    def __init__(self, per_source: int, skip_bad: bool = False) -> None:
        self._per_source = per_source
        self._skip_bad = skip_bad
        self._next = 0

    def group(self, data: bytes, at_end: bool, until: int) -> Block:
        """See `Format`."""
        import numpy as np

        size = self._per_source
        lines, used = split_lines(data, at_end)
        sources = min(len(lines) // size, until - self._next)
        left = len(lines) - sources * size
        stop = self._next + sources
        reached = until != NO_LIMIT and stop >= until
        skipped = 0
        if at_end and 0 < left < size and not reached:
            if not self._skip_bad:
                raise LineError(
                    len(lines) - 1,
                    f"expected {size} lines for each source (-n {size}), found {left} for the last one",
                )
            skipped = 1
        elif left:
            used = start_of(lines, sources * size)
        taken = len(lines) if skipped else sources * size
        return Block(
            lines.slice(0, sources * size),
            np.arange(0, sources * size + 1, size, dtype=np.int64),
            np.arange(self._next, stop, dtype=np.int64),
            stop + skipped,
            (used, taken),
            reached,
            skipped_sources=skipped,
        )

    def commit(self, block: Block) -> None:
        """See `Format`."""
        self._next = block.stop

    def parse(self, block: Block) -> Candidates:
        """See `Format`."""
        import numpy as np

        texts, _, problems = parse_fields(block.lines, _NO_FIELD, _NO_FIELD)
        candidates = Candidates(block, texts, block.bounds, block.ordinals, None, has_ids=False)
        if problems is not None:
            codes = np.frombuffer(problems, dtype=np.uint8)
            if not self._skip_bad:
                i = int(np.flatnonzero(codes)[0])
                raise LineError(i, line_problem(int(codes[i]), block.lines, i, _NO_FIELD))
            candidates.keep_candidates(codes == 0)
        return candidates
