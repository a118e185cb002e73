"""The candidates of each source, from Marian's n-best lists or from lines of tensor2tensor, block by block."""

from __future__ import annotations

import re

from ...errors import show
from ...inputs import files, text_files
from ...inputs._lines import find_invalid_utf8, raw, split_lines, start_of
from ...inputs._text import text_column
from ...rerank.nbest._fields import join_lines
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


class Pools:
    """The candidates of some sources.

    Attributes:
        texts: The text of each candidate.
        bounds: int64 [n + 1]; the candidates of source i are those from bounds[i] to bounds[i + 1] - 1.
    """

    def __init__(self, texts: TextColumn, bounds: NDArray[int64]) -> None:
        self.texts = texts
        self.bounds = bounds

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def split(self, number: int) -> tuple[Pools, Pools]:
        """Return the first sources, and the others."""
        middle = int(self.bounds[number])
        front = Pools(self.texts.slice(0, middle), self.bounds[: number + 1])
        return front, Pools(self.texts.slice(middle, len(self.texts)), self.bounds[number:] - middle)

    def with_pieces_joined(self) -> Pools:
        """Return the candidates with byte-pair encoding undone."""
        return Pools(joined_pieces(self.texts), self.bounds)


class Reader:
    """Sources of a file, those at hand about `files.BLOCK_BYTES` long.

    Args:
        source: The file.

    Attributes:
        name: What to call it in a message.
        taken: How many sources have been taken.
        problem: What is wrong with the first source that cannot be had; "" if nothing is.
    """

    def __init__(self, source: files.Input) -> None:
        self.name = source.name
        self.taken = 0
        self.problem = ""
        self._source = text_files.UniversalLines(source)
        self._data = b""
        self._at_end = False
        self._line = 1
        self._ready: Pools | None = None

    def ready(self) -> int:
        """Return how many sources can be taken, after reading some if there is none; 0 at the end or at a problem."""
        while not self._ready and not self.problem and not (self._at_end and not self._data):
            self._read()
            self._ready = self._group()
        return len(self._ready) if self._ready else 0

    def take(self, number: int) -> Pools:
        """Return the next `number` sources; `ready` says how many there are at most."""
        if self._ready is None:
            raise RuntimeError("nothing has been read")
        front, self._ready = self._ready.split(number)
        self.taken += number
        return front

    def has_more(self) -> bool:
        """Return whether there is anything after what has been taken."""
        return bool(self._ready or self.problem or self._data) or bool(self._source.read(1))

    def _read(self) -> None:
        # Twice as much if one source is longer than what is there.
        size = max(files.BLOCK_BYTES - len(self._data), len(self._data), 1)
        more = [] if self._at_end else [self._source.read(size)]
        self._at_end = self._at_end or len(more[0]) < size
        self._data += b"".join(more)

    def _use(self, lines: TextColumn, used: int, number: int) -> None:
        """Count lines as read."""
        self._data = self._data[start_of(lines, number) if number < len(lines) else used :]
        self._line += number

    def _group(self) -> Pools | None:
        raise NotImplementedError


class MarianReader(Reader):
    """Reads `number ||| text ||| ...`: sources are numbered from 0, and their candidates stand together."""

    def _group(self) -> Pools | None:
        import numpy as np

        lines, used = split_lines(self._data, self._at_end)
        numbers, texts, good = parse_lines(lines)
        ids = np.frombuffer(numbers, dtype=np.int64)[:good]
        starts = np.flatnonzero(np.diff(ids, prepend=ids[:1] - 1))
        fits = ids[starts] == self.taken + np.arange(len(starts))
        sources, stop = len(starts), good
        if not fits.all():
            sources = int(fits.argmin())
            stop = int(starts[sources])
            self.problem = (
                f"line {self._line + stop}: expected a candidate of source {self.taken + sources}, "
                f"found one of source {ids[stop]}"
            )
        elif good < len(lines) or not self._at_end:
            # More candidates of the last source may follow.
            if good < len(lines):
                self.problem = f"line {self._line + good}: {_what_is_wrong(raw(lines, good))}"
            sources = max(0, sources - 1)
            stop = int(starts[sources]) if len(starts) else 0
        self._use(lines, used, stop)
        return Pools(texts.slice(0, stop), np.append(starts[:sources], stop))


def _what_is_wrong(line: bytes) -> str:
    """Return what is wrong with a line that cannot be read."""
    offset = find_invalid_utf8(line)
    if offset >= 0:
        return f"byte 0x{line[offset]:02x} is not valid UTF-8"
    return f"expected 'number ||| text ||| ...', found {show(line.decode())}"


class TabReader(Reader):
    """Reads a line for each source, with a tab between its candidates."""

    def _group(self) -> Pools | None:
        import numpy as np

        lines, used = split_lines(self._data, self._at_end)
        offset = find_invalid_utf8(self._data[:used])
        number = len(lines)
        if offset >= 0:
            number = self._data.count(b"\n", 0, offset)
            self.problem = f"line {self._line + number}: byte 0x{self._data[offset]:02x} is not valid UTF-8"
        pools = [raw(lines, i).decode().strip().split("\t") for i in range(number)]
        self._use(lines, used, number)
        bounds = np.cumsum([0, *map(len, pools)], dtype=np.int64)
        return Pools(text_column([text for pool in pools for text in pool]), bounds)
