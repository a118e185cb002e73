"""Moses n-best lists, `id ||| text ||| features ||| score` and any further fields; and plain text.

A line of either is a candidate.
"""

from __future__ import annotations

from ...inputs._lines import raw, split_lines, start_of
from ._fields import FEW_FIELDS, NO_NUMBER, NOT_FINITE, NOT_UTF8, TOO_LONG, group_by_id, id_of, parse_fields
from .blocks import Block, Form, LineError, shown, utf8_problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...inputs._text import TextColumn
    from .options import Options

_TEXT_FIELD = 1

#: An arbitrary limit; no list has more fields.
_MOST_FIELDS = 1_000_000

#: Lines after the first id that tell whether it is broken.
_LOOKED_AT = 16


class Moses(Form):
    """Reads Moses n-best lists.

    A field ends at "|||" between white space. Sources are numbered: the first id may be any, ids rise by one, and the
    candidates of a source stand together.

    Args:
        options: Whether broken lines are left out, and sources that have no candidates.
        score_field: Number of the field that holds the models' score, from 1; None: it is not read.

    Raises:
        ValueError: `score_field` is not a number of a field after the text.
    """

    name = "moses"
    is_numbered = True

    def __init__(self, options: Options, score_field: str | None = None, *_: object) -> None:
        self._score_field = -1
        if score_field is not None:
            if not score_field.isdecimal() or not _TEXT_FIELD + 2 <= int(score_field) <= _MOST_FIELDS:
                raise ValueError(
                    f"the score of a Moses n-best list must be in a field from 3 to {_MOST_FIELDS:,}, "
                    f"not {score_field!r}"
                )
            self._score_field = int(score_field) - 1
        self._skip_bad = options.skip_bad
        self._expected = -1

    def group(self, data: bytes, at_end: bool) -> Block:
        """Return the sources that `data` begins with; see `Form`."""
        import numpy as np

        lines, used = split_lines(data, at_end)
        start = 0
        if self.first_id < 0 and self._skip_bad:
            start, known = first_fitting(lines, at_end)
            if not known:
                # More lines are needed to tell the first source.
                nothing = np.empty(0, dtype=np.int64)
                return Block(lines.slice(0, 0), np.zeros(1, dtype=np.int64), nothing, stop=0)
        stop, numbers, ids, bounds, skipped, broken = group_by_id(
            lines.slice(start, len(lines)), self._expected, at_end, self._skip_bad
        )
        if broken is not None:
            raise LineError(broken[0], _id_problem(lines, *broken))
        stop += start
        if stop < len(lines):
            used = start_of(lines, stop)
        sources = np.frombuffer(ids, dtype=np.int64)
        if self.first_id < 0 and len(sources):
            self.first_id = int(sources[0])
        first = max(self._expected - self.first_id, 0)
        after = first
        if len(sources):
            self._expected = int(sources[-1]) + 1
            after = self._expected - self.first_id
        starts, taken = (np.frombuffer(each, dtype=np.int64) for each in (bounds, numbers))
        return Block(
            lines if len(taken) == len(lines) else lines.take(taken + start),
            starts,
            sources - self.first_id,
            after,
            (used, stop),
            skipped_lines=start + skipped,
            skipped_sources=after - first - len(sources),
            places=taken - np.repeat(taken[starts[:-1]], np.diff(starts)) if skipped else None,
        )

    def parse(self, block: Block) -> None:
        """Find the candidates of a block; see `Form`."""
        _parse(block, _TEXT_FIELD, self._score_field, self._skip_bad, self.first_id)


def _parse(block: Block, text_field: int, score_field: int, skip_bad: bool, first_id: int) -> None:
    """Find the candidates of a block with one on each line.

    Args:
        block: The block.
        text_field: Which field is the text, from 0; negative: the whole line is.
        score_field: Which field is the models' score; negative: none is.
        skip_bad: Whether to leave out broken lines.
        first_id: The id of the first source in the file.

    Raises:
        LineError: A line is broken.
    """
    import numpy as np

    texts, values, problems = parse_fields(block.lines, text_field, score_field)
    block.texts, block.names = texts, (block.ordinals + max(first_id, 0)).tolist()
    block.scores = None if values is None else np.frombuffer(values, dtype=np.float64)
    if problems is not None:
        codes = np.frombuffer(problems, dtype=np.uint8)
        if not skip_bad:
            i = int(np.flatnonzero(codes)[0])
            raise LineError(i, _field_problem(int(codes[i]), raw(block.lines, i), text_field, score_field))
        block.keep_candidates(codes == 0)


def first_fitting(lines: TextColumn, at_end: bool) -> tuple[int, bool]:
    """Find the first line with an id that most of the next lines do not fall below.

    Ids rise, so an id is broken if the next ones fall below it. Taken for the first source, its line would leave none
    of the others.

    Args:
        lines: Lines from the first of the file on.
        at_end: Whether no line follows.

    Returns:
        The number of that line, or how many lines there are; and whether those that are there suffice to say so.
    """
    for i in range(len(lines)):
        found = id_of(lines, i)
        if found < 0:
            continue
        if not at_end and len(lines) - i <= _LOOKED_AT:
            return i, False
        following = [id_of(lines, k) for k in range(i + 1, min(i + 1 + _LOOKED_AT, len(lines)))]
        following = [each for each in following if each >= 0]
        if 2 * sum(each < found for each in following) <= len(following):
            return i, True
    return len(lines), True


def _id_problem(lines: TextColumn, i: int, expected: int, current: int) -> str:
    """Describe the fault of a line whose id is unexpected, after one with the id `current`, if that is >= 0."""
    found = id_of(lines, i)
    if found < 0:
        return (
            "expected 'id ||| text ||| features ||| score' with an id of digits, "
            f"found {shown(raw(lines, i))}"
        )
    wanted = f"id {expected}" if current < 0 else f"id {current} or {expected}"
    if found > expected:
        return f"expected {wanted}, found {found}: source {expected} has no candidates"
    return f"expected {wanted}, found {found}: ids must rise, and candidates of a source stand together"


def _field_problem(code: int, line: bytes, text_field: int, score_field: int) -> str:
    """Describe the fault in the fields of a line."""
    import re

    if code == NOT_UTF8:
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            return utf8_problem(line, error)
    if code == TOO_LONG:
        return f"expected a text of at most 2,147,483,519 bytes, found a line of {len(line)} bytes"
    fields = re.split(rb"(?:(?<=[ \t])|^)\|\|\|(?=[ \t]|$)", line)
    if code == FEW_FIELDS:
        wanted = max(text_field, score_field) + 1
        return f"expected at least {wanted} fields between '|||', found {len(fields)}: {shown(line)}"
    kind = {NO_NUMBER: "a number", NOT_FINITE: "a finite number"}[code]
    return f"expected {kind} in field {score_field + 1}, found {shown(fields[score_field].strip())}"


class Text(Form):
    """Reads plain text.

    Args:
        options: How many candidates each source has, and whether lines that are not valid UTF-8 are left out, and a
            last source that is not complete.
        score_field: None; plain text has no scores.

    Raises:
        ValueError: There is no such number, or a field of scores.
    """

    name = "text"
    has_ids = False
    is_numbered = True

    def __init__(self, options: Options, score_field: str | None = None, *_: object) -> None:
        if options.candidates_per_source is None:
            raise ValueError("plain text needs -n/--candidates-per-source")
        if score_field is not None:
            raise ValueError("plain text has no models' scores")
        self._per_source = options.candidates_per_source
        self._skip_bad = options.skip_bad
        self._next = 0

    def group(self, data: bytes, at_end: bool) -> Block:
        """Return the sources that `data` begins with; see `Form`."""
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

    def parse(self, block: Block) -> None:
        """Find the candidates of a block; see `Form`."""
        _parse(block, -1, -1, self._skip_bad, first_id=0)
