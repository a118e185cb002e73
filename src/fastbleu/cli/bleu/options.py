"""The options of the command line: sacreBLEU 2.6.0's, and those for tables, threads and explanations."""

from __future__ import annotations

import argparse
import os

from ..common import (
    Parser,
    add_bleu_options,
    add_encoding,
    add_language_pair,
    add_threads,
    add_version,
    add_width,
    at_least,
)
from ..conflicts import parse
from .checks import check_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

PROGRAM = "fastbleu"

OUTPUT_FORMATS = ("json", "text", "latex")

#: The metrics, by the names that the command line has for them. All but BLEU are computed by sacreBLEU.
METRICS = ("bleu", "chrf", "ter")


def parse_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line, and refuse what contradicts itself before anything is read.

    Args:
        arguments: The command line without the program's name; ``sys.argv[1:]`` if None.

    Returns:
        The options under their long names.

    Raises:
        UserError: An option is unknown, or has a wrong value, or does not go with another.
        SystemExit: ``--help`` or ``--version`` was given.

    Example:
        >>> parse_options(["reference.txt", "-i", "system.txt", "-tok", "intl"]).tokenize
        'intl'
    """
    options = parse(_parser(), arguments)
    environment_format = os.environ.get("SACREBLEU_FORMAT", "").lower()
    if environment_format in OUTPUT_FORMATS:
        options.format = environment_format
    check_options(options)
    if options.detail and options.format == "json":
        options.format = "text"  # as sacreBLEU does: the lines of the subsets are not JSON
    return options


def resamples(options: argparse.Namespace) -> int:
    """Return how many resamples an interval is made of; 1 if there is to be none."""
    number: int = options.confidence_n if options.confidence else 1
    return number


class _Once(argparse.Action):
    """An option that must not be given a second time."""

    def __call__(self, _: object, options: argparse.Namespace, value: Any, *__: object) -> None:
        if getattr(options, self.dest) is not None:
            raise argparse.ArgumentError(
                self, f"is given twice, with {getattr(options, self.dest)!r} and {value!r}"
            )
        setattr(options, self.dest, value)


# fmt: off
def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=PROGRAM,
        description="BLEU, equal to sacreBLEU's to the last digit, but faster.\n"
        "    fastbleu reference.txt -i system.txt\n"
        "    cat system.txt | fastbleu reference.txt\n"
        "    fastbleu reference.txt -i baseline.txt other.txt --paired-ar -f text\n"
        "    fastbleu -t wmt22 -l en-de -i system.txt\n"
        "    fastbleu data.parquet --hypothesis mt --reference ref --by system",
        formatter_class=lambda prog: argparse.HelpFormatter(prog, width=80),
    )
    add = parser.add_argument
    add("references", nargs="*", metavar="REFERENCE", help="reference files, named before -i/--input")
    add("--input", "-i", nargs="*", metavar="SYSTEM",
        help="system output files (default: standard input, with tabs between several systems)")
    add("--num-refs", "-nr", type=at_least(1), default=1, metavar="N",
        help="split the one reference file at tabs into this many references (default: %(default)s)")
    add_encoding(add, "the files and of standard input")
    add_language_pair(add)
    add("--metrics", "-m", type=str.lower, choices=METRICS, nargs="+", default=["bleu"],
        help="bleu, chrf and ter, or some of them; chrF and TER are computed by sacreBLEU (default: bleu)")
    add("--sentence-level", "-sl", action="store_true", help="score each segment, with effective order")
    add_threads(add)
    add_version(parser)

    add = parser.add_argument_group("columns of Parquet and Arrow IPC files, instead of text").add_argument
    add("--hypothesis", action=_Once, metavar="COLUMN",
        help="column with the hypotheses: the files named first, or standard input, are tables then")
    add("--reference", action="append", metavar="COLUMN",
        help="column with references, of strings or of lists of strings; may be given several times")
    add("--by", metavar="COLUMN", help="column that says which system a row is of: print the score of each")

    _add_test_sets(parser.add_argument_group("sacreBLEU's test sets, instead of reference files").add_argument)
    add = add_bleu_options(parser, "zh for Chinese, ja-mecab for Japanese, ko-mecab for Korean, 13a otherwise")
    add("--force", action="store_true", help="do not warn of text that looks tokenized already")
    _add_other_metrics(parser)

    add = parser.add_argument_group("confidence interval, for one system").add_argument
    add("--confidence", "-ci", action="store_true", help="report the interval found by bootstrap resampling")
    add("--confidence-n", "-cin", type=at_least(1), default=1000, metavar="N",
        help="number of resamples (default: %(default)s)")

    _add_paired_tests(parser.add_argument_group("paired significance test, of the first system with each other one"))

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
    return parser


def _add_test_sets(add: Callable[..., Any]) -> None:
    add("--test-set", "-t", metavar="NAME",
        help="score against the references of this test set, or of several, with commas between them; --language-pair "
        "is needed")
    add("--origlang", "-ol", metavar="LANGUAGE",
        help="score, or echo, only segments whose original language is this one, or is not, as in non-en")
    add("--subset", metavar="REGEX",
        help="score, or echo, only segments whose document has an annotation that matches this expression, such as "
        "the domain or country:US")
    add("--detail", "-d", action="store_true",
        help="print the scores of subsets too, by original language and domain; in text")
    add("--list", action="store_true",
        help="print the names of all test sets, with -l of those for a language pair; with -t the fields of one")
    add("--echo", nargs="+", metavar="FIELD",
        help="print fields of the test set instead of scoring: src, ref, another one that --list -t NAME names, or all")
    add("--download", metavar="NAME", help="download this test set, with -l for one language pair, and end")
    add("--citation", "--cite", action="store_true", help="print the test set's BibTeX entry, and end")


def _add_other_metrics(parser: argparse.ArgumentParser) -> None:
    """The options and defaults of `sacrebleu.metrics.CHRF` and `sacrebleu.metrics.TER`."""
    add = parser.add_argument_group("chrF, computed by sacreBLEU").add_argument
    add("--chrf-char-order", "-cc", type=int, default=6, metavar="N",
        help="length of the longest character n-grams (default: %(default)s)")
    add("--chrf-word-order", "-cw", type=int, default=0, metavar="N",
        help="length of the longest word n-grams; 2 is chrF++ (default: %(default)s)")
    add("--chrf-beta", type=int, default=2, metavar="N",
        help="how much recall counts against precision (default: %(default)s)")
    add("--chrf-whitespace", action="store_true", help="count white space in character n-grams")
    add("--chrf-lowercase", action="store_true", help="ignore case")
    add("--chrf-eps-smoothing", action="store_true",
        help="smooth by a small number, as chrF++.py, NLTK and Moses do, instead of by effective order")

    add = parser.add_argument_group("TER, computed by sacreBLEU").add_argument
    add("--ter-case-sensitive", action="store_true", help="do not ignore case")
    add("--ter-asian-support", action="store_true", help="split Chinese and Japanese text into characters")
    add("--ter-no-punct", action="store_true", help="leave out punctuation")
    add("--ter-normalized", action="store_true", help="normalize and tokenize a little")


def _add_paired_tests(group: Any) -> None:
    add = group.add_mutually_exclusive_group().add_argument
    add("--paired-ar", "-par", action="store_true", help="test by approximate randomization")
    add("--paired-bs", "-pbs", action="store_true", help="test by paired bootstrap resampling")
    add = group.add_argument
    add("--paired-ar-n", "-parn", type=int, default=10000, metavar="N",
        help="number of trials; 10000 if this is not above 0 (default: %(default)s)")
    add("--paired-bs-n", "-pbsn", type=int, default=1000, metavar="N",
        help="number of resamples; 1000 if this is not above 0 (default: %(default)s)")
    add("--paired-jobs", "-j", type=at_least(0), metavar="N",
        help="number of threads of the test, and of sacreBLEU's processes for chrF and TER; 0 means one for "
        "each system, but at most half the number of processors (default: the number of --threads)")
# fmt: on


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
