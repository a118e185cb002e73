"""Read an n-best list and the files with its references together, block by block."""

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

#: The largest number of lines that are read to recognize the format of a file whose first lines may be malformed.
_FIRST_LINES = 16

_JSON_ARRAY = re.compile(rb"\s*\[\s*(\{|$)")
_MOSES = re.compile(rb"[ \t]*[0-9]+[ \t]+\|\|\|([ \t]|\r?$)")


class Job(NamedTuple):
    """A block of sources, and the references of these sources.

    Attributes:
        block: The sources with their candidates.
        first: The ordinal of the source to which the first line in each column of `references` belongs.
        references: One column of lines per file of references.
    """

    block: Block
    first: int
    references: list[TextColumn]


class Reader:
    """A reader of an n-best list and of the files with its references.

    Args:
        options: The options. They name the files and their fields, and say whether to skip malformed lines.
        reads_scores: Whether to read the model's scores.
        added: The names of the JSON fields that the output will have in addition. The file must not have them.

    Attributes:
        source: The file of the n-best list.
        name: The name of this file in messages.
        format: The reader and writer of the lines, for the format of this file.

    Raises:
        OSError: A file cannot be opened.
        ValueError: The file is not an n-best list; its format cannot have the scores or the references that the options
            need; or the extension of the output file belongs to the other format.
    """

    def __init__(self, options: Options, reads_scores: bool, added: list[str]) -> None:
        with ExitStack() as stack:
            # Open the references first, so that a missing file is reported before standard input is read.
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
            self.format: Moses | JsonLines
            if is_json(lines if options.skip_bad else lines[:1], self.name):
                self.format = JsonLines(options, reads_scores, lines, added)
            else:
                self.format = Moses(options, reads_scores, lines)
            _check_extension(options, self.format)
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def jobs(self) -> Iterator[Job]:
        """Yield the blocks of the n-best list, each with the references of its sources.

        All files are read at the same pace. Before the last block is yielded, the files are checked to have the same
        number of sources, so a complete output is never written for files that do not belong together.

        Raises:
            ValueError: The files have different numbers of sources, or a file is malformed or empty.
        """
        latest: Job | None = None
        for job in self._jobs():
            if latest is not None:
                yield latest
            latest = job
        if latest is not None:
            yield latest

    def _jobs(self) -> Iterator[Job]:
        """Yield the blocks with their references; raise errors about the number of sources after the last block."""
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
                        raise self._different_numbers(
                            f"{lines.name} has {counted(after, 'line')}, {self.name} has more sources"
                        )
                    stop = min(stop, after)
                front, rest = block.split(stop)
                yield Job(front, first, [lines.take(stop) for lines in self._references])
                first = stop
                if stop == block.stop:
                    break
                block = rest  # noqa: PLW2901  # The sources that have not been yielded.
        if not first:
            raise ValueError(f"{self.name}: expected candidates, found only malformed lines")
        for lines in self._references:
            if lines.ready() is not None:
                raise self._different_numbers(
                    f"{lines.name} has more lines, {self.name} has {counted(first, 'source')}"
                )

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
                block = self.format.group(data, is_read)
            used, lines = block.consumed
            if not used and not is_read:
                # The first source is longer than the data, so double the data.
                size = len(data)
                continue
            data = data[used:]
            block.first_line = line
            yield block
            line += lines
            size = decompressed_files.BLOCK_BYTES - len(data)

    def parse(self, block: Block) -> Block:
        """Return a copy of a block with its candidates parsed. Several threads may call it, also for the same block.

        Raises:
            ValueError: A line is malformed, and malformed lines are not skipped; the error names the line and what was
                expected in it.
        """
        block = replace(block)
        with self._located(block.first_line):
            self.format.parse(block)
        return block

    @contextmanager
    def _located(self, first_line: int) -> Iterator[None]:
        """Convert a `LineError` to a ValueError that names the file and the line.

        Args:
            first_line: The number of the first line of the block in the file, from 1.
        """
        try:
            yield
        except LineError as error:
            raise ValueError(f"{self.name}: line {first_line + error.line}: {error}") from None

    @staticmethod
    def _different_numbers(found: str) -> ValueError:
        return ValueError(f"references and candidates are for different numbers of sources: {found}")


def _opened(path: str) -> decompressed_files.Input:
    return text_lines.open_text(path, may_have_mark=False)


def _check_extension(options: Options, list_format: Moses | JsonLines) -> None:
    """Raise a ValueError if the extension of the output file belongs to another format than that of the input."""
    if options.output is not None and options.output.lower().endswith(list_format.foreign_extensions):
        raise ValueError(
            f"{options.option_name('output')}: the output has the format of the input, {list_format.format_name}, so "
            f"{options.output!r} needs a different extension"
        )


def is_json(lines: list[bytes], name: str) -> bool:
    """Return whether an n-best list has the format of JSON lines, rather than that of Moses.

    The first line that has one of the two formats decides.

    Args:
        lines: The first line of the file, and further lines if the first one may be malformed.
        name: The name of the file, for the error message.

    Raises:
        ValueError: None of the lines has one of the two formats.

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
        f"{name}: line 1: expected 'id ||| text ||| features ||| score' or a JSON object; if the file is plain text, "
        "write the id of the source and ' ||| ' in front of each candidate"
    )
