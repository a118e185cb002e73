"""Plain text: one candidate per line, the same number for every source."""

from __future__ import annotations

from ...inputs._lines import split_lines, start_of
from .blocks import Block, Candidates, LineError
from .moses import parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .options import Options


class Text:
    """Reads plain text.

    Args:
        options: How many candidates each source has, and whether lines that are not valid UTF-8 are left out, and a
            last source that is not complete.
        score_field: None; plain text has no scores.

    Raises:
        ValueError: There is no such number, or a field of scores.
    """

    name = "text"
    noun = "line"

    def __init__(self, options: Options, score_field: str | None = None, *_: object) -> None:
        if options.candidates_per_source is None:
            raise ValueError("plain text needs -n/--candidates-per-source")
        if score_field is not None:
            raise ValueError("plain text has no models' scores")
        self._per_source = options.candidates_per_source
        self._skip_bad = options.skip_bad
        self._next = 0

    def group(self, data: bytes, at_end: bool) -> Block:
        """Return the sources that `data` holds from its first byte on; if they take no bytes, more is read first."""
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
        """Return the candidates of a block; any thread may ask."""
        return parsed(block, -1, -1, self._skip_bad, first_id=None)
