"""Parse and check the options of ``fastbleu-compare``."""

from __future__ import annotations

import argparse
import os

from ...errors import counted
from ...inputs.decompressed_files import COMPRESSED
from ...options import CORRECTIONS, PAIRS, TESTS
from .. import common
from ..chrf_options import add_chrf_options
from ..conflicts import check_ending, check_inputs, refuse_inputs, refuse_twice
from ..parser import Parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM = "fastbleu-compare"

#: The formats of a report that can be printed.
FORMATS = ("text", "json")

#: The format of a report by the extension of its file.
ENDINGS = {".html": "html", ".htm": "html", ".json": "json", ".txt": "text"}

#: The folders of the pipes that a shell opens for <(...). The names of these pipes are numbers, so they are not used as
#: names of systems.
_NAMELESS = ("/dev/fd/", "/proc/self/fd/")

#: Options of ``fastbleu`` that this command does not have, with the advice to print if one of them is used.
_COUNTERPARTS = {
    name: advice
    for names, advice in (
        ("-t", "the tokenizer is --tokenize or -tok, and --test-set only names the test set in the report"),
        ("--metrics -m", "BLEU is always shown; add chrF with --also chrf"),
        ("--paired-bs -pbs", "systems are always tested; choose this test with --test bootstrap"),
        ("--paired-ar -par", "systems are always tested, by default with --test randomization"),
        ("--paired-bs-n -pbsn --paired-ar-n -parn", "use --trials"),
        ("--confidence -ci", "intervals are always shown"),
        ("--confidence-n -cin", "use --resamples"),
        ("--sentence-level -sl", "--segments N sets the number of segments that are shown"),
        ("--num-refs -nr", "give several reference files"),
        ("--width -w", "the number of decimal places is fixed"),
        ("--short -sh", "the report has the full signatures"),
    )
    for name in names.split()
}

_DESCRIPTION = """\
Compare systems by BLEU and chrF: which is better, is that significant, and why.
    fastbleu-compare examples/reference.A.de -i examples/system.*.de
    fastbleu-compare examples/reference.?.de -i examples/system.*.de -f json
    fastbleu-compare examples/reference.A.de -i examples/system.*.de -o out.html"""


def parse_options(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line, and reject conflicting options before any input is read.

    Args:
        arguments: The command line without the program's name.

    Returns:
        The options by their long names.

    Raises:
        UserError: An option is unknown, has a wrong value, or conflicts with another option.
        SystemExit: ``--help`` or ``--version`` was given.

    Example:
        >>> options = parse_options(["ref.de", "-i", "base.de", "new.de", "-tok", "intl"])
        >>> options.references, options.input, options.names, options.tokenize
        (['ref.de'], ['base.de', 'new.de'], ['base', 'new'], 'intl')
    """
    for argument in arguments:
        if advice := _COUNTERPARTS.get(argument.partition("=")[0]):
            raise common.UserError(f"unrecognized argument {argument}: {advice}", common.EXIT_USAGE)
    options = _parser().parse_args(arguments)
    _check_files(options)
    if options.names:
        if len(options.names) != len(options.input):
            raise common.wrong_option(
                "--names", f"got {counted(len(options.names), 'name')} for {len(options.input)} systems"
            )
        if not all(map(str.strip, options.names)):
            raise common.wrong_option("--names", "a name is empty")
        refuse_twice("--names", options.names, "; names of systems must differ")
    else:
        options.names = names_of(options.input)
        refuse_twice("--input/-i", options.names, "; name the systems with --names, or remove the second one")
    if options.test == "bootstrap" and options.trials == 1:
        raise common.wrong_option(
            "--trials", f"must be at least 2 with --test bootstrap, not {options.trials}"
        )
    if options.output is not None:
        check_ending("--output/-o", options.output, ENDINGS)
        refuse_inputs("--output/-o", options.output, files_of(options))
    return options


def _check_files(options: argparse.Namespace) -> None:
    """Reject a command line without input files, or with a system that has no name.

    Raises:
        UserError: The command line is rejected.
    """
    if not options.references:
        raise common.UserError("no reference files: give them before -i/--input", common.EXIT_USAGE)
    if not options.input or len(options.input) < 2:
        raise common.wrong_option("--input/-i", "expected the files of at least two systems")
    check_inputs(files_of(options))
    for path in options.input if options.names is None else ():
        if path == "-" or path.startswith(_NAMELESS):
            what = "standard input" if path == "-" else f"the pipe {path}"
            raise common.wrong_option("--input/-i", f"{what} has no name; name the systems with --names")


def files_of(options: argparse.Namespace) -> list[str]:
    """Return the names of the input files; "-" is standard input."""
    others = (options.training, options.sources, options.documents, options.domains, options.languages)
    return [*options.references, *options.input, *(path for path in others if path is not None)]


def _format(text: str) -> str:
    """Return the value of ``--format``. For a format that this command cannot print, raise an error with advice."""
    if text == "html":
        raise argparse.ArgumentTypeError("an HTML page is written to a file: use -o report.html")
    if text == "latex":
        raise argparse.ArgumentTypeError("fastbleu -f latex prints a table in LaTeX")
    return text


def names_of(paths: Sequence[str]) -> list[str]:
    """Derive names of systems from file names: the dot-separated parts in which the file names differ.

    Return the paths if these parts are not different for all systems.

    Example:
        >>> names_of(["out/base.de", "out/new.de.gz"]), names_of(["hyp.A.de", "hyp.B.2.de"])
        (['base', 'new'], ['A', 'B.2'])
        >>> names_of(["base/out.de", "new/out.de"])
        ['base/out.de', 'new/out.de']
    """
    parts = []
    for path in paths:
        name = os.path.basename(path)
        for ending in COMPRESSED:
            name = name.removesuffix(ending)
        parts.append(name.split("."))
    while min(map(len, parts)) > 1 and len({part[-1] for part in parts}) == 1:
        parts = [part[:-1] for part in parts]
    while min(map(len, parts)) > 1 and len({part[0] for part in parts}) == 1:
        parts = [part[1:] for part in parts]
    names = [".".join(part) for part in parts]
    return names if len(set(names)) == len(names) and all(names) else list(paths)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=PROGRAM,
        usage=f"{PROGRAM} REFERENCE ... -i SYSTEM SYSTEM ... [options]",
        description=_DESCRIPTION,
    )
    # fmt: off
    add = parser.add_argument
    add("references", nargs="*", metavar="REFERENCE",
        help="reference files, given before -i/--input; - is standard input")
    add("--input", "-i", nargs="*", metavar="SYSTEM", help="files of system output, one segment per line")
    add("--names", nargs="+", metavar="NAME",
        help="names of the systems (default: the parts in which the file names differ)")
    add("--pairs", choices=PAIRS, default="all",
        help="all: test all pairs of systems; baseline: test the first system against every other (default: all)")
    add("--also", choices=("chrf",), help="score and test the systems with this metric as well as BLEU")
    common.add_encoding(add, "the files")
    common.add_language_pair(add)
    common.add_threads(add)
    common.add_version(parser)

    add = parser.add_argument_group(
        "segment metadata: files with one line per segment").add_argument
    add("--sources", metavar="FILE", help="the source texts, shown beside the outputs")
    add("--documents", metavar="FILE",
        help="the document of each segment; significance tests then treat documents as units, not segments")
    add("--domains", metavar="FILE", help="the domain of each segment")
    add("--languages", metavar="FILE", help="the language of each segment")
    add("--training", metavar="FILE",
        help="text that the systems were trained on; adds scores by word frequency")

    add = parser.add_argument_group("significance test").add_argument
    add("--test", choices=TESTS, default="randomization",
        help="randomization: approximate randomization; bootstrap: paired bootstrap, which reports equal systems as "
        "different more often than the significance level (default: %(default)s)")
    add("--trials", type=common.at_least(1), metavar="N",
        help="number of trials, at least 2 for the bootstrap (default: 10000, or more if the correction for many pairs "
        "requires more)")
    add("--correction", choices=CORRECTIONS, default="holm",
        help="correction of p-values for the number of pairs (default: %(default)s)")
    level = common.number(float, lambda value: 0 < value < 1, "above 0 and below 1")
    add("--level", type=level, default=0.05, metavar="P", help="significance level (default: %(default)s)")
    add("--resamples", type=common.at_least(2), default=1000, metavar="N",
        help="number of bootstrap resamples for the intervals (default: %(default)s)")
    add("--seed", type=common.at_least(0), metavar="N",
        help="random seed (default: the environment variable SACREBLEU_SEED, or 12345)")

    add = common.add_bleu_options(parser, "zh for Chinese, ja-mecab for Japanese, ko-mecab for Korean, 13a otherwise")
    common.add_max_order(add)
    add_chrf_options(parser)

    add = parser.add_argument_group("report").add_argument
    add("--format", "-f", type=_format, choices=FORMATS,
        help="format of the printed report (default: text, but with -o only the verdict is printed)")
    add("--output", "-o", metavar="FILE",
        help="also write the report to this file, in the format of its extension: .html, .json or .txt")
    add("--title", default="", metavar="TEXT", help="title of the report")
    add("--test-set", default="", metavar="NAME", help="name of the test set, shown in the report")
    add("--date", metavar="DATE",
        help="date shown in the report (default: the date in the environment variable SOURCE_DATE_EPOCH, or today)")
    add("--segments", type=common.at_least(0), default=100, metavar="N",
        help="number of segments to show in full, those with the largest differences (default: %(default)s)")
    add("--ngrams", type=common.at_least(0), default=10, metavar="N",
        help="number of n-grams to list for each system of a pair (default: %(default)s)")
    add("--quiet", "-q", action="store_true", help="with -o, do not print the verdict")
    # fmt: on
    return parser
