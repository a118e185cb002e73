"""N-best lists for programs: the sources of a file as pools, block by block."""

from __future__ import annotations

import os
from functools import cached_property

from ...inputs.table_files import TableFile
from ...options import check_integer
from ..pools import Pools
from ._fields import parse_fields
from .blocks import shown_json
from .formats import FORMS
from .json_lines import is_finite
from .options import Options
from .other_fields import FEATURES, SCORE, carried
from .run import OptionError, Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from numpy import float64
    from numpy.typing import NDArray

    from .blocks import Block

#: Places of fields of a Moses n-best list.
_TEXT, _SCORE = 1, 3

#: What the column of references is called if nothing else is said; only then may it be missing.
_REFERENCES = "references"


class NBestBlock:
    """Some sources of an n-best list, one after the other.

    Attributes:
        pools: The candidates of each source, n pools with offsets.
        ids: What the file calls each source: its number in a Moses n-best list; a str or an int in JSON and in tables,
            None where there is none; in plain text, its number from 0.
        first: How many sources the file has before these, those left out included.
        skipped_lines: How many lines were left out among these, with `skip_bad`.
        skipped_sources: How many sources were left out.
    """

    def __init__(self, candidates: Block, name: str, has_scores: bool, references_field: str) -> None:
        self.pools: Pools[list[NDArray[float64]]] = Pools(candidates.texts, offsets=candidates.bounds)
        self.ids: list[Any] = candidates.names
        self.first = int(candidates.ordinals[0]) if len(candidates) else 0
        self.skipped_lines = candidates.skipped_lines
        self.skipped_sources = candidates.skipped_sources
        self._block = candidates
        self._name = name
        self._references_field = references_field
        self.scores = _scores(candidates, name) if has_scores else candidates.scores

    def __len__(self) -> int:
        return len(self.pools)

    def __repr__(self) -> str:
        return f"<NBestBlock of {len(self)} sources from number {self.first} on>"

    @property
    def texts(self) -> list[str]:
        """The text of each candidate, those of one source after those of the other."""
        return list(self.pools.candidates)

    @cached_property
    def features(self) -> list[Any] | None:
        """The features of each candidate, in the order of `texts`; None if there is no such field.

        Of a Moses n-best list it is the third field, a str. Of JSON it is the field "features": of each candidate, or
        of a source a list with an item for each candidate. None stands for a candidate without it.
        """
        if self._block.records is not None:
            items = self._block.items(FEATURES)
            return None if all(item is None for item in items) else items
        beside = carried(self._block, list(range(len(self._block.texts))))
        return None if None in beside else [each.features for each in beside if each is not None] or None

    @cached_property
    def references(self) -> list[list[str]] | None:
        """The references of each source, if JSON or a table has them in the field `references_field`."""
        found, name = self._block, self._references_field
        values = [] if found.records is None else found.records.values(name)
        if all(value is None for value in values):
            return None
        read: list[list[str]] = []
        for i, k in enumerate(range(len(found)) if found.form.lists else found.bounds[:-1].tolist()):
            texts = [values[k]] if isinstance(values[k], str) else values[k]
            if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
                raise ValueError(
                    f"{self._name}: {found.form.noun} {found.line_of(i)}: expected a string or a list of them in "
                    f"{name!r}, found {shown_json(values[k])}"
                )
            read.append(texts)
        return read


def read(
    path: str | os.PathLike[str],
    *,
    form: str | None = None,
    candidates_per_source: int | None = None,
    candidates_field: str = "candidates",
    text_field: str = "text",
    id_field: str = "id",
    score_field: str | int | None = None,
    references_field: str = _REFERENCES,
    skip_bad: bool = False,
) -> Iterator[NBestBlock]:
    r"""Read an n-best list of any length, some sources at a time.

    Args:
        path: The file, in any form that ``fastbleu-rerank`` reads, compressed or not; "-" is standard input.
        form: "moses", "json", "text", "parquet" or "arrow"; None: recognised by the first line.
        candidates_per_source: Of plain text, how many lines belong to a source, >= 1.
        candidates_field: JSON field, or column of a table, with the list of candidates.
        text_field: JSON field with one candidate.
        id_field: JSON field, or column, with the id of the source. A table need not have a column "id", but must have
            one of another name that is given here; so with "references".
        score_field: Where the models' scores are: the number of a field of a Moses n-best list, from 3, or the name of
            a JSON field or a column. Every candidate must have a finite number there. None: field 4, or "score", if the
            first candidate has a number there.
        references_field: JSON field, or column, with the references of a source: a str or a list of str.
        skip_bad: Leave out broken lines and sources, instead of ending at the first.

    Yields:
        Blocks of about a megabyte; one that is not kept takes no memory when the next one is read.

    Raises:
        OSError: The file cannot be opened or read.
        TypeError: `path` is not a path, or `candidates_per_source` is not an integer.
        ValueError: There is no such form or column, the form does not go with the arguments, or a line is broken; names
            file and line.

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile(delete=False) as file:
        ...     _ = file.write(b"0 ||| a cat ||| lm= -1 ||| -0.5\n0 ||| cats ||| lm= -3 ||| -0.7\n")
        ...     _ = file.write(b"1 ||| yes ||| lm= 0 ||| 0\n")
        >>> for block in read(file.name):
        ...     print(list(block.pools), block.ids, block.features, block.scores.tolist())
        [['a cat', 'cats'], ['yes']] [0, 1] ['lm= -1', 'lm= -3', 'lm= 0'] [-0.5, -0.7, 0.0]
        >>> os.unlink(file.name)
    """
    if form is not None and form not in FORMS:
        raise ValueError(f"form must be one of {', '.join(map(repr, FORMS))}, not {form!r}")
    if candidates_per_source is not None:
        candidates_per_source = check_integer("candidates_per_source", candidates_per_source, 1)
    if form == "text" and candidates_per_source is None:
        raise ValueError("form='text' needs candidates_per_source")
    options = Options(
        input=os.fspath(path),
        input_format=form,
        candidates_per_source=candidates_per_source,
        candidates_field=candidates_field,
        text_field=text_field,
        id_field=id_field,
        weights_from=None if score_field is None else str(score_field),
        skip_bad=skip_bad,
    )
    return _blocks(options, references_field)


def _blocks(options: Options, references_field: str) -> Iterator[NBestBlock]:
    try:
        session = Session(options)
    except OptionError as error:
        argument = error.option.partition("/")[0].removeprefix("--").replace("-", "_")
        raise ValueError(f"{'score_field' if argument == 'weights_from' else argument} {error}") from None
    has_scores: bool | None = None
    with session:
        if isinstance(session.candidates.source, TableFile) and references_field != _REFERENCES:
            session.candidates.source.check_column(references_field)
        for job in session.jobs():
            found = session.candidates.parse(job.block)
            if has_scores is None and len(found):
                has_scores = options.weights_from is None and _has_score(found)
            yield NBestBlock(found, session.candidates.name, bool(has_scores), references_field)


def _has_score(block: Block) -> bool:
    """Return whether the first candidate has a number where the models' score usually is."""
    if block.records is None:
        return block.form.has_ids and parse_fields(block.lines.slice(0, 1), _TEXT, _SCORE)[2] is None
    score = block.items(SCORE)[0]
    return isinstance(score, (int, float)) and not isinstance(score, bool)


def _scores(block: Block, name: str) -> NDArray[float64]:
    """The models' score of each candidate.

    Raises:
        ValueError: One has none.
    """
    import numpy as np

    values: Any
    if block.records is None:
        _, values, problems = parse_fields(block.lines, _TEXT, _SCORE)
        wrong = list(problems or ())
    else:
        values = block.items(SCORE)
        wrong = [not is_finite(value) for value in values]
    if any(wrong):
        where = f"{name}: {block.form.noun} {block.line_of_candidate(list(map(bool, wrong)).index(True))}"
        raise ValueError(
            f"{where}: expected a score, a finite number, as the first candidate has; name the field with score_field"
        )
    return np.array(values, dtype=np.float64)
