"""Read and write Moses n-best lists, in which each line is a candidate: `id ||| text ||| features ||| score`."""

from __future__ import annotations

import re

from ...inputs._lines import raw, split_lines, start_of
from ._fields import (
    FEW_FIELDS,
    NO_NUMBER,
    NOT_FINITE,
    NOT_UTF8,
    TOO_LONG,
    group_by_id,
    id_of,
    join_lines,
    parse_fields,
)
from .blocks import Block, LineError, shown, utf8_problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...inputs._text import TextColumn
    from .blocks import Chosen
    from .nbest_options import Options

#: The number of the field that has the model's scores by default, from 1.
_SCORE_FIELD = "4"

#: The number of fields that Moses writes. Lines may have more fields.
_USUAL_FIELDS = 4

_SEPARATOR = re.compile(rb"(?:(?<=[ \t])|^)\|\|\|(?=[ \t]|$)")

#: The smallest and the largest number of a field that may contain scores, from 1. The largest is arbitrary.
_FIRST_FIELD, _LAST_FIELD = 3, 1_000_000


class Moses:
    """A reader and writer of Moses n-best lists.

    A field ends at "|||" between white space. The id of a line is the number of its source: the first id may be any
    number, ids are consecutive, and the candidates of a source are on adjacent lines.

    Args:
        options: The options. They name the field of the model's scores, and say whether to skip malformed lines and
            sources without candidates.
        reads_scores: Whether to read the model's scores.
        start: The first lines of the file. Of these, the line with the most fields determines how many fields every
            line must have, but not more than four are required.

    Attributes:
        format_name: The name of the format in messages.
        foreign_extensions: The extensions of file names that belong to the other format.

    Raises:
        ValueError: The field of the scores is not after the text, or the options need references, which this format
            does not have.
    """

    format_name = "a Moses n-best list"
    foreign_extensions = (".json", ".jsonl", ".ndjson")

    def __init__(self, options: Options, reads_scores: bool, start: list[bytes]) -> None:
        self._options = options
        if options.needs_references:
            raise ValueError(
                "a Moses n-best list has no references: name each file of them with -r/--references"
            )
        if options.references_field is not None:
            raise ValueError(
                f"{options.option_name('references_field')} is for JSON lines, not for a Moses n-best list"
            )
        numbers = [len(fields) for fields in map(_fields_of, start) if fields[0].strip().isdigit()]
        self._fields = min(_USUAL_FIELDS, max(numbers))
        self._score_field = -1  # Index of the field with the scores, from 0; -1 if scores are not read.
        if reads_scores:
            field = options.score_field or _SCORE_FIELD
            if not field.isdecimal() or not _FIRST_FIELD <= int(field) <= _LAST_FIELD:
                raise ValueError(
                    f"{options.option_name('score_field')} must be the number of a field from {_FIRST_FIELD} to "
                    f"{_LAST_FIELD:,} in a Moses n-best list, not {field!r}"
                )
            self._score_field = int(field) - 1
            self._fields = max(self._fields, int(field))
        self._first_id = -1
        self._expected = -1

    def group(self, data: bytes, at_end: bool) -> Block:
        """Group the lines of `data` by source, and return the sources that are complete.

        Args:
            data: The next bytes of the file, from the start of a source.
            at_end: Whether the file ends after `data`.

        Returns:
            A block. If no source is complete, its `consumed` is 0 bytes, and the caller must read more.

        Raises:
            LineError: The id of a line is wrong, and malformed lines are not skipped.
        """
        import numpy as np

        lines, used = split_lines(data, at_end)
        stop, numbers, ids, bounds, skipped, malformed = group_by_id(
            lines, self._expected, at_end, self._options.skip_bad
        )
        if malformed is not None:
            raise LineError(malformed[0], _id_problem(lines, *malformed))
        if stop < len(lines):
            used = start_of(lines, stop)
        sources = np.frombuffer(ids, dtype=np.int64)
        if self._first_id < 0 and len(sources):
            self._first_id = int(sources[0])
        first = after = max(self._expected - self._first_id, 0)
        if len(sources):
            self._expected = int(sources[-1]) + 1
            after = self._expected - self._first_id
        starts, kept = (np.frombuffer(array, dtype=np.int64) for array in (bounds, numbers))
        return Block(
            lines if len(kept) == len(lines) else lines.take(kept),
            starts,
            sources - self._first_id,
            after,
            (used, stop),
            skipped_lines=skipped,
            skipped_sources=after - first - len(sources),
            positions=kept - np.repeat(kept[starts[:-1]], np.diff(starts)) if skipped else None,
        )

    def parse(self, block: Block) -> None:
        """Parse the candidates of a block, and store them in the block. Several threads may parse different blocks.

        Raises:
            LineError: A line is malformed, and malformed lines are not skipped.
        """
        import numpy as np

        texts, values, problems = parse_fields(block.lines, self._score_field, self._fields)
        block.texts, block.names = texts, (block.ordinals + self._first_id).tolist()
        block.scores = None if values is None else np.frombuffer(values, dtype=np.float64)
        if problems is not None:
            codes = np.frombuffer(problems, dtype=np.uint8)
            if not self._options.skip_bad:
                i = int(np.flatnonzero(codes)[0])
                raise LineError(i, self._field_problem(int(codes[i]), raw(block.lines, i)))
            block.keep_candidates(codes == 0)

    def _field_problem(self, code: int, line: bytes) -> str:
        """Return the message for a line whose fields have the error `code`, as `parse_fields` reports it."""
        if code == NOT_UTF8:
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                return utf8_problem(line, error)
        if code == TOO_LONG:
            return f"expected a text of at most 2,147,483,519 bytes, found a line of {len(line)} bytes"
        fields = _fields_of(line)
        if code == FEW_FIELDS:
            return f"expected at least {max(2, self._fields)} fields between '|||', found {len(fields)}: {shown(line)}"
        kind = {NO_NUMBER: "a number", NOT_FINITE: "a finite number"}[code]
        field = self._score_field
        return f"expected {kind} in field {field + 1}, found {shown(fields[field].strip())}"

    def references(self, _: Block) -> None:
        """Return None: a Moses n-best list has no references."""

    def render(self, block: Block, chosen: Chosen) -> bytes:
        """Return the output lines: chosen candidates with index, rank and score, or the mean score of each source."""
        if self._options.writes_means:
            means = zip(block.names, chosen.values.tolist(), strict=True)
            return "".join([f"{name} ||| {mean:.{self._options.width}f}\n" for name, mean in means]).encode()
        added = chosen.values, self._options.width, chosen.indices, chosen.ranks
        return join_lines(block.lines, chosen.numbers, *added)


def _fields_of(line: bytes) -> list[bytes]:
    """Split a line at its separators."""
    return _SEPARATOR.split(line.rstrip(b"\r"))


def _id_problem(lines: TextColumn, i: int, expected: int, current: int) -> str:
    """Return the message for a line with a wrong id.

    Args:
        lines: The lines.
        i: The index of the line.
        expected: The id of the next source.
        current: The id of the source of the previous line; -1 if there is no previous line.
    """
    number = id_of(lines, i)
    if number < 0:
        return (
            "expected 'id ||| text ||| features ||| score' with an id of digits, "
            f"found {shown(raw(lines, i))}"
        )
    wanted = f"id {expected}" if current < 0 else f"id {current} or {expected}"
    if number > expected:
        return f"expected {wanted}, found {number}: source {expected} has no candidates"
    return (
        f"expected {wanted}, found {number}: ids must rise, and the candidates of a source must be adjacent"
    )
