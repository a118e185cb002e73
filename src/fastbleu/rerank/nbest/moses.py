"""Moses n-best lists: `id ||| text ||| features ||| score`, and whatever fields follow."""

from __future__ import annotations

from ._lines import (
    FEW_FIELDS,
    NO_NUMBER,
    NOT_FINITE,
    NOT_UTF8,
    TOO_LONG,
    LineError,
    group_by_id,
    parse_fields,
    pick,
    raw,
    split_lines,
    start_of,
)
from .blocks import NO_LIMIT, Block, Candidates
from .messages import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...inputs._text import TextColumn

_TEXT_FIELD = 1

#: No list has more.
_MOST_FIELDS = 1_000_000

#: Lines behind the first id that tell whether it is broken.
_LOOKED_AT = 16


class Moses:
    """Reads Moses n-best lists.

    A field ends at "|||" between white space. Sources are numbered: ids rise by one from whatever the first is, and the
    candidates of one stand together.

    Args:
        score_field: Number of the field that holds the models' score, from 1; None: it is not read.
        skip_bad: Leave out broken lines, and sources that have no candidates.

    Raises:
        ValueError: `score_field` is no number of a field behind the text.
    """

    name = "moses"

    def __init__(self, score_field: str | None = None, skip_bad: bool = False) -> None:
        self._score_field = -1
        if score_field is not None:
            if not score_field.isdecimal() or not _TEXT_FIELD + 2 <= int(score_field) <= _MOST_FIELDS:
                raise ValueError(
                    f"a score of a Moses n-best list is in a field from 3 to {_MOST_FIELDS:,}, not {score_field!r}"
                )
            self._score_field = int(score_field) - 1
        self._skip_bad = skip_bad
        self._base = -1
        self._expected = -1

    @property
    def base(self) -> int:
        """The first source's id; -1 before it has been read."""
        return self._base

    def group(self, data: bytes, at_end: bool, until: int) -> Block:
        """See `Format`."""
        import numpy as np

        lines, used = split_lines(data, at_end)
        start = 0
        if self._base < 0 and self._skip_bad:
            start, known = first_fitting(lines, at_end)
            if not known:
                return self._nothing(lines)
        base = self._base if self._base >= 0 else first_id(lines, start)
        limit = until + base
        stop, numbers, ids, bounds, skipped = group_by_id(
            lines.slice(start, len(lines)), self._expected, at_end, self._skip_bad, limit
        )
        stop += start
        if stop < len(lines):
            used = start_of(lines, stop)
        sources = np.frombuffer(ids, dtype=np.int64)
        first = max(self._expected - base, 0)
        behind = int(sources[-1]) - base + 1 if len(sources) else first
        return Block(
            lines
            if len(numbers) == len(lines)
            else pick(lines, np.frombuffer(numbers, dtype=np.int64) + start),
            np.frombuffer(bounds, dtype=np.int64),
            sources - base,
            behind,
            (used, stop),
            reached=behind >= until or (stop < len(lines) and self._is_beyond(raw(lines, stop), limit)),
            skipped_lines=start + skipped,
            skipped_sources=behind - first - len(sources),
        )

    @staticmethod
    def _nothing(lines: TextColumn) -> Block:
        """No source yet: more lines are needed to tell the first."""
        import numpy as np

        nothing = np.empty(0, dtype=np.int64)
        return Block(lines.slice(0, 0), np.zeros(1, dtype=np.int64), nothing, 0, (0, 0), reached=False)

    @staticmethod
    def _is_beyond(line: bytes, limit: int) -> bool:
        number = line.split(b"|||", 1)[0].strip()
        return number.isdigit() and int(number) >= limit

    def commit(self, block: Block) -> None:
        """See `Format`."""
        if len(block.ordinals):
            if self._base < 0:
                self._base = first_id(block.lines)
            self._expected = self._base + block.stop

    def parse(self, block: Block) -> Candidates:
        """See `Format`."""
        import numpy as np

        texts, values, problems = parse_fields(block.lines, _TEXT_FIELD, self._score_field)
        scores = None if values is None else np.frombuffer(values, dtype=np.float64)
        candidates = Candidates(block, texts, block.bounds, block.ordinals + max(self._base, 0), scores)
        if problems is not None:
            codes = np.frombuffer(problems, dtype=np.uint8)
            if not self._skip_bad:
                i = int(np.flatnonzero(codes)[0])
                raise LineError(i, line_problem(int(codes[i]), block.lines, i, self._score_field))
            candidates.keep_candidates(codes == 0)
        return candidates


def first_id(lines: TextColumn, i: int = 0) -> int:
    """The id of line i; 0 if it has none, or is not there."""
    found = _ids(lines, i, i + 1)
    return found[0] if found else 0


def first_fitting(lines: TextColumn, at_end: bool) -> tuple[int, bool]:
    """Which is the first line that has an id which most of the next lines do not fall below.

    Ids rise, so one that they do fall below is broken. Taken for the first source, it would leave none of the others.

    Args:
        lines: Lines from the first of the file on.
        at_end: Whether no line follows.

    Returns:
        The number of that line, or how many lines there are; and whether those that are there suffice to say so.
    """
    for i in range(len(lines)):
        found = _ids(lines, i, i + 1)
        if not found:
            continue
        if not at_end and len(lines) - i <= _LOOKED_AT:
            return i, False
        following = _ids(lines, i + 1, min(i + 1 + _LOOKED_AT, len(lines)))
        if 2 * sum(number < found[0] for number in following) <= len(following):
            return i, True
    return len(lines), True


def _ids(lines: TextColumn, start: int, stop: int) -> list[int]:
    """The ids of some lines, of those that have one."""
    parts = [lines.slice(i, i + 1) for i in range(start, min(stop, len(lines)))]
    return [number for part in parts for number in group_by_id(part, -1, True, True, NO_LIMIT)[2]]


def line_problem(code: int, lines: TextColumn, i: int, score_field: int) -> str:
    """What is wrong with line i."""
    line = raw(lines, i)
    if code == NOT_UTF8:
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            return f"expected UTF-8, found byte 0x{line[error.start]:02x} where it is not valid"
    if code == TOO_LONG:
        return f"expected a text that one segment may have, found {len(line)} bytes"
    fields = fields_of(line)
    if code == FEW_FIELDS:
        wanted = max(_TEXT_FIELD, score_field) + 1
        return f"expected at least {wanted} fields between '|||', found {len(fields)}: {shown(line)}"
    kind = {NO_NUMBER: "a number", NOT_FINITE: "a finite number"}[code]
    return f"expected {kind} in field {score_field + 1}, found {shown(fields[score_field].strip())}"


def fields_of(line: bytes) -> list[bytes]:
    """The fields of a line."""
    import re

    return re.split(rb"(?:(?<=[ \t])|^)\|\|\|(?=[ \t]|$)", line)
