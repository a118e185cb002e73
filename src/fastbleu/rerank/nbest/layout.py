"""The output for each source: chosen candidates -> lines, in the form that came in or in another."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from ._fields import join_lines
from .other_fields import SEPARATOR, carried

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from numpy import bool_, float64, int64
    from numpy.typing import NDArray

    from .blocks import Block
    from .options import Options
    from .other_fields import Carried

#: What the score is called, by command; {} stands for the metric.
_SCORE_NAMES = {"oracle": "{}", "mbr": "expected_{}", "self-bleu": "self_{}", "score": "{}"}

#: The forms that have rows instead of lines.
TABLE_FORMS = ("parquet", "arrow")

_SURROGATE = re.compile("[\ud800-\udfff]")


class Chosen(NamedTuple):
    """The output for some sources.

    Attributes:
        numbers: int64: candidates, in the order in which they are written; means are written without them.
        bounds: int64 [n + 1]: those of source i are the numbers from bounds[i] to bounds[i + 1] - 1.
        values: float64: the score of each; or the mean of each source.
        indices: int64: where candidates compete, the place of each in its pool, as it was given.
    """

    numbers: NDArray[int64]
    bounds: NDArray[int64]
    values: NDArray[float64]
    indices: NDArray[int64] | None = None


class Layout:
    """Which candidates of each source are written, and how.

    Args:
        options: Those of the command line.
        form: One of `formats.FORMS`.
        came_from: The form that came in.
        lists: Whether JSON came in with a list of candidates on each line, and goes out so.
        parallel_fields: What that list is called, and then fields that may be lists with an item for each candidate.

    Attributes:
        same: Whether the form that came in is written.
        all: Whether all candidates are written, in the order of the input; else of self-bleu the mean alone.
        has_winners: Whether candidates of a source compete, so that the place of each is written.
        score_name: The name of a score in JSON, and as a feature of a Moses n-best list.
        added_fields: The members that JSON gets in addition.
        means: Whether one number for each source is written, and no candidates.
        is_table: Whether a row is written for each source.
        lists_rows: Whether such a row has lists.
    """

    def __init__(
        self,
        options: Options,
        form: str,
        came_from: str,
        lists: bool = False,
        parallel_fields: tuple[str, ...] = ("candidates", "score"),
    ) -> None:
        interpolates = options.interpolate is not None
        self.options = options
        self.form = form
        self.came_from = came_from
        self.lists = lists
        self.parallel_fields = parallel_fields
        self.same = form == came_from
        self.all = options.all or options.command == "score"
        self.has_winners = options.command in {"oracle", "mbr"}
        self.score_name = (
            "interpolated_score" if interpolates else _SCORE_NAMES[options.command].format(options.metric)
        )
        self.added_fields = [self.score_name, *([options.index_field] if self.has_winners else [])]
        self.means = options.command == "self-bleu" and not self.all
        self.is_table = form in TABLE_FORMS
        self.lists_rows = not self.means and (self.all or (options.top_k or 1) > 1)

    def choose(self, block: Block, values: NDArray[float64], best: NDArray[int64]) -> Chosen:
        """Choose the candidates to write.

        Args:
            block: The sources.
            values: float64: the score of each candidate.
            best: int64 [n]: the best of each source.
        """
        import numpy as np

        from ..ranking import best_first

        if self.all:
            numbers, kept = np.arange(len(values)), block.bounds
        elif not self.lists_rows:
            numbers, kept = best, np.arange(len(best) + 1, dtype=np.int64)
        else:
            numbers, kept = best_first(values, block.bounds, self.options.top_k)
        return self.with_indices(Chosen(numbers, kept, values[numbers]), block)

    def with_indices(self, chosen: Chosen, block: Block) -> Chosen:
        """The chosen candidates, with the place of each where candidates compete."""
        return Chosen(*chosen[:3], block.pool_places()[chosen.numbers]) if self.has_winners else chosen

    def unwritable(self, block: Block) -> tuple[NDArray[bool_] | None, str]:
        """Which candidates this form has no place for, and why."""
        import numpy as np

        if self.means or self.is_table:
            return None, ""
        if self.form == "json":
            return self._taken(block)
        # In plain text no candidate has a line break; a Moses list may have "|||" in it.
        if self.same or (self.form == "text" and block.records is None):
            return None, ""
        # A carriage return ends a line for many readers; at the end of a text it looks like a part of the newline.
        wrong: tuple[str, ...] = ("\n", "\r") if self.form == "text" else ("\n", "\r", "|||")
        what = "a line break" if self.form == "text" else "'|||' or a line break"
        texts = [text or "" for text in block.texts]
        if self.form == "moses":
            fields = (more.fields() if more else () for more in carried(block, list(range(len(texts)))))
            texts = ["\0".join((text, *more)) for text, more in zip(texts, fields, strict=True)]
        bad = [any(part in text for part in wrong) for text in texts]
        message = f"expected text without {what} for --output-format {self.form}, found one"
        return np.array(bad, dtype=np.bool_), message

    def _taken(self, block: Block) -> tuple[NDArray[bool_] | None, str]:
        """Which candidates came in with a field that is called as one that is added."""
        import numpy as np

        if not self.same:
            return None, ""
        names = [
            next((name for name in self.added_fields if name in record), None) for record in block.records
        ]
        bad = np.array([name is not None for name in names], dtype=np.bool_)
        if self.lists:
            bad = np.repeat(bad, np.diff(block.bounds))
        return bad, (
            f"expected no field {next(filter(None, names), '')!r}, found one: the score and the place get names of "
            "their own, see --index-field"
        )

    def render(self, block: Block, chosen: Chosen) -> bytes:
        """The lines; or the rows, as `parquet.render_rows` writes them."""
        options, records = self.options, block.records
        if self.is_table:
            from .parquet import render_rows

            return render_rows(self, block, chosen)
        if self.form == "text" and not self.means:
            values = chosen.values if self.all or options.details else None
            index = (b"\t", chosen.indices) if options.details and chosen.indices is not None else None
            return join_lines(block.texts, chosen.numbers, values, b"\t", options.width, index)
        if self.form == "moses" and self.same and not self.means:
            between = SEPARATOR.encode()
            index = None if chosen.indices is None else (between + b"index= ", chosen.indices)
            return join_lines(block.lines, chosen.numbers, chosen.values, between, options.width, index)
        if self.form != "json":
            lines = self._lines(block, chosen)
        elif self.means:
            means = (round(mean, options.width) for mean in chosen.values.tolist())
            lines = [
                _dump({options.id_field: name, self.score_name: mean})
                for name, mean in zip(self.names(block), means, strict=True)
            ]
        elif self.lists:
            lines = self._lists(block, chosen)
        elif self.same:
            added = zip(chosen.numbers.tolist(), self._added(chosen), strict=True)
            lines = [_dump({**records[k], **members}) for k, members in added]
        else:
            lines = self._objects(block, chosen)
        return "".join([f"{line}\n" for line in lines]).encode()

    def _objects(self, block: Block, chosen: Chosen) -> list[str]:
        """An object of JSON for each candidate that did not come in as one."""
        options, added = self.options, self._added(chosen)
        lines = []
        for (name, text, beside), members in zip(self._written(block, chosen), added, strict=True):
            record = {options.id_field: name, options.text_field: text}
            kept = "" if beside is None else beside.members()
            lines.append(f"{_dump(record)[:-1]}, {kept}{_dump(members)[1:]}")
        return lines

    def _lines(self, block: Block, chosen: Chosen) -> list[str]:
        """A line of a Moses n-best list for each candidate that did not come in as one, or the mean of each source."""
        numbers = [f"{value:.{self.options.width}f}" for value in chosen.values.tolist()]
        if self.means and self.form == "text":
            return numbers
        if self.means:
            names = zip(self.names(block), numbers, strict=True)
            return [f"{name}{SEPARATOR}{number}" for name, number in names]
        lines = []
        indices = None if chosen.indices is None else chosen.indices.tolist()
        for n, (name, text, beside) in enumerate(self._written(block, chosen)):
            features = [] if beside is not None else [f"{self.score_name}= {numbers[n]}"]
            features += [] if indices is None else [f"index= {indices[n]}"]
            fields = [] if beside is None else beside.fields()
            if features:
                fields.append(" ".join(features))
            lines.append(SEPARATOR.join([str(name), text, *fields, numbers[n]]))
        return lines

    def _written(self, block: Block, chosen: Chosen) -> Iterator[tuple[Any, str, Carried | None]]:
        """The name of its source, the text and the values beside it, for each candidate that is written."""
        import numpy as np

        numbers = chosen.numbers.tolist()
        sources = np.repeat(np.arange(len(block)), np.diff(chosen.bounds)).tolist()
        names = self.names(block)
        beside = carried(block, numbers)
        rows = zip(sources, numbers, beside, strict=True)
        return ((names[i], block.texts[k] or "", each) for i, k, each in rows)

    def _added(self, chosen: Chosen) -> list[dict[str, Any]]:
        """Return the members of JSON for each candidate."""
        values = [round(value, self.options.width) for value in chosen.values.tolist()]
        columns: list[list[Any]] = [values, *([] if chosen.indices is None else [chosen.indices.tolist()])]
        return [dict(zip(self.added_fields, row, strict=False)) for row in zip(*columns, strict=True)]

    def _lists(self, block: Block, chosen: Chosen) -> list[str]:
        """A line for each source, with the lists cut down to what was chosen."""
        lines = []
        bounds, starts = chosen.bounds.tolist(), block.bounds.tolist()
        numbers, added = chosen.numbers.tolist(), self._added(chosen)
        for i, record in enumerate(block.records):
            places = [k - starts[i] for k in numbers[bounds[i] : bounds[i + 1]]]
            changed = dict(record)
            for field in self.parallel_fields:
                found = record.get(field)
                if isinstance(found, list) and len(found) == starts[i + 1] - starts[i]:
                    changed[field] = [found[place] for place in places]
            own = added[bounds[i] : bounds[i + 1]]
            changed |= {name: [each[name] for each in own] for name in own[0]}
            lines.append(_dump(changed))
        return lines

    def names(self, block: Block) -> list[Any]:
        """Return the names of sources: their numbers from 0 in Moses lists, and in JSON that came without ids."""
        if block.form.is_numbered:
            return block.names
        ordinals: list[int] = block.ordinals.tolist()
        if self.form == "moses":
            return ordinals
        names = zip(block.names, ordinals, strict=True)
        return [ordinal if name is None else name for name, ordinal in names]


def _dump(record: dict[str, Any]) -> str:
    line = json.dumps(record, ensure_ascii=False)
    # Half a surrogate pair, in a field that is only passed on, has no UTF-8: it goes out as an escape, as it came in.
    return json.dumps(record) if _SURROGATE.search(line) else line
