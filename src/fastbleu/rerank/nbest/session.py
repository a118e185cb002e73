"""The files of a command line, opened together and read in step."""

from __future__ import annotations

from contextlib import ExitStack
from typing import NamedTuple

from ...cli.common import EXIT_USAGE, UserError
from . import stream
from .blocks import BlockReader
from .formats import FIRST_LINES, Fields, JsonLines, Moses, detect, make_format
from .lines import LineReader
from .output import Layout
from .stream import Input
from .tasks import Job

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator

    from typing_extensions import Self

    from .blocks import Block, Format


#: The field of a Moses n-best list that holds the models' score.
MODEL_SCORE = "4"


class NbestFile(NamedTuple):
    """An n-best list that is being read.

    Attributes:
        reader: Gives its blocks.
        form: Its format.
    """

    reader: BlockReader
    form: Format


class Session:
    """Candidates, references and other samples.

    Args:
        options: Which files, and what is in them.

    Attributes:
        candidates: The n-best list.
        evidence: That of other samples, or None.
        size: Bytes of the file of candidates; None where nobody knows.

    Raises:
        OSError: A file cannot be opened.
        UserError: Nothing tells a file's format, or it does not go with an option.
        ValueError: A file is not what it has to be.
    """

    def __init__(self, options: Namespace) -> None:
        self._options = options
        self._stack = ExitStack()
        try:
            score, option = options.weights_from if options.evidence is None else None, "--weights-from"
            if options.interpolate is not None:
                score = options.model_score or MODEL_SCORE
                option = "--interpolate" if options.model_score is None else "--model-score"
            # Files that are not there are known before standard input has been waited for.
            self._references = [
                LineReader(self._stack.enter_context(Input(path))) for path in options.references
            ]
            self.evidence: NbestFile | None = None
            if options.evidence is not None:
                self.evidence, _ = self._open(
                    options.evidence, options.weights_from, "--weights-from", is_evidence=True
                )
            self.candidates, self._input = self._open(options.input, score, option)
        except BaseException:
            self._stack.close()
            raise
        self.size = self._input.size

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def on_progress(self, advance: Callable[[int], object]) -> None:
        """Have a function told how many more bytes of the candidates' file have been read."""
        self._input.advance = advance

    def _open(
        self, path: str, score_field: str | None, option: str, is_evidence: bool = False
    ) -> tuple[NbestFile, Input]:
        """Opens an n-best list, whose scores an option asks for."""
        options = self._options
        source = self._stack.enter_context(Input(path))
        data = source.read(stream.BLOCK_BYTES)
        while b"\n" not in data and (more := source.read(len(data) or 1)):
            data += more
        if not data:
            raise UserError(f"{source.name} is empty")
        first_line = data[: data.find(b"\n") + 1 or len(data)]
        name = options.input_format
        if name is None:
            name = detect(first_line)
            if options.candidates_per_source is not None:
                if name is not None and not is_evidence:
                    raise UserError(
                        f"argument --candidates-per-source/-n: is for plain text, but {source.name} looks like {name}; "
                        "say --input-format text if it is plain text",
                        EXIT_USAGE,
                    )
                name = name or "text"
        if name is None:
            raise UserError(
                f"{source.name}: line 1: expected 'id ||| text ||| features ||| score' or a JSON object; of plain "
                "text, say with -n how many candidates each source has, of others the format with --input-format"
            )
        if name == "json" and options.skip_bad:
            # The first line may be one of those that are left out.
            while data.count(b"\n") < FIRST_LINES and (more := source.read(len(data))):
                data += more
        fields = Fields(
            options.candidates_field,
            options.text_field,
            options.id_field,
            _json_score_field(score_field),
        )
        try:
            form = make_format(
                name,
                data if options.skip_bad else first_line,
                options.candidates_per_source,
                fields,
                score_field,
                options.skip_bad,
                # Evidence has ids that can be compared, or as many sources.
                beside=bool(options.references) and not is_evidence,
            )
        except ValueError as error:
            raise UserError(f"argument {option}: {error}", EXIT_USAGE) from None
        return NbestFile(BlockReader(source, form, data), form), source

    def layout(self) -> Layout:
        """What is written of each source."""
        options = self._options
        form = self.candidates.form
        name = options.output_format or form.name
        lists = name == "json" and isinstance(form, JsonLines) and form.lists
        everything = options.all or options.command == "score"
        score_fields = {
            _json_score_field(field) for field in (options.model_score, options.weights_from, None)
        }
        layout = Layout(
            options.command,
            name,
            name == form.name,
            lists,
            (options.candidates_field, *sorted(score_fields)),
            options.text_field,
            options.id_field,
            options.top_k or 1,
            everything,
            options.width,
            options.interpolate is not None,
        )
        if name == "json":
            for option, field in (
                ("--candidates-field", options.candidates_field),
                ("--text-field", options.text_field),
                ("--id-field", options.id_field),
            ):
                if field == layout.score_name:
                    raise UserError(f"argument {option}: {field!r} is what the score is called", EXIT_USAGE)
        return layout

    def jobs(self) -> Iterator[Job]:
        """The blocks, with what belongs to their sources.

        Raises:
            ValueError: The files are not for the same sources, or one is not what it has to be.
        """
        reader = self.candidates.reader
        while True:
            first = reader.stop
            block = reader.take()
            if block is None:
                break
            references = [lines.take(block.stop - first) for lines in self._references]
            for lines, column in zip(self._references, references, strict=True):
                if len(column) < block.stop - first:
                    raise ValueError(
                        "references and candidates are for different numbers of sources: "
                        f"{lines.name} has {_lines(lines.lines)}, {reader.name} has more sources"
                    )
            yield Job(block, first, references, self._take_evidence(block))
        self._check_ends()

    def _take_evidence(self, block: Block) -> Block | None:
        if self.evidence is None:
            return None
        reader = self.evidence.reader
        found = reader.take(block.stop)
        forms = (self.candidates.form, self.evidence.form)
        if (
            isinstance(forms[0], Moses)
            and isinstance(forms[1], Moses)
            and forms[0].base != forms[1].base >= 0
        ):
            raise ValueError(
                f"evidence and candidates are for different sources: {reader.name} begins with id "
                f"{forms[1].base}, {self.candidates.reader.name} with id {forms[0].base}"
            )
        # Where it has been reached, those that lack evidence have been left out.
        if found is None or (found.stop < block.stop and not found.reached):
            raise ValueError(
                f"evidence and candidates are for different numbers of sources: {reader.name} has "
                f"{_sources(reader.stop)}, {self.candidates.reader.name} has more"
            )
        return found

    def _check_ends(self) -> None:
        """Checks that no file has more sources than the candidates."""
        reader = self.candidates.reader
        sources = f"{reader.name} has {_sources(reader.stop)}"
        if not reader.stop:
            raise ValueError(f"{reader.name}: expected candidates, found none that are not broken")
        for lines in self._references:
            if lines.count_rest():
                raise ValueError(
                    "references and candidates are for different numbers of sources: "
                    f"{lines.name} has {_lines(lines.lines)}, {sources}"
                )
        if self.evidence is not None and self.evidence.reader.take() is not None:
            raise ValueError(
                "evidence and candidates are for different numbers of sources: "
                f"{self.evidence.reader.name} has more, {sources}"
            )


def _json_score_field(field: str | None) -> str:
    """The JSON field that an option names; the number of the usual Moses field stands for the usual name."""
    return "score" if field in {None, MODEL_SCORE} else str(field)


def _sources(number: int) -> str:
    return f"{number} source{'' if number == 1 else 's'}"


def _lines(number: int) -> str:
    return f"{number} line{'' if number == 1 else 's'}"
