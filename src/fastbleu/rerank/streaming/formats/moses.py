"""Moses n-best lists: `id ||| text ||| features ||| score`, and whatever fields follow."""

from __future__ import annotations

from ...._nbest import (
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
from ..blocks import NO_LIMIT, Block, Candidates
from ..messages import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...._columns import TextColumn

_TEXT_FIELD = 1


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
            if not score_field.isdecimal() or int(score_field) < _TEXT_FIELD + 2:
                raise ValueError(
                    f"a score of a Moses n-best list is in a field of a number of at least 3, not {score_field!r}"
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
        base = self._base if self._base >= 0 else first_id(lines, self._skip_bad)
        limit = until + base
        stop, numbers, ids, bounds, skipped = group_by_id(
            lines, self._expected, at_end, self._skip_bad, limit
        )
        if stop < len(lines):
            used = start_of(lines, stop)
        sources = np.frombuffer(ids, dtype=np.int64)
        first = max(self._expected - base, 0)
        behind = int(sources[-1]) - base + 1 if len(sources) else first
        return Block(
            lines if len(numbers) == len(lines) else pick(lines, numbers),
            np.frombuffer(bounds, dtype=np.int64),
            sources - base,
            behind,
            (used, stop),
            reached=behind >= until or (stop < len(lines) and self._is_beyond(raw(lines, stop), limit)),
            skipped_lines=skipped,
            skipped_sources=behind - first - len(sources),
        )

    @staticmethod
    def _is_beyond(line: bytes, limit: int) -> bool:
        number = line.split(b"|||", 1)[0].strip()
        return number.isdigit() and int(number) >= limit

    def commit(self, block: Block) -> None:
        """See `Format`."""
        if len(block.ordinals):
            if self._base < 0:
                self._base = first_id(block.lines, self._skip_bad)
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


def first_id(lines: TextColumn, skip_bad: bool) -> int:
    """The id of the first line that has one; 0 if none has."""
    for i in range(len(lines)):
        _, _, ids, _, _ = group_by_id(lines.slice(i, i + 1), -1, True, True, NO_LIMIT)
        if len(ids):
            return ids[0]
        if not skip_bad:
            break
    return 0


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
