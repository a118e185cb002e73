"""Text of systems and references: from files and standard input, block by block in step, or all at once."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from ...counting.corpus import rows_of
from ...counting.rows import empty_table
from ...inputs._lines import FieldCountError, columns_of_fields, has_tabs
from ...inputs.files import STDIN_NAME, Input
from ...inputs.text_files import (
    LineReader,
    Recoded,
    UniversalLines,
    check_utf8,
    count_systems,
    is_utf8,
    read_lines,
)
from ...metric.metric import Metric
from ...metric.warning import WARNED
from ..common import EXIT_FIELDS, UserError, check_lengths, print_text, say
from .options import PROGRAM, check_number, is_paired, refuse_table, resamples
from .output import file_bar, print_lines, print_scores, scores_of, segment_bar, sentence_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator
    from contextlib import ExitStack
    from typing import TypeAlias

    from ...inputs._column import Memory
    from ...inputs._text import TextColumn
    from .metrics import AnyMetric, OurMetric
    from .output import Counted, Scored

    #: Lines of a file, and how many lines and bytes are before them.
    Block: TypeAlias = tuple[bytes | Memory, int, int]
    #: Columns, and what to call each.
    Streams: TypeAlias = list[tuple[str, TextColumn]]


class _File:
    """A file of text.

    Args:
        path: The file; None for standard input, whose first line says how many fields each has. Its carriage returns
            end lines, too, and its last field keeps no further tabs.
        options: Those of the command line: the encoding.
        stack: Closes the file.
        fields: How many fields each line has, between tabs.

    Raises:
        UserError: Standard input holds a table, or nothing.
    """

    def __init__(self, path: str | None, options: Namespace, stack: ExitStack, fields: int = 1) -> None:
        self._is_utf8 = is_utf8(options.encoding)
        self.source = stack.enter_context(Input(path, self._is_utf8))
        self.name = self.source.name
        source = self.source if self._is_utf8 else Recoded(self.source, options.encoding)
        self._limit = path is not None
        self.fields = fields
        self.lines = LineReader(source if self._limit else UniversalLines(source), may_have_mark=True)
        if not self._limit:
            first_line = self.lines.first_line()
            if self._is_utf8:  # text in another encoding may begin as a table does
                refuse_table(first_line)
            if not first_line:
                raise UserError(f"{STDIN_NAME} is empty")
            self.fields = count_systems(first_line)
        self._unwarned = [True] if self._limit else []  # what is not split at every tab may hold some

    def cut(self, stop: int) -> Block:
        """The lines before the number `stop`."""
        first_line, first_byte = self.lines.taken, self.lines.taken_bytes
        return self.lines.cut(stop), first_line, first_byte

    def columns(self, block: Block) -> list[TextColumn]:
        """A column for each field; called in any thread."""
        data, first_line, first_byte = block
        if self._is_utf8:
            check_utf8(data, self.name, first_line, first_byte)
        try:
            columns = columns_of_fields(data, self.fields, self._limit, self.name, first_line)
        except FieldCountError as error:
            raise UserError(str(error), EXIT_FIELDS) from None
        if self._unwarned and has_tabs(columns[-1]):
            with suppress(IndexError):  # another thread was faster
                self._unwarned.pop()
                _warn_of_tabs(self.name, self.fields)
        return columns

    def count(self) -> int:
        """Return how many lines there are, after all of them have been read."""
        while (stop := self.lines.ready()) is not None:
            self.lines.cut(stop)
        return self.lines.taken


class Text:
    """References and systems of a command line.

    Args:
        options: Which files.
        references: The files of references.
        stack: Closes them.

    Attributes:
        names: What the systems are called.

    Raises:
        OSError: A file cannot be opened or read.
        UserError: Standard input holds a table or nothing, or an option does not go with this number of systems.
    """

    def __init__(self, options: Namespace, references: list[str], stack: ExitStack) -> None:
        self._references = [_File(path, options, stack, options.num_refs) for path in references]
        self._options = options
        if options.input is None:
            self._systems = [_File(None, options, stack)]
            self.names = [f"System {number}" for number in range(1, self._systems[0].fields + 1)]
        else:
            self.names = _without_second_baseline(options)
            self._systems = [_File(path, options, stack) for path in self.names]
        check_number(options, len(self.names))
        self._files = [*self._systems, *self._references]

    def all(self) -> tuple[Streams, Streams]:
        """The systems, and the streams of references, as a whole.

        Raises:
            OSError: A file cannot be read.
            UserError: A line has another number of fields than it must have.
            ValueError: A file is not valid in its encoding.
        """
        systems, references = self.columns([(file.lines.rest(), 0, 0) for file in self._files])
        names = [file.name for file in self._references for _ in range(file.fields)]
        return list(zip(self.names, systems, strict=True)), list(zip(names, references, strict=True))

    def blocks(self) -> Iterator[list[Block]]:
        """Lines of all files, as many of each.

        Raises:
            OSError: A file cannot be read.
            UserError: One file has more lines than another, or none has any.
        """
        found = self._files
        sizes = [file.source.size for file in self._systems if file.source.size is not None]
        first = 0
        with file_bar(sum(sizes) if len(sizes) == len(self._systems) else None, self._options) as bar:
            for file in self._systems:
                file.source.advance = bar.update
            while True:
                stops = [file.lines.ready() or first for file in found]
                stop = min(stops)
                ended = any(
                    file.lines.at_end and after < max(stops) for file, after in zip(found, stops, strict=True)
                )
                if ended or not stop:
                    self._refuse_lengths()
                if stop == first:
                    return
                yield [file.cut(stop) for file in found]
                first = stop

    def columns(self, blocks: list[Block]) -> tuple[list[TextColumn], list[TextColumn]]:
        """The lines of each system, and of each stream of references."""
        parts = zip(self._files, blocks, strict=True)
        columns = [column for file, block in parts for column in file.columns(block)]
        return columns[: len(self.names)], columns[len(self.names) :]

    def _refuse_lengths(self) -> None:
        references = [(file.name, range(file.count())) for file in self._references]
        numbers = [range(file.count()) for file in self._systems]
        if len(numbers) < len(self.names):
            numbers *= len(self.names)
        check_lengths(list(zip(self.names, numbers, strict=True)), references)


def _without_second_baseline(options: Namespace) -> list[str]:
    """The files of systems. The baseline of a paired test may be among the others too."""
    baseline, *others = options.input
    if is_paired(options):
        for _ in range(others.count(baseline)):
            others.remove(baseline)
            if not options.quiet:
                say(PROGRAM, f"Ignoring {baseline!r} as it was also given as the baseline.")
    return [baseline, *others]


def _warn_of_tabs(name: str, fields: int = 1) -> None:
    """Say that a file may be a table of fields, and how it is scored all the same.

    Args:
        name: The file's name.
        fields: How many fields its lines are split into.
    """
    how = "tabs; each whole line is scored as one segment, as sacreBLEU does"
    if fields > 1:
        how = f"more than {fields} fields; the last one keeps the tabs, as in sacreBLEU"
    say(PROGRAM, f"{name} has lines with {how}")


def read_stream(path: str, options: Namespace) -> TextColumn:
    """The lines of a file of references, each a segment. Lines with tabs are warned of."""
    column = read_lines(path, options.encoding)
    if has_tabs(column):
        _warn_of_tabs(path)
    return column


def score_text(metric: OurMetric, text: Text, options: Namespace) -> None:
    """Read text block by block, and print its score, the score of each system or of each line.

    Raises:
        OSError: A file cannot be read.
        UserError: A file is empty, or has another number of lines or of fields than it must have.
        ValueError: A file is not valid in its encoding.
    """

    def sentences(blocks: list[Block]) -> list[str]:
        (system,), references = text.columns(blocks)
        rows = (row for row, _ in metric.corpus(system, references).rows())
        return sentence_lines(metric, options, rows, [len(references)] * len(system))

    if options.sentence_level:
        print_lines(text.blocks(), sentences, options)
        return
    several = len(text.names) > 1
    if several:
        from .results_table import check_table

        check_table(options)

    def sums(blocks: list[Block]) -> Counted:
        return _sums(metric, options, text.names, *text.columns(blocks))

    print_scores(scores_of(metric, options, text.blocks(), sums), options, several)


def score_whole(
    metrics: dict[str, AnyMetric], options: Namespace, systems: Streams, references: list[TextColumn]
) -> None:
    """Print the scores of text that is all at hand: of each system by each metric, or of each line."""
    names, columns = [name for name, _ in systems], [column for _, column in systems]
    total = len(metrics) * len(systems) * len(columns[0])
    found: list[list[Scored]] = []
    with segment_bar(total, [*columns, *references], options) as bar:
        for _, metric in sorted(metrics.items()):
            if options.sentence_level:
                for score in metric.iterate_scores(columns[0], references):
                    signature = metric.get_signature().format(options.short)
                    print_text(score.format(options.width, options.score_only, signature))
                    bar.update(1)
            elif isinstance(metric, Metric):
                metric.advance = bar.update
                sums = partial(_sums, metric, options, names, columns)
                found.append(scores_of(metric, options, iter([references]), sums))
            else:
                found.append(metric.scores(systems, resamples(options), bar.update))
    scores = [score for of_system in zip(*found, strict=True) for score in of_system]
    print_scores(scores, options, len(names) > 1)


def _sums(
    metric: OurMetric,
    options: Namespace,
    names: list[str],
    systems: list[TextColumn],
    references: list[TextColumn],
) -> Counted:
    """The sums of some lines of each system, and the rows if there is to be an interval."""
    number = len(systems[0])
    prepared = metric.prepare(references) if len(systems) > 1 else references
    table = empty_table(number, metric.formula.width) if resamples(options) > 1 else None
    parts = []
    for name, system in zip(names, systems, strict=True):
        corpus = metric.corpus(system, prepared)
        totals = metric.count(corpus, None if table is None else rows_of(table), tokenized=WARNED)
        parts.append((name, totals.row, {len(references): number}, totals.tokenized))
    return parts, b"" if table is None else table.tobytes()
