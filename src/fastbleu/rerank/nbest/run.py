"""The run over the files of a command line: opened together, read in step, scored and written block by block."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from functools import cached_property, partial

from ...errors import counted
from ...inputs import files, text_files
from ...inputs.table_files import TableFile
from ...system.threads import for_each
from ..ranking import first_largest
from .blocks import Form, Reader
from .formats import detect, form_of_output
from .json_lines import FIRST_LINES, MOSES_SCORE, JsonLines, json_score_field
from .layout import TABLE_FORMS, Layout
from .moses import Moses, Text
from .other_fields import CARRIED_FIELDS
from .output import Output, Part
from .winners import Figures, Job, Prepared, Winners

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from typing_extensions import Self

    from ...metric import BLEU
    from ...metric.chrf import CHRF
    from .options import Options


LINE_FORMS: dict[str, Callable[..., Form]] = {"moses": Moses, "json": JsonLines, "text": Text}

_NO_CANDIDATES = "expected candidates, found only broken lines"


class OptionError(ValueError):
    """An option does not go with the files.

    Attributes:
        option: The option.
    """

    def __init__(self, option: str, message: str) -> None:
        super().__init__(message)
        self.option = option


def run(
    options: Options,
    metric: BLEU | CHRF,
    on_open: Callable[[Session], object],
    on_left: Callable[[str], object] | None = None,
) -> Figures:
    """Read, score and write, block by block.

    Args:
        options: What to do.
        metric: The options of the scores.
        on_open: Called with the files when they are open.
        on_left: Called with the name of the file that an error leaves for `--resume`; None: it leaves none.

    Raises:
        OSError: A file cannot be opened, read or written.
        OptionError: An option does not go with the files.
        ValueError: A file is not what it has to be.
    """
    summary = Figures()
    with Session(options) as session:
        layout = session.layout
        winners: Winners | None = None
        if options.level == "corpus":
            # The file is read once to choose, and once more to write.
            winners = select(options, metric)
            summary.score = winners.score

        on_open(session)

        def part(job: Job) -> tuple[Part, Figures]:
            prepared = Prepared(session, metric, job)
            chosen, figures = prepared.choose(winners)
            return Part(layout.render(prepared.block, chosen), figures.sources), figures

        jobs = session.jobs()
        encoder = None
        if layout.is_table:
            from .parquet import TableEncoder

            encoder = partial(TableEncoder, layout.form, options.output)
        with Output(options.output, encoder, options.resume, on_left) as output:
            if options.resume:
                summary.resumed = output.skip_done(partial(lambda job: part(job)[0], job) for job in jobs)

            def done(found: tuple[Part, Figures]) -> None:
                output.write(found[0])
                summary.add(found[1])

            for_each(jobs, part, done, options.threads, ordered=True)
    return summary


def select(options: Options, metric: BLEU | CHRF) -> Winners:
    """Read a file and look for the selection with the highest corpus score."""
    import numpy as np

    from ..oracle import corpus_oracle

    parts: list[tuple[Any, ...]] = []
    with Session(options) as session:

        def count(job: Job) -> tuple[Any, ...]:
            prepared = Prepared(session, metric, job)
            rows, number = prepared.statistics()
            return rows, np.diff(prepared.block.bounds), prepared.block.ordinals, [number]

        for_each(session.jobs(), count, parts.append, options.threads, ordered=True)
        rows, sizes, ordinals, numbers = map(np.concatenate, zip(*parts, strict=True))
        if not len(sizes):
            raise ValueError(f"{session.candidates.name}: {_NO_CANDIDATES}")
    bounds = np.concatenate(([0], np.cumsum(sizes)))
    best = first_largest(metric.formula.score_rows(rows), bounds)
    indices, score = corpus_oracle(metric, rows, bounds, best)
    utilities = metric.formula.score_rows(rows[bounds[:-1] + indices])
    return Winners(indices, utilities, sizes, ordinals, metric.signed(score, int(numbers[numbers != 0][-1])))


class Session:
    """The files of a command line: candidates, references and other samples.

    Args:
        options: Which files, and what is in them.

    Attributes:
        options: The options.
        candidates: The n-best list.
        evidence: That of other samples, or None.

    Raises:
        OSError: A file cannot be opened.
        OptionError: A file's form does not go with an option.
        ValueError: The form of a file is unknown, or a file is not what it has to be.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        with ExitStack() as stack:
            self._stack = stack
            score, option = options.weights_from if options.evidence is None else None, "--weights-from"
            if options.interpolate is not None:
                score = options.model_score or MOSES_SCORE
                option = "--interpolate" if options.model_score is None else "--model-score"
            # Files that are not there are known before standard input has been waited for.
            self._references = [text_files.LineReader(self._input(path)) for path in options.references]
            self.evidence: Reader | None = None
            if options.evidence is not None:
                weights = options.weights_from
                self.evidence = self._open(options.evidence, weights, "--weights-from", is_evidence=True)
            self.candidates = self._open(options.input, score, option)
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _input(self, path: str) -> files.Input:
        return self._stack.enter_context(files.Input(None if path == "-" else path))

    def _open(self, path: str, score_field: str | None, option: str, is_evidence: bool = False) -> Reader:
        """Starts to read an n-best list, whose scores an option asks for."""
        options, source = self.options, self._input(path)
        data = source.read(files.BLOCK_BYTES)
        name, per_source = options.input_format, options.candidates_per_source
        if is_evidence and name in TABLE_FORMS:
            name = None
        if name in TABLE_FORMS or (name is None and files.table_form(data)):
            if per_source is not None and not is_evidence:
                raise OptionError(
                    "--candidates-per-source/-n", f"is for plain text, but {source.name} is a table"
                )
            from .parquet import Table

            source.unread(data)
            table = self._stack.enter_context(TableFile(None if path == "-" else path, source))
            return Reader(table, Table(table, options, score_field, is_evidence))
        # The first line, or if it may be one of those that are left out, some more.
        lines = FIRST_LINES if options.skip_bad else 1
        while data.count(b"\n") < lines and (more := source.read(len(data) or 1)):
            data += more
        if not data:
            raise ValueError(f"{source.name} is empty")
        text_files.refuse_mark(data, source.name)
        if name is None:
            name = detect(data.partition(b"\n")[0])
            if per_source is not None and name is not None and not is_evidence:
                raise OptionError(
                    "--candidates-per-source/-n",
                    f"is for plain text, but {source.name} looks like {name}; if it is plain text, name the format",
                )
            if per_source is not None:
                name = name or "text"
        if name is None:
            raise ValueError(
                f"{source.name}: line 1: expected 'id ||| text ||| features ||| score' or a JSON object; for plain "
                "text, say how many candidates each source has; otherwise name the format"
            )
        if options.references_field and not is_evidence:
            raise OptionError("--references-field", f"is for Parquet and Arrow IPC, not for {name}")
        try:
            form = LINE_FORMS[name](options, score_field, data, is_evidence)
        except ValueError as error:
            raise OptionError(option, str(error)) from None
        return Reader(source, form, data)

    @cached_property
    def layout(self) -> Layout:
        """The values that are written of each source, and their form.

        Raises:
            OptionError: An option does not go with the forms that come in and go out.
            ValueError: A column has the name of one that is written.
        """
        options, form = self.options, self.candidates.form
        try:
            name = form_of_output(options.output, options.output_format, form.name)
        except ValueError as error:
            raise OptionError("--output/-o", str(error)) from None
        if name in TABLE_FORMS and options.output is None and sys.stdout is not None and sys.stdout.isatty():
            raise OptionError(
                "--output/-o", f"{name} is not written to a terminal; name a file, or another --output-format"
            )
        score_fields = {
            json_score_field(field) for field in (options.model_score, options.weights_from, None)
        }
        fields = (options.candidates_field, *sorted(score_fields), *options.parallel_field, *CARRIED_FIELDS)
        layout = Layout(options, name, form.name, name == form.name == "json" and form.lists, fields)
        if layout.is_table and isinstance(self.candidates.source, TableFile):
            from .parquet import check_names

            check_names(layout, self.candidates.source)
        if options.details and name != "text":
            raise OptionError("--details", f"is for plain text; {name} has the place in a field")
        if options.parallel_field and not form.lists:
            raise OptionError(
                "--parallel-field",
                f"is for JSON with a list of candidates on each line, not for {form.name}"
                + (" with one candidate on each" if form.name == "json" else ""),
            )
        if name == "json":
            self._check_names(layout)
        return layout

    def _check_names(self, layout: Layout) -> None:
        """Refuse names of fields of JSON that are those of fields that are added."""
        options = self.options
        added = [*layout.added_fields, *(CARRIED_FIELDS if layout.came_from == "moses" else ())]
        if layout.added_fields[1:] == [layout.score_name]:
            raise OptionError("--index-field", "score and place must have different names")
        given = [(option, getattr(options, f"{option}_field")) for option in ("candidates", "text", "id")]
        for option, field in [*given, *(("parallel", field) for field in options.parallel_field)]:
            if field in added:
                raise OptionError(f"--{option}-field", f"{field!r} is the name of a field that is added")

    def jobs(self) -> Iterator[Job]:
        """The blocks, with what belongs to their sources. None of the files is read much further than the others.

        Raises:
            ValueError: The files are not for the same sources, or one is not what it has to be.
        """
        candidates, evidence = self.candidates, self.evidence
        beside: list[text_files.LineReader | Reader] = [*self._references]
        if evidence is not None:
            beside.append(evidence)
        first = 0
        while (stop := candidates.ready()) is not None:
            for reader in beside:
                after = reader.ready() or first
                if isinstance(reader, Reader):
                    ours, others = candidates.form.first_id, reader.form.first_id
                    if ours != others and min(ours, others) >= 0:
                        raise ValueError(
                            f"evidence and candidates are for different sources: {reader.name} begins with id "
                            f"{others}, {candidates.name} with id {ours}"
                        )
                if after < stop and reader.at_end:
                    raise self._unlike(reader, after, f"{candidates.name} has more sources")
                stop = min(stop, after)
            yield Job(
                candidates.take(stop),
                first,
                [lines.take(stop) for lines in self._references],
                None if evidence is None else evidence.take(stop),
            )
            first = stop
        if not first:
            raise ValueError(f"{candidates.name}: {_NO_CANDIDATES}")
        for reader in beside:
            # Broken lines may follow the last source of the evidence.
            after = first
            while (stop := reader.ready()) is not None:
                after = stop
                reader.take(stop)
            if after > first:
                raise self._unlike(reader, after, f"{candidates.name} has {counted(first, 'source')}")

    def _unlike(self, reader: text_files.LineReader | Reader, number: int, more: str) -> ValueError:
        """Return the error for a file that has another number of sources than the candidates."""
        what, noun = ("evidence", "source") if isinstance(reader, Reader) else ("references", "line")
        return ValueError(
            f"{what} and candidates are for different numbers of sources: "
            f"{reader.name} has {counted(number, noun)}, {more}"
        )
