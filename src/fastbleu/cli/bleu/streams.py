"""Scores of text from pipes and from large files: all files are read in step, block by block."""

from __future__ import annotations

from contextlib import ExitStack, suppress

from ...counting.corpus import rows_of
from ...inputs._lines import FieldCountError, has_tabs
from ...inputs.files import STDIN_NAME, Input
from ...inputs.text_files import LineReader, UniversalLines, check_utf8, count_systems, split_fields
from ...metric.warning import WARNED
from ..common import EXIT_FIELDS, UserError, counted
from .checks import check_number, refuse_table
from .input import warn_of_tabs
from .output import file_bar, print_lines
from .results_table import check_table
from .totals import Part, print_scores_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator
    from typing import TypeAlias

    from ...inputs._text import TextColumn
    from ...metric import BLEU

    #: Lines of a file, and how many lines and bytes are before them.
    Block: TypeAlias = tuple[bytes, int, int]


def score_streams(metric: BLEU, options: Namespace) -> None:
    """Read text, and print its score, the score of each system or of each line.

    Raises:
        OSError: A file cannot be opened or read.
        UserError: A file is empty, or has another number of lines or of fields than it must have.
        ValueError: A file is not valid UTF-8.
    """
    with ExitStack() as stack:
        streams = _Streams(options, stack)
        check_number(options, len(streams.names))
        if len(streams.names) > 1:
            check_table(options)
        if options.sentence_level:
            print_lines(streams.blocks(), lambda block: _sentences(metric, options, streams, block), options)
        else:
            print_scores_of(
                metric,
                options,
                streams.blocks(),
                lambda block: _count(metric, options, streams, block),
                len(streams.names) > 1,
            )


class _File:
    """A file of text that is read block by block.

    Args:
        source: The file.
        fields: How many fields each line has, between tabs; 0, for standard input: the first line says it.
        is_universal: Whether a carriage return ends a line, too.
        limit: Whether the last field keeps further tabs.

    Raises:
        UserError: Standard input holds a table.
    """

    def __init__(self, source: Input, fields: int, is_universal: bool = False, limit: bool = True) -> None:
        self.lines = LineReader(UniversalLines(source) if is_universal else source, may_have_mark=True)
        self.name = source.name
        if not fields:
            refuse_table(self.lines.first_line())
        self.fields = fields or count_systems(self.lines.first_line())
        self._limit = limit
        self._unwarned = [True] if limit else []  # what is not split at every tab may hold some

    def cut(self, stop: int) -> Block:
        """The lines before the number `stop`."""
        first_line, first_byte = self.lines.taken, self.lines.taken_bytes
        return self.lines.cut(stop), first_line, first_byte

    def columns(self, block: Block) -> list[TextColumn]:
        """A column for each field; called in any thread."""
        data, first_line, first_byte = block
        check_utf8(data, self.name, first_line, first_byte)
        try:
            columns = split_fields(data, self.fields, self.name, self._limit, first_line)
        except FieldCountError as error:
            raise UserError(str(error), EXIT_FIELDS) from None
        if self._unwarned and has_tabs(columns[-1]):
            with suppress(IndexError):  # another thread was faster
                self._unwarned.pop()
                warn_of_tabs(self.name, self.fields)
        return columns

    def count(self) -> int:
        """Return how many lines there are, after all of them have been read."""
        while (stop := self.lines.ready()) is not None:
            self.lines.cut(stop)
        return self.lines.taken


class _Streams:
    """References and systems of a command line.

    Args:
        options: Which files.
        stack: Closes them.

    Attributes:
        names: What the systems are called.
    """

    def __init__(self, options: Namespace, stack: ExitStack) -> None:
        self._references = [
            _File(stack.enter_context(Input(path)), options.num_refs) for path in options.references
        ]
        paths = [None] if options.input is None else options.input
        sources = [stack.enter_context(Input(path)) for path in paths]
        sizes = [source.size for source in sources if source.size is not None]
        bar = stack.enter_context(file_bar(sum(sizes) if len(sizes) == len(sources) else None, options))
        for source in sources:
            source.advance = bar.update
        if options.input is None:
            (source,) = sources
            self._systems = [_File(source, 0, is_universal=True, limit=False)]
            if not self._systems[0].lines.first_line():
                raise UserError(f"{STDIN_NAME} is empty")
            self.names = [f"System {number}" for number in range(1, self._systems[0].fields + 1)]
        else:
            self._systems = [_File(source, 1) for source in sources]
            self.names = list(options.input)

    def blocks(self) -> Iterator[list[Block]]:
        """Lines of all files, as many of each.

        Raises:
            UserError: One file has more lines than another.
        """
        found = [*self._systems, *self._references]
        first = 0
        while True:
            stops = [file.lines.ready() or first for file in found]
            stop = min(stops)
            if any(
                file.lines.at_end and after < max(stops) for file, after in zip(found, stops, strict=True)
            ):
                self._refuse_lengths()
            if stop == first:
                if not first:
                    self._refuse_lengths()
                return
            yield [file.cut(stop) for file in found]
            first = stop

    def columns(self, blocks: list[Block]) -> tuple[list[TextColumn], list[TextColumn]]:
        """The lines of each system, and of each stream of references."""
        number = len(self._systems)
        systems, references = (
            [column for file, block in zip(found, part, strict=True) for column in file.columns(block)]
            for found, part in ((self._systems, blocks[:number]), (self._references, blocks[number:]))
        )
        return systems, references

    def _refuse_lengths(self) -> None:
        """Says which files have no lines, or different numbers of them."""
        references = [(file.name, file.count()) for file in self._references]
        numbers = [file.count() for file in self._systems]
        if len(numbers) < len(self.names):
            numbers *= len(self.names)
        for name, number in zip(self.names, numbers, strict=True):
            if not number:
                raise UserError(f"{name} is empty")
            for other, wanted in references:
                if number != wanted:
                    raise UserError(
                        "system and reference streams have different lengths: "
                        f"{name} has {counted(number, 'line')}, {other} has {counted(wanted, 'line')}"
                    )


def _count(
    metric: BLEU, options: Namespace, streams: _Streams, blocks: list[Block]
) -> tuple[list[Part], bytes]:
    """The sums of some lines: a part for each system, and the rows if there is to be an interval."""
    systems, references = streams.columns(blocks)
    number = len(systems[0])
    prepared = references if len(systems) == 1 else metric.prepare(references)
    parts, rows = [], b""
    for name, system in zip(streams.names, systems, strict=True):
        table = None
        if options.confidence:
            from ...counting.rows import empty_rows

            table = empty_rows(number, metric.max_ngram_order)
        totals = metric.count(
            metric.corpus(system, prepared), None if table is None else rows_of(table), tokenized=WARNED
        )
        parts.append(
            Part(name, totals.row, number, totals.num_references, totals.num_references, totals.tokenized)
        )
        rows = b"" if table is None else table.tobytes()
    return parts, rows


def _sentences(metric: BLEU, options: Namespace, streams: _Streams, blocks: list[Block]) -> list[str]:
    """A line for the score of each segment."""
    (system,), references = streams.columns(blocks)
    signature = metric.signature_for(len(references)).format(options.short)
    return [
        score.format(options.width, options.score_only, signature)
        for score in metric.iterate_scores(system, references)
    ]
