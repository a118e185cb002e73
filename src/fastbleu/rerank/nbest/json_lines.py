"""JSON lines: a source with a list of candidates on each line, or one candidate with the id of its source."""

from __future__ import annotations

import json
import re
import sys
from itertools import accumulate
from math import isfinite
from typing import NamedTuple

from ...inputs._lines import pick, raw, split_lines, start_of
from ...inputs._text import text_column
from .blocks import Block, Candidates, LineError, shown, shown_json
from .known_ids import KnownIds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import Self

    from ...inputs._text import TextColumn


#: Lines that are looked at, at most, to tell which kind they are.
FIRST_LINES = 16

#: Lists and objects within each other, at most. Python's own limit depends on its version and on its stack, so that a
#: line could be read where it cannot be written.
MOST_NESTED = 500

#: What a JSON text has besides brackets: strings, and anything else.
_NO_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"?|[^]["{}]+', re.DOTALL)

#: What a number has that no float can hold: an exponent of three digits, or 300 digits in front of it.
_MAY_BE_INFINITE = re.compile(r"[0-9][eE]\+?[0-9]{3}|[0-9]{300}")


class Fields(NamedTuple):
    """The names of the fields of an object.

    Attributes:
        candidates: The list of candidates, of an object for each source.
        text: The text, of an object for each candidate.
        id: The source's id: a str or an int; an object for each source may be without.
        score: The models' score, a number; or a list of them, of an object for each source.
        parallel: Of an object for each source, further lists with an item for each candidate.
    """

    candidates: str = "candidates"
    text: str = "text"
    id: str = "id"
    score: str = "score"
    parallel: tuple[str, ...] = ()


class Written(float):
    """A number that a file has, with the characters that it is written in."""

    __slots__ = ("characters",)

    characters: str

    def __new__(cls, characters: str) -> Self:
        """The number that these characters are."""
        self = super().__new__(cls, characters)
        self.characters = characters
        return self


class JsonLines:
    """Reads JSON lines; the first line that is not broken says which of the two kinds they are.

    Args:
        fields: What the fields are called.
        with_scores: Whether the models' scores are read.
        skip_bad: Leave out lines and sources that are broken.
        start: The first line of the file; or `FIRST_LINES` of them, if that may be broken.
        has_references: Whether references belong to the sources: then none may be lost among broken lines.
        as_written: Whether numbers keep the characters that they are written in: floats are `Written` then.

    Attributes:
        lists: Whether each line has a list of candidates.
    """

    name = "json"
    noun = "line"

    def __init__(
        self,
        fields: Fields,
        with_scores: bool,
        skip_bad: bool,
        start: bytes,
        has_references: bool = False,
        as_written: bool = False,
    ) -> None:
        self._fields = fields
        self._with_scores = with_scores
        self._skip_bad = skip_bad
        self._has_references = has_references
        self._as_written = as_written
        self._next = 0
        self._seen = KnownIds()
        #: The first line left out since the last candidate of the blocks before: its number, which is below 0 because
        #: it counts from the next block, and what it holds.
        self._lost: tuple[int, str] | None = None
        self.lists = _have_lists(start.split(b"\n", FIRST_LINES)[:FIRST_LINES], fields)

    def group(self, data: bytes, at_end: bool) -> Block:
        """See `LineForm`."""
        lines, used = split_lines(data, at_end)
        sources = _Sources(self._next)
        known: set[bytes | None] = set()
        last: bytes | None = None
        lost = self._lost
        for i in range(len(lines)):
            try:
                record = _load(raw(lines, i), self._as_written)
                key = self._id_of(record)
                if self.lists or key != last or not sources.ids:
                    if lost is not None:
                        self._check_none_lost(*lost)
                    if key is not None and (key in known or key in self._seen):
                        raise ValueError(  # noqa: TRY301  # handled like what the checks raise
                            f"expected a new id, found {shown_json(record[self._fields.id])} again"
                        )
                    sources.begin(i, key)
                    known.add(key)
                    last = key
                self._check(record)
            except LineError:
                raise
            except ValueError as error:
                if not self._skip_bad:
                    raise LineError(i, str(error)) from None
                if not self.lists:
                    sources.skipped += 1
                    lost = lost or (i, shown(raw(lines, i)))
                elif sources.last_line != i:
                    sources.begin(i, None)  # broken or not, it is the line of a source
                continue
            lost = None
            sources.add(i, record)
        has_sources = bool(sources.ids)
        if not at_end and not self.lists:
            sources.withdraw()
        block = sources.block(lines, used)
        if block.used[0]:
            # Lines left out after the last source are read again with it.
            self._lost = None if lost is None or has_sources else (lost[0] - len(lines), lost[1])
            # Also the ids of sources of which nothing is left.
            self._seen.add([key for key in sources.ids if key is not None])
            self._next = block.stop
        return block

    def _check_none_lost(self, line: int, found: str) -> None:
        """Checks that no source may have been lost in lines left out between two others, from this one on.

        Raises:
            LineError: References belong to the sources, and would be those of others.
        """
        if self._has_references:
            raise LineError(
                line,
                "expected a line with the id of its source; because sources have references, no line between two of "
                f"them may be left out, found {found}",
            )

    def parse(self, block: Block) -> Candidates:
        """See `Form`."""
        import numpy as np

        records = block.records or []
        fields = self._fields
        scores: list[float] = []
        bounds = block.bounds
        if self.lists:
            texts = [text for record in records for text in record[fields.candidates]]
            sizes = [len(record[fields.candidates]) for record in records]
            bounds = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
            names = [record.get(fields.id) for record in records]
            if self._with_scores:
                scores = [score for record in records for score in record[fields.score]]
        else:
            texts = [record[fields.text] for record in records]
            names = [records[k][fields.id] for k in bounds[:-1].tolist()]
            if self._with_scores:
                scores = [record[fields.score] for record in records]
        numbers = np.array(scores, dtype=np.float64) if self._with_scores else None
        column = text_column(texts)
        return Candidates.of(block, column, names, numbers, bounds=bounds, line_per_source=self.lists)

    def _id_of(self, record: dict[str, Any]) -> bytes | None:
        """The id of an object's source as bytes, in which 1 and "1" differ; None if it has none."""
        name = record.get(self._fields.id)
        if name is None and self.lists:
            return None
        if isinstance(name, bool) or not isinstance(name, (str, int)):
            raise ValueError(  # noqa: TRY004  # of the file's data
                f"expected a string or an integer in {self._fields.id!r}, found {shown_json(name)}"
            )
        if isinstance(name, str):
            _check_text(name, self._fields.id)
        return json.dumps(name).encode()

    def _check(self, record: dict[str, Any]) -> None:
        """Checks the candidates of an object."""
        fields = self._fields
        wanted = fields.candidates if self.lists else fields.text
        if wanted not in record:
            either = "" if self.lists else f" or {fields.candidates!r}"
            raise ValueError(f"expected a field {wanted!r}{either}, found {shown_json(record)}")
        found = record[wanted]
        texts = found if self.lists else [found]
        if not isinstance(texts, list):
            raise ValueError(f"expected a list in {wanted!r}, found {shown_json(found)}")  # noqa: TRY004  # likewise
        if not texts:
            raise ValueError(f"expected candidates in {wanted!r}, found an empty list")
        for text in texts:
            _check_text(text, wanted)
        if self._with_scores:
            self._check_scores(record, len(texts))
        for name in fields.parallel:
            items = record.get(name)
            if not isinstance(items, list) or len(items) != len(texts):
                what = "nothing" if name not in record else shown_json(items)
                raise ValueError(f"expected a list of {len(texts)} items in {name!r}, found {what}")

    def _check_scores(self, record: dict[str, Any], candidates: int) -> None:
        name = self._fields.score
        found = record.get(name)
        scores = found if self.lists else [found]
        if not isinstance(scores, list) or len(scores) != candidates:
            raise ValueError(
                f"expected a list of {candidates} numbers in {name!r}, found {shown_json(found)}"
            )
        for score in scores:
            if isinstance(score, bool) or not isinstance(score, (int, float)):
                raise ValueError(f"expected a number in {name!r}, found {shown_json(score)}")  # noqa: TRY004  # likewise
            try:
                finite = isfinite(score)
            except OverflowError:
                finite = False
            if not finite:
                raise ValueError(f"expected a finite number in {name!r}, found {shown_json(score)}")


class _Sources:
    """The sources of a block, put together line by line.

    Args:
        first: The ordinal of the first one.

    Attributes:
        ids: The id of each source, or None.
        skipped: Lines left out.
    """

    def __init__(self, first: int) -> None:
        self.ids: list[bytes | None] = []
        self.skipped = 0
        self._first = first
        #: Where each source begins: the line, and how many lines had been kept and left out before.
        self._starts: list[tuple[int, int, int]] = []
        self._kept: list[int] = []
        self._records: list[dict[str, Any]] = []
        self._stop: int | None = None

    @property
    def last_line(self) -> int:
        """The line where the last source begins; -1 if there is none."""
        return self._starts[-1][0] if self._starts else -1

    def begin(self, line: int, key: bytes | None) -> None:
        """Another source begins at this line."""
        self.ids.append(key)
        self._starts.append((line, len(self._kept), self.skipped))

    def add(self, line: int, record: dict[str, Any]) -> None:
        """This line is of the source that began last."""
        self._kept.append(line)
        self._records.append(record)

    def withdraw(self) -> None:
        """Leaves the last source, if there is one, to the next block: more lines of it may follow."""
        if self.ids:
            self.ids.pop()
            self._stop, kept, self.skipped = self._starts.pop()
            del self._kept[kept:], self._records[kept:]

    def block(self, lines: TextColumn, used: int) -> Block:
        """The sources; those without a line are left out.

        Args:
            lines: All lines.
            used: Bytes that they take.
        """
        import numpy as np

        stop = len(lines) if self._stop is None else self._stop
        bounds = np.array([*(kept for _, kept, _ in self._starts), len(self._kept)], dtype=np.int64)
        filled = np.diff(bounds) > 0
        kept, starts = (
            np.array(each, dtype=np.int64) for each in (self._kept, [line for line, _, _ in self._starts])
        )
        ordinals = np.arange(self._first, self._first + len(filled), dtype=np.int64)
        return Block(
            pick(lines, kept),
            np.append(bounds[:-1][filled], bounds[-1]),
            ordinals[filled],
            self._first + len(filled),
            (start_of(lines, stop) if stop < len(lines) else used, stop),
            skipped_lines=self.skipped,
            skipped_sources=int(len(filled) - filled.sum()),
            records=self._records,
            places=kept - np.repeat(starts, np.diff(bounds)) if self.skipped else None,
        )


def _load(line: bytes, as_written: bool = False) -> dict[str, Any]:
    """The object on a line.

    Args:
        line: The line.
        as_written: Whether floats are `Written`.

    Raises:
        ValueError: There is none, or it holds what cannot be written again.
    """
    try:
        text = line.decode("utf-8")
        if _depth(text) > MOST_NESTED:
            raise RecursionError  # noqa: TRY301  # as Python does at another depth
        plain = _WRITTEN_DECODER if as_written else _DECODER
        record = (_CAREFUL_DECODER if _MAY_BE_INFINITE.search(text) else plain).decode(text)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"expected UTF-8, found byte 0x{line[error.start]:02x} where it is not valid"
        ) from None
    except RecursionError:
        raise ValueError(
            f"expected a JSON object nested at most {MOST_NESTED} deep, found a deeper one: {shown(line)}"
        ) from None
    except json.JSONDecodeError as error:
        raise ValueError(f"expected a JSON object, found {shown(line)}: {error.msg}") from None
    except _NotFiniteError:
        raise
    except ValueError:
        # Python's own message would advise to change the program.
        most = f"{sys.get_int_max_str_digits():,}"
        raise ValueError(
            f"expected integers of at most {most} digits, found a longer one: {shown(line)}"
        ) from None
    if not isinstance(record, dict):
        raise ValueError(f"expected a JSON object, found {shown(line)}")  # noqa: TRY004  # of the file's data
    return record


def _depth(text: str) -> int:
    """Return how deep lists and objects lie within each other; an upper bound where that is at most `MOST_NESTED`.

    Example:
        >>> _depth('{"a": [[]], "b": "[[["}'), _depth("[" * 600 + "]" * 600), _depth("[]" * 600)
        (6, 600, 1)
    """
    brackets = text.count("[") + text.count("{")
    if brackets <= MOST_NESTED:
        return brackets
    steps = (1 if bracket in "[{" else -1 for bracket in _NO_BRACKETS.sub("", text))
    return max(accumulate(steps))


def _have_lists(lines: list[bytes], fields: Fields) -> bool:
    """Return whether the first line that has candidates has a list of them."""
    for line in lines:
        try:
            record = _load(line)
        except ValueError:
            continue
        if fields.candidates in record or fields.text in record:
            return fields.candidates in record
    return False


def _check_text(text: Any, field: str) -> None:
    if not isinstance(text, str):
        raise ValueError(f"expected a string in {field!r}, found {shown_json(text)}")  # noqa: TRY004  # of the file's data
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"expected text in {field!r}, found half a surrogate pair, {text[error.start]!r}"
        ) from None


class _NotFiniteError(ValueError):
    """A number is NaN or infinite."""


def _finite(number: str) -> float:
    if not isfinite(value := Written(number)):
        raise _NotFiniteError(f"expected a finite number, found {shown(number.encode())[1:-1]}")
    return value


def _refuse_constant(name: str) -> None:
    raise _NotFiniteError(f"expected a finite number, found {name}")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
_WRITTEN_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=Written)
_CAREFUL_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)
