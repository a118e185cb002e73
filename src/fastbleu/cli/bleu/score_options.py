"""Parse and check the options of ``fastbleu``: those of sacreBLEU 2.6.0, ``--threads`` and ``--explain``."""

from __future__ import annotations

import argparse
import os

from .. import common, conflicts
from ..chrf_options import add_chrf_options
from ..conflicts import EXCLUDES, NEEDS
from ..parser import Parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

PROGRAM = "fastbleu"

OUTPUT_FORMATS = ("json", "text", "latex")

_METRICS = ("bleu", "chrf", "ter")

_LEVEL, _INTERVAL, _TEST_SET = "--sentence-level/-sl", "--confidence/-ci", "--test-set/-t"
_PAIRED = ("--paired-ar/-par", "--paired-bs/-pbs")

#: Options that only sacreBLEU supports. With one of them, the installed sacreBLEU runs the command line.
_SACREBLEU_ONLY = (
    "--list", "--echo", "--download", "--citation", "--origlang", "--subset", "--detail",
    "--ter-case-sensitive", "--ter-asian-support", "--ter-no-punct", "--ter-normalized",
)  # fmt: skip

#: Options that exclude or need other options; see `conflicts.Row`.
_CONFLICTS = (
    (_INTERVAL, EXCLUDES, (_LEVEL,), "there are no intervals with {}"),
    (_LEVEL, EXCLUDES, _PAIRED, "there are no significance tests of single segments"),
    ("--num-refs/-nr", EXCLUDES, (_TEST_SET,), "splits a file of references, and cannot be used with -t/--test-set"),
    ("--explain", EXCLUDES, (_LEVEL, _INTERVAL, "--score-only/-b", "--metrics/-m", *_PAIRED), "cannot be used with {}"),
    (_TEST_SET, NEEDS, ("--language-pair/-l",),
     "name the languages with -l/--language-pair; --list -t NAME lists them"),
)  # fmt: skip


def parse_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line, and reject conflicting options before any input is read.

    Args:
        arguments: The command line without the program's name; ``sys.argv[1:]`` if None.

    Returns:
        The options by their long names.

    Raises:
        UserError: An option is unknown, has a wrong value, or conflicts with another option.
        SystemExit: ``--help`` or ``--version`` was given.

    Example:
        >>> parse_options(["reference.txt", "-i", "system.txt", "-tok", "intl"]).tokenize
        'intl'
    """
    options = conflicts.parse(_parser(), arguments)
    environment_format = os.environ.get("SACREBLEU_FORMAT", "").lower()
    if environment_format in OUTPUT_FORMATS:
        options.format = environment_format
    if not needs_sacrebleu(options):
        _check(options)
    return options


def needs_sacrebleu(options: argparse.Namespace) -> bool:
    """Return whether the installed sacreBLEU must run the command line: for TER, several test sets and some options."""
    return (
        "ter" in options.metrics
        or "," in (options.test_set or "")
        or any(conflicts.given(options, option) for option in _SACREBLEU_ONLY)
    )


# fmt: off
def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        allow_abbrev=True,  # sacreBLEU accepts abbreviated options.
        prog=PROGRAM,
        usage=f"{PROGRAM} REFERENCE ... [-i SYSTEM ...] [options]",
        description="Compute BLEU and chrF, equal to sacreBLEU's to the last digit, but faster.\n"
        "    fastbleu examples/reference.A.de -i examples/system.alpha.de\n"
        "    fastbleu examples/reference.A.de -i examples/system.*.de --paired-ar -f text\n"
        "    cat examples/system.beta.de | fastbleu examples/reference.A.de -sl -b",
    )
    add = parser.add_argument
    add("references", nargs="*", metavar="REFERENCE",
        help="reference files, given before -i/--input; - is standard input")
    add("--input", "-i", nargs="*", metavar="SYSTEM",
        help="files of system output (default: standard input, in which tabs separate the systems); with several "
        "files, - is standard input as a single system")
    add("--num-refs", "-nr", type=common.at_least(1), default=1, metavar="N",
        help="number of tab-separated references per line of the reference file (default: %(default)s)")
    common.add_encoding(add, "the files and standard input")
    common.add_language_pair(add)
    add("--metrics", "-m", type=_metric, choices=_METRICS, nargs="+", default=["bleu"],
        help="one or more of bleu, chrf, ter; with ter, the installed sacreBLEU computes all metrics (default: bleu)")
    add("--test-set", "-t", metavar="NAME",
        help="score against the references of this test set, which the installed sacreBLEU downloads if necessary; "
        "requires --language-pair")
    add("--sentence-level", "-sl", action="store_true", help="score each segment, with effective order")
    common.add_threads(add)
    common.add_version(parser)

    add = common.add_bleu_options(parser, "zh for Chinese, ja-mecab for Japanese, ko-mecab for Korean, 13a otherwise")
    add("--force", action="store_true", help="do not warn about text that already looks tokenized")
    add_chrf_options(parser)

    add = parser.add_argument_group("confidence interval, for one system").add_argument
    add("--confidence", "-ci", action="store_true", help="report the interval, computed by bootstrap resampling")
    add("--confidence-n", "-cin", type=common.at_least(1), default=1000, metavar="N",
        help="number of resamples (default: %(default)s)")

    group = parser.add_argument_group("paired significance test of the first system against every other system")
    add = group.add_mutually_exclusive_group().add_argument
    add("--paired-ar", "-par", action="store_true", help="use approximate randomization")
    add("--paired-bs", "-pbs", action="store_true", help="use paired bootstrap resampling")
    add = group.add_argument
    add("--paired-ar-n", "-parn", type=int, default=10000, metavar="N",
        help="number of trials; 10000 if not positive (default: %(default)s)")
    add("--paired-bs-n", "-pbsn", type=int, default=1000, metavar="N",
        help="number of resamples; 1000 if not positive (default: %(default)s)")
    add("--paired-jobs", "-j", type=common.at_least(0), metavar="N",
        help="ignored; accepted for compatibility with sacreBLEU")

    add = parser.add_argument_group("explanation, for one system").add_argument
    add("--explain", type=_line_numbers, action="extend", metavar="LINES",
        help="instead of printing a score, explain the scores of these segments, computed with effective order; "
        "LINES are line numbers, counted from 1, and ranges, such as 1,3-5")
    add("--explain-html", metavar="FILE", help="write the explanation to this file, as an HTML page")

    add = parser.add_argument_group("report").add_argument
    add("--quiet", "-q", action="store_true", help="write only warnings and errors to standard error")
    add("--short", "-sh", action="store_true", help="print the short signature")
    add("--score-only", "-b", action="store_true", help="print only the score")
    common.add_width(add, 1)
    add("--no-color", "-nc", action="store_true",
        help="do not use colors; the environment variable NO_COLOR has the same effect")
    add("--format", "-f", choices=OUTPUT_FORMATS, default="json",
        help="output format; latex applies to the table of several systems, and is the same as text for one system; "
        "the environment variable SACREBLEU_FORMAT overrides this option (default: %(default)s)")
    group = parser.add_argument_group("options run by the installed sacreBLEU, as are -m ter and -t NAME,NAME")
    _add_sacrebleus(group.add_argument)
    return parser


def _add_sacrebleus(add: Callable[..., Any]) -> None:
    add("--list", action="store_true",
        help="list all test sets; with -l, those for a language pair; with -t, the fields of that test set")
    add("--echo", nargs="+", metavar="FIELD",
        help="print these fields of the test set: src, ref, any other field that --list -t NAME prints, or all")
    add("--download", metavar="NAME", help="download this test set; with -l, only for one language pair")
    add("--citation", "--cite", action="store_true", help="print the test set's BibTeX entry")
    add("--origlang", "-ol", metavar="LANGUAGE",
        help="score or echo only segments with this original language or, with a prefix as in non-en, all others")
    add("--subset", metavar="REGEX",
        help="score or echo only segments whose document has an annotation that matches this regular "
        "expression, such as a domain or country:US")
    add("--detail", "-d", action="store_true",
        help="also print, as text, the scores of subsets by original language and domain")
    add("--ter-case-sensitive", action="store_true", help="TER: case-sensitive")
    add("--ter-asian-support", action="store_true", help="TER: split Chinese and Japanese text into characters")
    add("--ter-no-punct", action="store_true", help="TER: remove punctuation")
    add("--ter-normalized", action="store_true", help="TER: apply basic normalization and tokenization")
# fmt: on


def _metric(text: str) -> str:
    """Return the name of a metric in lower case; return any other text unchanged, for the error message."""
    return text.lower() if text.lower() in _METRICS else text


def _line_numbers(text: str) -> list[range]:
    """Parse the value of ``--explain``: line numbers and inclusive ranges of line numbers, separated by commas."""
    numbers = []
    for part in text.split(","):
        first, dash, last = (part, "", "") if part.startswith("-") else part.partition("-")
        if not first or (dash and not last):
            raise argparse.ArgumentTypeError(f"expected line numbers and ranges, such as 1,3-5, not {text!r}")
        ends = [common.at_least(1)(number) for number in ([first, last] if dash else [first])]
        if ends[0] > ends[-1]:
            raise argparse.ArgumentTypeError(
                f"the start of a range must not be after its end, as in {part!r}"
            )
        numbers.append(range(ends[0], ends[-1] + 1))
    return numbers


def _check(options: argparse.Namespace) -> None:
    """Reject options that conflict with each other or with the number of files.

    Raises:
        UserError: Two options conflict, or an option that another one needs is missing.
    """
    if options.sentence_level and len(options.metrics) > 1:
        raise common.UserError("argument --metrics/-m: takes one metric with --sentence-level/-sl")
    conflicts.refuse(options, _CONFLICTS, common.EXIT_ERROR)
    if options.num_refs != 1 and len(options.references) > 1:
        raise common.UserError(
            "argument --num-refs/-nr: splits one file into several references, "
            f"but {len(options.references)} reference files were given"
        )
    if options.test_set is not None and options.references:
        raise common.UserError(
            "argument --test-set/-t: has its own references, so no reference files can be given"
        )
    if options.test_set is None and not options.references:
        raise common.UserError(
            "no reference files: give them before -i/--input, or choose a test set with -t/--test-set"
        )
    if options.input == []:
        raise common.wrong_option("--input/-i", "expected at least one file")
    if options.input == ["-"]:
        options.input = None
    files = files_of(options)
    conflicts.check_inputs(files)
    if options.input is not None:
        # In a paired test, the baseline may be given again as another system, since `text_blocks` ignores repetitions.
        names = [name for name in options.input if not (is_paired(options) and name == options.input[0])]
        conflicts.refuse_twice("--input/-i", names, "; names of systems must differ", common.EXIT_ERROR)
    if options.paired_bs and options.paired_bs_n == 1:
        raise common.wrong_option("--paired-bs-n/-pbsn", "must be at least 2, not 1")
    conflicts.refuse(options, [("--explain-html", NEEDS, ("--explain",), "name the segments with --explain")])
    if options.explain_html is not None:
        conflicts.check_ending("--explain-html", options.explain_html, (".html", ".htm"))
        conflicts.refuse_inputs("--explain-html", options.explain_html, files)


def files_of(options: argparse.Namespace) -> list[str]:
    """Return the names of the input files; "-" is standard input."""
    return [*options.references, *(["-"] if options.input is None else options.input)]


def is_paired(options: argparse.Namespace) -> bool:
    """Return whether one of the options for paired significance tests is set."""
    return bool(options.paired_ar or options.paired_bs)


def check_number(options: argparse.Namespace, systems: int) -> None:
    """Reject options that do not allow this number of systems.

    Raises:
        UserError: An option for one system is set but there are several, or an option for several systems is set but
            there is one.
    """
    for option in ("--explain", _LEVEL, _INTERVAL) if systems > 1 else ():
        if conflicts.given(options, option):
            raise common.UserError(f"argument {option}: takes one system, not {systems}")
    for option in _PAIRED if systems == 1 else ():
        if conflicts.given(options, option):
            raise common.UserError(
                f"argument {option}: compares systems, so it needs at least two, not {systems}"
            )
