"""JSON lines: a source with a list of candidates on each line, or one candidate with the id of its source."""

from __future__ import annotations

import json
import os
import re
import sys
from bisect import bisect_left
from itertools import accumulate, chain
from math import isfinite

from ...inputs._lines import raw, split_lines, start_of
from ...inputs._text import text_column
from .blocks import Block, Form, LineError, Records, shown, shown_json, utf8_problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import uint64
    from numpy.typing import NDArray
    from typing_extensions import Self

    from .options import Options


#: The field of a Moses n-best list that holds the models' score.
MOSES_SCORE = "4"

#: Lines that are looked at, at most, to tell which kind they are.
FIRST_LINES = 16

#: Lists and objects within each other, at most. Python's own limit depends on its version and on its stack, so that a
#: line could be read where it cannot be written.
MOST_NESTED = 500

#: What a JSON text has besides brackets: strings, and anything else.
_NO_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"?|[^]["{}]+', re.DOTALL)

#: What a number has that no float can hold: an exponent of three digits, or 300 digits in front of it.
_MAY_BE_INFINITE = re.compile(r"[0-9][eE]\+?[0-9]{3}|[0-9]{300}")

#: Ids that a set holds before they are sorted. Tests make it smaller.
_RECENT_IDS = 1 << 16


class Written(float):
    """A number that a file has, with the characters that it is written in."""

    __slots__ = ("characters",)

    characters: str

    def __new__(cls, characters: str) -> Self:
        """The number that these characters are."""
        self = super().__new__(cls, characters)
        self.characters = characters
        return self


class KnownIds:
    """A set of ids that grows by blocks.

    It keeps 64 bits of a hash of each, with another key for every set: among ten million ids, the probability that a
    new one is taken for one of them is below one in a hundred thousand.

    Example:
        >>> known = KnownIds()
        >>> known.add([b"1", b"2"])
        >>> b"1" in known, b"4" in known
        (True, False)
    """

    def __init__(self) -> None:
        self._key = os.urandom(16)
        #: A set takes ten times the memory of a sorted array, but adding to it costs nothing.
        self._recent: set[int] = set()
        self._sorted: NDArray[uint64] | None = None

    def _hash(self, name: bytes) -> int:
        # Not earlier: n-best lists whose sources are numbered need none of this.
        from hashlib import blake2b

        return int.from_bytes(blake2b(name, digest_size=8, key=self._key).digest(), "little")

    def __contains__(self, name: bytes) -> bool:
        import numpy as np

        wanted = self._hash(name)
        if self._sorted is None or wanted in self._recent:
            return wanted in self._recent
        i = int(self._sorted.searchsorted(np.uint64(wanted)))
        return i < len(self._sorted) and int(self._sorted[i]) == wanted

    def add(self, names: list[bytes]) -> None:
        """Add ids."""
        import numpy as np

        self._recent.update(map(self._hash, names))
        old = np.empty(0, dtype=np.uint64) if self._sorted is None else self._sorted
        if len(self._recent) > max(_RECENT_IDS, len(old) // 8):
            recent = np.fromiter(self._recent, dtype=np.uint64, count=len(self._recent))
            self._sorted = np.sort(np.concatenate((old, recent)))
            self._recent.clear()


class JsonLines(Form):
    """Reads JSON lines; the first line that is not broken says which of the two kinds they are.

    Args:
        options: What the fields are called, and whether lines and sources that are broken are left out. If references
            belong to the sources, none may be lost among broken lines.
        score_field: The field of the models' scores; None: they are not read.
        start: What the file begins with: the first line; or `FIRST_LINES` of them, if that may be broken.
        is_evidence: Whether these are other samples.

    Attributes:
        lists: Whether each line has a list of candidates.
    """

    name = "json"

    def __init__(
        self, options: Options, score_field: str | None = None, start: bytes = b"", is_evidence: bool = False
    ) -> None:
        self._options = options
        self._score_field = None if score_field is None else json_score_field(score_field)
        self._parallel_fields = [] if is_evidence else options.parallel_field
        # Evidence has ids that can be compared, or as many sources.
        self._has_references = bool(options.references) and not is_evidence
        # A score goes into a Moses n-best list with the digits that it came with.
        self._as_written = options.output_format == "moses"
        self._next = 0
        self._seen = KnownIds()
        #: The first line left out since the last candidate of the blocks before: its number, which is below 0 because
        #: it counts from the next block, and what it holds.
        self._lost: tuple[int, str] | None = None
        self.lists = _have_lists(
            start.split(b"\n", FIRST_LINES)[: FIRST_LINES if options.skip_bad else 1], options
        )

    def group(self, data: bytes, at_end: bool) -> Block:
        """Return the sources that `data` begins with; see `Form`."""
        import numpy as np

        lines, used = split_lines(data, at_end)
        ids: list[bytes | None] = []  # of each source
        starts: list[int] = []  # the line where it begins
        kept: list[int] = []  # lines
        records = Records()  # on these lines
        known: set[bytes | None] = set()
        lost = self._lost
        for i in range(len(lines)):
            try:
                record = _load(raw(lines, i), self._as_written)
                key = self._id_of(record)
                if self.lists or not ids or key != ids[-1]:
                    if lost is not None:
                        self._check_none_lost(*lost)
                    if key is not None and (key in known or key in self._seen):
                        raise ValueError(  # noqa: TRY301  # handled like what the checks raise
                            f"expected a new id, found {shown_json(record[self._options.id_field])} again"
                        )
                    ids.append(key)
                    starts.append(i)
                    known.add(key)
                self._check(record)
            except LineError:
                raise
            except ValueError as error:
                if not self._options.skip_bad:
                    raise LineError(i, str(error)) from None
                if not self.lists:
                    lost = lost or (i, shown(raw(lines, i)))
                elif i not in starts[-1:]:
                    ids.append(None)  # broken or not, it is the line of a source
                    starts.append(i)
                continue
            lost = None
            kept.append(i)
            records.append(record)
        stop, has_sources = len(lines), bool(ids)
        if has_sources and not at_end and not self.lists:
            # More lines of the last source may follow: it is left to the next block.
            ids.pop()
            stop = starts.pop()
            del kept[bisect_left(kept, stop) :]
            del records[len(kept) :]
        taken, first_lines = np.array(kept, dtype=np.int64), np.array(starts, dtype=np.int64)
        bounds = np.append(taken.searchsorted(first_lines), len(kept))
        filled = np.diff(bounds) > 0
        skipped = 0 if self.lists else stop - len(kept)
        block = Block(
            records,
            np.append(bounds[:-1][filled], bounds[-1]),
            self._next + np.flatnonzero(filled),
            self._next + len(filled),
            (start_of(lines, stop) if stop < len(lines) else used, stop),
            skipped_lines=skipped,
            skipped_sources=int(len(filled) - filled.sum()),
            places=taken - np.repeat(first_lines, np.diff(bounds)) if skipped else None,
        )
        if block.used[0]:
            # Lines left out after the last source are read again with it.
            self._lost = None if lost is None or has_sources else (lost[0] - len(lines), lost[1])
            # Also the ids of sources of which nothing is left.
            self._seen.add([key for key in ids if key is not None])
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

    def parse(self, block: Block) -> None:
        """Find the candidates of a block; see `Form`."""
        import numpy as np

        names, texts = (block.records.values(name) for name in (self._options.id_field, self._text_field))
        block.names = names if self.lists else [names[k] for k in block.bounds[:-1].tolist()]
        if self.lists:
            block.bounds = np.cumsum([0, *map(len, texts)], dtype=np.int64)
            texts = list(chain.from_iterable(texts))
        block.texts = text_column(texts)
        if self._score_field is not None:
            block.scores = np.array(block.items(self._score_field), dtype=np.float64)

    @property
    def _text_field(self) -> str:
        return self._options.candidates_field if self.lists else self._options.text_field

    def _id_of(self, record: dict[str, Any]) -> bytes | None:
        """The id of an object's source as bytes, in which 1 and "1" differ; None if it has none."""
        name = record.get(self._options.id_field)
        if name is None and self.lists:
            return None
        if isinstance(name, bool) or not isinstance(name, (str, int)):
            raise ValueError(  # noqa: TRY004  # of the file's data
                f"expected a string or an integer in {self._options.id_field!r}, found {shown_json(name)}"
            )
        if isinstance(name, str):
            _check_text(name, self._options.id_field)
        return json.dumps(name).encode()

    def _check(self, record: dict[str, Any]) -> None:
        """Checks the candidates of an object."""
        wanted = self._text_field
        if wanted not in record:
            either = "" if self.lists else f" or {self._options.candidates_field!r}"
            raise ValueError(f"expected a field {wanted!r}{either}, found {shown_json(record)}")
        found = record[wanted]
        texts = found if self.lists else [found]
        if not isinstance(texts, list):
            raise ValueError(f"expected a list in {wanted!r}, found {shown_json(found)}")  # noqa: TRY004  # likewise
        if not texts:
            raise ValueError(f"expected candidates in {wanted!r}, found an empty list")
        for text in texts:
            _check_text(text, wanted)
        if self._score_field is not None:
            found = record.get(self._score_field)
            for score in self._items(
                found if self.lists else [found], self._score_field, "numbers", len(texts)
            ):
                if not is_finite(score):
                    raise ValueError(
                        f"expected a finite number in {self._score_field!r}, found {shown_json(score)}"
                    )
        for name in self._parallel_fields:
            self._items(record.get(name), name, "items", len(texts))

    @staticmethod
    def _items(found: Any, name: str, what: str, size: int) -> list[Any]:
        """The items of a list that has one for each candidate."""
        if not isinstance(found, list) or len(found) != size:
            raise ValueError(f"expected a list of {size} {what} in {name!r}, found {shown_json(found)}")
        return found


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
        is_plain = not as_written and not _MAY_BE_INFINITE.search(text)
        record = (_DECODER if is_plain else _CAREFUL_DECODER).decode(text)
    except UnicodeDecodeError as error:
        raise ValueError(utf8_problem(line, error)) from None
    except RecursionError:
        raise ValueError(
            f"expected a JSON object nested at most {MOST_NESTED} deep, found a deeper one: {shown(line)}"
        ) from None
    except _NotFiniteError:
        raise
    except ValueError as error:
        # Python's own message about a long integer would advise to change the program.
        problem = getattr(error, "msg", f"an integer has over {sys.get_int_max_str_digits():,} digits")
        raise ValueError(f"expected a JSON object, found {shown(line)}: {problem}") from None
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


def _have_lists(lines: list[bytes], options: Options) -> bool:
    """Return whether the first line that has candidates has a list of them."""
    for line in lines:
        try:
            record = _load(line)
        except ValueError:
            continue
        if options.candidates_field in record or options.text_field in record:
            return options.candidates_field in record
    return False


def json_score_field(field: str | None) -> str:
    """The field that an option names; the number of the usual field of Moses stands for the usual name."""
    return "score" if field in {None, MOSES_SCORE} else str(field)


def is_finite(value: Any) -> bool:
    """Return whether a value in JSON is a number that a float can hold."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and abs(value) <= sys.float_info.max


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
_CAREFUL_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)
