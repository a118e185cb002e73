"""The options of the command line: sacreBLEU 2.6.0's for BLEU, parsed and checked."""

from __future__ import annotations

import argparse
import os

from ..inputs.files import STDIN_NAME, table_form
from .common import (
    EXIT_USAGE,
    Parser,
    UserError,
    add_bleu_options,
    add_language_pair,
    add_threads,
    add_version,
    add_width,
    at_least,
    wrong_option,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

PROGRAM = "fastbleu"

OUTPUT_FORMATS = ("json", "text", "latex")

# Options of sacreBLEU's command line that this one lacks, and why.
_TEST_SETS = "it has no built-in test sets and scores the files that you give"
_PAIRED = "it has no paired significance tests"
_OTHER_METRICS = "BLEU is its only metric"
_REFUSED = {
    ("--citation", "--cite"): _TEST_SETS,
    ("--list",): _TEST_SETS,
    ("--test-set", "-t"): _TEST_SETS,
    ("--origlang", "-ol"): _TEST_SETS,
    ("--subset",): _TEST_SETS,
    ("--download",): _TEST_SETS,
    ("--echo",): _TEST_SETS,
    ("--detail", "-d"): _TEST_SETS,
    ("--paired-ar", "-par"): _PAIRED,
    ("--paired-bs", "-pbs"): _PAIRED,
    ("--paired-ar-n", "-parn"): _PAIRED,
    ("--paired-bs-n", "-pbsn"): _PAIRED,
    ("--paired-jobs", "-j"): _PAIRED,
    ("--chrf-char-order", "-cc"): _OTHER_METRICS,
    ("--chrf-word-order", "-cw"): _OTHER_METRICS,
    ("--chrf-beta",): _OTHER_METRICS,
    ("--chrf-whitespace",): _OTHER_METRICS,
    ("--chrf-lowercase",): _OTHER_METRICS,
    ("--chrf-eps-smoothing",): _OTHER_METRICS,
    ("--ter-case-sensitive",): _OTHER_METRICS,
    ("--ter-asian-support",): _OTHER_METRICS,
    ("--ter-no-punct",): _OTHER_METRICS,
    ("--ter-normalized",): _OTHER_METRICS,
}


def parse_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line, and refuse what contradicts itself before anything is read.

    Args:
        arguments: The command line without the program's name; ``sys.argv[1:]`` if None.

    Returns:
        The options under their long names.

    Raises:
        UserError: An option is unknown, not supported, or has a wrong value.
        SystemExit: ``--help`` or ``--version`` was given.

    Example:
        >>> parse_options(["reference.txt", "-i", "system.txt", "-tok", "intl"]).tokenize
        'intl'
    """
    options = _parser().parse_args(arguments)
    environment_format = os.environ.get("SACREBLEU_FORMAT", "").lower()
    if environment_format in OUTPUT_FORMATS:
        options.format = environment_format
    if options.hypothesis is not None:
        _check_columns(options)
        return options
    for option, given in (("--reference", options.reference), ("--by", options.by is not None)):
        if given:
            raise wrong_option(
                option, "names a column of a table: name that of the hypotheses with --hypothesis"
            )
    if not options.references:
        raise UserError("no reference files: name them first, before -i/--input")
    if options.num_refs != 1 and len(options.references) > 1:
        raise UserError(
            "argument --num-refs/-nr: splits one file into several references, "
            f"but {len(options.references)} reference files were given"
        )
    if options.input is not None:
        if not options.input:
            raise wrong_option("--input/-i", "expected at least one file")
        for name in options.input:
            if options.input.count(name) > 1:
                raise UserError(f"argument --input/-i: {name!r} is given twice; names of systems must differ")
    if options.sentence_level and options.confidence:
        raise UserError("argument --confidence/-ci: there are no intervals with --sentence-level/-sl")
    _check_explanation(options)
    return options


def refuse_several(options: argparse.Namespace, systems: int) -> None:
    """Refuse options that are for one system, if there are several."""
    if systems > 1:
        for option, given in (
            ("--explain", options.explain is not None),
            ("--sentence-level/-sl", options.sentence_level),
            ("--confidence/-ci", options.confidence),
        ):
            if given:
                raise UserError(f"argument {option}: takes one system, not {systems}")


def refuse_table(head: bytes) -> None:
    """Refuse a table in standard input where text is expected.

    Args:
        head: The first bytes of standard input.

    Raises:
        UserError: A table begins so.
    """
    form = table_form(head)
    if form is not None:
        raise UserError(
            f"{STDIN_NAME} holds {'a' if form.startswith('P') else 'an'} {form}, not text: name the columns with "
            "--hypothesis and --reference, and no file of references"
            + ("" if form.endswith("stream") else "; it cannot be read from a pipe, so name the file there"),
            EXIT_USAGE,
        )


def _check_columns(options: argparse.Namespace) -> None:
    """Refuse what tables lack, or what does not go with their columns."""
    if not options.reference:
        raise wrong_option("--hypothesis", "name the columns of references with --reference")
    for option, given in (
        ("--input/-i", options.input is not None),
        ("--num-refs/-nr", options.num_refs != 1),
        ("--encoding/-e", options.encoding.lower().replace("_", "-") != "utf-8"),
        ("--explain", options.explain is not None),
        ("--explain-html", options.explain_html is not None),
    ):
        if given:
            raise wrong_option(option, "is for text, and cannot be used with --hypothesis")
    for option, given in (
        ("--sentence-level/-sl", options.sentence_level),
        ("--confidence/-ci", options.confidence),
    ):
        if given and options.by is not None:
            raise wrong_option("--by", f"cannot be used with {option}")
    if options.sentence_level and options.confidence:
        raise UserError("argument --confidence/-ci: there are no intervals with --sentence-level/-sl")
    for name in options.reference:
        if options.reference.count(name) > 1:
            raise wrong_option("--reference", f"{name!r} is given twice")
        if name == options.hypothesis:
            raise wrong_option("--reference", f"{name!r} is the column of the hypotheses")
    if options.references.count("-") > 1:
        raise UserError("only one of the tables can be standard input", EXIT_USAGE)


def _check_explanation(options: argparse.Namespace) -> None:
    """Refuse options that contradict an explanation."""
    if options.explain is None:
        if options.explain_html is not None:
            raise wrong_option("--explain-html", "name the segments with --explain")
        return
    if options.explain_html == "":
        raise wrong_option("--explain-html", "expected the name of a file")
    for option, given in (
        ("--sentence-level/-sl", options.sentence_level),
        ("--confidence/-ci", options.confidence),
        ("--score-only/-b", options.score_only),
    ):
        if given:
            raise UserError(f"argument --explain: cannot be used with {option}")


class _Refuse(argparse.Action):
    """An option that only sacreBLEU has; `metavar` says why."""

    def __call__(self, *_: object) -> None:
        raise argparse.ArgumentError(self, f"not supported by fastbleu: {self.metavar}")


class _Once(argparse.Action):
    """An option that must not be given a second time."""

    def __call__(self, _: object, options: argparse.Namespace, value: Any, *__: object) -> None:
        if getattr(options, self.dest) is not None:
            raise argparse.ArgumentError(
                self, f"is given twice, with {getattr(options, self.dest)!r} and {value!r}"
            )
        setattr(options, self.dest, value)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=PROGRAM,
        description="BLEU, equal to sacreBLEU's to the last digit, but faster.\n"
        "    fastbleu reference.txt -i system.txt\n"
        "    cat system.txt | fastbleu reference.txt\n"
        "    fastbleu data.parquet --hypothesis mt --reference ref --by system",
        formatter_class=lambda prog: argparse.HelpFormatter(prog, width=80),
    )
    # fmt: off
    add = parser.add_argument
    add("references", nargs="*", metavar="REFERENCE", help="reference files, named before -i/--input")
    add("--input", "-i", nargs="*", metavar="SYSTEM",
        help="system output files (default: standard input, with tabs between several systems)")
    add("--num-refs", "-nr", type=at_least(1), default=1, metavar="N",
        help="split the one reference file at tabs into this many references (default: %(default)s)")
    add("--encoding", "-e", type=_encoding, default="utf-8",
        help="encoding of the files and of standard input (default: %(default)s)")
    add_language_pair(add)
    add("--metrics", "-m", type=_metric_name, nargs="+", metavar="bleu", help="BLEU is the only one")
    add("--sentence-level", "-sl", action="store_true", help="score each segment, with effective order")
    add_threads(add)
    add_version(parser)

    add = parser.add_argument_group("columns of Parquet and Arrow IPC files, instead of text").add_argument
    add("--hypothesis", action=_Once, metavar="COLUMN",
        help="column with the hypotheses: the files named first, or standard input, are tables then")
    add("--reference", action="append", metavar="COLUMN",
        help="column with references, of strings or of lists of strings; may be given several times")
    add("--by", metavar="COLUMN", help="column that says which system a row is of: print the score of each")

    add = add_bleu_options(parser, "zh for Chinese, ja-mecab for Japanese, ko-mecab for Korean, 13a otherwise")
    add("--force", action="store_true", help="do not warn of text that looks tokenized already")

    add = parser.add_argument_group("confidence interval, for one system").add_argument
    add("--confidence", "-ci", action="store_true", help="report the interval found by bootstrap resampling")
    add("--confidence-n", "-cin", type=at_least(1), default=1000, metavar="N",
        help="number of resamples (default: %(default)s)")

    add = parser.add_argument_group("explanation, for one system").add_argument
    add("--explain", type=_line_numbers, action="extend", metavar="LINES",
        help="explain the scores of these segments, with effective order, instead of printing a score; numbers of "
        "lines from 1 and ranges, such as 1,3-5")
    add("--explain-html", metavar="FILE", help="write the explanation to this file, as an HTML page")

    add = parser.add_argument_group("report").add_argument
    add("--quiet", "-q", action="store_true", help="write only warnings and errors to standard error")
    add("--short", "-sh", action="store_true", help="print the short signature")
    add("--score-only", "-b", action="store_true", help="print nothing but the score")
    add_width(add, 1)
    add("--no-color", "-nc", action="store_true",
        help="print no colours; the environment variable NO_COLOR has the same effect")
    add("--format", "-f", choices=OUTPUT_FORMATS, default="json",
        help="format of the output; latex is for the table of several systems, and means text for one; the "
        "environment variable SACREBLEU_FORMAT overrides this (default: %(default)s)")
    # fmt: on
    for flags, reason in _REFUSED.items():
        parser.add_argument(*flags, action=_Refuse, nargs="*", metavar=reason, help=argparse.SUPPRESS)
    return parser


def _line_numbers(text: str) -> list[range]:
    """The lines that a list names: numbers and ranges, both ends included, between commas."""
    numbers = []
    for part in text.split(","):
        first, dash, last = (part, "", "") if part.startswith("-") else part.partition("-")
        if not first or (dash and not last):
            raise argparse.ArgumentTypeError(
                f"expected numbers of lines and ranges, such as 1,3-5, not {text!r}"
            )
        ends = [at_least(1)(number) for number in ([first, last] if dash else [first])]
        if ends[0] > ends[-1]:
            raise argparse.ArgumentTypeError(f"a range must not run backwards, as {part!r} does")
        numbers.append(range(ends[0], ends[-1] + 1))
    return numbers


def _encoding(text: str) -> str:
    try:
        # Not the empty string: Python does not look the encoding up for that.
        "a".encode(text)
    except (LookupError, ValueError) as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def _metric_name(text: str) -> str:
    if text.lower() != "bleu":
        raise argparse.ArgumentTypeError(f"{text!r} is not supported by fastbleu: {_OTHER_METRICS}")
    return text.lower()
