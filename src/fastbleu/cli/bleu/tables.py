"""Scores of columns: Parquet and Arrow IPC files of any length, read row group by row group."""

from __future__ import annotations

from contextlib import ExitStack

from ...counting.corpus import rows_of
from ...counting.rows import empty_table
from ...counting.totals import DIFFERING
from ...inputs.files import STDIN_NAME
from ...inputs.pyarrow_columns import are_valid, as_numbers, count_marked, is_text_list, items_of
from ...inputs.table_files import TableFile
from ...metric.warning import WARNED
from ..common import UserError
from ..table_rows import Rows, check_columns, read_rows, table_paths
from .options import resamples
from .output import file_bar, print_lines, print_scores, scores_of, sentence_lines
from .results_table import check_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator
    from typing import Any

    import pyarrow as pa
    from numpy import int64
    from numpy.typing import NDArray

    from .metrics import OurMetric
    from .output import Counted


def score_tables(metric: OurMetric, options: Namespace) -> None:
    """Read tables, and print their score, the score of each system or of each row.

    Raises:
        ImportError: pyarrow is not installed.
        OSError: A file cannot be opened or read.
        UserError: A column is missing or of a wrong type, or there are no rows.
        ValueError: A file is broken, or a row cannot be scored.
    """
    if options.by is not None:
        check_table(options)
    paths = table_paths(options)
    for path in paths:
        # Wrong columns are known before anything is scored; pipes are read once.
        if path is not None and len(paths) > 1:
            with TableFile(path) as table:
                if table.size is not None:
                    check_columns(table, *_names(options))
    rows = _rows(paths, options)
    found: Any
    if options.sentence_level:
        found = print_lines(rows, lambda part: _sentences(metric, options, part), options)
    else:
        found = scores_of(metric, options, rows, lambda part: _sums(metric, options, part))
        print_scores(found, options, options.by is not None)
    if not found:
        names = [STDIN_NAME if path is None else path for path in paths]
        raise UserError(f"{names[0]} is empty" if len(names) == 1 else "all tables are empty")


def _rows(paths: list[str | None], options: Namespace) -> Iterator[Rows]:
    for path in paths:
        with ExitStack() as stack:
            table = stack.enter_context(TableFile(path))
            table.advance = stack.enter_context(file_bar(table.size, options)).update
            yield from read_rows(table, *_names(options))


def _names(options: Namespace) -> tuple[list[str], list[str], list[str]]:
    """The columns of hypotheses, of references, and of what rows are of."""
    return [options.hypothesis], options.reference, [] if options.by is None else [options.by]


def _sums(metric: OurMetric, options: Namespace, rows: Rows) -> Counted:
    """The sums of some rows, for each system, and the rows if there is to be an interval."""
    number = len(rows.batch)
    if not number:
        return [], b""
    references = _numbers_of_references(rows, options)
    keep = options.by is not None or resamples(options) > 1
    table = empty_table(number, metric.formula.width) if keep else None
    row, tokenized = _count(metric, options, rows, table)
    if options.by is None or table is None:
        segments = {_common(references): number}
        return [("", row, segments, tokenized)], b"" if table is None else table.tobytes()
    return _by_system(rows, options.by, table, references), b""


def _sentences(metric: OurMetric, options: Namespace, rows: Rows) -> list[str]:
    """A line for the score of each row."""
    references = _numbers_of_references(rows, options)
    table = empty_table(len(rows.batch), metric.formula.width)
    _count(metric, options, rows, table)
    return sentence_lines(metric, options, table.tolist(), references.tolist())


def _count(
    metric: OurMetric, options: Namespace, rows: Rows, table: NDArray[int64] | None
) -> tuple[list[int], int]:
    """The sum of the rows, and how many hypotheses look tokenized."""
    hypotheses, *streams = [rows.column(name) for name in (options.hypothesis, *options.reference)]
    references: Any = streams[0] if is_text_list(streams[0].type) else streams
    try:
        corpus = metric.corpus(hypotheses, references)
        totals = metric.count(corpus, None if table is None else rows_of(table), tokenized=WARNED)
    except ValueError:
        rows.check_utf8((options.hypothesis, *options.reference))
        raise
    return totals.row, totals.tokenized


def _numbers_of_references(rows: Rows, options: Namespace) -> NDArray[int64]:
    """Return how many references each row has; a row without hypothesis or reference is refused."""
    import numpy as np

    names = options.reference
    rows.refuse_null(options.hypothesis, ", but it is the hypothesis")
    columns = [rows.column(each) for each in names]
    if is_text_list(columns[0].type):
        counts = _lengths(rows, names[0], columns[0])
    else:
        counts = np.sum([are_valid(column) for column in columns], axis=0, dtype=np.int64)
    if len(counts) and not counts.all():
        where = (
            f"{names[0]!r} is null or holds no reference" if len(names) == 1 else "all references are null"
        )
        raise rows.error(int((counts == 0).argmax()), where)
    return counts


def _common(numbers: NDArray[int64]) -> int:
    """The number that all of some rows have, or -1."""
    first = int(numbers[0])
    return first if (numbers == first).all() else DIFFERING


def _by_system(
    rows: Rows, by: str, table: NDArray[int64], references: NDArray[int64]
) -> list[tuple[str, list[int], dict[int, int], int]]:
    """The sums of each system, in the order in which the systems come."""
    import numpy as np

    rows.refuse_null(by, ", but it says which system this is")
    column = rows.column(by)
    column.validate(full=True)
    if hasattr(column, "dictionary_decode"):
        column = column.dictionary_decode()
    encoded = column.dictionary_encode()
    numbers = as_numbers(encoded.indices, "int32")
    order = np.argsort(numbers, kind="stable")
    starts = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    sums = np.add.reduceat(table[order], starts).tolist()
    parts = np.split(references[order], starts[1:])
    return [
        (str(system), row, {_common(part): len(part)}, 0)
        for system, row, part in zip(encoded.dictionary.to_pylist(), sums, parts, strict=True)
    ]


def _lengths(rows: Rows, name: str, column: pa.Array) -> NDArray[int64]:
    """Return how many texts that are not null each list holds."""
    try:
        column.validate(full=True)
        texts, bounds = items_of(column)
    except ValueError as error:
        if "UTF8" in str(error):
            rows.check_utf8([name])
        raise ValueError(f"{rows.name}: column {name!r}: {error}") from None
    return count_marked(are_valid(texts), bounds)
