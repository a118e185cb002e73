"""The output for each source: chosen candidates -> lines, in the form that came in or in another."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from ...inputs._lines import raw
from ._fields import join_lines
from .other_fields import SEPARATOR, Carried, from_json, from_moses
from .winners import Chosen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import bool_, float64, int64
    from numpy.typing import NDArray

    from .blocks import Candidates
    from .options import Options

_SCORE_NAMES = {"oracle": "bleu", "mbr": "expected_bleu", "self-bleu": "self_bleu", "score": "bleu"}

#: The forms that have rows instead of lines.
TABLE_FORMS = ("parquet", "arrow")

_SURROGATE = re.compile("[\ud800-\udfff]")


class Layout(NamedTuple):
    """Which candidates of each source are written, and how.

    Attributes:
        options: Those of the command line.
        form: One of `formats.FORMS`.
        came_from: The form that came in.
        lists: Whether JSON came in with a list of candidates on each line, and goes out so.
        parallel_fields: What that list is called, and then fields that may be lists with an item for each candidate.
    """

    options: Options
    form: str
    came_from: str
    lists: bool = False
    parallel_fields: tuple[str, ...] = ("candidates", "score")

    @property
    def same(self) -> bool:
        """Return whether the form that came in is written."""
        return self.form == self.came_from

    @property
    def all(self) -> bool:
        """Return whether all candidates are written, in the order of the input; else of self-bleu the mean alone."""
        return self.options.all or self.options.command == "score"

    @property
    def top_k(self) -> int:
        """Return how many of the best are written."""
        return self.options.top_k or 1

    @property
    def has_winners(self) -> bool:
        """Return whether candidates of a source compete, so that the place and the votes of each are written."""
        return self.options.command in {"oracle", "mbr"}

    @property
    def added_fields(self) -> tuple[str, ...]:
        """The members that JSON gets in addition."""
        options = self.options
        return (self.score_name, *((options.index_field, options.votes_field) if self.has_winners else ()))

    @property
    def score_name(self) -> str:
        """The name of a score in JSON, and as a feature of a Moses n-best list."""
        return (
            _SCORE_NAMES[self.options.command] if self.options.interpolate is None else "interpolated_score"
        )

    @property
    def means(self) -> bool:
        """Return whether one number for each source is written, and no candidates."""
        return self.options.command == "self-bleu" and not self.all

    @property
    def is_table(self) -> bool:
        """Return whether a row is written for each source."""
        return self.form in TABLE_FORMS

    @property
    def lists_rows(self) -> bool:
        """Return whether such a row has lists."""
        return not self.means and (self.all or self.top_k > 1)

    def choose(
        self, candidates: Candidates, values: NDArray[float64], best: NDArray[int64], lowercase: bool = False
    ) -> Chosen:
        """Choose the candidates to write.

        Args:
            candidates: The sources.
            values: float64: the score of each candidate.
            best: int64 [n]: the best of each source.
            lowercase: Whether texts that differ in case alone are equal.
        """
        import numpy as np

        from ..ranking import best_first

        if self.all:
            numbers, kept = np.arange(len(values)), candidates.bounds
        elif self.top_k == 1:
            numbers, kept = best, np.arange(len(best) + 1, dtype=np.int64)
        else:
            firsts = candidates.equal_texts(lowercase)[1] if self.options.unique else None
            numbers, kept = best_first(values, candidates.bounds, self.top_k, firsts)
        return self.with_winners(Chosen(numbers, kept, values[numbers]), candidates, lowercase)

    def with_winners(self, chosen: Chosen, candidates: Candidates, lowercase: bool) -> Chosen:
        """The chosen candidates, with the place and the votes of each, where candidates compete."""
        if not self.has_winners:
            return chosen
        votes, _ = candidates.equal_texts(lowercase)
        found = (candidates.pool_places()[chosen.numbers], votes[chosen.numbers])
        return Chosen(*chosen[:3], dict(zip(self.added_fields[1:], found, strict=True)))

    def unwritable(self, candidates: Candidates) -> tuple[NDArray[bool_] | None, str]:
        """Which candidates this form has no place for, and why."""
        import numpy as np

        if self.means or self.is_table:
            return None, ""
        if self.form == "json":
            return self._taken(candidates)
        # In plain text no candidate has a line break; a Moses list may have "|||" in it.
        if self.same or (self.form == "text" and candidates.records is None):
            return None, ""
        # A carriage return ends a line for many readers; at the end of a text it looks like a part of the newline.
        wrong: tuple[str, ...] = ("\n", "\r") if self.form == "text" else ("\n", "\r", "|||")
        what = "a line break" if self.form == "text" else "'|||' or a line break"
        texts = [text or "" for text in candidates.texts]
        if self.form == "moses":
            beside = (self._carried(candidates, i, k) for i, k in _sources_of(candidates))
            fields = (carried.fields() if carried is not None else () for carried in beside)
            texts = ["\0".join((text, *more)) for text, more in zip(texts, fields, strict=True)]
        bad = [any(part in text for part in wrong) for text in texts]
        message = f"expected text without {what} for --output-format {self.form}, found one"
        return np.array(bad, dtype=np.bool_), message

    def _taken(self, candidates: Candidates) -> tuple[NDArray[bool_] | None, str]:
        """Which candidates came in with a field that is called as one that is added."""
        import numpy as np

        if not self.same or candidates.records is None:
            return None, ""
        names = [
            next((name for name in self.added_fields if name in record), None)
            for record in candidates.records
        ]
        bad = np.array([name is not None for name in names], dtype=np.bool_)
        first = next(filter(None, names), "")
        if candidates.line_per_source:
            bad = np.repeat(bad, np.diff(candidates.bounds))
        what = "the score, the place and the votes get names of their own"
        return bad, f"expected no field {first!r}, found one: {what}, see --index-field and --votes-field"

    def render(self, candidates: Candidates, chosen: Chosen) -> bytes:
        """The lines; or the rows, as `table_rows` writes them."""
        if self.is_table:
            from .table_rows import render_rows

            return render_rows(self, candidates, chosen)
        if self.means:
            lines = self._render_means(candidates, chosen.values)
        elif self.form == "text":
            values = chosen.values if self.all or self.options.details else None
            numbers = tuple((b"\t", each) for each in chosen.beside.values() if self.options.details)
            return join_lines(candidates.texts, chosen.numbers, values, b"\t", self.options.width, numbers)
        elif self.form == "moses" and self.same:
            between = SEPARATOR.encode()
            numbers = tuple(zip((between + b"index= ", b" votes= "), chosen.beside.values(), strict=False))
            return join_lines(
                candidates.lines, chosen.numbers, chosen.values, between, self.options.width, numbers
            )
        elif self.lists:
            lines = self._render_lists(candidates, chosen)
        else:
            lines = self._render_each(candidates, chosen)
        return "".join([f"{line}\n" for line in lines]).encode()

    def _render_means(self, candidates: Candidates, means: NDArray[float64]) -> list[str]:
        """A line for each source with its mean."""
        lines = []
        for name, mean in zip(self.names(candidates), means.tolist(), strict=True):
            if self.form == "json":
                lines.append(
                    _dump({self.options.id_field: name, self.score_name: round(mean, self.options.width)})
                )
            else:
                prefix = f"{name}{SEPARATOR}" if self.form == "moses" else ""
                lines.append(f"{prefix}{mean:.{self.options.width}f}")
        return lines

    def _render_each(self, candidates: Candidates, chosen: Chosen) -> list[str]:
        """A line for each candidate, as JSON or as a Moses n-best list that did not come in as one."""
        import numpy as np

        names = self.names(candidates)
        sources = np.repeat(np.arange(len(candidates)), np.diff(chosen.bounds)).tolist()
        records, lines = candidates.records, []
        added = self._added(chosen)
        for n, (i, k) in enumerate(zip(sources, chosen.numbers.tolist(), strict=True)):
            if self.form == "moses":
                lines.append(self._moses_line(names[i], candidates, (i, k), chosen, n))
            elif self.same and records is not None:
                lines.append(_dump({**records[k], **added[n]}))
            else:
                record = {self.options.id_field: names[i], self.options.text_field: candidates.texts[k]}
                beside = self._carried(candidates, i, k)
                members = "" if beside is None else beside.members()
                lines.append(f"{_dump(record)[:-1]}, {members}{_dump(added[n])[1:]}")
        return lines

    def _added(self, chosen: Chosen) -> list[dict[str, Any]]:
        """Return the members of JSON for each candidate."""
        values = [round(value, self.options.width) for value in chosen.values.tolist()]
        columns: list[list[Any]] = [values, *(each.tolist() for each in chosen.beside.values())]
        return [dict(zip(self.added_fields, row, strict=False)) for row in zip(*columns, strict=True)]

    def _moses_line(
        self, name: Any, candidates: Candidates, where: tuple[int, int], chosen: Chosen, n: int
    ) -> str:
        """A line with candidate k of source i, `where`, the n-th of those that are written."""
        number = f"{chosen.values[n]:.{self.options.width}f}"
        beside = self._carried(candidates, *where)
        features = [] if beside is not None else [f"{self.score_name}= {number}"]
        names = zip(("index", "votes"), chosen.beside.values(), strict=False)
        features += [f"{feature}= {values[n]}" for feature, values in names]
        fields = [] if beside is None else beside.fields()
        if features:
            fields.append(" ".join(features))
        return SEPARATOR.join([str(name), candidates.texts[where[1]] or "", *fields, number])

    def _carried(self, candidates: Candidates, i: int, k: int) -> Carried | None:
        """Return the values read beside candidate k, which is one of source i."""
        if candidates.line_per_source:
            start, stop = (int(bound) for bound in candidates.bounds[i : i + 2])
            return from_json((candidates.records or [{}])[i], k - start, stop - start)
        if candidates.records is not None:
            return from_json(candidates.records[k])
        return from_moses(raw(candidates.lines, k).decode()) if self.came_from == "moses" else None

    def _render_lists(self, candidates: Candidates, chosen: Chosen) -> list[str]:
        """A line for each source, with the lists cut down to what was chosen."""
        lines = []
        bounds, starts = chosen.bounds.tolist(), candidates.bounds.tolist()
        numbers, added = chosen.numbers.tolist(), self._added(chosen)
        for i, record in enumerate(candidates.records or []):
            places = [k - starts[i] for k in numbers[bounds[i] : bounds[i + 1]]]
            changed = dict(record)
            size = len(record[self.parallel_fields[0]])
            for field in self.parallel_fields:
                found = record.get(field)
                if isinstance(found, list) and len(found) == size:
                    changed[field] = [found[place] for place in places]
            own = added[bounds[i] : bounds[i + 1]]
            changed |= {name: [each[name] for each in own] for name in own[0]}
            lines.append(_dump(changed))
        return lines

    def names(self, candidates: Candidates) -> list[Any]:
        """Return the names of sources: their numbers from 0 in Moses lists, and in JSON that came without ids."""
        ordinals: list[int] = candidates.ordinals.tolist()
        if not isinstance(candidates.names, list):
            return candidates.ids()
        if self.form == "moses":
            return ordinals
        names = zip(candidates.names, ordinals, strict=True)
        return [ordinal if name is None else name for name, ordinal in names]


def _sources_of(candidates: Candidates) -> list[tuple[int, int]]:
    """The number of its source and its own number, for each candidate."""
    bounds = candidates.bounds.tolist()
    return [(i, k) for i in range(len(candidates)) for k in range(bounds[i], bounds[i + 1])]


def _dump(record: dict[str, Any]) -> str:
    line = json.dumps(record, ensure_ascii=False)
    # Half a surrogate pair, in a field that is only passed on, has no UTF-8: it goes out as an escape, as it came in.
    return json.dumps(record) if _SURROGATE.search(line) else line
