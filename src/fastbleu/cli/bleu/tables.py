"""Scores of columns: Parquet and Arrow IPC files of any length, read row group by row group."""

from __future__ import annotations

from contextlib import ExitStack

from ...counting.corpus import rows_of
from ...counting.rows import empty_rows
from ...inputs.files import STDIN_NAME
from ...inputs.pyarrow_columns import are_valid, as_numbers, is_text_list, items_of
from ...inputs.table_files import TableFile
from ...metric.warning import WARNED
from ..common import UserError
from ..table_rows import Rows, check_columns, read_rows, table_paths
from .options import resamples
from .output import file_bar, print_lines
from .results_table import check_table
from .totals import Part, print_scores_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator
    from typing import Any

    import pyarrow as pa
    from numpy import int64
    from numpy.typing import NDArray

    from ...metric import BLEU


def score_tables(metric: BLEU, options: Namespace) -> None:
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
    columns = _Columns(metric, options)
    rows = _rows(paths, options)
    number = (
        print_lines(rows, columns.sentences, options)
        if options.sentence_level
        else print_scores_of(metric, options, rows, columns.count, options.by is not None)
    )
    if not number:
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


class _Columns:
    """Counts rows of a table.

    Args:
        metric: What to count with.
        options: Which columns.
    """

    def __init__(self, metric: BLEU, options: Namespace) -> None:
        self._metric = metric
        self._options = options

    def count(self, rows: Rows) -> tuple[list[Part], bytes]:
        """The sums of some rows: a part for each system, and the rows if there is to be an interval."""
        options, metric = self._options, self._metric
        number = len(rows.batch)
        if not number:
            return [], b""
        references = self._numbers_of_references(rows)
        keep = options.by is not None or resamples(options) > 1
        table = empty_rows(number, metric.max_ngram_order) if keep else None
        row, tokenized = self._count(rows, table)
        if options.by is None or table is None:
            part = Part("", row, number, int(references.min()), int(references.max()), tokenized)
            return [part], b"" if table is None else table.tobytes()
        return self._by_system(rows, table, references), b""

    def sentences(self, rows: Rows) -> list[str]:
        """A line for the score of each row."""
        options, metric = self._options, self._metric
        references = self._numbers_of_references(rows)
        table = empty_rows(len(rows.batch), metric.max_ngram_order)
        self._count(rows, table)
        signatures = {
            each: metric.signature_for(each).format(options.short) for each in set(references.tolist())
        }
        score = metric.formula.score
        return [
            score(row).format(options.width, options.score_only, signatures[each])
            for row, each in zip(table.tolist(), references.tolist(), strict=True)
        ]

    def _count(self, rows: Rows, table: NDArray[int64] | None) -> tuple[list[int], int]:
        """The sum of the rows, and how many hypotheses look tokenized."""
        options, metric = self._options, self._metric
        columns = [rows.column(name) for name in (options.hypothesis, *options.reference)]
        try:
            hypotheses, *streams = columns
            references: Any = streams
            if is_text_list(columns[1].type):
                references = streams[0]
            corpus = metric.corpus(hypotheses, references)
            totals = metric.count(corpus, None if table is None else rows_of(table), tokenized=WARNED)
        except ValueError:
            rows.check_utf8((options.hypothesis, *options.reference))
            raise
        return totals.row, totals.tokenized

    def _numbers_of_references(self, rows: Rows) -> NDArray[int64]:
        """Return how many references each row has; a row without hypothesis or reference is refused."""
        import numpy as np

        name, names = self._options.hypothesis, self._options.reference
        rows.refuse_null(name, ", but it is the hypothesis")
        columns = [rows.column(each) for each in names]
        if is_text_list(columns[0].type):
            counts = _lengths(rows, names[0], columns[0])
        else:
            counts = np.full(len(rows.batch), len(columns), dtype=np.int64)
            for column in columns:
                if column.null_count:
                    counts -= ~are_valid(column)
        if len(counts) and not counts.all():
            where = (
                f"{names[0]!r} is null or holds no reference"
                if len(names) == 1
                else "all references are null"
            )
            raise rows.error(int((counts == 0).argmax()), where)
        return counts

    def _by_system(self, rows: Rows, table: NDArray[int64], references: NDArray[int64]) -> list[Part]:
        """The rows of each system added up, in the order in which the systems come."""
        import numpy as np

        rows.refuse_null(self._options.by, ", but it says which system this is")
        column = rows.column(self._options.by)
        column.validate(full=True)
        if hasattr(column, "dictionary_decode"):
            column = column.dictionary_decode()
        encoded = column.dictionary_encode()
        systems = encoded.dictionary.to_pylist()
        numbers = as_numbers(encoded.indices, "int32")
        order = np.argsort(numbers, kind="stable")
        starts = np.searchsorted(numbers[order], np.arange(len(systems)))
        sums = np.add.reduceat(table[order], starts)
        sizes = np.diff(np.append(starts, len(order)))
        fewest = np.minimum.reduceat(references[order], starts)
        most = np.maximum.reduceat(references[order], starts)
        return [
            Part(str(system), row, *figures)
            for system, row, *figures in zip(
                systems, sums.tolist(), sizes.tolist(), fewest.tolist(), most.tolist(), strict=True
            )
        ]


def _lengths(rows: Rows, name: str, column: pa.Array) -> NDArray[int64]:
    """Return how many texts that are not null each list holds."""
    import numpy as np

    try:
        column.validate(full=True)
        texts, bounds = items_of(column)
    except ValueError as error:
        if "UTF8" in str(error):
            rows.check_utf8([name])
        raise ValueError(f"{rows.name}: column {name!r}: {error}") from None
    if not texts.null_count:
        return np.diff(bounds)
    return np.diff(np.concatenate(([0], np.cumsum(are_valid(texts))))[bounds])
