"""The candidates of each source, from Marian's n-best lists or from lines of tensor2tensor, block by block."""

from __future__ import annotations

from ...inputs import files
from ...inputs._lines import find_invalid_utf8, raw, split_lines, start_of
from ...inputs._text import text_column
from ._lists import ID_IS_UNUSUAL, NOT_UTF8, TOO_LONG, joined_pieces, parse_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    from numpy import int64
    from numpy.typing import NDArray

    from ...inputs._text import TextColumn


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
        """The first sources, and the others."""
        middle = int(self.bounds[number])
        front = Pools(self.texts.slice(0, middle), self.bounds[: number + 1])
        return front, Pools(self.texts.slice(middle, len(self.texts)), self.bounds[number:] - middle)

    def with_pieces_joined(self) -> Pools:
        """With byte-pair encoding undone."""
        return Pools(joined_pieces(self.texts), self.bounds)


class Reader:
    """Sources of a file, those at hand about `files.BLOCK_BYTES` long.

    Args:
        source: The file.

    Attributes:
        name: What to call it in a message.
        taken: How many sources have been taken.
        problem: The fault of the source after those that were read; "" if there is none.
    """

    def __init__(self, source: files.Input) -> None:
        self.name = source.name
        self.taken = 0
        self.problem = ""
        self._source = files.UniversalLines(source)
        self._data = b""
        self._at_end = False
        self._line = 1
        self._ready: Pools | None = None

    def ready(self) -> int:
        """Count the sources that can be taken, after reading if there are none; 0 at the end or after a problem."""
        while not self._ready and not self.problem and not (self._at_end and not self._data):
            self._read()
            self._ready = self._group()
        return len(self._ready) if self._ready else 0

    def take(self, number: int) -> Pools:
        """The next `number` sources; `ready` says how many there are at most."""
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
        """Counts lines as read."""
        self._data = self._data[start_of(lines, number) if number < len(lines) else used :]
        self._line += number

    def _group(self) -> Pools | None:
        raise NotImplementedError


class MarianReader(Reader):
    """Reads `number ||| text ||| ...`: sources are numbered from 0, and their candidates stand together."""

    def _group(self) -> Pools | None:
        import numpy as np

        lines, used = split_lines(self._data, self._at_end)
        numbers, texts, problems = parse_lines(lines)
        bad, message = self._first_problem(lines, numbers, problems)
        ids = np.frombuffer(numbers, dtype=np.int64)[:bad]
        starts = np.flatnonzero(np.diff(ids, prepend=ids[:1] - 1))
        fits = ids[starts] == self.taken + np.arange(len(starts))
        sources, stop = len(starts), bad
        if not fits.all():
            sources = int(fits.argmin())
            stop = int(starts[sources])
            self.problem = (
                f"line {self._line + stop}: expected a candidate of source {self.taken + sources}, "
                f"found one of source {ids[stop]}"
            )
        elif message or not self._at_end:
            # More candidates of the last source may follow.
            self.problem = message
            sources = max(0, sources - 1)
            stop = int(starts[sources]) if len(starts) else 0
        self._use(lines, used, stop)
        return Pools(texts.slice(0, stop), np.append(starts[:sources], stop))

    def _first_problem(
        self, lines: TextColumn, numbers: array[int], problems: bytearray | None
    ) -> tuple[int, str]:
        """The first line that the script cannot read, or how many there are, and what is wrong with it."""
        for i, code in enumerate(problems or ()):
            if not code:
                continue
            line = raw(lines, i)
            where = f"line {self._line + i}: "
            if code == NOT_UTF8:
                return i, f"{where}byte 0x{line[find_invalid_utf8(line)]:02x} is not valid UTF-8"
            if code == TOO_LONG:
                return i, f"{where}a text of {len(line)} bytes is too long"
            shown = repr(line[:60].decode("utf-8", "replace"))
            try:
                number = int(line.decode().rstrip().split(" ||| ")[0])
                if code != ID_IS_UNUSUAL:
                    raise ValueError  # noqa: TRY301  # handled like an id that is none
                numbers[i] = number
            except (ValueError, OverflowError):
                return i, f"{where}expected 'number ||| text ||| ...', found {shown}"
        return len(lines), ""


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
