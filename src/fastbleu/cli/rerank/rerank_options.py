"""Parse and check the options of ``fastbleu-rerank``."""

from __future__ import annotations

import argparse
import os
from math import inf

from ...inputs.decompressed_files import COMPRESSED
from ...options import WEIGHTS_AS
from ...rerank.nbest.nbest_options import Options
from .. import common
from ..chrf_options import add_chrf_options
from ..conflicts import EXCLUDES, NEEDS, check_inputs, refuse, refuse_inputs
from ..parser import Parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM = "fastbleu-rerank"

_MAX_DECIMALS = 17

#: File extensions of formats that cannot be written. They are rejected, because the output would have another format.
_OTHER_FORMATS = (".arrow", ".csv", ".feather", ".htm", ".html", ".parquet", ".tsv", ".xlsx", ".xml")

_DESCRIPTION = """\
Choose the best candidates of n-best lists by sentence BLEU or chrF.
    fastbleu-rerank mbr examples/nbest.de -o best.de
    fastbleu-rerank oracle examples/nbest.de -r examples/reference.A.de
    cat examples/nbest.de | fastbleu-rerank self-bleu"""

_FORMATS = """\
formats of candidates, recognized by the first line and also used for output:
  Moses  id ||| text ||| features ||| score, and any further fields; ids are
         consecutive
  JSON   {"candidates": ["...", "..."], "id": ..., "score": [..., ...]}, one line
         per source, where id and score are optional; or
         {"id": ..., "text": "...", "score": ...}, one line per candidate, where
         score is optional. oracle and score read the field "references", a
         string or a list, unless files of references are given
The score of each candidate is added at the end of its line. In JSON, the field
is named bleu, expected_bleu, interpolated_score or self_bleu; with --metric
chrf, it is named chrf or expected_chrf. oracle and mbr also add the index of
each chosen candidate in its pool, counted from 0: in JSON as "index", in Moses
lists as a field "index= 2" before the score. With --top-k, the rank, counted
from 1, is added as "rank". JSON that already has a field with one of these
names is an error. In JSON with lists, all lists with one item per candidate are
reordered and shortened together, except references and chat messages.
Everything else remains as in the input. Input that is compressed with gzip or
zstd is decompressed."""

_COMMANDS = {
    "oracle": "print the candidate of each source that is closest to its references",
    "mbr": "print the candidate with minimum Bayes risk, which is closest to the other candidates on average",
    "self-bleu": "print the similarity of each source's candidates: the mean BLEU of each against the others",
    "score": "print every candidate with its sentence score against the references",
}

#: Options that do not apply to chrF.
_BLEU_ONLY = (
    "--smooth-method/-s",
    "--smooth-value/-sv",
    "--tokenize/-tok",
    "--lowercase/-lc",
    "--language-pair/-l",
    "--max-ngram-order",
    "--no-effective-order",
)

#: Options that need or exclude other options; see `conflicts.Row`.
_CONFLICTS = (
    ("--temperature", NEEDS, ("--weights-as log-probabilities",), "requires --weights-as log-probabilities"),
    ("--references-field", EXCLUDES, ("--references/-r",), "cannot be used with {}"),
    ("--resume", NEEDS, ("--output/-o",), "name the file with -o/--output"),
    ("--metric chrf", EXCLUDES, _BLEU_ONLY, "cannot be used with {}"),
    ("--exclude-self", EXCLUDES, ("--method aggregate",), "cannot be used with {}"),
    ("--top-k", EXCLUDES, ("--all",), "cannot be used with {}"),
    ("--level corpus", EXCLUDES, ("--resume", "--top-k", "--all"), "cannot be used with {}"),
)


def parse_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line, and reject conflicting options before any input is read.

    Args:
        arguments: The command line without the program's name; ``sys.argv[1:]`` if None.

    Returns:
        The options by their long names. Options that the chosen command (such as mbr) lacks have their defaults.

    Raises:
        UserError: An option is unknown, has a wrong value, or conflicts with another option.
        SystemExit: ``--help`` or ``--version`` was given.

    Example:
        >>> options = parse_options(["mbr", "nbest.txt", "--top-k", "5", "-tok", "intl"])
        >>> options.command, options.input, options.top_k, options.tokenize
        ('mbr', 'nbest.txt', 5, 'intl')
    """
    options = argparse.Namespace(**vars(Options()))
    parser = _parser()
    parser.parse_args(arguments, options)
    options.defaults = vars(parser.parse_args([options.command], argparse.Namespace(**vars(Options()))))
    if options.output == "-":
        options.output = None  # None and "-" mean standard output.
    of_chrf = (name.replace("_", "-") for name in options.defaults if name.startswith("chrf_"))
    needs_chrf = [(f"--{name}", NEEDS, ("--metric chrf",), "requires --metric chrf") for name in of_chrf]
    refuse(options, (*_CONFLICTS, *needs_chrf))
    _check(options)
    return options


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=PROGRAM, usage=f"{PROGRAM} COMMAND [FILE] [options]", description=_DESCRIPTION, epilog=_FORMATS
    )
    common.add_version(parser)
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="COMMAND", prog=PROGRAM, parser_class=Parser
    )
    for command, purpose in _COMMANDS.items():
        part = commands.add_parser(
            command,
            usage=f"{PROGRAM} {command} [FILE] [options]",
            help=purpose,
            description=f"{purpose[0].upper()}{purpose[1:]}.",
            epilog=_FORMATS,
        )
        _add_input(part, command)
        if command == "mbr":
            _add_mbr(part)
        _add_output(part, command)
        if command != "self-bleu":
            part.add_argument(
                "--metric",
                "-m",
                choices=("bleu", "chrf"),
                default="bleu",
                help="metric that scores candidates (default: %(default)s)",
            )
        add = common.add_bleu_options(
            part, "the tokenizer of the target language of --language-pair, or else 13a"
        )
        common.add_language_pair(add)
        common.add_max_order(add)
        add(
            "--no-effective-order",
            action="store_true",
            help="include orders for which a candidate is too short, so that it scores 0 (default: exclude them)",
        )
        if command != "self-bleu":
            add_chrf_options(part)
    return parser


# fmt: off
def _add_input(parser: argparse.ArgumentParser, command: str) -> None:
    add = parser.add_argument
    add("input", nargs="?", default="-", metavar="FILE", help="the n-best list (default: standard input)")
    if command != "self-bleu":
        use = "required unless the JSON has references"
        if command == "mbr":
            use = "for the corpus score of the best candidates in the summary"
        # Accept only one file per option. Otherwise, a file of candidates after the option would be read as references.
        add("--references", "-r", action="append", default=[], metavar="FILE",
            help=f"file of references, one line per source; may be given several times ({use})")
    if command == "oracle":
        add("--level", choices=("sentence", "corpus"), default="sentence",
            help="sentence: choose the candidate with the highest sentence score for each source; corpus: choose "
            "candidates that together have a high corpus score, a local optimum; this reads the file twice, and keeps "
            "the counts of each candidate in memory, 80 bytes for BLEU with n-grams up to 4 tokens, 144 for chrF "
            "(default: %(default)s)")
    common.add_threads(add)
    add("--quiet", "-q", action="store_true",
        help="write only errors to standard error, without a summary or progress bar")

    add = parser.add_argument_group("candidate format").add_argument
    add("--candidates-field", default="candidates", metavar="NAME",
        help="JSON field with the list of candidates (default: %(default)s)")
    add("--text-field", default="text", metavar="NAME", help="JSON field with one candidate (default: %(default)s)")
    add("--id-field", default="id", metavar="NAME", help="JSON field with the source's id (default: %(default)s)")
    if command != "self-bleu":
        add("--references-field", metavar="NAME",
            help="JSON field with the references of the source, a string or a list of strings"
            + (" (default: references, unless files of references are given)" if command != "mbr" else ""))
    add("--score-field", metavar="FIELD",
        help="the field with the model score: in Moses lists its number, at least 3 (default: 4), in JSON its name "
        "(default: score)")
    add("--skip-bad", action="store_true",
        help="skip malformed lines and sources, and report their number, instead of stopping at the first one")


def _add_mbr(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("minimum Bayes risk").add_argument
    add("--method", choices=("exact", "aggregate"), default="exact",
        help="exact: the mean of the scores against each candidate; aggregate: the score against the expected n-gram "
        "counts of all candidates (default: %(default)s)")
    add("--exclude-self", action="store_true", help="do not score a candidate against itself")
    add("--weights-as", choices=WEIGHTS_AS,
        help="weight candidates, as references for the others, by their model scores, which are one of these")
    add("--temperature", type=common.number(float, lambda value: 0 < value < inf, "above 0 and finite"), metavar="T",
        help="compute the weights as softmax(log-probability / T); T = 1 gives the normalized probabilities")
    add("--interpolate", type=common.number(float, lambda value: 0 <= value <= 1, "within 0..1"), metavar="WEIGHT",
        help="rank by (1 - WEIGHT) * utility + WEIGHT * model score, and write this number as interpolated_score")


def _add_output(parser: argparse.ArgumentParser, command: str) -> None:
    add = parser.add_argument_group("output").add_argument
    add("--output", "-o", metavar="FILE", help="file to write to (default: standard output)")
    if command in {"oracle", "mbr"}:
        add("--top-k", "-k", type=common.at_least(1), metavar="K",
            help="print the K best candidates of each source, best first, with their ranks")
        add("--index-field", default="index", metavar="NAME",
            help="JSON field for the index of a candidate in its pool (default: %(default)s)")
        add("--rank-field", default="rank", metavar="NAME",
            help="JSON field for the rank of a candidate, counted from 1, with --top-k (default: %(default)s)")
    if command != "score":
        add("--all", action="store_true", help="print all candidates with their scores, in input order")
    common.add_width(add, 4)
    add("--resume", action="store_true",
        help="continue after the finished blocks of an interrupted run; all other options must be the same")


# fmt: on


def _check(options: argparse.Namespace) -> None:
    if options.width > _MAX_DECIMALS:
        raise common.wrong_option("--width/-w", f"must be at most {_MAX_DECIMALS}, not {options.width}")
    for name in (options.input, *options.references) if options.level == "corpus" else ():
        if name == "-" or (os.path.exists(name) and not os.path.isfile(name)):
            raise common.wrong_option(
                "--level corpus", "reads its files twice, so they cannot be standard input or a pipe"
            )
    inputs = (options.input, *options.references)
    check_inputs(inputs)
    if options.output is None:
        return
    if not options.output:
        raise common.wrong_option("--output/-o", "expected the name of a file")
    if os.path.splitext(options.output)[1].lower() in _OTHER_FORMATS:
        raise common.wrong_option(
            "--output/-o",
            f"the output is a Moses n-best list or JSON lines, so {options.output!r} needs a different extension",
        )
    if options.output.endswith(COMPRESSED):
        raise common.wrong_option(
            "--output/-o",
            f"output is not compressed, so {options.output!r} must not end in .gz or .zst; "
            "pipe standard output through gzip or zstd instead",
        )
    refuse_inputs("--output/-o", options.output, inputs)
