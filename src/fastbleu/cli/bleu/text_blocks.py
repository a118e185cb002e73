"""Read the text of systems and references, in blocks or completely, and score it."""

from __future__ import annotations

from contextlib import suppress

from ...counting.corpus import rows_of
from ...counting.row_sums import Totals
from ...counting.rows import empty_table
from ...inputs._lines import FieldCountError, columns_of_fields, has_tabs
from ...inputs.decompressed_files import STDIN_NAME
from ...inputs.text_lines import (
    UTF8_MARK,
    LineReader,
    Recoded,
    UniversalLines,
    check_utf8,
    count_systems,
    is_utf8,
    open_text,
)
from ...metric.metric_warnings import WARNED
from ...system.threads import for_each
from ..common import EXIT_FIELDS, UserError, check_lengths, print_text, say
from .score_options import PROGRAM, check_number, is_paired
from .score_output import file_bar, print_scores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator
    from contextlib import ExitStack
    from typing import Any, TypeAlias

    from ...inputs._text import TextColumn
    from .chosen_metrics import AnyMetric

    #: The bytes of consecutive lines of a file, the number of lines before them, and the number of bytes before them.
    Block: TypeAlias = tuple[bytes, int, int]
    #: The name and the segments of each system.
    Streams: TypeAlias = list[tuple[str, TextColumn]]


class _File:
    """A file of text, whose lines may have several tab-separated fields.

    Args:
        path: The file; "-" for standard input; None for tab-separated systems in standard input. With None, the first
            line determines the number of fields, carriage returns also end lines, and every tab separates fields.
        options: The options of the command line, which include the encoding.
        stack: The stack that closes the file.
        fields: The number of fields in each line. The last field may contain further tabs.

    Raises:
        UserError: Standard input is empty.
        ValueError: The file is not text.
    """

    def __init__(self, path: str | None, options: Namespace, stack: ExitStack, fields: int = 1) -> None:
        self._is_utf8 = is_utf8(options.encoding)
        self.source = stack.enter_context(open_text("-" if path is None else path, options.encoding))
        self.name = self.source.name
        if self._is_utf8 and self.source.start.startswith(UTF8_MARK):
            say(
                PROGRAM,
                f"{self.name} begins with a byte order mark, which is scored as part of the first word, "
                "as sacreBLEU does; --encoding utf-8-sig removes it",
            )
        source = self.source if self._is_utf8 else Recoded(self.source, options.encoding)
        self._limit = path is not None
        self.fields = fields
        self.lines = LineReader(source if self._limit else UniversalLines(source))
        if not self._limit:
            first_line = self.lines.first_line()
            if not first_line:
                raise UserError(f"{STDIN_NAME} is empty")
            self.fields = count_systems(first_line)
        # The thread that empties this list prints the warning about tabs. Tab-separated systems need no warning.
        self._unwarned = [True] if self._limit else []

    def cut(self, stop: int) -> Block:
        """Return the next lines of the file as a block, which ends before the line with index `stop`."""
        first_line, first_byte = self.lines.taken, self.lines.taken_bytes
        return self.lines.cut(stop), first_line, first_byte

    def columns(self, block: Block) -> list[TextColumn]:
        """Convert a block to columns, one for each field. Any thread may call this method.

        Raises:
            UserError: A line has the wrong number of fields.
            ValueError: The block is not valid UTF-8.
        """
        data, first_line, first_byte = block
        if self._is_utf8:
            check_utf8(data, self.name, first_line, first_byte)
        try:
            columns = columns_of_fields(data, self.fields, self._limit, self.name, first_line)
        except FieldCountError as error:
            raise UserError(str(error), EXIT_FIELDS) from None
        if self._unwarned and has_tabs(columns[-1]):
            with suppress(IndexError):  # Another thread has removed the item.
                self._unwarned.pop()
                _warn_of_tabs(self.name, self.fields)
        return columns

    def count(self) -> range:
        """Read the rest of the file, and return a range with one number per line, for `check_lengths`.

        `check_lengths` counts the items, and treats a false last item as an empty last line. So the last number of the
        range is 0 if the last line is empty, and otherwise another number.
        """
        block = b"x"
        while (stop := self.lines.ready()) is not None:
            block = self.lines.cut(stop)
        count = self.lines.taken
        is_empty = not block.removesuffix(b"\n").rpartition(b"\n")[2].strip()
        return range(1 - count, 1) if is_empty else range(1, count + 1)


class Text:
    """The text of the references and systems of a command line.

    Args:
        options: The options of the command line, which include the names of the files.
        stack: The stack that closes the files.

    Attributes:
        names: The names of the systems.
        num_references: The number of references of each segment.

    Raises:
        OSError: A file cannot be opened or read.
        UserError: Standard input is empty, or an option is not allowed for this number of systems.
    """

    def __init__(self, options: Namespace, stack: ExitStack) -> None:
        self._references = [_File(path, options, stack, options.num_refs) for path in options.references]
        self.num_references = options.num_refs * len(self._references)
        self._options = options
        if options.input is None:
            self._systems = [_File(None, options, stack)]
            self.names = [f"System {number}" for number in range(1, self._systems[0].fields + 1)]
        else:
            self._systems = [_File(path, options, stack) for path in _without_second_baseline(options)]
            self.names = [file.name for file in self._systems]
        check_number(options, len(self.names))
        self._files = [*self._systems, *self._references]

    def all(self) -> tuple[Streams, list[TextColumn]]:
        """Read all lines. Return the systems with their names, and the streams of references.

        Raises:
            OSError: A file cannot be read.
            UserError: A file is empty, or has a wrong number of lines or fields.
            ValueError: A file is not valid in its encoding.
        """
        columns, references = self.columns([(file.lines.rest(), 0, 0) for file in self._files])
        systems = list(zip(self.names, columns, strict=True))
        names = [file.name for file in self._references for _ in range(file.fields)]
        check_lengths(systems, list(zip(names, references, strict=True)))
        return systems, references

    def blocks(self) -> Iterator[list[Block]]:
        """Yield lists with a block of each file. All blocks of a list have the same number of lines.

        Raises:
            OSError: A file cannot be read.
            UserError: The files have different numbers of lines, or are empty.
        """
        files = self._files
        sizes = [file.source.size for file in self._systems if file.source.size is not None]
        first = 0
        with file_bar(sum(sizes) if len(sizes) == len(self._systems) else None, self._options) as bar:
            for file in self._systems:
                file.source.advance = bar.update
            while True:
                stops = [file.lines.ready() or first for file in files]
                stop = min(stops)
                ended = any(
                    file.lines.at_end and after < max(stops) for file, after in zip(files, stops, strict=True)
                )
                if ended or not stop:
                    self._refuse_lengths()
                if stop == first:
                    return
                yield [file.cut(stop) for file in files]
                first = stop

    def columns(self, blocks: list[Block]) -> tuple[list[TextColumn], list[TextColumn]]:
        """Convert a block of each file to columns. Return the columns of the systems, and those of the references."""
        blocks_of_files = zip(self._files, blocks, strict=True)
        columns = [column for file, block in blocks_of_files for column in file.columns(block)]
        return columns[: len(self.names)], columns[len(self.names) :]

    def _refuse_lengths(self) -> None:
        """Read the rest of all files, and raise UserError if a file is empty or the numbers of lines differ."""
        references = [(file.name, file.count()) for file in self._references]
        numbers = [file.count() for file in self._systems]
        if len(numbers) < len(self.names):
            numbers *= len(self.names)
        check_lengths(list(zip(self.names, numbers, strict=True)), references)


def _without_second_baseline(options: Namespace) -> list[str]:
    """Return the names of the system files. For a paired test, omit repetitions of the baseline, with a message."""
    baseline, *others = options.input
    if is_paired(options):
        for _ in range(others.count(baseline)):
            others.remove(baseline)
            if not options.quiet:
                say(PROGRAM, f"Ignoring {baseline!r} as it was also given as the baseline.")
    return [baseline, *others]


def _warn_of_tabs(name: str, fields: int) -> None:
    """Print a warning that a file contains tabs, and how it is scored.

    Args:
        name: The name of the file.
        fields: The number of fields into which each line is split.
    """
    how = "tabs; each whole line is scored as one segment, as sacreBLEU does"
    if fields > 1:
        how = f"more than {fields} fields; the last one keeps the tabs, as in sacreBLEU"
    say(PROGRAM, f"{name} has lines with {how}")


def print_sentence_scores(metric: AnyMetric, options: Namespace, text: Text) -> None:
    """Print the score of each segment of one system.

    Raises:
        OSError: A file cannot be read.
        UserError: A file is empty, or has a wrong number of lines or fields.
        ValueError: A file is not valid in its encoding.
    """
    signature = metric.signature_for(text.num_references).format(options.short)
    score, width, score_only = metric.formula.score, options.width, options.score_only

    def render(blocks: list[Block]) -> str:
        (system,), references = text.columns(blocks)
        rows = metric.corpus(system, references).rows()
        return "\n".join(score(row).format(width, score_only, signature) for row, _ in rows)

    for_each(text.blocks(), render, print_text, options.threads, ordered=True)


def print_corpus_scores(metrics: dict[str, AnyMetric], options: Namespace, text: Text) -> None:
    """Print the score of each system for each metric.

    Raises:
        OSError: A file cannot be read.
        UserError: A file is empty, or has a wrong number of lines or fields.
        ValueError: A file is not valid in its encoding.
    """
    n_bootstrap: int = options.confidence_n if options.confidence else 1
    in_order = [metric for _, metric in sorted(metrics.items())]
    totals = [[Totals([]) for _ in text.names] for _ in in_order]
    # For each metric, the bytes of the statistics of all segments, if a confidence interval is requested.
    all_rows = [bytearray() for _ in in_order]

    def count(blocks: list[Block]) -> list[tuple[list[Totals], bytes]]:
        systems, references = text.columns(blocks)
        return [_count(metric, systems, references, n_bootstrap > 1) for metric in in_order]

    def add(counted: list[tuple[list[Totals], bytes]]) -> None:
        for metric, sums, metric_rows, (parts, rows) in zip(in_order, totals, all_rows, counted, strict=True):
            for total, part in zip(sums, parts, strict=True):
                metric.warn_of_tokens(total.tokenized, part.tokenized)
                total.add(part.row, part.tokenized, part.num_references)
            metric_rows.extend(rows)

    for_each(text.blocks(), count, add, options.threads, ordered=True)
    scores = []
    for metric, sums, rows in zip(in_order, totals, all_rows, strict=True):
        scores.append([_score(metric, total, rows, n_bootstrap) for total in sums])
    print_scores(text.names, scores, options)


def _count(
    metric: AnyMetric, systems: list[TextColumn], references: list[TextColumn], keep_rows: bool
) -> tuple[list[Totals], bytes]:
    """Count the statistics of a block.

    Args:
        metric: The metric.
        systems: The segments of each system in the block.
        references: The segments of each stream of references in the block.
        keep_rows: Whether to return the statistics of each segment; allowed for one system.

    Returns:
        The summed statistics of each system; and the statistics of each segment as the bytes of int64, or b"".
    """
    prepared = metric.prepare(references) if len(systems) > 1 else references
    table = empty_table(len(systems[0]), metric.formula.width) if keep_rows else None
    rows = None if table is None else rows_of(table)
    totals = [metric.count(metric.corpus(system, prepared), rows, tokenized=WARNED) for system in systems]
    return totals, b"" if table is None else table.tobytes()


def _score(metric: AnyMetric, total: Totals, rows: bytearray, n_bootstrap: int) -> Any:
    """Compute the score of a system, with its signature.

    Args:
        metric: The metric.
        total: The summed statistics of the system.
        rows: The statistics of each segment as the bytes of int64.
        n_bootstrap: The number of resamples for a confidence interval; 1 for no interval.
    """
    score: Any = metric.formula.score(total.row)
    if n_bootstrap < 2:
        return metric.signed(score, total.num_references)
    import numpy as np

    from ...scoring.bootstrap import interval

    table = np.frombuffer(rows, dtype=np.int64).reshape(-1, metric.formula.width)
    mean, half_width, seed = interval(table, n_bootstrap, metric.formula.score_resamples)
    score.set_interval(mean, half_width)
    return metric.signed(score, total.num_references, n_bootstrap, seed)
