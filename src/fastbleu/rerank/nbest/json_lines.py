"""Read and write n-best lists as JSON lines. Each line has a source with all its candidates, or one candidate."""

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


#: The number of ids that `KnownIds` collects in a set before it sorts them into an array. Tests make it smaller.
_RECENT_IDS = 1 << 16


#: The end of the error message for an id that occurs again after a different id.
_APART = "; the candidates of a source must be on consecutive lines, so sort the lines by id"


class KnownIds:
    """A set of ids, to which `add` adds the ids of a block.

    It stores a 64-bit hash of each id, with a random key per set, so an unknown id is rarely taken for a known one:
    among ten million ids, the probability of any such collision is below one in a hundred thousand.

    Example:
        >>> known = KnownIds()
        >>> known.add([b"1", b"2"])
        >>> b"1" in known, b"4" in known
        (True, False)
    """

    def __init__(self) -> None:
        self._key = os.urandom(16)
        #: Hashes that are not in the sorted array yet. A set takes ten times the memory, but adding to it is cheap.
        self._recent: set[int] = set()
        self._sorted: NDArray[uint64] | None = None

    def _hash(self, name: bytes) -> int:
        # Import hashlib only here, because JSON lines without ids and Moses n-best lists do not need it.
        from hashlib import blake2b

        return int.from_bytes(blake2b(name, digest_size=8, key=self._key).digest(), "little")

    def __contains__(self, name: bytes) -> bool:
        import numpy as np

        name_hash = self._hash(name)
        if self._sorted is None or name_hash in self._recent:
            return name_hash in self._recent
        i = int(self._sorted.searchsorted(np.uint64(name_hash)))
        return i < len(self._sorted) and int(self._sorted[i]) == name_hash

    def add(self, names: list[bytes]) -> None:
        """Add ids to the set."""
        import numpy as np

        self._recent.update(map(self._hash, names))
        old = np.empty(0, dtype=np.uint64) if self._sorted is None else self._sorted
        if len(self._recent) > max(_RECENT_IDS, len(old) // 8):
            recent = np.fromiter(self._recent, dtype=np.uint64, count=len(self._recent))
            self._sorted = np.sort(np.concatenate((old, recent)))
            self._recent.clear()


class JsonLines:
    """A reader and writer of n-best lists as JSON lines.

    Each line has a source with a list of its candidates, or one candidate with the id of its source. The first valid
    line decides which of the two.

    Args:
        options: The options. They name the fields, and say whether to skip malformed lines and sources. If there are
            files of references, a malformed line that may be a source of its own is never skipped, but causes an error,
            because references are assigned to sources by order.
        reads_scores: Whether to read the model's scores.
        start: The first lines of the file.
        added: The names of the fields that the output will have in addition. The file must not have them.

    Attributes:
        format_name: The name of the format in messages.
        foreign_extensions: The extensions of file names that belong to the other format.
    """

    format_name = "JSON lines"
    foreign_extensions = (".nbest", ".moses")

    def __init__(self, options: Options, reads_scores: bool, start: list[bytes], added: list[str]) -> None:
        self._options = options
        self._reads_scores = reads_scores
        self._score_field = options.score_field or "score"
        self._added = added
        self._next = 0
        self._seen = KnownIds()
        self._has_lists = _have_lists(start, options)
        self._text_field = options.candidates_field if self._has_lists else options.text_field
        self._references_field = options.references_field or "references"
        self._reads_references = options.references_field is not None or options.needs_references
        #: The names of fields that are not per candidate: in some line of the first block, the list in such a field and
        #: the list of candidates differ in length. These lists are written whole. None before the first block.
        self._not_per_candidate: set[str] | None = None

    def group(self, data: bytes, at_end: bool) -> Block:
        """Group the lines of `data` by source, and return the sources that are complete.

        Args:
            data: The next bytes of the file, from the start of a source.
            at_end: Whether the file ends after `data`.

        Returns:
            A block. If no source is complete, its `consumed` is 0 bytes, and the caller must read more.

        Raises:
            LineError: A line is malformed, and malformed lines are not skipped; or skipping it might assign references
                of a file to the wrong sources.
        """
        import numpy as np

        options = self._options
        lines, used = split_lines(data, at_end)
        ids: list[bytes | None] = []  # The id of each source.
        starts: list[int] = []  # The index of the first line of each source.
        kept: list[int] = []  # The indexes of the lines that are not skipped.
        records = Records()  # The objects of the lines that are not skipped.
        known: set[bytes | None] = set()
        # The error for the first line without an id after the latest line with an id; None if there is no such line.
        lost: LineError | None = None
        for i in range(len(lines)):
            key = None
            try:
                line = raw(lines, i)
                if not line.strip():
                    advice = f"remove it or give {options.option_name('skip_bad')}"
                    raise ValueError(f"expected a JSON object, found an empty line; {advice}")  # noqa: TRY301
                record = load(line, self._has_lists)
                key = self._id_of(record)
                if self._has_lists or not ids or key != ids[-1]:
                    if lost is not None:
                        raise lost  # The line may be another source, whose references this source would then get.
                    if key is not None and (key in known or key in self._seen):
                        raise ValueError(  # noqa: TRY301  # The handler below skips the line if requested.
                            f"expected a new id, found {shown_json(record[options.id_field])} again"
                            f"{'' if self._has_lists else _APART}"
                        )
                    ids.append(key)
                    starts.append(i)
                    known.add(key)
                lost = None
                self._check(record)
                if not self._has_lists and kept and kept[-1] >= starts[-1]:
                    self._check_same_references(record, records[-1])
            except LineError:
                raise
            except ValueError as error:
                if not options.skip_bad:
                    raise LineError(i, str(error)) from None
                if self._has_lists:
                    if i not in starts[-1:]:
                        ids.append(None)  # A malformed line also counts as a source.
                        starts.append(i)
                elif key is None and options.references and lost is None:
                    lost = LineError(
                        i,
                        "expected a line with the id of its source, which must not be skipped between two sources, "
                        f"because references are assigned to sources by order; found {shown(raw(lines, i))}",
                    )
                continue
            kept.append(i)
            records.append(record)
        stop = len(lines)
        if not at_end and not self._has_lists:
            # More lines of the last source may follow in the file, so leave it to the next block.
            stop = starts.pop() if starts else 0
            del ids[-1:]
            del kept[bisect_left(kept, stop) :]
            del records[len(kept) :]
        if self._has_lists and self._not_per_candidate is None:
            sizes = [len(record[self._text_field]) for record in records]
            self._not_per_candidate = {
                name
                for record, size in zip(records, sizes, strict=True)
                for name, value in record.items()
                if isinstance(value, list) and len(value) != size
            }
        kept_lines, first_lines = np.array(kept, dtype=np.int64), np.array(starts, dtype=np.int64)
        bounds = np.append(kept_lines.searchsorted(first_lines), len(kept))
        filled = np.diff(bounds) > 0
        skipped = 0 if self._has_lists else stop - len(kept)
        block = Block(
            records,
            np.append(bounds[:-1][filled], bounds[-1]),
            self._next + np.flatnonzero(filled),
            self._next + len(filled),
            (start_of(lines, stop) if stop < len(lines) else used, stop),
            skipped_lines=skipped,
            skipped_sources=int(len(filled) - filled.sum()),
            positions=kept_lines - np.repeat(first_lines, np.diff(bounds)) if skipped else None,
            has_lists=self._has_lists,
        )
        if block.consumed[0]:
            # Also add the ids of sources whose lines were all skipped, because these ids must not occur again either.
            self._seen.add([key for key in ids if key is not None])
            self._next = block.stop
        return block

    def parse(self, block: Block) -> None:
        """Parse the candidates of a block, and store them in the block. Several threads may parse different blocks."""
        import numpy as np

        names, texts, scores = (
            [record.get(name) for record in block.lines]
            for name in (self._options.id_field, self._text_field, self._score_field)
        )
        if self._has_lists:
            block.names, block.bounds = names, np.cumsum([0, *map(len, texts)], dtype=np.int64)
            texts = list(chain.from_iterable(texts))
            scores = list(chain.from_iterable(scores)) if self._reads_scores else []
        else:
            block.names = [names[k] for k in block.bounds[:-1].tolist()]
        block.texts = text_column(texts)
        if self._reads_scores:
            block.scores = np.array(scores, dtype=np.float64)

    def _id_of(self, record: dict[str, Any]) -> bytes | None:
        """Return the source id of an object as JSON, so that 1 and "1" differ; None if it has no id and needs none.

        Raises:
            ValueError: The id is missing, or it is not a str or an int.
        """
        name = record.get(self._options.id_field)
        if name is None and self._has_lists:
            return None
        if name is None:
            self._check_field(record)  # Missing candidates are reported before a missing id.
            self._check_has(record, self._options.id_field, "id_field")
        if isinstance(name, bool) or not isinstance(name, (str, int)):
            raise ValueError(  # noqa: TRY004  # TypeError is for arguments, but this value is from the file.
                f"expected a string or an integer in {self._options.id_field!r}, found {shown_json(name)}"
            )
        if isinstance(name, str):
            _check_text(name, self._options.id_field)
        return json.dumps(name).encode()

    def _check(self, record: dict[str, Any]) -> None:
        """Check the candidates, the scores and the references of an object, and that no field would be overwritten.

        Raises:
            ValueError: A field is missing, has a wrong value, or has a name that the output adds.
        """
        field = self._text_field
        self._check_field(record)
        for name in self._added:
            if name in record:
                raise ValueError(
                    f"expected no field {name!r}, because the output adds a field with this name; rename the field in "
                    "the file, or choose another name for the index or the rank with --index-field or --rank-field"
                )
        value = record[field]
        texts = value if self._has_lists else [value]
        if not isinstance(texts, list):
            raise ValueError(f"expected a list in {field!r}, found {shown_json(value)}")  # noqa: TRY004
        if not texts:
            raise ValueError(f"expected candidates in {field!r}, found an empty list")
        for text in texts:
            _check_text(text, field)
        if self._reads_scores:
            self._check_has(record, self._score_field, "score_field")
            self._check_scores(record[self._score_field], len(texts))
        for name in (self._score_field, "score", "scores") if self._has_lists else ():
            scores = record.get(name)
            if isinstance(scores, list) and len(scores) != len(texts):
                raise ValueError(
                    f"expected a list of {len(texts)} items in {name!r}, one per candidate, found {len(scores)}"
                )
        if self._reads_references:
            self._check_has(record, self._references_field, "references_field")
            self._check_references(record[self._references_field])

    def _check_field(self, record: dict[str, Any]) -> None:
        """Raise a ValueError if an object does not have the field with the candidates."""
        options = self._options
        if self._has_lists or self._text_field in record:
            self._check_has(record, self._text_field, "candidates_field")
            return
        names = f"{options.candidates_field!r} or {options.text_field!r}"
        option_names = f"{options.option_name('candidates_field')} or {options.option_name('text_field')}"
        raise _missing_field(record, names, option_names)

    def _check_has(self, record: dict[str, Any], name: str, option: str) -> None:
        """Raise a ValueError if an object does not have a field; `option` is the option that chooses another field."""
        if name not in record:
            raise _missing_field(record, repr(name), self._options.option_name(option))

    def _check_references(self, value: Any) -> None:
        """Raise a ValueError if the value of the field of references is not a str or a list of str."""
        field = self._references_field
        texts = [value] if isinstance(value, str) else value
        if not isinstance(texts, list) or not texts:
            raise ValueError(
                f"expected a string or a list of strings in {field!r}, found {shown_json(value)}"
            )
        for text in texts:
            _check_text(text, field)

    def _check_same_references(self, record: dict[str, Any], before: dict[str, Any]) -> None:
        """Raise a ValueError if two candidates of one source have different references."""
        field = self._references_field
        if self._reads_references and record[field] != before[field]:
            raise ValueError(
                f"expected the same {field!r} for all candidates of a source, found {shown_json(record[field])}"
            )

    def references(self, block: Block) -> list[list[str]] | None:
        """Return the references of each source of a block, a list of lists of str; None if they are not read."""
        if not self._reads_references:
            return None
        records = block.lines if self._has_lists else [block.lines[k] for k in block.bounds[:-1].tolist()]
        references = [record[self._references_field] for record in records]
        return [[value] if isinstance(value, str) else value for value in references]

    def _check_scores(self, value: Any, size: int) -> None:
        """Raise a ValueError unless the scores are one number or, if lines have lists, a list of `size` numbers."""
        field = self._score_field
        if self._has_lists and (not isinstance(value, list) or len(value) != size):
            raise ValueError(
                f"expected a list of {counted(size, 'number')} in {field!r}, found {shown_json(value)}"
            )
        for score in value if self._has_lists else [value]:
            is_number = isinstance(score, (int, float)) and not isinstance(score, bool)
            if not is_number or not abs(score) <= sys.float_info.max:
                raise ValueError(f"expected a finite number in {field!r}, found {shown_json(score)}")

    def render(self, block: Block, chosen: Chosen) -> bytes:
        """Return the output lines: the input lines with the fields that are added, or the mean score of each source."""
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
        elif self._has_lists:
            lines = list(self._cut_lines(block, chosen, names, columns))
        else:
            numbers, rows = chosen.numbers.tolist(), zip(*columns, strict=True)
            lines = [extended(block.lines[k].text, names, row) for k, row in zip(numbers, rows, strict=True)]
        return "".join([f"{line}\n" for line in lines]).encode()

    def _cut_lines(
        self, block: Block, chosen: Chosen, names: list[str], columns: list[list[Any]]
    ) -> Iterator[str]:
        """Yield the output line of each source; lists with an item per candidate keep only the items of chosen ones."""
        bounds, starts, numbers = chosen.bounds.tolist(), block.bounds.tolist(), chosen.numbers.tolist()
        for i, record in enumerate(block.lines):
            size, part = starts[i + 1] - starts[i], slice(bounds[i], bounds[i + 1])
            indices = [k - starts[i] for k in numbers[part]]
            text = record.text
            if indices != list(range(size)):
                text = with_cut_lists(record, partial(self._is_per_candidate, size), indices)
            yield extended(text, names, [column[part] for column in columns])

    def _is_per_candidate(self, size: int, name: str, value: Any) -> bool:
        """Return whether a field is a list with one item for each of the `size` candidates of a source.

        The result is False for the references of a source and for a list of chat messages, whatever their length.
        """
        if not isinstance(value, list) or len(value) != size or name == self._references_field:
            return False
        return name not in (self._not_per_candidate or ()) and not all(
            isinstance(item, dict) and ("role" in item or "from" in item) for item in value
        )


def _have_lists(lines: list[bytes], options: Options) -> bool:
    """Return whether the first valid line with candidates has a list of candidates, rather than one candidate."""
    for line in lines:
        try:
            record = load(line)
        except ValueError:
            continue
        if options.candidates_field in record or options.text_field in record:
            return options.candidates_field in record
    return False


def _missing_field(record: dict[str, Any], names: str, option_names: str) -> ValueError:
    """Return the error for an object that does not have a field with one of the names."""
    fields = shown_json(list(record))
    return ValueError(
        f"expected a field {names}, found the fields {fields}; name another field with {option_names}"
    )


def _check_text(text: Any, field: str) -> None:
    """Raise a ValueError if a value in a field is not a str, or is a str that UTF-8 cannot encode."""
    if not isinstance(text, str):
        message = text[-1] if isinstance(text, list) and text else text
        is_chat = isinstance(message, dict) and "content" in message
        advice = "; extract its content first" if is_chat else ""
        raise ValueError(f"expected a string in {field!r}, found {shown_json(text)}{advice}")  # noqa: TRY004
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"expected text in {field!r}, found a lone surrogate, {text[error.start]!r}"
        ) from None
