"""N-best lists as JSON lines: a source with a list of candidates in each line, or a candidate with its source's id."""

from __future__ import annotations

import json
import os
import sys
from bisect import bisect_left
from functools import partial
from itertools import chain

from ...errors import counted
from ...inputs._lines import raw, split_lines, start_of
from ...inputs._text import text_column
from .blocks import Block, LineError, shown, shown_json
from .json_records import Records, extended, fields, load, with_cut_lists

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from numpy import uint64
    from numpy.typing import NDArray

    from .blocks import Chosen
    from .nbest_options import Options


#: The number of ids that are kept in a set before they are sorted. Tests make it smaller.
_RECENT_IDS = 1 << 16


#: The end of the message about an id that comes again after another one.
_APART = "; the candidates of a source must be on consecutive lines, so sort the lines by id"


class KnownIds:
    """A set of ids that grows by blocks.

    It stores a hash of 64 bits for each id, with a random key per set. Among ten million ids, the probability that a
    new id collides with a known one is below one in a hundred thousand.

    Example:
        >>> known = KnownIds()
        >>> known.add([b"1", b"2"])
        >>> b"1" in known, b"4" in known
        (True, False)
    """

    def __init__(self) -> None:
        self._key = os.urandom(16)
        #: Hashes that are not yet sorted: a set takes ten times the memory of a sorted array, but grows at no cost.
        self._recent: set[int] = set()
        self._sorted: NDArray[uint64] | None = None

    def _hash(self, name: bytes) -> int:
        # Imported late: n-best lists whose sources are numbered do not need it.
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


class JsonLines:
    """A reader and writer of JSON lines; the first valid line decides which of the two kinds they are.

    Args:
        options: The names of fields, and whether malformed lines and sources are skipped. If the references are in
            files, no source may be lost among malformed lines.
        reads_scores: Whether to read the model's scores.
        start: The first lines of the file.
        added: Names of fields that are added to the output and must not be in the file.
    """

    called = "JSON lines"
    foreign_endings = (".nbest", ".moses")

    def __init__(self, options: Options, reads_scores: bool, start: list[bytes], added: list[str]) -> None:
        self._options = options
        self._reads_scores = reads_scores
        self._score_field = options.score_field or "score"
        self._added = added
        self._next = 0
        self._seen = KnownIds()
        self._lists = _have_lists(start, options)
        self._text_field = options.candidates_field if self._lists else options.text_field
        self._references_field = options.references_field or "references"
        self._reads_references = options.references_field is not None or options.needs_references
        #: The lists that do not always have an item for each candidate; None before the first block.
        self._whole: set[str] | None = None

    def group(self, data: bytes, at_end: bool) -> Block:
        """Return the whole sources at the start of `data`; `used` of the block is 0 bytes if more has to be read.

        Args:
            data: The next bytes of the file, from the beginning of a source.
            at_end: Whether the file ends after them.

        Raises:
            LineError: A line is malformed, and such lines are not skipped; or a source may have been lost among them.
        """
        import numpy as np

        options = self._options
        lines, used = split_lines(data, at_end)
        ids: list[bytes | None] = []  # The id of each source.
        starts: list[int] = []  # The first line of each source.
        kept: list[int] = []  # The lines that are not skipped.
        records = Records()  # Their objects.
        known: set[bytes | None] = set()
        lost: LineError | None = (
            None  # The error of the first line without an id since the last line with one.
        )
        for i in range(len(lines)):
            key = None
            try:
                line = raw(lines, i)
                if not line.strip():
                    advice = f"remove it or give {options.called('skip_bad')}"
                    raise ValueError(f"expected a JSON object, found an empty line; {advice}")  # noqa: TRY301  # likewise
                record = load(line, self._lists)
                key = self._id_of(record)
                if self._lists or not ids or key != ids[-1]:
                    if lost is not None:
                        raise lost  # It may have been another source; the next one would then get its references.
                    if key is not None and (key in known or key in self._seen):
                        raise ValueError(  # noqa: TRY301  # handled like errors of the checks
                            f"expected a new id, found {shown_json(record[options.id_field])} again"
                            f"{'' if self._lists else _APART}"
                        )
                    ids.append(key)
                    starts.append(i)
                    known.add(key)
                lost = None
                self._check(record)
                if not self._lists and kept and kept[-1] >= starts[-1]:
                    self._check_same_references(record, records[-1])
            except LineError:
                raise
            except ValueError as error:
                if not options.skip_bad:
                    raise LineError(i, str(error)) from None
                if self._lists:
                    if i not in starts[-1:]:
                        ids.append(None)  # A malformed line also counts as a source.
                        starts.append(i)
                elif key is None and options.references and lost is None:
                    lost = LineError(
                        i,
                        "expected a line with the id of its source; because sources have references, no line between "
                        f"two of them may be left out, found {shown(raw(lines, i))}",
                    )
                continue
            kept.append(i)
            records.append(record)
        stop = len(lines)
        if not at_end and not self._lists:
            # More lines of the last source may follow, so it goes into the next block.
            stop = starts.pop() if starts else 0
            del ids[-1:]
            del kept[bisect_left(kept, stop) :]
            del records[len(kept) :]
        if self._lists and self._whole is None:
            sizes = [len(record[self._text_field]) for record in records]
            self._whole = {
                name
                for record, size in zip(records, sizes, strict=True)
                for name, value in record.items()
                if isinstance(value, list) and len(value) != size
            }
        taken, first_lines = np.array(kept, dtype=np.int64), np.array(starts, dtype=np.int64)
        bounds = np.append(taken.searchsorted(first_lines), len(kept))
        filled = np.diff(bounds) > 0
        skipped = 0 if self._lists else stop - len(kept)
        block = Block(
            records,
            np.append(bounds[:-1][filled], bounds[-1]),
            self._next + np.flatnonzero(filled),
            self._next + len(filled),
            (start_of(lines, stop) if stop < len(lines) else used, stop),
            skipped_lines=skipped,
            skipped_sources=int(len(filled) - filled.sum()),
            positions=taken - np.repeat(first_lines, np.diff(bounds)) if skipped else None,
            lists=self._lists,
        )
        if block.used[0]:
            # This includes the ids of sources whose lines were all skipped.
            self._seen.add([key for key in ids if key is not None])
            self._next = block.stop
        return block

    def parse(self, block: Block) -> None:
        """Add the candidates to a block; any thread may call it."""
        import numpy as np

        names, texts, scores = (
            [record.get(name) for record in block.lines]
            for name in (self._options.id_field, self._text_field, self._score_field)
        )
        if self._lists:
            block.names, block.bounds = names, np.cumsum([0, *map(len, texts)], dtype=np.int64)
            texts = list(chain.from_iterable(texts))
            scores = list(chain.from_iterable(scores)) if self._reads_scores else []
        else:
            block.names = [names[k] for k in block.bounds[:-1].tolist()]
        block.texts = text_column(texts)
        if self._reads_scores:
            block.scores = np.array(scores, dtype=np.float64)

    def _id_of(self, record: dict[str, Any]) -> bytes | None:
        """Return the id of an object's source as bytes, which differ for 1 and "1"; None if it has none."""
        name = record.get(self._options.id_field)
        if name is None and self._lists:
            return None
        if name is None:
            self._check_field(record)  # Missing candidates are reported before a missing id.
            self._check_has(record, self._options.id_field, "id_field")
        if isinstance(name, bool) or not isinstance(name, (str, int)):
            raise ValueError(  # noqa: TRY004  # of the file's data
                f"expected a string or an integer in {self._options.id_field!r}, found {shown_json(name)}"
            )
        if isinstance(name, str):
            _check_text(name, self._options.id_field)
        return json.dumps(name).encode()

    def _check(self, record: dict[str, Any]) -> None:
        """Check the candidates of an object, and that nothing in it would be overwritten."""
        wanted = self._text_field
        self._check_field(record)
        for name in self._added:
            if name in record:
                raise ValueError(
                    f"expected no field {name!r}, found one: the score, the index and the rank get names of their own, "
                    "see --index-field and --rank-field"
                )
        given = record[wanted]
        texts = given if self._lists else [given]
        if not isinstance(texts, list):
            raise ValueError(f"expected a list in {wanted!r}, found {shown_json(given)}")  # noqa: TRY004  # of the file's data
        if not texts:
            raise ValueError(f"expected candidates in {wanted!r}, found an empty list")
        for text in texts:
            _check_text(text, wanted)
        if self._reads_scores:
            self._check_has(record, self._score_field, "score_field")
            self._check_scores(record[self._score_field], len(texts))
        for name in (self._score_field, "score", "scores") if self._lists else ():
            scores = record.get(name)
            if isinstance(scores, list) and len(scores) != len(texts):
                raise ValueError(
                    f"expected a list of {len(texts)} in {name!r}, one for each candidate, found {len(scores)}"
                )
        if self._reads_references:
            self._check_has(record, self._references_field, "references_field")
            self._check_references(record[self._references_field])

    def _check_field(self, record: dict[str, Any]) -> None:
        """Check that an object has candidates."""
        options = self._options
        if self._lists or self._text_field in record:
            self._check_has(record, self._text_field, "candidates_field")
            return
        wanted = f"{options.candidates_field!r} or {options.text_field!r}"
        named = f"{options.called('candidates_field')} or {options.called('text_field')}"
        raise _lacks(record, wanted, named)

    def _check_has(self, record: dict[str, Any], name: str, option: str) -> None:
        """Check that an object has a field; `option` names another one."""
        if name not in record:
            raise _lacks(record, repr(name), self._options.called(option))

    def _check_references(self, found: Any) -> None:
        field = self._references_field
        texts = [found] if isinstance(found, str) else found
        if not isinstance(texts, list) or not texts:
            raise ValueError(
                f"expected a string or a list of strings in {field!r}, found {shown_json(found)}"
            )
        for text in texts:
            _check_text(text, field)

    def _check_same_references(self, record: dict[str, Any], before: dict[str, Any]) -> None:
        field = self._references_field
        if self._reads_references and record[field] != before[field]:
            raise ValueError(
                f"expected the same {field!r} for all candidates of a source, found {shown_json(record[field])}"
            )

    def references(self, block: Block) -> list[list[str]] | None:
        """Return the references of each source of a block; None if they are not read."""
        if not self._reads_references:
            return None
        records = block.lines if self._lists else [block.lines[k] for k in block.bounds[:-1].tolist()]
        references = [record[self._references_field] for record in records]
        return [[each] if isinstance(each, str) else each for each in references]

    def _check_scores(self, found: Any, size: int) -> None:
        field = self._score_field
        if self._lists and (not isinstance(found, list) or len(found) != size):
            raise ValueError(
                f"expected a list of {counted(size, 'number')} in {field!r}, found {shown_json(found)}"
            )
        for score in found if self._lists else [found]:
            is_number = isinstance(score, (int, float)) and not isinstance(score, bool)
            if not is_number or not abs(score) <= sys.float_info.max:
                raise ValueError(f"expected a finite number in {field!r}, found {shown_json(score)}")

    def render(self, block: Block, chosen: Chosen) -> bytes:
        """Return the output lines: those of the input with index, rank and score, or the mean of each source."""
        options = self._options
        columns = [[round(value, options.width) for value in chosen.values.tolist()]]
        if chosen.indices is not None:
            columns.append(chosen.indices.tolist())
        if chosen.ranks is not None:
            columns.append(chosen.ranks.tolist())
        names = options.added_fields
        if options.writes_means:
            ids = [
                number if name is None else name
                for name, number in zip(block.names, block.ordinals.tolist(), strict=True)
            ]
            rows = zip(ids, *columns, strict=True)
            lines = [f"{{{fields((options.id_field, names[0]), row)}}}" for row in rows]
        elif self._lists:
            lines = list(self._cut_lines(block, chosen, names, columns))
        else:
            numbers, rows = chosen.numbers.tolist(), zip(*columns, strict=True)
            lines = [extended(block.lines[k].text, names, row) for k, row in zip(numbers, rows, strict=True)]
        return "".join([f"{line}\n" for line in lines]).encode()

    def _cut_lines(
        self, block: Block, chosen: Chosen, names: list[str], columns: list[list[Any]]
    ) -> Iterator[str]:
        """Yield the line of each source; lists with an item per candidate have those of the chosen candidates."""
        bounds, starts, numbers = chosen.bounds.tolist(), block.bounds.tolist(), chosen.numbers.tolist()
        for i, record in enumerate(block.lines):
            size, part = starts[i + 1] - starts[i], slice(bounds[i], bounds[i + 1])
            indices = [k - starts[i] for k in numbers[part]]
            text = record.text
            if indices != list(range(size)):
                text = with_cut_lists(record, partial(self._is_per_candidate, size), indices)
            yield extended(text, names, [column[part] for column in columns])

    def _is_per_candidate(self, size: int, name: str, value: Any) -> bool:
        """Return whether a field is a list of `size` items, one for each candidate."""
        if not isinstance(value, list) or len(value) != size or name == self._references_field:
            return False
        return name not in (self._whole or ()) and not all(
            isinstance(item, dict) and ("role" in item or "from" in item) for item in value
        )


def _have_lists(lines: list[bytes], options: Options) -> bool:
    """Return whether the first line with candidates has a list of them."""
    for line in lines:
        try:
            record = load(line)
        except ValueError:
            continue
        if options.candidates_field in record or options.text_field in record:
            return options.candidates_field in record
    return False


def _lacks(record: dict[str, Any], wanted: str, options: str) -> ValueError:
    fields = shown_json(list(record))
    return ValueError(
        f"expected a field {wanted}, found the fields {fields}; name another one with {options}"
    )


def _check_text(text: Any, field: str) -> None:
    if not isinstance(text, str):
        message = text[-1] if isinstance(text, list) and text else text
        is_chat = isinstance(message, dict) and "content" in message
        advice = "; extract its content first" if is_chat else ""
        raise ValueError(f"expected a string in {field!r}, found {shown_json(text)}{advice}")  # noqa: TRY004  # likewise
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"expected text in {field!r}, found half a surrogate pair, {text[error.start]!r}"
        ) from None
