"""Read an n-best list together with its references, block by block."""

from __future__ import annotations

import re
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import NamedTuple

from ...errors import counted
from ...inputs import decompressed_files, text_lines
from .blocks import Block, LineError
from .json_lines import JsonLines
from .moses import Moses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Self

    from ...inputs._text import TextColumn
    from .nbest_options import Options

#: The maximum number of lines examined to recognize the format of a file whose first lines may be malformed.
_FIRST_LINES = 16

_JSON_ARRAY = re.compile(rb"\s*\[\s*(\{|$)")
_MOSES = re.compile(rb"[ \t]*[0-9]+[ \t]+\|\|\|([ \t]|\r?$)")


class Job(NamedTuple):
    """A block, and the references of its sources.

    Attributes:
        block: The candidates.
        first: The ordinal of the source of the first line of the references.
        references: A column of lines for each file of references.
    """

    block: Block
    first: int
    references: list[TextColumn]


class Reader:
    """An n-best list and the references of its sources.

    Args:
        options: The files, the names of their fields, and whether malformed lines are skipped.
        reads_scores: Whether to read the model's scores.
        added: Names of JSON fields that are added to the output and must not be in the file.

    Attributes:
        source: The n-best list.
        name: The name of the n-best list in messages.
        form: The format of the n-best list, which parses and renders its lines.

    Raises:
        OSError: A file cannot be opened.
        ValueError: The file is not an n-best list, its format does not have the scores or the references, or the
            extension of the output belongs to another format.
    """

    def __init__(self, options: Options, reads_scores: bool, added: list[str]) -> None:
        with ExitStack() as stack:
            # Open the references first: a missing file is reported without waiting for standard input.
            self._references = [
                text_lines.LineReader(stack.enter_context(_opened(path))) for path in options.references
            ]
            self.source = stack.enter_context(_opened(options.input))
            self.name = self.source.name
            self._start = self.source.read(decompressed_files.BLOCK_BYTES)
            count = _FIRST_LINES if options.skip_bad else 2
            while self._start.count(b"\n") < count and (more := self.source.read(len(self._start) or 1)):
                self._start += more
            if not self._start:
                raise ValueError(f"{self.name} is empty")
            lines = self._start.split(b"\n", count)[:count]
            self.form: Moses | JsonLines
            if is_json(lines if options.skip_bad else lines[:1], self.name):
                self.form = JsonLines(options, reads_scores, lines, added)
            else:
                self.form = Moses(options, reads_scores, lines)
            _check_ending(options, self.form)
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def jobs(self) -> Iterator[Job]:
        """Yield the blocks with the references of their sources. No file is read far ahead of the others.

        The last block is not yielded before the ends of all files have been compared, so that the output of files that
        do not fit together is never complete.

        Raises:
            ValueError: The files are not for the same number of sources, or a file is malformed or empty.
        """
        latest: Job | None = None
        for job in self._jobs():
            if latest is not None:
                yield latest
            latest = job
        if latest is not None:
            yield latest

    def _jobs(self) -> Iterator[Job]:
        for lines in self._references:
            if lines.ready() is None:
                raise ValueError(f"{lines.name} is empty")
        first = 0
        for block in self._blocks():
            while True:
                stop = block.stop
                for lines in self._references:
                    after = lines.ready() or first
                    if after < stop and lines.at_end:
                        raise self._unlike(
                            f"{lines.name} has {counted(after, 'line')}, {self.name} more sources"
                        )
                    stop = min(stop, after)
                front, rest = block.split(stop)
                yield Job(front, first, [lines.take(stop) for lines in self._references])
                first = stop
                if stop == block.stop:
                    break
                block = rest  # noqa: PLW2901  # the sources that are still to be yielded
        if not first:
            raise ValueError(f"{self.name}: expected candidates, found only malformed lines")
        for lines in self._references:
            if lines.ready() is not None:
                raise self._unlike(f"{lines.name} has more lines, {self.name} has {counted(first, 'source')}")

    def _blocks(self) -> Iterator[Block]:
        """Yield the blocks of the n-best list, of about `decompressed_files.BLOCK_BYTES` each."""
        data, is_read, line = self._start, False, 1
        size = decompressed_files.BLOCK_BYTES - len(data)
        while True:
            if size > 0 and not is_read:
                more = self.source.read(size)
                data += more
                is_read = len(more) < size
            if not data:
                return
            with self._located(line):
                block = self.form.group(data, is_read)
            used, lines = block.used
            if not used and not is_read:
                # The source is longer than what has been read, so read twice as much.
                size = len(data)
                continue
            data = data[used:]
            block.first_line = line
            yield block
            line += lines
            size = decompressed_files.BLOCK_BYTES - len(data)

    def parse(self, block: Block) -> Block:
        """Return a copy of a block with its candidates; any thread may call it, and more than once.

        Raises:
            ValueError: A line is malformed; the error names the line and what was expected.
        """
        block = replace(block)
        with self._located(block.first_line):
            self.form.parse(block)
        return block

    @contextmanager
    def _located(self, first_line: int) -> Iterator[None]:
        """Add the names of the file and the line to each `LineError`; `first_line` is the number of line 0."""
        try:
            yield
        except LineError as error:
            raise ValueError(f"{self.name}: line {first_line + error.line}: {error}") from None

    @staticmethod
    def _unlike(found: str) -> ValueError:
        return ValueError(f"references and candidates are for different numbers of sources: {found}")


def _opened(path: str) -> decompressed_files.Input:
    return text_lines.open_text(path, may_have_mark=False)


def _check_ending(options: Options, form: Moses | JsonLines) -> None:
    """Refuse an output whose extension belongs to the other format.

    Raises:
        ValueError: The extension belongs to the other format.
    """
    if options.output is not None and options.output.lower().endswith(form.foreign_endings):
        raise ValueError(
            f"{options.called('output')}: the output has the format of the input, {form.called}, so {options.output!r} "
            "needs a different extension"
        )


def is_json(lines: list[bytes], name: str) -> bool:
    """Recognize the format of an n-best list by the first line that has one of the two formats.

    Args:
        lines: The first line of a file, and some more if it may be malformed.
        name: The name of the file, for the error.

    Returns:
        True for JSON lines, False for a Moses n-best list.

    Raises:
        ValueError: No line has one of the two formats.

    Example:
        >>> is_json([b"a cat", b"0 ||| a cat ||| lm=-3 ||| -3.5"], "file"), is_json([b'{"text": "a cat"}'], "file")
        (False, True)
    """
    for line in lines:
        if _MOSES.match(line):
            return False
        if line.lstrip(b" \t").startswith(b"{"):
            return True
    if _JSON_ARRAY.match(lines[0]):
        raise ValueError(f"{name}: found a JSON array; write one object per line: jq -c '.[]'")
    raise ValueError(
        f"{name}: line 1: expected 'id ||| text ||| features ||| score' or a JSON object; plain text needs the id of "
        "its source in front of each candidate"
    )
