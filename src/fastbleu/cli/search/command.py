"""``python -m fastbleu.search``: the nearest of many texts, and lists without near duplicates."""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from itertools import islice

from ...errors import counted, describe
from ...inputs.files import COMPRESSED, Input
from ...inputs.text_files import LineReader
from ...options import COMBINATIONS, DIRECTIONS
from ...rerank.nbest.formats import form_of_output
from ...rerank.nbest.reading import read
from .. import common
from ..conflicts import refuse_output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Sequence
    from typing import Any

    from ...search import Index

PROGRAM = "python -m fastbleu.search"

_DESCRIPTION = """\
Find the nearest of many texts by sentence BLEU, or leave out near duplicates.
    python -m fastbleu.search nearest pool.txt queries.txt -k 5 -o found.jsonl
    python -m fastbleu.search duplicates texts.txt --threshold 70 -o kept.txt"""

_FORMS = """\
formats of files, told apart by the ends of their names unless --input-format says it:
  text            one text on a line
  json            .json, .jsonl: an object on a line, with a field "text"
  moses           id ||| text ||| features ||| score
  parquet, arrow  .parquet, .arrow and the like: a row for each text, with a column "text"
Files and standard input are decompressed if gzip or zstd has compressed them."""

_COMMANDS = {
    "nearest": "print a JSON object for each query: the places of the nearest texts, and their scores",
    "duplicates": "print the texts that are unlike all texts printed before",
}

_JSON_ENDINGS = (".json", ".jsonl")
_TABLES = ("parquet", "arrow")

#: Queries that are searched at a time; what --resume goes on with.
_QUERIES = 1024

_scores = common.number(float, lambda value: 0 <= value <= 100, "within 0..100")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, and say on standard error what went wrong, in one line.

    Args:
        arguments: The command line without the program's name; ``sys.argv[1:]`` if None.

    Returns:
        The exit code: 0, or 1 for input that cannot be read, 2 for a wrong option, 130 after Ctrl-C.

    Raises:
        SystemExit: ``--help`` or ``--version`` was given.

    Example:
        >>> main(["nearest", "pool.txt", "queries.txt", "-k", "0"])
        2
    """
    return common.run_resumable(PROGRAM, lambda left: _run(_parse(arguments), left))


def _parse(arguments: Sequence[str] | None) -> Namespace:
    """Parse the command line, and refuse what contradicts itself before anything is read."""
    parser, commands = common.parser_of_commands(PROGRAM, _DESCRIPTION, _FORMS, _COMMANDS)
    for command, part in commands.items():
        _add_options(part, command)
    options = parser.parse_args(arguments)
    options.output = None if options.output == "-" else options.output
    inputs = [options.input, options.queries] if options.command == "nearest" else [options.input]
    refuse_output(options.output, inputs)
    if options.resume and options.output is None:
        raise common.wrong_option("--resume", "name the file with -o/--output")
    return options


# fmt: off
def _add_options(parser: ArgumentParser, command: str) -> None:
    add = parser.add_argument
    if command == "nearest":
        add("input", metavar="POOL", help="the texts")
        add("queries", nargs="?", default="-", metavar="QUERIES", help="the queries (default: standard input)")
        add("--number", "-k", dest="k", type=common.at_least(1), default=5, metavar="K",
            help="number of texts for each query (default: %(default)s)")
        add("--at-least", type=_scores, default=0.0, metavar="SCORE",
            help="leave out texts that score less, 0..100 (default: %(default)s)")
        add("--direction", choices=DIRECTIONS, default=DIRECTIONS[0],
            help="which of two texts is the hypothesis, or how both scores become one (default: %(default)s)")
        add("--texts", action="store_true", help="write the texts that are found, too")
        add("--resume", action="store_true",
            help="go on with what a run that was stopped has left beside --output; all other options must be the same")
        common.add_threads(add)
    else:
        parser.set_defaults(resume=False)
        add("input", nargs="?", default="-", metavar="TEXTS", help="the texts (default: standard input)")
        add("--threshold", type=_scores, default=70.0, metavar="SCORE",
            help="leave out a text that scores this with one that is kept, 0..100 (default: %(default)s)")
        add("--combine", choices=COMBINATIONS, default="max",
            help="how the scores of both directions become one (default: %(default)s)")
        add("--places", action="store_true", help="print the places of the texts, from 0, instead of the texts")
    add("--output", "-o", metavar="FILE", help="file to write to (default: standard output)")
    add("--input-format", choices=("text", "json", "moses", "parquet", "arrow"), help="format of all files")
    add("--text-field", default="text", metavar="NAME",
        help="JSON field, or column of a table, with the text (default: %(default)s)")
    add("--quiet", "-q", action="store_true", help="write only errors to standard error")
    common.add_sentence_bleu_options(parser, "text")
# fmt: on


def _run(options: Namespace, left: list[str]) -> None:
    """Read, search and write, and say what has been done."""
    from ...rerank.nbest.output import Output, Part
    from ...search import Index, deduplicate

    metric = common.make_sentence_metric(options)
    texts = list(read_texts(options.input, options.input_format, options.text_field))
    if options.command == "nearest":
        index = Index(texts, metric, threads=options.threads)
        queries = read_texts(options.queries, options.input_format, options.text_field)
        _write_nearest(options, index, texts if options.texts else None, queries, left)
        return
    kept = deduplicate(texts, options.threshold, metric, options.combine).tolist()
    lines = [str(i) if options.places else _one_line(texts[i]) for i in kept]
    with Output(options.output, None, False, left.append) as output:
        output.write(Part("\n".join([*lines, ""]).encode("utf-8", "surrogatepass"), 0))
    if not options.quiet:
        common.say(PROGRAM, f"{counted(len(texts), 'text', ',')}, {len(kept):,} kept")


def _write_nearest(
    options: Namespace, index: Index, texts: list[str] | None, queries: Iterator[str], left: list[str]
) -> None:
    """Write an object for each query, some queries at a time."""
    from ...rerank.nbest.output import Output, Part

    done = 0

    def render(block: list[str]) -> Part:
        found = index.nearest(block, options.k, options.at_least, options.direction)
        lines = []
        for places, scores in zip(found.indices.tolist(), found.scores.tolist(), strict=True):
            there = [i for i in places if i >= 0]
            of_texts = {} if texts is None else {"texts": [texts[i] for i in there]}
            record = {"indices": there, "scores": scores[: len(there)], **of_texts}
            lines.append(json.dumps(record, ensure_ascii=False) + "\n")
        return Part("".join(lines).encode("utf-8", "surrogatepass"), len(block))

    jobs = iter(lambda: list(islice(queries, _QUERIES)), [])
    with (
        Output(options.output, None, options.resume, left.append) as output,
        common.progress_bar(None, " queries", not options.quiet) as bar,
    ):
        if options.resume:
            done = output.skip_done(partial(render, block) for block in jobs)
        for block in jobs:
            output.write(render(block))
            bar.update(len(block))
            done += len(block)
    if not options.quiet:
        queried = f"{done:,} {'query' if done == 1 else 'queries'}"
        common.say(PROGRAM, f"{counted(len(index), 'text', ',')}, {queried}")


def _one_line(text: str) -> str:
    return " ".join(text.splitlines()) if "\n" in text or "\r" in text else text


# Texts of files


def read_texts(path: str, form: str | None, field: str) -> Iterator[str]:
    """Read the texts of a file one after the other.

    Args:
        path: The file; "-" is standard input.
        form: "text", "json", "moses", "parquet" or "arrow"; None: as its name ends.
        field: What the field of JSON or the column of a table is called.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is not of this form, or a text in it is missing; says where.
        ImportError: It is a table, and pyarrow is not installed.

    Example:
        >>> form_by_name("pool.jsonl.gz"), form_by_name("pool.parquet"), form_by_name("pool.de"), form_by_name("-")
        ('json', 'parquet', 'text', 'text')
    """
    form = form or form_by_name(path)
    file = None if path == "-" else path
    if form == "moses":
        for block in read(path, form=form):
            yield from block.texts
        return
    values, noun = (_read_table(file, field), "row") if form in _TABLES else (_read_lines(file), "line")
    for i, value in enumerate(values, 1):
        where = f"{path}: {noun} {i}: expected"
        if form == "json":
            try:
                record = json.loads(value)
            except ValueError as error:
                raise ValueError(f"{where} a JSON object: {error}") from None
            if not isinstance(record, dict):
                raise ValueError(f"{where} a JSON object, found {describe(record)}")
            value = record.get(field)  # noqa: PLW2901
        if not isinstance(value, str):
            raise ValueError(f"{where} a text in {field!r}, found {value!r}")  # noqa: TRY004
        yield value


def form_by_name(path: str) -> str:
    """Return the form that the name of a file says."""
    for ending in COMPRESSED:
        path = path.removesuffix(ending)
    if os.path.splitext(path)[1].lower() in _JSON_ENDINGS:
        return "json"
    return form_of_output(path, None, "text")


def _read_lines(path: str | None) -> Iterator[str | None]:
    with Input(path) as source:
        reader = LineReader(source)
        while (stop := reader.ready()) is not None:
            yield from reader.take(stop)


def _read_table(path: str | None, field: str) -> Iterator[Any]:
    from ...inputs.table_files import TableFile

    with TableFile(path) as table:
        table.check_column(field)
        for _, batch in table.batches([field]):
            yield from batch.column(0).to_pylist()


if __name__ == "__main__":
    sys.exit(main())
