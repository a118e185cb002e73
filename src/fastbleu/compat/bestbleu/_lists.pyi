from array import array

from ...inputs._text import TextColumn

FINE: int
ID_IS_UNUSUAL: int
HAS_NO_TEXT: int
NOT_UTF8: int
TOO_LONG: int

def parse_lines(lines: TextColumn) -> tuple[array[int], TextColumn, bytearray | None]: ...
def joined_pieces(column: TextColumn) -> TextColumn: ...
