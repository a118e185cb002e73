"""The options of `fastbleu` that contradict each other, and those that do not fit what is read."""

from __future__ import annotations

from ...inputs.files import STDIN_NAME, table_form
from ..common import EXIT_ERROR, EXIT_USAGE, UserError, wrong_option
from ..conflicts import given, refuse_alone, refuse_together, refuse_twice
from ..output_files import refuse_inputs
from ..table_options import check_table_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

_LEVEL, _INTERVAL, _TEST_SET = "--sentence-level/-sl", "--confidence/-ci", "--test-set/-t"
_PAIRED = ("--paired-ar/-par", "--paired-bs/-pbs")
_OF_A_TEST_SET = ("--echo", "--origlang/-ol", "--subset")

#: Options that are not for tables.
_TEXT_OPTIONS = (
    "--num-refs/-nr", "--explain", "--explain-html", "--metrics/-m", _TEST_SET, *_OF_A_TEST_SET, "--detail/-d",
    "--list", "--download", "--citation/--cite", *_PAIRED,
)  # fmt: skip

#: Options that exclude others.
_EXCLUDING = (
    (_INTERVAL, (_LEVEL,), "there are no intervals with {}"),
    (_LEVEL, _PAIRED, "there are no significance tests of single segments"),
    ("--num-refs/-nr", (_TEST_SET,), "splits a file of references, and cannot be used with -t/--test-set"),
    (
        "--detail/-d",
        ("--origlang/-ol",),
        "prints the subsets of all original languages, and cannot be used with {}",
    ),
    (
        "--explain",
        (_LEVEL, _INTERVAL, "--score-only/-b", "--detail/-d", "--metrics/-m", *_PAIRED),
        "cannot be used with {}",
    ),
)

#: Options that need others.
_LACKING = (
    *((option, (_TEST_SET,), "is for a test set: name it with -t/--test-set") for option in _OF_A_TEST_SET),
    (
        _TEST_SET,
        ("--language-pair/-l",),
        "name the languages with -l/--language-pair; --list -t NAME lists them",
    ),
)


def check_options(options: Namespace) -> None:
    """Refuse options that contradict each other.

    Raises:
        UserError: Two of them do, or one lacks another.
    """
    check_table_options(options, *_TEXT_OPTIONS)
    if options.download is not None or options.list:
        return  # as in sacreBLEU, nothing else counts then
    if options.sentence_level and len(options.metrics) > 1:
        raise UserError("argument --metrics/-m: takes one metric with --sentence-level/-sl")
    refuse_alone(
        options, [("--citation/--cite", (_TEST_SET,), "name the test set with -t/--test-set")], EXIT_ERROR
    )
    if options.citation:
        return
    refuse_together(options, [("--by", (_LEVEL, _INTERVAL), "cannot be used with {}")])
    refuse_together(options, _EXCLUDING, EXIT_ERROR)
    if options.hypothesis is not None:
        _check_columns(options)
    else:
        _check_references(options)
        _check_systems(options)
    if options.paired_bs and options.paired_bs_n == 1:
        raise wrong_option("--paired-bs-n/-pbsn", "must be at least 2, not 1")
    _check_explanation(options)


def is_paired(options: Namespace) -> bool:
    """Return whether a paired significance test is asked for."""
    return bool(options.paired_ar or options.paired_bs)


def check_number(options: Namespace, systems: int) -> None:
    """Refuse options that are for one system if there are several, and for several if there is one."""
    for option in ("--explain", _LEVEL, _INTERVAL) if systems > 1 else ():
        if given(options, option):
            raise UserError(f"argument {option}: takes one system, not {systems}")
    for option in _PAIRED if systems == 1 else ():
        if given(options, option):
            raise UserError(f"argument {option}: compares systems, so it needs at least two, not {systems}")


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


def _check_explanation(options: Namespace) -> None:
    """Refuse a page that is not of an explanation, or would replace what is read."""
    refuse_alone(options, [("--explain-html", ("--explain",), "name the segments with --explain")])
    if options.explain_html == "":
        raise wrong_option("--explain-html", "expected the name of a file")
    if options.explain_html is not None:
        systems = ["-"] if options.input is None else options.input
        refuse_inputs("--explain-html", options.explain_html, (*options.references, *systems))


def _check_references(options: Namespace) -> None:
    """Refuse references that are missing, or come from two places."""
    if options.num_refs != 1 and len(options.references) > 1:
        raise UserError(
            "argument --num-refs/-nr: splits one file into several references, "
            f"but {len(options.references)} reference files were given"
        )
    if options.test_set is not None and options.references:
        raise UserError("argument --test-set/-t: has its own references, so no reference files can be given")
    refuse_alone(options, _LACKING, EXIT_ERROR)
    if options.test_set is None and not options.references:
        raise UserError(
            "no reference files: name them first, before -i/--input, or a test set with -t/--test-set"
        )


def _check_systems(options: Namespace) -> None:
    """Refuse files of systems with the same name. The baseline of a paired test may be among the others too."""
    if options.input is None:
        return
    if not options.input:
        raise wrong_option("--input/-i", "expected at least one file")
    names = [name for name in options.input if not (is_paired(options) and name == options.input[0])]
    refuse_twice("--input/-i", names, "; names of systems must differ", EXIT_ERROR)


def _check_columns(options: Namespace) -> None:
    """Refuse columns and tables that are named twice."""
    refuse_twice("--reference", options.reference)
    if options.hypothesis in options.reference:
        raise wrong_option("--reference", f"{options.hypothesis!r} is the column of the hypotheses")
    if options.references.count("-") > 1:
        raise UserError("only one of the tables can be standard input", EXIT_USAGE)
