from array import array

from ...inputs._text import TextColumn

def parse_lines(lines: TextColumn) -> tuple[array[int], TextColumn, int]: ...
