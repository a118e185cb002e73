"""JSON lines: a source with a list of candidates on each line, or one candidate with the id of its source."""

from __future__ import annotations

import json
import re
import sys
from math import isfinite
from typing import NamedTuple

from ...inputs._text import text_column
from ._lines import LineError, raw, split_lines
from .blocks import Candidates
from .messages import shown, shown_json
from .seen import Seen
from .sources import Sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import float64
    from numpy.typing import NDArray

    from .blocks import Block


#: Lines that are looked at, at most, to tell which kind they are.
FIRST_LINES = 16


#: What a number has that no float can hold: an exponent of three digits, or as many digits.
_MAY_BE_INFINITE = re.compile(r"[0-9][eE]\+?[0-9]{3}|[0-9]{300}")


class Fields(NamedTuple):
    """What the fields of an object are called.

    Attributes:
        candidates: The list of candidates, of an object for each source.
        text: The text, of an object for each candidate.
        id: The source's id: a str or an int; an object for each source may be without.
        score: The models' score, a number; or a list of them, of an object for each source.
    """

    candidates: str = "candidates"
    text: str = "text"
    id: str = "id"
    score: str = "score"


class JsonLines:
    """Reads JSON lines; which of the two kinds they are, the first one says that is not broken.

    Args:
        fields: What the fields are called.
        with_scores: Whether the models' scores are read.
        skip_bad: Leave out lines and sources that are broken.
        start: The first line of the file; or `FIRST_LINES` of them, if that may be broken.
        beside: Whether references belong to the sources: then none may be lost among broken lines.
    """

    name = "json"

    def __init__(
        self, fields: Fields, with_scores: bool, skip_bad: bool, start: bytes, beside: bool = False
    ) -> None:
        self._fields = fields
        self._with_scores = with_scores
        self._skip_bad = skip_bad
        self._beside = beside
        self._next = 0
        self._seen = Seen()
        #: Ids of the sources that begin in the latest block, also of those of which nothing is left.
        self._begun: list[bytes | None] = []
        self.lists = _have_lists(start.split(b"\n", FIRST_LINES)[:FIRST_LINES], fields)

    def group(self, data: bytes, at_end: bool, until: int) -> Block:
        """See `Format`."""
        lines, used = split_lines(data, at_end)
        sources = Sources(self._next)
        names: set[bytes] = set()
        self._begun = begun = []
        last: bytes | None = None
        broken: int | None = None  # the first line left out since the last candidate
        for i in range(len(lines)):
            try:
                record = self._load(raw(lines, i))
                name = record.get(self._fields.id)
                key = None if name is None else _key(name)
                begins = self.lists or key != last or not sources.starts
                if begins and sources.next >= until:
                    sources.stop_before(i)
                    break
                if begins and broken is not None:
                    self._check_none_lost(lines, broken)
                if begins:
                    self._check_new(name, key, names)
                    sources.begin(i)
                    begun.append(key)
                    names.add(key or b"")
                    last = key
                self._check(record)
            except LineError:
                raise
            except ValueError as error:
                if not self._skip_bad:
                    raise LineError(i, str(error)) from None
                if self.lists:
                    # Whatever it holds, it is the line of a source, which may have begun.
                    if not sources.starts or sources.marks[-1][0] != i:
                        if sources.next >= until:
                            sources.stop_before(i)
                            break
                        sources.begin(i)
                        begun.append(None)
                else:
                    sources.skipped += 1
                    broken = i if broken is None else broken
                continue
            broken = None
            sources.add(i, record)
        else:
            if not at_end and not self.lists and sources.starts:
                begun.pop()
                sources.withdraw()  # more of the last source may follow
        return sources.block(lines, used, until)

    def _check_none_lost(self, lines: Any, broken: int) -> None:
        """Checks that no source may have been lost in lines left out between two others.

        Raises:
            LineError: References belong to the sources, and would be those of others.
        """
        if self._beside:
            raise LineError(
                broken,
                "expected the id of a source, which no line between two sources may lack where references belong to "
                f"them, found {shown(raw(lines, broken))}",
            )

    def _check_new(self, name: Any, key: bytes | None, names: set[bytes]) -> None:
        """Checks that no source had this id before."""
        if key is not None and (key in names or key in self._seen):
            raise ValueError(f"expected the id of another source, found {shown_json(name)} again")

    def commit(self, block: Block) -> None:
        """See `Format`."""
        self._seen.add([key for key in self._begun if key is not None])
        self._next = block.stop

    def parse(self, block: Block) -> Candidates:
        """See `Format`."""
        import numpy as np

        records = block.records or []
        fields = self._fields
        scores: NDArray[float64] | None = None
        if self.lists:
            texts = [text for record in records for text in record[fields.candidates]]
            sizes = [len(record[fields.candidates]) for record in records]
            bounds = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
            names = [record.get(fields.id) for record in records]
            if self._with_scores:
                scores = np.array(
                    [score for record in records for score in record[fields.score]], dtype=np.float64
                )
        else:
            texts = [record[fields.text] for record in records]
            bounds = block.bounds
            names = [records[k][fields.id] for k in bounds[:-1].tolist()]
            if self._with_scores:
                scores = np.array([record[fields.score] for record in records], dtype=np.float64)
        return Candidates(block, text_column(texts), bounds, names, scores, line_per_source=self.lists)

    def _load(self, line: bytes) -> dict[str, Any]:
        """The object on a line, with an id."""
        try:
            text = line.decode("utf-8")
            record = json.loads(text, parse_constant=_refuse_constant)
            if _MAY_BE_INFINITE.search(text):
                json.loads(text, parse_float=_finite)
        except UnicodeDecodeError as error:
            raise ValueError(
                f"expected UTF-8, found byte 0x{line[error.start]:02x} where it is not valid"
            ) from None
        except RecursionError:
            raise ValueError(f"expected a JSON object, found one nested too deeply: {shown(line)}") from None
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
        self._check_id(record)
        return record

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
            raise ValueError(f"expected candidates in {wanted!r}, found none: the source has no candidates")
        for text in texts:
            _check_text(text, wanted)
        if self._with_scores:
            self._check_scores(record, len(texts))

    def _check_id(self, record: dict[str, Any]) -> None:
        name = record.get(self._fields.id)
        if name is None and self.lists:
            return
        if isinstance(name, bool) or not isinstance(name, (str, int)):
            raise ValueError(  # noqa: TRY004  # likewise
                f"expected a string or an integer in {self._fields.id!r}, found {shown_json(name)}"
            )
        if isinstance(name, str):
            _check_text(name, self._fields.id)

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


def _have_lists(lines: list[bytes], fields: Fields) -> bool:
    """Whether the first line that has candidates has a list of them."""
    for line in lines:
        record = _quietly(line)
        if fields.candidates in record:
            return True
        if fields.text in record:
            return False
    return False


def _quietly(line: bytes) -> dict[str, Any]:
    """The object on a line; an empty one where there is none, of which more is said when the line is read."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def _key(name: Any) -> bytes:
    """An id as bytes: 1 and "1" are two."""
    return json.dumps(name).encode()


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
    if not isfinite(value := float(number)):
        raise _NotFiniteError(f"expected a finite number, found {shown(number.encode())[1:-1]}")
    return value


def _refuse_constant(name: str) -> None:
    raise _NotFiniteError(f"expected a finite number, found {name}")
