"""Lines of reference files, in step with the sources that they belong to."""

from __future__ import annotations

from ...inputs._lines import column_of_lines, find_invalid_utf8
from ._lines import split_lines, start_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...inputs._text import TextColumn
    from .stream import Input

#: Bytes of lines read ahead: what is left of them is looked at again for each block.
_LINES_BYTES = 1 << 16


class LineReader:
    r"""Lines of a file, so many at a time.

    Args:
        source: The file.

    Attributes:
        name: What to call it in a message.
        lines: How many have been taken.

    Example:
        >>> import io, sys
        >>> from fastbleu.rerank.nbest.stream import Input
        >>> stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(b"one\ntwo\nthree"))
        >>> lines = LineReader(Input(None))
        >>> list(lines.take(2)), list(lines.take(2)), lines.count_rest(), lines.lines
        (['one', 'two'], ['three'], 0, 3)
        >>> sys.stdin = stdin
    """

    def __init__(self, source: Input) -> None:
        self.name = source.name
        self.lines = 0
        self._source = source
        self._data = b""
        self._at_end = False

    def take(self, number: int) -> TextColumn:
        """The next lines, fewer only at the end.

        Raises:
            ValueError: One is not valid UTF-8; says which.
        """
        while True:
            lines, used = split_lines(self._data, self._at_end)
            if len(lines) > number:
                used = start_of(lines, number)
            elif len(lines) < number and not self._at_end:
                self._read()
                continue
            data, self._data = self._data[:used], self._data[used:]
            offset = find_invalid_utf8(data)
            if offset >= 0:
                line = self.lines + data.count(b"\n", 0, offset) + 1
                raise ValueError(
                    f"{self.name}: line {line}: expected UTF-8, found byte 0x{data[offset]:02x} where it is not valid"
                )
            column = column_of_lines(data)
            self.lines += len(column)
            return column

    def count_rest(self) -> int:
        """How many lines are left; they are taken."""
        before = self.lines
        while len(self.take(1)):
            lines, used = split_lines(self._data, self._at_end)
            self.lines += len(lines)
            self._data = self._data[used:]
        return self.lines - before

    def _read(self) -> None:
        # As much as there is: a line or a request may be longer.
        size = max(_LINES_BYTES, len(self._data))
        more = self._source.read(size)
        self._at_end = len(more) < size
        self._data += more
