"""The candidates of each source, from Marian's n-best lists or from lines of tensor2tensor, block by block."""

from __future__ import annotations

import re

from ...errors import show
from ...inputs._lines import find_invalid_utf8, raw, split_lines, start_of
from ...inputs._text import text_column
from ...rerank.nbest._fields import join_lines
from ...rerank.nbest.blocks import Block, Form, LineError
from ._lists import parse_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray

    from ...inputs._text import TextColumn


def joined_pieces(column: TextColumn) -> TextColumn:
    """Return texts with byte-pair encoding undone: `re.sub("@@ +", "", text)` of each.

    Example:
        >>> list(joined_pieces(text_column(["un@@ do@@  ne", "@@", "a @@ b@@ "])))
        ['undone', '@@', 'a b']
    """
    import numpy as np

    lines = join_lines(column, np.arange(len(column)), None, b"", 0)
    return split_lines(re.sub(rb"@@ +", b"", lines), True)[0]


class _Lists(Form):
    """A form in which the sources before a broken line can be taken: the line is refused when it is reached."""

    def __init__(self) -> None:
        self._next = 0

    def parse(self, block: Block) -> None:
        """The texts are found already; see `Form`."""
        block.texts = block.lines

    def _block(self, texts: TextColumn, bounds: NDArray[int64], used: tuple[int, int]) -> Block:
        """The next sources; see `Block`."""
        import numpy as np

        first = self._next
        self._next += len(bounds) - 1
        return Block(texts, bounds, np.arange(first, self._next), self._next, used)


class MarianLists(_Lists):
    """Reads `number ||| text ||| ...`: sources are numbered from 0, and their candidates stand together."""

    name = "marian"

    def group(self, data: bytes, at_end: bool) -> Block:
        """Return the sources that `data` begins with; see `Form`."""
        import numpy as np

        lines, used = split_lines(data, at_end)
        numbers, texts, good = parse_lines(lines)
        ids = np.frombuffer(numbers, dtype=np.int64)[:good]
        starts = np.flatnonzero(np.diff(ids, prepend=ids[:1] - 1))
        fits = ids[starts] == self._next + np.arange(len(starts))
        sources, stop = len(starts), good
        problem = ""
        if not fits.all():
            sources = int(fits.argmin())
            stop = wrong = int(starts[sources])
            expected = self._next + sources
            problem = f"expected a candidate of source {expected}, found one of source {ids[stop]}"
        elif good < len(lines) or not at_end:
            # More candidates of the last source may follow.
            sources = max(0, sources - 1)
            stop, wrong = int(starts[sources]) if len(starts) else 0, good
            problem = _what_is_wrong(raw(lines, good)) if good < len(lines) else ""
        if problem and not sources:
            raise LineError(wrong, problem)
        used = start_of(lines, stop) if stop < len(lines) else used
        return self._block(texts.slice(0, stop), np.append(starts[:sources], stop), (used, stop))


def _what_is_wrong(line: bytes) -> str:
    """Return what is wrong with a line that cannot be read."""
    offset = find_invalid_utf8(line)
    if offset >= 0:
        return f"byte 0x{line[offset]:02x} is not valid UTF-8"
    return f"expected 'number ||| text ||| ...', found {show(line.decode())}"


class TabLists(_Lists):
    """Reads a line for each source, with a tab between its candidates."""

    name = "t2t"

    def group(self, data: bytes, at_end: bool) -> Block:
        """Return the sources that `data` begins with; see `Form`."""
        import numpy as np

        lines, used = split_lines(data, at_end)
        offset = find_invalid_utf8(data[:used])
        number = len(lines) if offset < 0 else data.count(b"\n", 0, offset)
        if number < len(lines):
            if not number:
                raise LineError(0, f"byte 0x{data[offset]:02x} is not valid UTF-8")
            used = start_of(lines, number)
        pools = [raw(lines, i).decode().strip().split("\t") for i in range(number)]
        bounds = np.cumsum([0, *map(len, pools)], dtype=np.int64)
        return self._block(text_column([text for pool in pools for text in pool]), bounds, (used, number))
